//! Every rule is quiet about what is well, and finds what is not.

use hookledger_worker::provider;
use serde_json::{Value, json};

use super::tables::{Facts, judge};
use super::{Finding, functions, guards, secrets};
use crate::tables::{LOGICAL_IDS, definition};

/// `healthy` with the value at this path replaced.
fn broken(healthy: &Value, pointer: &str, value: Value) -> Value {
    let mut broken = healthy.clone();
    *broken.pointer_mut(pointer).unwrap() = value;
    broken
}

/// The rule is quiet about `healthy`, and finds exactly one thing in each of the others.
fn finds(healthy: &Value, judge: impl Fn(&Value) -> Vec<Finding>, others: &[(&str, Value)]) {
    assert_eq!(judge(healthy), []);
    for (pointer, value) in others {
        let found = judge(&broken(healthy, pointer, value.clone()));
        assert_eq!(found.len(), 1, "{pointer} {value}: {found:?}");
        assert!(!found[0].what.is_empty() && !found[0].why.is_empty() && !found[0].mend.is_empty());
    }
}

#[test]
fn a_table_that_differs_from_the_template() {
    for logical_id in LOGICAL_IDS {
        let expected = Facts::of_template(&definition(logical_id).unwrap());
        let well = Facts { is_protected: Some(true), is_restorable: Some(true), ..expected.clone() };
        assert_eq!(judge(&expected, &well), []);
        let other_ttl = if expected.ttl_attribute.is_some() { None } else { Some("occurred_at_ms".to_owned()) };
        let mut without_index = well.clone();
        without_index.indexes.pop_first();
        let mut building = well.clone();
        building.indexes.values_mut().next().unwrap().2 = false;
        for broken in [
            Facts { status: "CREATING".to_owned(), ..well.clone() },
            Facts { keys: Vec::new(), ..well.clone() },
            Facts { stream_view: Some("KEYS_ONLY".to_owned()), ..well.clone() },
            Facts { ttl_attribute: other_ttl, ..well.clone() },
            Facts { is_protected: Some(false), ..well.clone() },
            Facts { is_restorable: Some(false), ..well.clone() },
            without_index,
            building,
        ] {
            assert_eq!(judge(&expected, &broken).len(), 1, "{broken:?}");
        }
    }
}

#[test]
fn a_function_that_answers_too_late_or_tells_nothing() {
    let stripe = provider("stripe").unwrap();
    let receiver = json!({
        "State": "Active", "LastUpdateStatus": "Successful", "Runtime": "provided.al2023", "Timeout": 10,
        "LoggingConfig": {"LogFormat": "JSON", "ApplicationLogLevel": "INFO"}, "Environment": {"Variables": {}},
    });
    let judge = |function: &Value| functions::judge("hookledger-stripe", function, Some(stripe.profile()));
    let others = [
        ("/State", json!("Failed")),
        ("/LastUpdateStatus", json!("Failed")),
        ("/Runtime", json!("provided.al2")),
        ("/Timeout", json!(11)),
        ("/LoggingConfig/LogFormat", json!("Text")),
        ("/LoggingConfig/ApplicationLogLevel", json!("WARN")),
    ];
    finds(&receiver, judge, &others);

    let worker = broken(&receiver, "/Timeout", json!(35));
    let judge = |function: &Value| functions::judge("hookledger-worker", function, None);
    let slow = ("/Environment/Variables", json!({"HOOKLEDGER_WORKER_RUN_MS": "40000"}));
    finds(&worker, judge, &[("/Timeout", json!(30)), slow]);
}

#[test]
fn a_stream_that_does_not_feed() {
    let fed = json!({"EventSourceMappings": [{
        "State": "Enabled", "FunctionResponseTypes": ["ReportBatchItemFailures"],
        "DestinationConfig": {"OnFailure": {"Destination": "arn:aws:sqs:eu-west-1:1:lost"}},
    }]});
    let others = [
        ("/EventSourceMappings", json!([])),
        ("/EventSourceMappings/0/State", json!("Disabled")),
        ("/EventSourceMappings/0/FunctionResponseTypes", json!([])),
        ("/EventSourceMappings/0/DestinationConfig/OnFailure", json!({})),
    ];
    finds(&fed, |mappings| functions::judge_feeding("hookledger-worker", mappings), &others);
}

#[test]
fn a_watch_that_sleeps() {
    let schedule = json!({"State": "ENABLED", "Target": {"DeadLetterConfig": {"Arn": "arn:aws:sqs:eu-west-1:1:lost"}}});
    let others = [("/State", json!("DISABLED")), ("/Target", json!({}))];
    finds(&schedule, |schedule| guards::judge_schedule("watch", schedule), &others);

    let alarms = json!({"MetricAlarms": [{"AlarmName": "a", "ActionsEnabled": true, "AlarmActions": ["arn"]}]});
    let others = [
        ("/MetricAlarms", json!([])),
        ("/MetricAlarms/0/ActionsEnabled", json!(false)),
        ("/MetricAlarms/0/AlarmActions", json!([])),
    ];
    finds(&alarms, |alarms| guards::judge_alarm("a", alarms, true), &others);

    let groups = json!({"logGroups": [{"logGroupName": "g", "retentionInDays": 30}]});
    let others = [("/logGroups", json!([])), ("/logGroups/0", json!({"logGroupName": "g"}))];
    finds(&groups, |groups| guards::judge_logs("g", groups), &others);

    let queue = json!({"Attributes": {"ApproximateNumberOfMessages": "0"}});
    let others = [("/Attributes/ApproximateNumberOfMessages", json!("2"))];
    finds(&queue, |queue| guards::judge_queue("lost", queue), &others);

    let retention = json!({"sampled": 5, "too_short": 0, "stalled": 0});
    let others = [("/too_short", json!(1)), ("/stalled", json!(1)), ("/too_short", Value::Null)];
    finds(&retention, guards::judge_retention, &others);

    finds(&json!({"rows": []}), guards::judge_open, &[("/rows", json!([{"state": "parked"}]))]);
}

#[test]
fn a_secret_that_its_function_would_refuse() {
    let findings = |name: &str, kept: &str| secrets::open(provider(name).unwrap(), "hookledger/it", kept).1;
    assert_eq!(findings("stripe", r#"{"secrets": ["whsec_a", "whsec_b"], "api_key": "rk"}"#), []);
    assert_eq!(findings("checkout", r#"{"secrets": ["a"]}"#), [], "it has no API");
    assert_eq!(
        findings("square", r#"{"secrets": ["a"], "api_key": "k", "settings": {"URL": "https://x.example/w"}}"#),
        []
    );
    for (name, kept) in [
        ("stripe", "whsec_a"),
        ("stripe", r#"{"secrets": [], "api_key": "rk"}"#),
        ("stripe", r#"{"secrets": ["whsec_a"]}"#),
        ("stripe", r#"{"secrets": ["whsec_a"], "api_key": "rk", "key": "x"}"#),
        ("adyen", r#"{"secrets": ["zz top"], "settings": {"CAPTURE": "*=auto"}}"#),
        ("square", r#"{"secrets": ["a"], "api_key": "k"}"#),
    ] {
        let found = findings(name, kept);
        assert_eq!(found.len(), 1, "{name} {kept}: {found:?}");
        assert!(!found[0].what.contains("whsec_a") && !found[0].what.contains("zz top"), "{found:?}");
    }
}
