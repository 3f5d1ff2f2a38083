//! The scheduled run: what it kicks, what it parks, what it reports, and what it costs.

use aws_sdk_dynamodb::types::AttributeValue;
use hookledger::claim::State;
use hookledger::items::CLAIM_PART;
use hookledger::metrics::Metric;
use hookledger::plan::ParkReason;
use hookledger::store::{Completed, Lease};
use hookledger::time::UnixMs;
use hookledger_tests::{Fact, NOW, World, settle};
use serde_json::Value;

fn text(text: impl Into<String>) -> AttributeValue {
    AttributeValue::S(text.into())
}

fn number(number: impl ToString) -> AttributeValue {
    AttributeValue::N(number.to_string())
}

/// What a worker holds after it took the claim up and died.
async fn lost_run(world: &World, event_id: &str) {
    let ends = world.now().plus_ms(45_000);
    let lease = world.eyes.lease(&world.key(event_id), ends, 24, world.deadline()).await.unwrap();
    assert!(matches!(lease, Lease::Ours(_)));
}

#[tokio::test]
async fn nothing_to_say_is_said_as_zeros() {
    let world = World::new().await;
    world.deliver(settle("e1", "m1", 500).body()).await;
    world.metrics.clear();
    let report = world.watched().await;
    assert_eq!((report.line(), report.counts, report.oldest_open_s), (None, Default::default(), 0));
    let lines = world.metrics.lines();
    for metric in [Metric::StuckClaims, Metric::ParkedClaims, Metric::OldestOpenAgeSeconds, Metric::OpenMismatches] {
        assert_eq!(lines[0][metric.name()], Value::from(0), "missing data breaches: {}", metric.name());
    }
}

#[tokio::test]
async fn what_is_due_is_kicked_and_its_age_and_due_time_stay() {
    let world = World::new().await;
    world.owe("e1").await;
    let before = world.claim_row("e1").await;
    world.advance_s(60);
    let report = world.watched().await;
    assert_eq!((report.acted.redriven, report.counts.stuck_claims, report.oldest_open_s), (1, 0, 60));
    let after = world.claim_row("e1").await;
    assert_eq!(
        (after.state, after.due_at, after.open_since),
        (Some(State::Received), before.due_at, before.open_since)
    );
    assert_ne!(after.owner, before.owner, "a kick fences whoever held it");
    // Five minutes are the grace: a minute later it is stuck, kicked again, and not a moment younger.
    world.advance_s(300);
    let report = world.watched().await;
    assert_eq!((report.counts.stuck_claims, report.acted.redriven, report.oldest_open_s), (1, 1, 360));
    assert_eq!(world.metrics.total(Metric::StuckClaims), 1);
    assert_eq!(report.stuck[0].key, world.key("e1"));
    assert_eq!(world.claim_row("e1").await.open_since, before.open_since);
}

#[tokio::test]
async fn what_backs_off_is_reported_by_age_and_left_alone() {
    let world = World::new().await;
    world.owe("e1").await;
    let due = NOW.plus_ms(3_600_000);
    world
        .write(&world.key("e1"), CLAIM_PART, &[("due_at_ms", number(due.get())), ("last_error", text("timeout"))])
        .await;
    world.advance_s(1_000);
    let report = world.watched().await;
    assert_eq!((report.counts.stuck_claims, report.acted), (1, Default::default()));
    assert_eq!(report.stuck[0].last_error.as_deref(), Some("timeout"));
}

#[tokio::test]
async fn what_is_spent_is_parked_but_not_under_its_last_lease() {
    let world = World::new().await;
    world.owe("e1").await;
    world.write(&world.key("e1"), CLAIM_PART, &[("attempt", number(23)), ("last_error", text("timeout"))]).await;
    lost_run(&world, "e1").await;
    assert_eq!(world.watched().await.acted, Default::default(), "the last run is still on its way");
    world.advance_s(46);
    let report = world.watched().await;
    assert_eq!((report.acted.parked_spent, report.acted.redriven), (1, 0));
    let row = world.claim_row("e1").await;
    assert_eq!((row.state, row.park_reason), (Some(State::Parked), Some(ParkReason::Spent)));
    assert_eq!(row.last_error.as_deref(), Some("24 attempts: timeout"));
    // Parked is never re-driven, however long.
    world.advance_s(86_400);
    let report = world.watched().await;
    assert_eq!((report.acted, report.counts.parked_claims, report.counts.open), (Default::default(), 1, 0));
    assert_eq!(world.claim_row("e1").await, row);
}

#[tokio::test]
async fn a_lost_run_on_hold_waits_for_a_person() {
    let world = World::new().await;
    world.owe("e1").await;
    world.write(&world.key("e1"), CLAIM_PART, &[("on_lost", text("hold"))]).await;
    lost_run(&world, "e1").await;
    world.advance_s(46);
    assert_eq!(world.watched().await.acted.parked_held, 1);
    assert_eq!(world.claim_row("e1").await.park_reason, Some(ParkReason::Held));
    let report = world.watched().await;
    assert_eq!((report.counts.held_claims, report.counts.parked_claims, report.acted), (1, 0, Default::default()));
    let lease = world.eyes.lease(&world.key("e1"), world.deadline(), 24, world.deadline()).await.unwrap();
    assert_eq!(lease, Lease::NotOurs, "a repeated record does not run it either");
}

#[tokio::test]
async fn messages_and_mismatches_are_counted_apart_from_claims() {
    let world = World::new().await;
    let told = Fact { tell: vec!["bus".to_owned()], ..settle("e1", "m1", 500) };
    world.deliver(told.body()).await;
    world.deliver(settle("e1", "m1", 900).body()).await;
    world.set_aside("e2").await;
    world.advance_s(301);
    let counts = world.watched().await.counts;
    assert_eq!((counts.stuck_messages, counts.stuck_claims), (1, 0));
    assert_eq!((counts.mismatches, counts.parked_claims, counts.parked_messages), (1, 1, 0));
    let totals = [Metric::StuckMessages, Metric::StuckClaims, Metric::OpenMismatches, Metric::ParkedClaims];
    assert_eq!(totals.map(|metric| world.metrics.total(metric)), [1, 0, 1, 1]);
}

#[tokio::test]
async fn rows_of_another_version_are_reported_and_left_alone() {
    let world = World::new().await;
    world.owe("e1").await;
    world.write(&world.key("e1"), CLAIM_PART, &[("state", text("resting"))]).await;
    world.advance_s(301);
    let report = world.watched().await;
    assert_eq!((report.counts.stuck_claims, report.acted, report.stuck[0].state), (1, Default::default(), None));
}

#[tokio::test]
async fn clocks_that_differ_by_minutes_neither_lose_nor_double() {
    for skew_s in [-240, 240] {
        let world = World::new().await;
        world.owe("e1").await;
        let Lease::Ours(row) =
            world.eyes.lease(&world.key("e1"), NOW.plus_ms(45_000), 24, world.deadline()).await.unwrap()
        else {
            panic!("it is due")
        };
        world.set_now(UnixMs::new(NOW.get() + skew_s * 1_000));
        let report = world.watched().await;
        let ahead = skew_s > 0;
        assert_eq!((report.acted.redriven, report.counts.stuck_claims), (u64::from(ahead), 0), "{skew_s}");
        world.set_now(NOW);
        let Ok(settled) = hookledger::plan::Settle::new(vec![hookledger_tests::payment("m9", 7)], vec![]) else {
            panic!("it settles")
        };
        let completed = world.eyes.complete(&row, &settled, 86_400, world.deadline()).await.unwrap();
        let expected = if ahead { Completed::Overtaken } else { Completed::Done { known: 0 } };
        assert_eq!((completed, world.ledger().await.len()), (expected, usize::from(!ahead)), "{skew_s}");
        if ahead {
            world.advance_s(45);
            let again = world.settle_deferred(&world.key("e1")).await.unwrap();
            assert_eq!(again, hookledger_tests::Settled::Completed(Completed::Done { known: 0 }));
            assert_eq!(world.ledger().await.len(), 1);
        }
    }
}

#[tokio::test]
async fn one_run_writes_no_more_than_its_bound_the_longest_due_first() {
    let world = World::new().await;
    for event_id in ["e1", "e2", "e3"] {
        world.owe(event_id).await;
        world.advance_s(1);
    }
    let mut watch = world.watch();
    watch.limits.changes_max = 2;
    let report = watch.scheduled(world.deadline()).await;
    assert_eq!((report.acted.redriven, report.acted.left), (2, 1));
    let kicked = |body: &Value| body.to_string().contains("kicked_at_ms");
    let keys: Vec<String> =
        world.wire.calls().iter().filter(|call| kicked(&call.body)).map(|call| call.body.to_string()).collect();
    assert!(keys.len() == 2 && !keys.iter().any(|body| body.contains("test::e3")), "{keys:?}");
}
