//! The environment: defaults, and everything that can be wrong, told at once.

use std::collections::BTreeMap;

use super::super::config::{Config, Environment, secrets_variable};
use super::world::Echo;
use crate::items::Tables;
use crate::outbox::Outbox;
use crate::provider::Mode;
use crate::request::KeySet;
use crate::store::Tuning;

const LAMBDA: [(&str, &str); 4] = [
    ("AWS_LAMBDA_RUNTIME_API", "127.0.0.1:9001"),
    ("AWS_LAMBDA_FUNCTION_NAME", "hooks"),
    ("AWS_LAMBDA_FUNCTION_MEMORY_SIZE", "512"),
    ("AWS_LAMBDA_FUNCTION_VERSION", "1"),
];

fn read(vars: &[(&str, &str)]) -> Result<Config, Vec<String>> {
    let vars: BTreeMap<&str, &str> = vars.iter().copied().collect();
    let config = Config::read(&mut Echo, |name| vars.get(name).map(|value| (*value).to_owned()));
    config.map_err(|errors| errors.lines().map(str::to_owned).collect())
}

fn on_lambda(vars: &[(&str, &str)]) -> Result<Config, Vec<String>> {
    let vars = LAMBDA.iter().chain(vars).map(|(name, value)| ((*name).to_owned(), (*value).to_owned())).collect();
    let environment = Environment { vars, not_unicode: Vec::new() };
    Config::of(&mut Echo, &environment).map_err(|errors| errors.lines().map(str::to_owned).collect())
}

#[test]
fn secrets_are_all_that_must_be_said() {
    let expected = Config {
        mode: Mode::Live,
        keys: KeySet::parse("shop@s1,s2").unwrap(),
        tables: Tables { claims: "hookledger-claims".into(), ledger: "hookledger-ledger".into() },
        gate_bytes: 8 << 20,
        outbox: Outbox::default(),
        tuning: Tuning::default(),
    };
    assert_eq!(secrets_variable("echo-pay"), "HOOKLEDGER_ECHO_PAY_SECRETS");
    assert_eq!(read(&[("HOOKLEDGER_ECHO_PAY_SECRETS", "shop@s1,s2")]), Ok(expected.clone()));
    let another = ("HOOKLEDGER_OTHER_SECRETS", "x");
    assert_eq!(on_lambda(&[("HOOKLEDGER_ECHO_PAY_SECRETS", "shop@s1,s2"), another]), Ok(expected));
}

#[test]
fn every_value_can_be_set() {
    let config = read(&[
        ("HOOKLEDGER_ECHO_PAY_SECRETS", "s"),
        ("HOOKLEDGER_MODE", "test"),
        ("HOOKLEDGER_CLAIMS_TABLE", "c.1"),
        ("HOOKLEDGER_LEDGER_TABLE", "l_1"),
        ("HOOKLEDGER_GATE_BYTES", "0"),
        ("HOOKLEDGER_DYNAMODB_CONNECT_MS", "100"),
        ("HOOKLEDGER_DYNAMODB_ATTEMPT_MS", "200"),
        ("HOOKLEDGER_DYNAMODB_ATTEMPTS", "1"),
    ]);
    let expected = Config {
        mode: Mode::Test,
        keys: KeySet::parse("s").unwrap(),
        tables: Tables { claims: "c.1".into(), ledger: "l_1".into() },
        gate_bytes: 0,
        outbox: Outbox::default(),
        tuning: Tuning { connect_ms: 100, attempt_ms: 200, attempts: 1, ..Tuning::default() },
    };
    assert_eq!(config, Ok(expected));
}

#[test]
fn every_problem_is_told_at_once_and_no_value_repeated() {
    let secret = "sesame-of-the-shop";
    let problems = on_lambda(&[
        ("HOOKLEDGER_ECHO_PAY_SECRETS", &format!("{secret}, ")),
        ("HOOKLEDGER_MODE", secret),
        ("HOOKLEDGER_CLAIMS_TABLE", "same-table"),
        ("HOOKLEDGER_LEDGER_TABLE", "same-table"),
        ("HOOKLEDGER_GATE_BYTES", "-1"),
        ("HOOKLEDGER_DYNAMODB_CONNECT_MS", "30000"),
        ("HOOKLEDGER_DYNAMODB_ATTEMPT_MS", "20000"),
        ("HOOKLEDGER_DYNAMODB_ATTEMPTS", "0"),
        ("HOOKLEDGER_CLAIM_TABLE", "x"),
    ])
    .unwrap_err();
    let names: Vec<&str> = problems.iter().filter_map(|problem| problem.split(' ').next()).collect();
    let expected = [
        "HOOKLEDGER_CLAIM_TABLE",
        "HOOKLEDGER_ECHO_PAY_SECRETS",
        "HOOKLEDGER_MODE",
        "HOOKLEDGER_LEDGER_TABLE",
        "HOOKLEDGER_GATE_BYTES",
        "HOOKLEDGER_DYNAMODB_ATTEMPTS",
        "HOOKLEDGER_DYNAMODB_CONNECT_MS",
        "HOOKLEDGER_DYNAMODB_ATTEMPT_MS",
    ];
    assert_eq!(names, expected, "{problems:#?}");
    assert!(problems.iter().all(|problem| problem.contains(": ")), "{problems:#?}");
    assert!(!problems.iter().any(|problem| problem.contains(secret)), "{problems:#?}");
    assert!(problems[1].contains("secret 2 is blank"), "{problems:#?}");
}

#[test]
fn an_empty_variable_is_not_a_missing_one() {
    let names = [
        "HOOKLEDGER_ECHO_PAY_SECRETS",
        "HOOKLEDGER_MODE",
        "HOOKLEDGER_CLAIMS_TABLE",
        "HOOKLEDGER_LEDGER_TABLE",
        "HOOKLEDGER_GATE_BYTES",
        "HOOKLEDGER_DYNAMODB_CONNECT_MS",
    ];
    for name in names {
        for empty in ["", " "] {
            let problems = read(&[("HOOKLEDGER_ECHO_PAY_SECRETS", "s"), (name, empty)]).unwrap_err();
            assert_eq!(problems.len(), 1, "{problems:#?}");
            assert!(problems[0].starts_with(name), "{problems:#?}");
        }
    }
    assert!(read(&[]).unwrap_err()[0].starts_with("HOOKLEDGER_ECHO_PAY_SECRETS is not set"));
}

#[test]
fn outside_of_lambda_one_line_says_so() {
    let vars = BTreeMap::from([("HOOKLEDGER_ECHO_PAY_SECRETS".to_owned(), "s".to_owned())]);
    let environment = Environment { vars, not_unicode: vec!["HOOKLEDGER_MODE".to_owned()] };
    let errors = Config::of(&mut Echo, &environment).unwrap_err();
    let lines: Vec<&str> = errors.lines().collect();
    assert_eq!(lines.len(), 2, "{errors}");
    assert!(lines[0].starts_with("HOOKLEDGER_MODE is not UTF-8"), "{errors}");
    assert!(lines[1].contains("`cargo run`"), "{errors}");
}
