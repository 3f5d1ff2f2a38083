//! The ledger's stream as the audit is given it: with entries that have no claim, with changes, with poison, and with the
//! store away.

use hookledger::metrics::Metric;
use hookledger_tests::{ErrorAnswer, Fact, Fault, Latch, World, each, nth_of, settle};
use lambda_runtime::{Context, LambdaEvent};
use serde_json::value::to_raw_value;
use serde_json::{Value, json};

use crate::rows::{n, s};

fn none() -> Value {
    json!({"batchItemFailures": []})
}

fn from(record: &Value) -> Value {
    json!({"batchItemFailures": [{"itemIdentifier": record["dynamodb"]["SequenceNumber"]}]})
}

/// Drift, changes, and what could not be read.
fn counted(world: &World) -> [u64; 3] {
    [Metric::LedgerDrift, Metric::LedgerChanged, Metric::AuditUnreadable].map(|metric| world.metrics.total(metric))
}

/// An event that books so many movements.
fn many(event_id: &str, entries: usize) -> Fact {
    let book = |fact: Fact, at: usize| fact.moving(&format!("{event_id}-{at}"), "payment", 1);
    (0..entries).fold(Fact::new(event_id, "settle"), book)
}

#[tokio::test]
async fn a_healthy_batch_is_told_as_zeros_after_one_consistent_read() {
    let world = World::new().await;
    world.deliver(settle("e1", "m1", 500).moving("m2", "payment", 1).body()).await;
    world.deliver(settle("e2", "m3", 500).body()).await;
    world.wire.clear();
    world.metrics.clear();
    assert_eq!(world.feed_audit(&world.ledger_records()).await, none());
    let calls = world.wire.calls();
    assert_eq!(calls.len(), 1, "{calls:?}");
    let asked = &calls[0].body["RequestItems"][&world.tables.claims];
    assert_eq!((&asked["ConsistentRead"], asked["Keys"].as_array().unwrap().len()), (&json!(true), 2));
    let lines = world.metrics.lines();
    for metric in [Metric::LedgerDrift, Metric::LedgerChanged, Metric::AuditUnreadable] {
        assert_eq!(lines[0][metric.name()], json!(0), "missing data breaches: {}", metric.name());
    }
}

#[tokio::test]
async fn an_entry_without_its_claim_is_found_once_a_look_and_looked_at_twice() {
    let world = World::new().await;
    world.deliver(settle("e1", "m1", 500).body()).await;
    world.plant_entry("test::m2", Some("test::e2")).await;
    world.wire.clear();
    let before = world.now();
    let records = world.ledger_records();
    assert_eq!(records.len(), 2);
    for looks in 1..=2 {
        assert_eq!(world.feed_audit(&records).await, none());
        assert_eq!(counted(&world), [looks, 0, 0]);
    }
    assert_eq!(before.ms_until(world.now()), 4_000, "two seconds for each second look");
    let calls = world.wire.calls();
    assert_eq!(calls.len(), 4);
    assert!(calls.iter().all(|call| call.body["RequestItems"][&world.tables.claims]["ConsistentRead"] == json!(true)));
    let again = &calls[1].body["RequestItems"][&world.tables.claims]["Keys"];
    assert_eq!(again, &json!([{"claim": {"S": "test::e2"}, "part": {"S": "claim"}}]), "only what looked wrong");
}

#[tokio::test]
async fn a_claim_that_comes_between_the_looks_is_no_drift() {
    let world = World::new().await;
    world.plant_entry("test::m1", Some("test::e1")).await;
    let second_look = Latch::new();
    world.wire.inject(nth_of("BatchGetItem", 1), Fault::Hold(second_look.clone()));
    let records = world.ledger_records();
    let appear = async {
        second_look.came().await;
        world.plant_claim("e1", &[("test::m1", false)]).await;
        second_look.open();
    };
    let (answer, ()) = tokio::join!(world.feed_audit(&records), appear);
    assert_eq!((answer, counted(&world)), (none(), [0, 0, 0]));
    assert_eq!(world.wire.count_of("BatchGetItem"), 2);
}

#[tokio::test]
async fn an_entry_that_was_changed_or_removed_is_found() {
    let world = World::new().await;
    world.deliver(settle("e1", "m1", 500).moving("m2", "payment", 1).body()).await;
    let ledger = &world.tables.ledger;
    let update = world.client.update_item().table_name(ledger).key("movement", s("test::m1")).key("kind", s("payment"));
    let update = update.update_expression("SET amount_minor = :more").expression_attribute_values(":more", n(5_000));
    update.send().await.unwrap();
    let delete = world.client.delete_item().table_name(ledger).key("movement", s("test::m2")).key("kind", s("payment"));
    delete.send().await.unwrap();
    let records = world.ledger_records();
    let names: Vec<_> = records.iter().map(|record| record["eventName"].as_str().unwrap()).collect();
    assert_eq!(names, ["INSERT", "INSERT", "MODIFY", "REMOVE"]);
    assert_eq!((world.feed_audit(&records).await, counted(&world)), (none(), [0, 2, 0]));
    // What was removed is missed by its claim as well.
    assert_eq!(world.scanned().await.counts.drift, 1);
}

#[tokio::test]
async fn a_store_that_is_away_brings_the_batch_back_from_there_and_nothing_is_counted_twice() {
    let world = World::builder().no_retries().build().await;
    world.deliver(many("e1", 60).body()).await;
    world.plant_entry("test::lost-1", Some("test::e9")).await;
    world.deliver(many("e2", 60).body()).await;
    world.plant_entry("test::lost-2", Some("test::e9")).await;
    world.metrics.clear();
    let records = world.ledger_records();
    assert_eq!(records.len(), 122);
    // The first hundred take two looks.
    world.wire.inject(nth_of("BatchGetItem", 2), Fault::Refuse);
    let answer = world.feed_audit(&records).await;
    assert_eq!((&answer, counted(&world)), (&from(&records[100]), [1, 0, 0]));
    let number = records[100]["dynamodb"]["SequenceNumber"].as_str().unwrap();
    assert_eq!(answer.to_string(), format!(r#"{{"batchItemFailures":[{{"itemIdentifier":"{number}"}}]}}"#));
    assert_eq!((world.feed_audit(&records[100..]).await, counted(&world)), (none(), [2, 0, 0]));
}

#[tokio::test]
async fn a_store_that_refuses_passes_nothing_over_and_says_no_zeros() {
    let world = World::builder().no_retries().build().await;
    world.plant_entry("test::m1", Some("test::e1")).await;
    let records = world.ledger_records();
    for error in ErrorAnswer::all() {
        world.metrics.clear();
        world.wire.inject(each("BatchGetItem"), Fault::Answer(error.clone()));
        assert_eq!(world.feed_audit(&records).await, from(&records[0]), "{error:?}");
        assert_eq!(world.metrics.lines(), Vec::<Value>::new(), "{error:?}");
        world.wire.heal();
        // Away only at the second look.
        world.wire.inject(nth_of("BatchGetItem", 1), Fault::Answer(error.clone()));
        assert_eq!(world.feed_audit(&records).await, from(&records[0]), "{error:?}");
        world.wire.heal();
    }
    assert_eq!((world.feed_audit(&records).await, counted(&world)), (none(), [1, 0, 0]));
}

#[tokio::test]
async fn poison_is_counted_and_stands_in_nobodys_way() {
    let world = World::new().await;
    world.deliver(settle("e1", "m1", 500).body()).await;
    let good = world.ledger_records().remove(0);
    let changed = |change: fn(&mut Value)| {
        let mut record = good.clone();
        change(&mut record);
        record
    };
    let unreadable = [
        json!({}),
        json!("record"),
        changed(|record| record["eventName"] = json!("REPLACE")),
        changed(|record| record["dynamodb"]["NewImage"] = json!(null)),
        changed(|record| record["dynamodb"]["NewImage"]["movement"] = json!({"S": ""})),
        changed(|record| record["dynamodb"]["NewImage"]["movement"] = json!({"S": 7})),
        changed(|record| record["dynamodb"] = json!({"NewImage": {"claim": {"S": "test::e1"}}})),
    ];
    let nameless = [
        changed(|record| _ = record["dynamodb"]["NewImage"].as_object_mut().unwrap().remove("claim")),
        changed(|record| record["dynamodb"]["NewImage"]["claim"] = json!({"N": "1"})),
        changed(|record| record["dynamodb"]["NewImage"]["claim"] = json!({"S": ""})),
        changed(|record| record["dynamodb"]["NewImage"]["claim"] = json!({"S": "x".repeat(3_000)})),
    ];
    let keyless = [json!({"eventName": "MODIFY", "dynamodb": {}}), json!({"eventName": "REMOVE", "dynamodb": {}})];
    // The keys alone say which entry it is.
    let bare = changed(|record| record["dynamodb"]["NewImage"] = json!({"claim": {"S": "test::e1"}}));
    let records = [&unreadable[..], &nameless, &keyless, &[bare, good.clone()]].concat();
    assert_eq!((world.feed_audit(&records).await, counted(&world)), (none(), [4, 2, 7]));
}

#[tokio::test]
async fn what_is_no_batch_is_an_error_and_not_a_success() {
    let world = World::new().await;
    let handler = hookledger::runtime::AuditHandler::new(std::sync::Arc::new(world.audit()));
    for event in [json!({"Records": 1}), json!({"Records": null}), json!({"Records": {}})] {
        let invocation = LambdaEvent::new(to_raw_value(&event).unwrap(), Context::default());
        assert!(handler.handle(invocation).await.is_err(), "{event}");
    }
    assert_eq!(world.feed_audit(&[]).await, none());
}

/// An answer that leaves every key of these claims unread.
fn unread(world: &World, event_ids: &[&str]) -> Fault {
    let key = |id: &&str| json!({"claim": {"S": world.key(id).as_str()}, "part": {"S": "claim"}});
    let keys: Vec<_> = event_ids.iter().map(key).collect();
    let body = json!({"Responses": {}, "UnprocessedKeys": {&world.tables.claims: {"Keys": keys}}});
    Fault::Answer(ErrorAnswer { status: 200, body: body.to_string() })
}

#[tokio::test]
async fn keys_left_unread_are_asked_for_again() {
    let world = World::new().await;
    world.deliver(settle("e1", "m1", 500).body()).await;
    world.deliver(settle("e2", "m2", 500).body()).await;
    world.wire.clear();
    world.wire.inject(nth_of("BatchGetItem", 0), unread(&world, &["e1", "e2"]));
    world.wire.inject(nth_of("BatchGetItem", 1), unread(&world, &["e2", "e1"]));
    let records = world.ledger_records();
    assert_eq!((world.feed_audit(&records).await, counted(&world)), (none(), [0, 0, 0]));
    let calls = world.wire.calls();
    assert_eq!(calls.len(), 3);
    let last = &calls[2].body["RequestItems"][&world.tables.claims];
    assert_eq!((&last["ConsistentRead"], last["Keys"].as_array().unwrap().len()), (&json!(true), 2));
    // Only for a while: what stays unread is no missing claim.
    world.wire.inject(each("BatchGetItem"), unread(&world, &["e1", "e2"]));
    assert_eq!((world.feed_audit(&records).await, counted(&world)), (from(&records[0]), [0, 0, 0]));
}
