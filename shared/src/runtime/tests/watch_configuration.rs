//! The environment of the function that watches: defaults, and everything that can be wrong, told at once.

use std::collections::BTreeMap;

use super::super::WatchConfig;
use super::super::config::{ConfigErrors, Environment};
use crate::stuck::Limits;

fn read(vars: &[(&str, &str)]) -> Result<WatchConfig, ConfigErrors> {
    let lambda = [
        "AWS_LAMBDA_RUNTIME_API",
        "AWS_LAMBDA_FUNCTION_NAME",
        "AWS_LAMBDA_FUNCTION_MEMORY_SIZE",
        "AWS_LAMBDA_FUNCTION_VERSION",
    ];
    let all = lambda.iter().map(|name| (*name, "made-up")).chain(vars.iter().copied());
    let all: BTreeMap<String, String> = all.map(|(name, value)| (name.to_owned(), value.to_owned())).collect();
    WatchConfig::of(&Environment { vars: all, not_unicode: Vec::new() })
}

#[test]
fn the_defaults_need_no_variable_and_what_is_set_is_used() {
    assert_eq!(read(&[]).unwrap().limits, Limits::default());
    let limits = read(&[("HOOKLEDGER_STUCK_AFTER_S", "60"), ("HOOKLEDGER_WORKER_ATTEMPTS_MAX", "3")]).unwrap().limits;
    assert_eq!((limits.grace_ms, limits.attempts_max), (60_000, 3));
}

#[test]
fn every_problem_is_told_at_once() {
    let wrong = [
        ("HOOKLEDGER_STUCK_AFTER_S", "0"),
        ("HOOKLEDGER_WORKER_ATTEMPTS_MAX", "many"),
        ("HOOKLEDGER_STUCK_AFTER_MS", "1000"),
        ("HOOKLEDGER_WORKER_LEASE_MS", "1000"),
    ];
    let errors = read(&wrong).unwrap_err().to_string();
    for (name, _) in wrong {
        assert!(errors.lines().any(|line| line.starts_with(&format!("{name} "))), "{name}: {errors}");
    }
}
