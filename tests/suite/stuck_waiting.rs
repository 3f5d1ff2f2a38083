//! A claim that waits for its parent's entry is old and not stuck, until the wait is over and nobody ended it.

use hookledger::claim::State;
use hookledger::metrics::Metric;
use hookledger::work::Worked;
use hookledger_tests::{ApiAnswer, NOW, TestApi, World, sample, settle};
use serde_json::json;

const WAIT_S: u64 = 3_600;
const GRACE_S: u64 = 300;

/// A refund whose parent is not there, looked at once by a worker.
async fn waiting() -> World {
    let world = World::new().await;
    world.owe("e1").await;
    assert!(matches!(world.work(&world.worker(), &world.key("e1")).await, Worked::Later { .. }));
    world
}

#[tokio::test]
async fn waiting_is_counted_apart_and_is_stuck_only_when_its_time_is_over() {
    let world = waiting().await;
    let ends = NOW.plus_ms(WAIT_S * 1_000);
    assert_eq!(world.claim_row("e1").await.waits_until, Some(ends));
    for (at_s, waiting) in [(301, 1), (WAIT_S, 1), (WAIT_S + GRACE_S, 1), (WAIT_S + GRACE_S + 1, 0)] {
        world.set_now(NOW.plus_ms(at_s * 1_000));
        world.metrics.clear();
        let report = world.watched().await;
        let counts = report.counts;
        assert_eq!((counts.open, counts.waiting, counts.stuck_claims), (1, waiting, 1 - waiting), "{at_s} s");
        assert_eq!(
            (report.stuck.len() as u64, report.json()["counts"]["waiting"].as_u64()),
            (1 - waiting, Some(waiting))
        );
        assert_eq!(report.oldest_open_s, if waiting == 1 { 0 } else { at_s });
        assert_eq!(world.metrics.total(Metric::StuckClaims), 1 - waiting);
        assert_eq!(report.acted.redriven, 1, "it is kicked all the same");
    }
    let listed = world.ask(json!({"action": "list"})).await.unwrap().json();
    assert_eq!(listed["rows"][0]["waits_until"], ends.rfc3339());
}

#[tokio::test]
async fn a_worker_that_holds_it_leaves_it_waiting_and_one_that_died_does_not_hide_it_for_ever() {
    let world = waiting().await;
    world.advance_s(400);
    let ends = world.now().plus_ms(45_000);
    world.eyes.lease(&world.key("e1"), ends, 24, world.deadline()).await.unwrap();
    let report = world.watched().await;
    assert_eq!((report.counts.waiting, report.counts.stuck_claims), (1, 0), "under a lease");
    world.set_now(NOW.plus_ms((WAIT_S + GRACE_S + 1) * 1_000));
    assert_eq!(world.watched().await.counts.stuck_claims, 1);
}

#[tokio::test]
async fn what_waits_no_longer_says_so() {
    let world = waiting().await;
    world.wait_for(&world.key("e1")).await;
    let mut blind = world.worker();
    blind.providers.clear();
    assert!(matches!(world.work(&blind, &world.key("e1")).await, Worked::Later { .. }));
    assert_eq!(world.claim_row("e1").await.waits_until, None, "another failure is no wait");
    for (action, state) in [("park", State::Parked), ("retry", State::Received)] {
        let world = waiting().await;
        world.ask(json!({"action": action, "key": "test::e1"})).await.unwrap();
        let row = world.claim_row("e1").await;
        assert_eq!((row.state, row.waits_until), (Some(state), None));
    }
    let world = waiting().await;
    world.deliver(settle("e0", "m-parent", 500).body()).await;
    world.wait_for(&world.key("e1")).await;
    assert!(matches!(world.work(&world.worker(), &world.key("e1")).await, Worked::Settled { .. }));
    assert_eq!(world.claim_row("e1").await.waits_until, None);
    let world = waiting().await;
    world.ask(json!({"action": "resolve", "key": "test::e1", "by": "kim", "note": "by hand"})).await.unwrap();
    assert_eq!(world.claim_row("e1").await.waits_until, None);
}

#[tokio::test]
async fn the_whole_wait_as_a_deployment_lives_it_never_alarms() {
    let world = World::new().await;
    world.owe("e1").await;
    let worker = world.worker();
    let mut settled = false;
    for _ in 0..=(WAIT_S + GRACE_S) / 300 {
        settled |= world.work_on_due(&worker).await == [Worked::Settled { known: 0, account_unknown: true }];
        assert_eq!(world.watched().await.counts.stuck_claims, 0);
        world.advance_s(300);
    }
    assert!(settled, "booked without an account in the end");
    assert_eq!(world.metrics.total(Metric::StuckClaims), 0);
}

#[tokio::test]
async fn an_outage_of_a_minute_neither_burns_the_attempts_nor_alarms() {
    // As a deployment and as the local stack have it: the first record, and then what the schedule kicks.
    for every_s in [60, 15] {
        let world = World::stripe().await;
        let api = TestApi::start().await;
        let worker = world.worker_with(Default::default(), Some(api.url()));
        world.deliver(sample("stripe", "thin_charge_succeeded")).await;
        api.answer(ApiAnswer::Full(503, Vec::new()));
        let mut passed_s = 0;
        while !world.work_on_due(&worker).await.iter().any(|worked| matches!(worked, Worked::Settled { .. })) {
            assert!(passed_s < GRACE_S, "it is settled within the grace");
            passed_s += every_s;
            world.advance_s(every_s);
            let report = world.watched().await;
            assert_eq!((report.counts.stuck_claims, report.counts.parked_claims, report.acted.parked_spent), (0, 0, 0));
            if passed_s > 60 {
                let event: serde_json::Value = serde_json::from_slice(&sample("stripe", "charge_succeeded")).unwrap();
                api.answer_with(&event["data"]["object"]);
            }
        }
        let attempts = world.claims().await[0].attempt;
        assert!(attempts <= 8, "{attempts} of 24 attempts, every {every_s} s");
        assert_eq!(world.metrics.total(Metric::StuckClaims), 0);
    }
}
