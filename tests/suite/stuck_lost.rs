//! Workers that die: what may run again runs again and is seen all the while, what may not waits for a person.

use std::sync::Arc;

use aws_sdk_dynamodb::types::AttributeValue;
use hookledger::claim::State;
use hookledger::items::CLAIM_PART;
use hookledger::metrics::Metric;
use hookledger::plan::ParkReason;
use hookledger::store::Lease;
use hookledger::work::Worked;
use hookledger_tests::{Fact, NOW, TestProvider, World, profile, settle};
use serde_json::json;

use crate::worker_stream::{handle, record};

/// What a worker holds after it took the claim up and died.
async fn lost_run(world: &World, event_id: &str) {
    let ends = world.now().plus_ms(45_000);
    let lease = world.eyes.lease(&world.key(event_id), ends, 24, world.deadline()).await.unwrap();
    assert!(matches!(lease, Lease::Ours(_)));
}

#[tokio::test]
async fn a_dead_worker_keeps_the_report_up_without_flicker() {
    let world = World::new().await;
    world.owe("e1").await;
    world.advance_s(301);
    for run in 0..10 {
        lost_run(&world, "e1").await;
        for (wait_s, redriven) in [(0, 0), (60, 1)] {
            world.advance_s(wait_s);
            world.metrics.clear();
            let report = world.watched().await;
            assert_eq!((report.counts.stuck_claims, report.acted.redriven), (1, redriven), "run {run}");
            assert_eq!(world.metrics.total(Metric::StuckClaims), 1);
        }
        assert_eq!(world.claim_row("e1").await.attempt, run + 1);
    }
    assert_eq!(world.claim_row("e1").await.open_since, Some(NOW));
}

#[tokio::test]
async fn a_run_killed_by_its_own_payload_parks_in_the_end() {
    let world = World::new().await;
    world.owe("e1").await;
    for attempt in 1..=24 {
        assert_eq!(world.claim_row("e1").await.state, Some(State::Received), "before attempt {attempt}");
        lost_run(&world, "e1").await;
        world.advance_s(60);
        let acted = world.watched().await.acted;
        assert_eq!((acted.redriven, acted.parked_spent), if attempt < 24 { (1, 0) } else { (0, 1) }, "{attempt}");
    }
    let row = world.claim_row("e1").await;
    assert_eq!((row.state, row.park_reason), (Some(State::Parked), Some(ParkReason::Spent)));
    assert_eq!(row.last_error.as_deref(), Some("24 attempts: no run came to an end"));
    assert_eq!((row.open_since, world.watched().await.counts.parked_claims), (Some(NOW), 1));
    assert!(world.story(&world.key("e1")).await.kept.is_some(), "its bytes stay");
}

#[tokio::test]
async fn a_held_payment_is_never_rerun_by_a_late_or_repeated_record() {
    let world = World::new().await;
    world.deliver(settle("e0", "m-parent", 500).body()).await;
    world.owe("e1").await;
    let first = record(&world, "e1", "100").await;
    world.write(&world.key("e1"), CLAIM_PART, &[("on_lost", AttributeValue::S("hold".to_owned()))]).await;
    lost_run(&world, "e1").await;
    for repeat in 0..3 {
        handle(&world, &[first.clone(), first.clone()]).await;
        let row = world.claim_row("e1").await;
        assert_eq!((row.state, row.attempt), (Some(State::Processing), 1), "repeat {repeat}");
        world.advance_s(40);
    }
    let report = world.watched().await;
    assert_eq!((report.acted.parked_held, report.acted.redriven), (1, 0));
    handle(&world, &[first.clone(), record(&world, "e1", "101").await]).await;
    world.advance_s(86_400);
    let report = world.watched().await;
    handle(&world, &[first]).await;
    let row = world.claim_row("e1").await;
    assert_eq!((row.state, row.park_reason, row.attempt), (Some(State::Parked), Some(ParkReason::Held), 1));
    assert_eq!((report.counts.held_claims, report.counts.parked_claims, report.acted.redriven), (1, 0, 0));
    assert_eq!(world.booked().await.len(), 1, "nothing ran");
    // Only a person lets it run again.
    world.ask(json!({"action": "retry", "key": "test::e1"})).await.unwrap();
    assert!(matches!(world.work(&world.worker(), &world.key("e1")).await, Worked::Settled { .. }));
}

#[tokio::test]
async fn what_is_parked_is_settled_once_its_cause_is_gone() {
    let provider = Arc::new(TestProvider::new(profile()));
    let world = World::builder().shared_provider(provider.clone()).build().await;
    for event_id in ["e1", "e2", "e3"] {
        let later = Fact { then: "settle".into(), ..Fact::new(event_id, "later") };
        world.deliver(later.moving(&format!("m-{event_id}"), "payment", 500).body()).await;
    }
    let retry = json!({"action": "retry", "state": "parked", "limit": 100});
    world.ask(retry.clone()).await.unwrap();
    for worked in world.work_on_due(&world.worker()).await {
        assert!(matches!(worked, Worked::Parked { reason: ParkReason::Unreadable, .. }), "{worked:?}");
    }
    provider.learn();
    assert_eq!(world.watched().await.counts.parked_claims, 3, "a deploy alone moves nothing");
    world.advance_s(1);
    assert_eq!(world.ask(retry).await.unwrap().json()["changed"], 3);
    assert_eq!(world.work_on_due(&world.worker()).await.len(), 3);
    assert_eq!((world.booked().await.len(), world.watched().await.line()), (3, None));
}
