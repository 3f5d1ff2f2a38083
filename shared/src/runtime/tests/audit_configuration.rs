//! The environment of the audit: defaults, and everything that can be wrong, told at once.

use std::collections::BTreeMap;

use super::super::AuditConfig;
use super::super::config::{ConfigErrors, Environment};
use crate::items::Tables;
use crate::store::Tuning;

fn read(vars: &[(&str, &str)]) -> Result<AuditConfig, ConfigErrors> {
    let lambda = [
        "AWS_LAMBDA_RUNTIME_API",
        "AWS_LAMBDA_FUNCTION_NAME",
        "AWS_LAMBDA_FUNCTION_MEMORY_SIZE",
        "AWS_LAMBDA_FUNCTION_VERSION",
    ];
    let all = lambda.iter().map(|name| (*name, "made-up")).chain(vars.iter().copied());
    let all: BTreeMap<String, String> = all.map(|(name, value)| (name.to_owned(), value.to_owned())).collect();
    AuditConfig::of(&Environment { vars: all, not_unicode: Vec::new() })
}

#[test]
fn nothing_must_be_said_and_what_is_said_is_used() {
    let tables = Tables { claims: "hookledger-claims".into(), ledger: "hookledger-ledger".into() };
    assert_eq!(read(&[]), Ok(AuditConfig { tables, tuning: Tuning::default() }));
    let config = read(&[
        ("HOOKLEDGER_CLAIMS_TABLE", "c.1"),
        ("HOOKLEDGER_LEDGER_TABLE", "l_1"),
        ("HOOKLEDGER_DYNAMODB_ATTEMPTS", "5"),
    ]);
    let tables = Tables { claims: "c.1".into(), ledger: "l_1".into() };
    assert_eq!(config, Ok(AuditConfig { tables, tuning: Tuning { attempts: 5, ..Tuning::default() } }));
}

#[test]
fn every_problem_is_told_at_once() {
    let errors = read(&[
        ("HOOKLEDGER_CLAIMS_TABLE", "same-table"),
        ("HOOKLEDGER_LEDGER_TABLE", "same-table"),
        ("HOOKLEDGER_DYNAMODB_ATTEMPTS", "0"),
        ("HOOKLEDGER_WORKER_ATTEMPTS_MAX", "3"),
    ]);
    let errors = errors.unwrap_err().to_string();
    for name in ["LEDGER_TABLE", "DYNAMODB_ATTEMPTS", "WORKER_ATTEMPTS_MAX"] {
        assert!(errors.lines().any(|line| line.starts_with(&format!("HOOKLEDGER_{name} "))), "{name}: {errors}");
    }
    assert_eq!(errors.lines().count(), 3, "{errors}");
}
