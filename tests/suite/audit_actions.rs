//! What a person asks the audit: every action, and what is refused.

use hookledger::metrics::Metric;
use hookledger_tests::{World, sample, samples, settle};
use serde_json::{Value, json};

#[tokio::test]
async fn every_sample_input_is_answered() {
    let mut seen = Vec::new();
    for (name, body) in samples("ledger-audit") {
        let world = World::stripe().await;
        world.deliver(sample("stripe", "charge_succeeded")).await;
        let input: Value = serde_json::from_slice(&body).unwrap();
        let answer = world.ask_audit(&input).await;
        if input.get("Records").is_some() {
            assert_eq!(answer, json!({"batchItemFailures": []}), "{name}");
            let changed = u64::from(input["Records"][0]["eventName"] != "INSERT");
            assert_eq!(world.metrics.total(Metric::LedgerChanged), changed, "{name}");
        } else {
            assert_eq!((&answer["counts"]["drift"], &answer["unfinished"]), (&json!(0), &json!(null)), "{name}");
        }
        assert_eq!(world.metrics.total(Metric::LedgerDrift), 0, "{name}");
        let event = input["Records"][0]["eventName"].as_str();
        seen.push(event.or(input["action"].as_str()).unwrap_or("schedule").to_owned());
    }
    for action in ["schedule", "run", "scan", "check", "INSERT", "MODIFY", "REMOVE"] {
        assert!(seen.iter().any(|name| name == action), "an input for {action}");
    }
}

#[tokio::test]
async fn an_entry_and_a_claim_can_be_checked_by_their_keys() {
    let world = World::new().await;
    world.deliver(settle("e1", "m1", 500).body()).await;
    world.plant_entry("test::m2", Some("test::e2")).await;
    world.plant_claim("e3", &[("test::m3", false)]).await;
    world.owe("e4").await;
    world.metrics.clear();
    let entry = |movement: &str| json!({"action": "check", "movement": movement, "kind": "payment"});
    let claim = |key: &str| json!({"action": "check", "key": key});
    for (ask, looked_at, drift) in [
        (entry("test::m1"), [1, 0, 0], 0),
        (entry("test::m2"), [1, 0, 0], 1),
        (claim("test::e1"), [0, 1, 1], 0),
        (claim("test::e3"), [0, 1, 1], 1),
        (claim("test::e4"), [0, 0, 0], 0),
    ] {
        let answer = world.ask_audit(&ask).await;
        let looked = ["entries", "claims", "listed"].map(|name| answer["looked_at"][name].as_u64().unwrap());
        assert_eq!((looked, answer["counts"]["drift"].as_u64()), (looked_at, Some(drift)), "{ask}");
        assert_eq!(answer["findings"].as_array().unwrap().len() as u64, drift);
    }
    assert_eq!(world.metrics.lines(), Vec::<Value>::new(), "a question is no second alarm");
    let found = &world.ask_audit(&entry("test::m2")).await["findings"][0];
    assert_eq!(
        (&found["sort"], &found["movement"], &found["kind"], &found["claim"]),
        (&json!("claim_missing"), &json!("test::m2"), &json!("payment"), &json!("test::e2"))
    );
    assert!(found["todo"].as_str().unwrap().contains("by hand"));
    // An entry that outlived its claim is no drift.
    world.advance_s(400 * 86_400);
    let answer = world.ask_audit(&entry("test::m2")).await;
    assert_eq!((&answer["looked_at"]["old_entries"], &answer["counts"]["drift"]), (&json!(1), &json!(0)));
}

#[tokio::test]
async fn the_scheduled_run_reads_the_segment_whose_turn_it_is() {
    let world = World::new().await;
    let scheduled: Value = serde_json::from_slice(&samples("ledger-audit")["scheduled"]).unwrap();
    let segment = world.audit().segment_now();
    let answer = world.ask_audit(&scheduled).await;
    assert_eq!(answer["segment"], json!({"number": segment.number, "of": 84}));
    world.advance_s(3_600);
    let next = world.ask_audit(&json!({"action": "run"})).await;
    assert_eq!(next["segment"]["number"], json!((segment.number + 1) % 84));
    assert_eq!(world.ask_audit(&json!({"action": "scan"})).await["segment"], json!({"number": 0, "of": 1}));
}

#[tokio::test]
async fn what_is_not_understood_says_what_is() {
    let world = World::new().await;
    for (ask, told) in [
        (json!({}), "action"),
        (json!({"action": "repair"}), "`run`, `scan`, `check`"),
        (json!({"action": "scan", "segments": 1}), "segment"),
        (json!({"action": "scan", "segment": 84}), "from 0 to 83"),
        (json!({"action": "scan", "segment": -1}), "-1"),
        (json!({"action": "run", "segment": 1}), "segment"),
        (json!({"action": "check"}), "`movement` and `kind`"),
        (json!({"action": "check", "movement": "test::m1"}), "`movement` and `kind`"),
        (json!({"action": "check", "movement": "test::m1", "kind": "payment", "key": "test::e1"}), "`key`"),
        (json!({"action": "check", "movement": "", "kind": "payment"}), "empty"),
        (json!({"action": "check", "key": "e1"}), "provider:scope:event id"),
        (json!({"action": "check", "movement": "test::m1", "kind": "payment"}), "no entry payment of test::m1"),
        (json!({"action": "check", "key": "test::e1"}), "no claim test::e1"),
        (json!([]), ""),
    ] {
        let answer = world.ask_audit(&ask).await;
        let error = answer["error"].as_str().unwrap_or_else(|| panic!("{ask}: {answer}"));
        assert!(error.contains(told), "{ask}: {error}");
    }
    assert_eq!(world.rows().await, 0, "no row is made");
}
