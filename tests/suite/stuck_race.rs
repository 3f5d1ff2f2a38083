//! The watch, persons and workers at once.

use futures_util::future::join_all;
use hookledger::claim::State;
use hookledger::store::{Completed, Lease};
use hookledger::stuck::{Answer, Refusal};
use hookledger_tests::{Fault, Latch, Settled, World, each, nth_of};
use serde_json::json;

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn firing_three_times_at_once_kicks_once() {
    let world = World::builder().contention().build().await;
    for event_id in ["e1", "e2", "e3", "e4", "e5"] {
        world.owe(event_id).await;
    }
    world.advance_s(400);
    let watch = world.watch();
    let reports = join_all((0..3).map(|_| watch.scheduled(world.deadline()))).await;
    let redriven: u64 = reports.iter().map(|report| report.acted.redriven).sum();
    let failed: u64 = reports.iter().map(|report| report.acted.failed).sum();
    assert!((5..=15).contains(&redriven) && failed == 0, "{reports:?}");
    for report in &reports {
        assert_eq!(report.counts.stuck_claims, 5);
    }
    for claim in world.claims().await {
        assert_eq!((claim.state, claim.attempt), (State::Received, 0));
        let settled = world.settle_deferred(&claim.key).await.unwrap();
        assert_eq!(settled, Settled::Completed(Completed::Done { known: 0 }));
    }
    assert_eq!(world.ledger().await.len(), 5);
}

#[tokio::test]
async fn a_run_that_read_before_another_wrote_writes_nothing() {
    let world = World::new().await;
    world.owe("e1").await;
    world.advance_s(60);
    let latch = Latch::new();
    world.wire.inject(nth_of("TransactWriteItems", 0), Fault::Hold(latch.clone()));
    let watch = world.watch();
    let meanwhile = async {
        latch.came().await;
        world.wire.heal();
        let ends = world.now().plus_ms(45_000);
        assert!(matches!(world.eyes.lease(&world.key("e1"), ends, 24, world.deadline()).await, Ok(Lease::Ours(_))));
        latch.open();
    };
    let (report, ()) = futures_util::join!(watch.scheduled(world.deadline()), meanwhile);
    assert_eq!((report.acted.redriven, report.acted.overtaken), (0, 1));
    assert_eq!(world.claim("e1").await.unwrap().state, State::Processing);
}

#[tokio::test]
async fn a_kick_whose_answer_is_lost_is_one_that_happened() {
    let world = World::new().await;
    world.owe("e1").await;
    world.advance_s(60);
    world.wire.inject(nth_of("TransactWriteItems", 0), Fault::DropAnswer);
    world.wire.forget_tokens();
    let report = world.watched().await;
    assert_eq!((report.acted.redriven, report.acted.overtaken, report.acted.failed), (1, 0, 0));
}

#[tokio::test]
async fn a_resolve_loses_against_the_completion_that_came_first() {
    let world = World::new().await;
    world.owe("e1").await;
    let latch = Latch::new();
    world.wire.inject(nth_of("TransactWriteItems", 0), Fault::Hold(latch.clone()));
    let resolve = world.ask(json!({"action": "resolve", "key": "test::e1", "by": "kim", "note": "by hand"}));
    let worker = async {
        latch.came().await;
        world.wire.heal();
        let settled = world.settle_deferred(&world.key("e1")).await.unwrap();
        latch.open();
        settled
    };
    let (resolved, settled) = futures_util::join!(resolve, worker);
    assert_eq!(settled, Settled::Completed(Completed::Done { known: 0 }));
    let Ok(Answer::Changes(changes)) = resolved else { panic!("{resolved:?}") };
    assert_eq!(changes.rows[0].result, Err(Refusal::Changed));
    let claim = world.claim("e1").await.unwrap();
    assert_eq!((claim.state, claim.entries.len(), claim.resolution), (State::Done, 1, None));
}

#[tokio::test]
async fn a_completion_loses_against_a_person_who_took_the_claim_away() {
    let world = World::new().await;
    world.owe("e1").await;
    let ends = world.now().plus_ms(45_000);
    let Ok(Lease::Ours(held)) = world.eyes.lease(&world.key("e1"), ends, 24, world.deadline()).await else {
        panic!("it is due")
    };
    let settle = hookledger::plan::Settle::new(vec![hookledger_tests::payment("m9", 7)], vec![]).unwrap();
    let steps = [
        json!({"action": "park", "key": "test::e1"}),
        json!({"action": "retry", "key": "test::e1"}),
        json!({"action": "resolve", "key": "test::e1", "by": "kim", "note": "by hand"}),
    ];
    for step in steps {
        world.ask(step.clone()).await.unwrap();
        if step["action"] == "retry" {
            let leased = world.eyes.lease(&world.key("e1"), ends, 24, world.deadline()).await.unwrap();
            let Lease::Ours(row) = leased else { panic!("a retried claim is due") };
            assert_eq!(row.attempt, held.attempt, "the counter is the same, the fence is not");
            world.ask(json!({"action": "park", "key": "test::e1"})).await.unwrap();
        }
        let completed = world.eyes.complete(&held, &settle, 86_400, world.deadline()).await.unwrap();
        assert_eq!(completed, Completed::Overtaken, "{step}");
        assert_eq!(world.ledger().await.len(), 0, "{step}");
    }
    assert_eq!(world.claim("e1").await.unwrap().state, State::Done);
}

#[tokio::test]
async fn a_run_that_cannot_read_says_so_and_is_silent_in_the_metrics() {
    let world = World::builder().no_retries().build().await;
    world.owe("e1").await;
    world.metrics.clear();
    world.wire.inject(each("Query"), Fault::Refuse);
    let report = world.watched().await;
    assert_eq!((report.unread_shards, report.acted.redriven), (128, 0));
    assert_eq!(world.metrics.lines().len(), 0, "missing data breaches");
    assert!(world.ask(json!({"action": "list"})).await.is_err());
}
