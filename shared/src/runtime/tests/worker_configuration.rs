//! The worker's environment: defaults, and everything that can be wrong, told at once.

use std::collections::BTreeMap;
use std::sync::Arc;

use super::super::WorkerConfig;
use super::super::config::{ConfigErrors, Environment};
use super::world::Echo;
use crate::work::Settings;

fn read(vars: &[(&str, &str)]) -> Result<WorkerConfig, ConfigErrors> {
    let lambda = [
        "AWS_LAMBDA_RUNTIME_API",
        "AWS_LAMBDA_FUNCTION_NAME",
        "AWS_LAMBDA_FUNCTION_MEMORY_SIZE",
        "AWS_LAMBDA_FUNCTION_VERSION",
    ];
    let all = lambda.iter().map(|name| (*name, "made-up")).chain(vars.iter().copied());
    let all: BTreeMap<String, String> = all.map(|(name, value)| (name.to_owned(), value.to_owned())).collect();
    WorkerConfig::of(&mut [Arc::new(Echo)], &Environment { vars: all, not_unicode: Vec::new() })
}

#[test]
fn the_defaults_need_no_variable() {
    let config = read(&[]).unwrap();
    assert_eq!(config.settings, Settings::default());
    assert_eq!(config.apis["echo-pay"].url, "https://api.echo.example");
    assert!(config.apis["echo-pay"].key.is_none());
}

#[test]
fn what_is_set_is_used_and_no_key_is_printed() {
    let config = read(&[
        ("HOOKLEDGER_WORKER_ATTEMPTS_MAX", "3"),
        ("HOOKLEDGER_WORKER_PARENT_WAIT_MS", "0"),
        ("HOOKLEDGER_ECHO_PAY_API_URL", "http://127.0.0.1:8080/"),
        ("HOOKLEDGER_ECHO_PAY_API_KEY", "rk_made_up"),
    ]);
    let config = config.unwrap();
    assert_eq!((config.settings.attempts_max, config.settings.parent_wait_ms), (3, 0));
    assert_eq!(config.apis["echo-pay"].url, "http://127.0.0.1:8080");
    assert!(config.apis["echo-pay"].key.is_some() && !format!("{config:?}").contains("rk_made_up"));
}

#[test]
fn every_problem_is_told_at_once() {
    let errors = read(&[
        ("HOOKLEDGER_WORKER_RUN_MS", "45000"),
        ("HOOKLEDGER_WORKER_LEASE_MS", "45000"),
        ("HOOKLEDGER_WORKER_ATTEMPTS_MAX", "0"),
        ("HOOKLEDGER_WORKER_BACKOF_MS", "1"),
        ("HOOKLEDGER_ECHO_PAY_API_URL", "http://api.echo.example"),
        ("HOOKLEDGER_ECHO_PAY_API_KEY", "rk_made_up\nagain"),
    ]);
    let errors = errors.unwrap_err().to_string();
    let names = ["WORKER_RUN_MS", "WORKER_ATTEMPTS_MAX", "WORKER_BACKOF_MS", "ECHO_PAY_API_URL", "ECHO_PAY_API_KEY"];
    for name in names {
        assert!(errors.lines().any(|line| line.starts_with(&format!("HOOKLEDGER_{name} "))), "{name}: {errors}");
    }
    assert!(!errors.contains("rk_made_up"), "{errors}");
}
