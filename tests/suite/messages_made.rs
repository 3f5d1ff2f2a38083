//! Which messages a delivery owes, and what they say.

use hookledger::outbox::{Outbox, Sink, Target};
use hookledger::plan::OnLost;
use hookledger::receive::Receiver;
use hookledger_tests::{World, settle};
use serde_json::Value;

fn outbox() -> Outbox {
    let sink = |name: &str, target, on_lost| Sink { name: name.to_owned(), target, on_lost };
    let sinks = vec![
        sink("bus", Target::Bus("payments".to_owned()), OnLost::Rerun),
        sink("erp", Target::Post("https://erp.example/hooks".to_owned()), OnLost::Hold),
    ];
    Outbox { sinks }
}

/// Another process of the world, whose sinks are told.
fn telling(world: &World) -> Receiver {
    let process = std::sync::Arc::into_inner(world.process()).unwrap();
    Receiver { outbox: outbox(), ..process }
}

/// Part, on_lost and body of every message row, in order.
async fn owed(world: &World) -> Vec<(String, String, Value)> {
    let rows = world.client.scan().table_name(&world.tables.claims).send().await.unwrap();
    let text = |row: &hookledger::items::Item, name: &str| row[name].as_s().unwrap().clone();
    let messages = rows.items().iter().filter(|row| text(row, "part").starts_with("message#"));
    let mut messages: Vec<_> = messages
        .map(|row| (text(row, "part"), text(row, "on_lost"), serde_json::from_str(&text(row, "body")).unwrap()))
        .collect();
    messages.sort_by(|one, other| one.0.cmp(&other.0));
    messages
}

#[tokio::test]
async fn every_entry_is_told_to_every_sink() {
    let world = World::new().await;
    let fact = settle("e1", "m1", 500).moving("m1", "refund", 200).account("a");
    telling(&world).receive(world.request(fact.body()), world.deadline()).await;
    let owed = owed(&world).await;
    let parts: Vec<_> = owed.iter().map(|(part, on_lost, _)| (part.as_str(), on_lost.as_str())).collect();
    let expected = [
        ("message#payment.recorded#test::m1/payment#bus", "rerun"),
        ("message#payment.recorded#test::m1/payment#erp", "hold"),
        ("message#refund.recorded#test::m1/refund#bus", "rerun"),
        ("message#refund.recorded#test::m1/refund#erp", "hold"),
    ];
    assert_eq!(parts, expected);
    let body = r#"{
        "version": 1, "name": "refund.recorded", "provider": "test", "scope": "", "event": {"id": "e1", "type": "settle"},
        "entry": {
            "movement": "test::m1", "kind": "refund", "amount_minor": "-200", "linked_minor": null, "currency": "EUR",
            "account": "a", "parent": null, "invoice": null, "occurred_at": "2026-11-30T00:53:20.000Z"
        }
    }"#;
    assert_eq!(owed[2].2, serde_json::from_str::<Value>(body).unwrap());
    assert_eq!(owed[2].2, owed[3].2);
}

#[tokio::test]
async fn without_sinks_nobody_is_told() {
    let world = World::new().await;
    world.deliver(settle("e1", "m1", 500).body()).await;
    assert_eq!(owed(&world).await, []);
}

#[tokio::test]
async fn an_entry_that_existed_is_not_told_again() {
    let world = World::new().await;
    let telling = telling(&world);
    for event in ["e1", "e2"] {
        telling.receive(world.request(settle(event, "m1", 500).body()), world.deadline()).await;
    }
    assert_eq!(owed(&world).await.len(), 2);
    telling.receive(world.request(settle("e1", "m1", 500).body()), world.deadline()).await;
    assert_eq!(owed(&world).await.len(), 2);
}

#[tokio::test]
async fn a_recorded_event_is_told_with_what_it_said() {
    let world = World::builder().provider(hookledger_github::GitHub).build().await;
    let telling = telling(&world);
    let request = world.request(br#"{"sum": 1.10, "n": 9007199254740993}"#);
    let answer = telling.receive(request, world.deadline()).await;
    assert_eq!(answer.reply.status, 202);
    let rows = world.client.scan().table_name(&world.tables.claims).send().await.unwrap();
    let bodies: Vec<_> = rows.items().iter().filter_map(|row| row.get("body")?.as_s().ok()).collect();
    assert_eq!(bodies.len(), 2);
    assert!(bodies[0].ends_with(r#","body":{"sum": 1.10, "n": 9007199254740993}}"#), "{}", bodies[0]);
    let body: Value = serde_json::from_str(bodies[0]).unwrap();
    assert_eq!((&body["name"], &body["event"]["bytes"]), (&"event.received".into(), &36.into()));
    assert_eq!(world.booked().await, []);
}

#[tokio::test]
async fn what_the_worker_books_is_told_as_well() {
    let world = World::stripe().await;
    let telling = telling(&world);
    for sample in ["charge_succeeded", "refund_updated_succeeded_1"] {
        let body = hookledger_tests::sample("stripe", sample);
        telling.receive(world.request(body), world.deadline()).await;
    }
    assert_eq!(owed(&world).await.len(), 2, "the refund is not booked yet");
    let worker = hookledger::work::Worker { outbox: outbox(), ..world.worker() };
    world.work_on_due(&worker).await;
    let owed = owed(&world).await;
    let refund = owed.iter().find(|(part, ..)| part.starts_with("message#refund.recorded")).unwrap();
    assert_eq!(refund.2["entry"]["account"], "cus_TkMiraHolt001");
    assert_eq!(owed.len(), 4);
}

#[tokio::test]
async fn more_than_one_transaction_takes_is_parked_and_told_to_nobody() {
    let world = World::new().await;
    let fact = (1..=30).fold(settle("e1", "m0", 1), |fact, at| fact.moving(&format!("m{at}"), "payment", 1));
    let answer = telling(&world).receive(world.request(fact.body()), world.deadline()).await;
    assert_eq!(answer.reply.status, 200);
    assert_eq!(owed(&world).await, []);
    assert_eq!(world.claim("e1").await.unwrap().state.name(), "parked");
}
