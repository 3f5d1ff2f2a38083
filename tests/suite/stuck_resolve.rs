//! A person decides that what the ledger lacks is booked and what differs is left.

use std::sync::Arc;

use aws_sdk_dynamodb::types::AttributeValue;
use hookledger::claim::State;
use hookledger::items::{Book, CLAIM_PART};
use hookledger::metrics::Metric;
use hookledger::plan::ParkReason;
use hookledger::stuck::{Answer, Changes};
use hookledger::work::Worked;
use hookledger_tests::{Fact, TestProvider, World, header, profile, settle};
use serde_json::{Value, json};
use tokio::sync::Barrier;

use crate::rows;

const SETTLED: Worked = Worked::Settled { known: 0, account_unknown: false };

/// `RACE_ROUNDS` sets the rounds.
fn rounds() -> usize {
    let set = std::env::var("RACE_ROUNDS").ok();
    set.map_or(60, |rounds| rounds.parse().expect("RACE_ROUNDS is a number"))
}

async fn ask(world: &World, action: Value) -> Changes {
    match world.ask(action).await.unwrap() {
        Answer::Changes(changes) => changes,
        other => panic!("{other:?}"),
    }
}

async fn book_missing(world: &World, event_id: &str) {
    let action = json!({"action": "resolve", "provider": "test", "event_id": event_id, "by": "kim", "note": "agreed with the customer", "book": "missing"});
    assert_eq!(ask(world, action).await.rows[0].result, Ok(State::Received));
}

/// A refund of 200 and one of 50 are owed, and the ledger holds the first as one of 300.
async fn conflict() -> World {
    let world = World::new().await;
    world.deliver(settle("e1", "m1", 500).account("a").body()).await;
    world.deliver(Fact::new("e2", "settle").moving("r1", "refund", 300).body()).await;
    let both = Fact { parent: "m1".into(), tell: vec!["bus".into()], ..Fact::new("e3", "defer") };
    world.deliver(both.moving("r1", "refund", 200).moving("r2", "refund", 50).body()).await;
    let worked = world.work(&world.worker(), &world.key("e3")).await;
    assert!(matches!(worked, Worked::Parked { reason: ParkReason::Conflict, .. }), "{worked:?}");
    world
}

#[tokio::test]
async fn what_is_absent_is_booked_and_what_differs_is_left_and_noted() {
    let world = conflict().await;
    let before = rows::ledger(&world).await;
    world.advance_s(600);
    book_missing(&world, "e3").await;
    assert_eq!(
        world.work(&world.worker(), &world.key("e3")).await,
        Worked::Settled { known: 1, account_unknown: false }
    );
    let after = rows::ledger(&world).await;
    assert_eq!(after.len(), before.len() + 1);
    assert!(before.iter().all(|row| after.contains(row)), "no entry was touched");
    let booked = [("test::m1", "payment", 500), ("test::r1", "refund", -300), ("test::r2", "refund", -50)];
    assert_eq!(world.booked().await, booked.map(|(movement, kind, amount)| (movement.to_owned(), kind, amount)));
    let claim = world.claim("e3").await.unwrap();
    assert_eq!((claim.state, claim.payload_parts, claim.due_at), (State::Done, 0, None));
    let said: Vec<_> = claim.entries.iter().map(|entry| (entry.existed, entry.differs.clone())).collect();
    assert_eq!(said[1], (false, None));
    let (true, Some(differs)) = &said[0] else { panic!("{said:?}") };
    assert_eq!(
        (differs.amount_minor, differs.currency.as_str(), differs.account.as_deref()),
        (-200, "EUR", Some("test::a"))
    );
    assert_eq!(world.story(&world.key("e3")).await.messages.len(), 0, "nobody is told of an entry that was not booked");
    assert_eq!(world.metrics.total(Metric::MovementConflicts), 1, "what a person decided is no new alarm");
    let shown = world.ask(json!({"action": "show", "key": "test::e3"})).await.unwrap().json();
    let resolution = &shown["claim"]["resolution"];
    assert_eq!((&resolution["by"], &resolution["note"]), (&json!("kim"), &json!("agreed with the customer")));
    assert_eq!(
        (&resolution["book"], shown["claim"]["entries"][0]["event_says"]["minor"].as_i64()),
        (&json!("missing"), Some(-200))
    );
    assert_eq!(world.watched().await.line(), None, "nothing is open any more");
    let again = world
        .deliver(
            Fact { parent: "m1".into(), ..Fact::new("e3", "defer") }
                .moving("r1", "refund", 200)
                .moving("r2", "refund", 50)
                .body(),
        )
        .await;
    assert_eq!(header(&again, "hookledger-replay"), Some("true"));
}

#[tokio::test]
async fn without_the_decision_it_parks_again() {
    let world = conflict().await;
    assert_eq!(ask(&world, json!({"action": "retry", "key": "test::e3"})).await.changed(), 1);
    let worked = world.work(&world.worker(), &world.key("e3")).await;
    assert!(matches!(worked, Worked::Parked { reason: ParkReason::Conflict, .. }), "{worked:?}");
    assert_eq!(world.booked().await.len(), 2);
}

#[tokio::test]
async fn the_decision_outlives_a_failure_and_is_carried_out_in_the_end() {
    let world = conflict().await;
    book_missing(&world, "e3").await;
    let mut blind = world.worker();
    let providers = std::mem::take(&mut blind.providers);
    assert!(matches!(world.work(&blind, &world.key("e3")).await, Worked::Later { .. }));
    world.wait_for(&world.key("e3")).await;
    blind.providers = providers;
    assert_eq!(world.work(&blind, &world.key("e3")).await, Worked::Settled { known: 1, account_unknown: false });
    assert_eq!(world.claim("e3").await.unwrap().resolution.unwrap().book, Book::Missing);
}

#[tokio::test]
async fn it_is_honoured_whatever_a_claim_was_parked_for() {
    for reason in ParkReason::ALL {
        let world = World::new().await;
        world.deliver(settle("e1", "m-parent", 500).body()).await;
        world.owe("e2").await;
        ask(&world, json!({"action": "park", "key": "test::e2"})).await;
        let attempts = AttributeValue::N("24".to_owned());
        let reason_written = AttributeValue::S(reason.name().to_owned());
        world.write(&world.key("e2"), CLAIM_PART, &[("park_reason", reason_written), ("attempt", attempts)]).await;
        book_missing(&world, "e2").await;
        assert_eq!(world.work(&world.worker(), &world.key("e2")).await, SETTLED, "{}", reason.name());
        let claim = world.claim("e2").await.unwrap();
        assert_eq!((claim.state, claim.park_reason, claim.attempt), (State::Done, None, 1));
        assert_eq!(world.booked().await.len(), 2);
    }
}

#[tokio::test]
async fn what_still_cannot_be_read_parks_again_and_says_so() {
    let provider = Arc::new(TestProvider::new(profile()));
    let world = World::builder().shared_provider(provider.clone()).build().await;
    let later = Fact { then: "settle".into(), ..Fact::new("e1", "later").moving("m1", "payment", 500) };
    world.deliver(later.body()).await;
    book_missing(&world, "e1").await;
    let worked = world.work(&world.worker(), &world.key("e1")).await;
    assert!(matches!(worked, Worked::Parked { reason: ParkReason::Unreadable, .. }), "{worked:?}");
    let row = world.claim_row("e1").await;
    assert_eq!(row.last_error.as_deref(), Some("what is missing could not be booked: not learned yet"));
    assert_eq!((row.state, row.resolution.is_some()), (Some(State::Parked), true));
    // After a deploy that can read it, a retry is enough: its cause is gone.
    provider.learn();
    assert_eq!(ask(&world, json!({"action": "retry", "key": "test::e1"})).await.changed(), 1);
    assert_eq!(world.work(&world.worker(), &world.key("e1")).await, SETTLED);
    assert_eq!(world.booked().await, [("test::m1".to_owned(), "payment", 500)]);
}

#[tokio::test]
async fn lost_bytes_park_again_until_the_provider_sends_them() {
    let world = World::new().await;
    world.deliver(settle("e1", "m-parent", 500).body()).await;
    world.owe("e2").await;
    rows::delete(&world, "e2", "payload#00").await;
    assert!(matches!(
        world.work(&world.worker(), &world.key("e2")).await,
        Worked::Parked { reason: ParkReason::BytesLost, .. }
    ));
    book_missing(&world, "e2").await;
    assert!(matches!(
        world.work(&world.worker(), &world.key("e2")).await,
        Worked::Parked { reason: ParkReason::BytesLost, .. }
    ));
    assert!(world.claim_row("e2").await.last_error.unwrap().starts_with("what is missing could not be booked: "));
    world.owe("e2").await;
    assert_eq!(world.work(&world.worker(), &world.key("e2")).await, SETTLED);
}

/// A person, in so many steps, and a worker at the same moment, round after round.
async fn race(steps: &'static [Value], check: fn(Vec<Changes>, Worked, Option<Book>, usize) -> bool) {
    let world = Arc::new(World::builder().contention().build().await);
    world.deliver(settle("e", "m-parent", 500).account("a").body()).await;
    let (mut entries, mut by_worker) = (1, 0);
    for round in 0..rounds() {
        let event_id = format!("e{round}");
        world.owe(&event_id).await;
        let key = world.key(&event_id);
        let barrier = Arc::new(Barrier::new(2));
        let (other, gate, asked) = (world.clone(), barrier.clone(), key.clone());
        let person = tokio::spawn(async move {
            gate.wait().await;
            let mut all = Vec::new();
            for step in steps {
                let mut step = step.clone();
                step["key"] = asked.as_str().into();
                all.push(ask(&other, step).await);
            }
            all
        });
        let (other, asked) = (world.clone(), key.clone());
        let worker = tokio::spawn(async move {
            let worker = other.worker();
            barrier.wait().await;
            other.work(&worker, &asked).await
        });
        let (changes, worked) = (person.await.unwrap(), worker.await.unwrap());
        // Whatever is left over is finished by the schedule, under the same rules.
        if world.claim(&event_id).await.unwrap().state != State::Done {
            world.advance_s(46);
            world.watched().await;
            world.work(&world.worker(), &key).await;
        }
        let claim = world.claim(&event_id).await.unwrap();
        assert_eq!(claim.state, State::Done, "round {round}: {changes:?} {worked:?}");
        entries += claim.entries.len();
        assert_eq!(world.ledger().await.len(), entries, "round {round}: what the claim names is booked, once");
        let book = claim.resolution.map(|resolution| resolution.book);
        by_worker += usize::from(check(changes, worked, book, claim.entries.len()));
    }
    println!("{by_worker} of {} rounds went to the worker", rounds());
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_resolve_and_a_completion_exactly_one_wins() {
    let steps = vec![json!({"action": "resolve", "by": "kim", "note": "by hand"})].leak();
    race(steps, |changes, worked, book, entries| {
        let (resolved, settled) = (changes[0].changed() == 1, matches!(worked, Worked::Settled { .. }));
        assert!(resolved != settled, "{changes:?} {worked:?}");
        assert_eq!((book.is_some(), entries), (resolved, usize::from(settled)));
        settled
    })
    .await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_claim_taken_away_from_its_worker_and_closed_exactly_one_wins() {
    let steps = vec![json!({"action": "park"}), json!({"action": "resolve", "by": "kim", "note": "by hand"})].leak();
    race(steps, |changes, worked, book, entries| {
        let (resolved, settled) = (changes[1].changed() == 1, matches!(worked, Worked::Settled { .. }));
        // Taken away, the claim may be found by the worker only after it was closed; a person may come while it is held.
        assert!(!(resolved && settled), "{changes:?} {worked:?}");
        assert_eq!((book.is_some(), entries), (resolved, usize::from(!resolved)));
        settled
    })
    .await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn book_missing_and_a_completion_book_once() {
    let steps = vec![json!({"action": "resolve", "by": "kim", "note": "go on", "book": "missing"})].leak();
    race(steps, |changes, worked, book, entries| {
        let resolved = changes[0].changed() == 1;
        assert_eq!((book, entries), (resolved.then_some(Book::Missing), 1), "{changes:?} {worked:?}");
        !resolved
    })
    .await;
}
