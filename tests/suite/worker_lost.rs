//! A run that is lost over an event which must not run twice; and a worker that is older than the receiver.

use hookledger::claim::State;
use hookledger::metrics::Metric;
use hookledger::plan::ParkReason;
use hookledger::store::Lease;
use hookledger::work::{Settings, Worked, Worker};
use hookledger_tests::{Fact, World, settle};
use serde_json::json;

use crate::worker_stream::{handle, none, record};

const SETTLED: Worked = Worked::Settled { known: 0, account_unknown: false };

/// A payment, and a refund of it that is owed under this act.
async fn owed(act: &str) -> World {
    let world = World::new().await;
    world.deliver(settle("e", "m", 500).account("a").body()).await;
    world.deliver(Fact { parent: "m".into(), ..Fact::new("e1", act).moving("r1", "refund", 200) }.body()).await;
    world
}

/// Takes the claim up and is never heard of again; time goes on until its lease is over.
async fn lose_a_run(world: &World) {
    let Settings { lease_ms, attempts_max, .. } = Settings::default();
    let ends = world.now().plus_ms(lease_ms);
    let lease = world.eyes.lease(&world.key("e1"), ends, attempts_max, world.deadline()).await.unwrap();
    assert!(matches!(lease, Lease::Ours(_)), "{lease:?}");
    world.set_now(ends.plus_ms(1_000));
}

async fn state(world: &World) -> (State, u32) {
    let claim = world.claim("e1").await.unwrap();
    (claim.state, claim.attempt)
}

#[tokio::test]
async fn a_late_or_repeated_record_runs_what_may_run_again() {
    let world = owed("defer").await;
    let record = record(&world, "e1", "100").await;
    lose_a_run(&world).await;
    assert_eq!(handle(&world, std::slice::from_ref(&record)).await, none());
    assert_eq!(state(&world).await, (State::Done, 2));
}

#[tokio::test]
async fn no_record_runs_what_is_on_hold() {
    let world = owed("hold").await;
    let record = record(&world, "e1", "100").await;
    lose_a_run(&world).await;
    assert_eq!(handle(&world, &[record.clone(), record.clone()]).await, none());
    assert_eq!(world.work(&world.worker(), &world.key("e1")).await, Worked::NotOurs);
    assert_eq!((state(&world).await, world.booked().await.len()), ((State::Processing, 1), 1));
    // The schedule sets it aside for a person, and a record that comes still later does not bring it back.
    assert_eq!(world.watched().await.acted.parked_held, 1);
    assert_eq!(handle(&world, std::slice::from_ref(&record)).await, none());
    assert_eq!((state(&world).await, world.booked().await.len()), ((State::Parked, 1), 1));
    assert_eq!(world.claim("e1").await.unwrap().park_reason, Some(ParkReason::Held));
}

#[tokio::test]
async fn a_person_lets_what_is_on_hold_run_again() {
    let world = owed("hold").await;
    lose_a_run(&world).await;
    world.watched().await;
    let key = world.key("e1");
    world.ask(json!({"action": "retry", "key": key.as_str(), "by": "kim"})).await.unwrap();
    assert_eq!(world.work(&world.worker(), &key).await, SETTLED);
    assert_eq!(world.booked().await.len(), 2);
}

#[tokio::test]
async fn a_run_that_gave_the_event_back_is_not_lost() {
    let world = World::new().await;
    world.deliver(Fact { parent: "m".into(), ..Fact::new("e1", "hold").moving("r1", "refund", 200) }.body()).await;
    let worked = world.work(&world.worker(), &world.key("e1")).await;
    assert!(matches!(worked, Worked::Later { .. }), "{worked:?}");
    world.deliver(settle("e", "m", 500).account("a").body()).await;
    world.wait_for(&world.key("e1")).await;
    assert_eq!(world.work(&world.worker(), &world.key("e1")).await, SETTLED);
}

#[tokio::test]
async fn a_worker_older_than_the_receiver_leaves_the_event_to_a_newer_one() {
    let world = owed("defer").await;
    let older = Worker { providers: Vec::new(), ..world.worker() };
    let worked = world.work(&older, &world.key("e1")).await;
    let Worked::Later { why, .. } = worked else { panic!("{worked:?}") };
    assert_eq!(why, "this version knows no provider test");
    let claim = world.claim("e1").await.unwrap();
    assert_eq!((claim.state, claim.last_error), (State::Received, Some(why)));
    world.wait_for(&world.key("e1")).await;
    assert_eq!(world.work(&world.worker(), &world.key("e1")).await, SETTLED);
    assert_eq!(world.metrics.total(Metric::Parked), 0);
}
