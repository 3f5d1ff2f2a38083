//! Workers and one claim: one settles it, and whoever was overtaken writes nothing. `RACE_ROUNDS` sets the rounds.

use std::sync::Arc;

use hookledger::claim::State;
use hookledger::items::ClaimRow;
use hookledger::money::Currency;
use hookledger::plan::{Entry, Kind, Occurrence, ParkReason, Settle};
use hookledger::store::{Completed, Lease};
use hookledger::work::Worked;
use hookledger_tests::{Fact, Fault, Latch, NOW, World, nth_of, settle};
use serde_json::json;
use tokio::sync::Barrier;

const WORKERS: usize = 16;
const COPIES: usize = 4;
const SETTLED: Worked = Worked::Settled { known: 0, account_unknown: false };

fn rounds() -> usize {
    let set = std::env::var("RACE_ROUNDS").ok();
    set.map_or(40, |rounds| rounds.parse().expect("RACE_ROUNDS is a number"))
}

fn refund(round: usize) -> Fact {
    let fact = Fact::new(&format!("e{round}"), "defer").moving(&format!("r{round}"), "refund", 200);
    Fact { parent: "m".into(), ..fact }
}

/// A world with a payment, and a refund of it that is owed.
async fn owed() -> World {
    let world = World::new().await;
    world.deliver(settle("e", "m", 500).account("a").body()).await;
    world.deliver(refund(0).body()).await;
    world
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn many_workers_and_one_claim() {
    for builder in [World::builder(), World::builder().contention()] {
        let world = Arc::new(builder.build().await);
        world.deliver(settle("e", "m", 500).account("a").body()).await;
        for round in 0..rounds() {
            world.deliver(refund(round).body()).await;
            let barrier = Arc::new(Barrier::new(WORKERS + COPIES));
            let working = (0..WORKERS).map(|_| {
                let (world, barrier) = (world.clone(), barrier.clone());
                tokio::spawn(async move {
                    let (worker, key) = (world.worker(), world.key(&format!("e{round}")));
                    barrier.wait().await;
                    world.work(&worker, &key).await
                })
            });
            let working: Vec<_> = working.collect();
            let delivering = (0..COPIES).map(|_| {
                let (world, barrier) = (world.clone(), barrier.clone());
                tokio::spawn(async move {
                    barrier.wait().await;
                    world.deliver(refund(round).body()).await.reply.status
                })
            });
            for status in futures_util::future::try_join_all(delivering).await.unwrap() {
                assert!([200, 409, 503].contains(&status), "{status}");
            }
            let worked = futures_util::future::try_join_all(working).await.unwrap();
            assert_eq!(worked.iter().filter(|worked| **worked == SETTLED).count(), 1, "{worked:?}");
            let others = |worked: &&Worked| !matches!(worked, Worked::NotOurs | Worked::Settled { .. });
            assert_eq!(worked.iter().filter(others).count(), 0, "{worked:?}");
            let claim = world.claim(&format!("e{round}")).await.unwrap();
            assert_eq!((claim.state, claim.attempt), (State::Done, 1));
        }
        assert_eq!(world.ledger().await.len(), rounds() + 1);
    }
}

/// What a worker, that is late by a lease, takes for its own.
async fn lost_run(world: &World, event_id: &str) -> Box<ClaimRow> {
    let ends = world.now().plus_ms(45_000);
    let lease = world.eyes.lease(&world.key(event_id), ends, 24, world.deadline()).await.unwrap();
    let Lease::Ours(row) = lease else { panic!("it is due") };
    world.advance_s(46);
    row
}

/// The refund of a round, as its worker would book it.
fn booking(round: usize) -> Settle {
    let currency = Currency::parse("EUR").unwrap();
    let entry = Entry::new(Occurrence::unique(format!("r{round}")), Kind::Refund, 200, currency, NOW).unwrap();
    Settle::new(vec![entry], vec![]).unwrap()
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_late_worker_against_many_and_the_watch() {
    for builder in [World::builder(), World::builder().contention()] {
        let world = Arc::new(builder.build().await);
        world.deliver(settle("e", "m", 500).account("a").body()).await;
        let mut by_the_late_one = 0;
        for round in 0..rounds() {
            let event_id = format!("e{round}");
            world.deliver(refund(round).body()).await;
            let row = lost_run(&world, &event_id).await;
            let barrier = Arc::new(Barrier::new(WORKERS + 1));
            let others = (1..WORKERS).map(|_| {
                let (world, barrier, key) = (world.clone(), barrier.clone(), world.key(&event_id));
                tokio::spawn(async move {
                    let worker = world.worker();
                    barrier.wait().await;
                    world.work(&worker, &key).await
                })
            });
            let others: Vec<_> = others.collect();
            let watching = {
                let (world, barrier) = (world.clone(), barrier.clone());
                tokio::spawn(async move {
                    barrier.wait().await;
                    world.watched().await;
                })
            };
            barrier.wait().await;
            let late = world.receiver.store.complete(&row, &booking(round), 86_400, world.deadline()).await.unwrap();
            let worked = futures_util::future::try_join_all(others).await.unwrap();
            watching.await.unwrap();
            let settled = worked.iter().filter(|worked| matches!(worked, Worked::Settled { .. })).count();
            let late = matches!(late, Completed::Done { .. });
            assert!(settled + usize::from(late) <= 1, "{late} {worked:?}");
            by_the_late_one += usize::from(late);
            finish(&world, &event_id).await;
            let claim = world.claim(&event_id).await.unwrap();
            assert_eq!((claim.state, claim.attempt == 1), (State::Done, late), "the last who took it up settled it");
            assert_eq!(world.ledger().await.len(), round + 2);
        }
        println!("{by_the_late_one} of {} rounds by the late one", rounds());
    }
}

/// Whatever the storm left open, the schedule ends.
async fn finish(world: &World, event_id: &str) {
    if world.claim(event_id).await.unwrap().state != State::Done {
        world.advance_s(46);
        world.watched().await;
        assert!(matches!(world.work(&world.worker(), &world.key(event_id)).await, Worked::Settled { .. }));
    }
}

#[tokio::test]
async fn an_overtaken_worker_writes_nothing() {
    // What the first worker is about to do when it falls asleep: complete, or give back because the parent is not there.
    for (operation, nth, with_parent) in [("TransactWriteItems", 0, true), ("UpdateItem", 1, false)] {
        let world = World::new().await;
        world.deliver(refund(0).body()).await;
        if with_parent {
            world.deliver(settle("e", "m", 500).account("a").body()).await;
        }
        let latch = Latch::new();
        world.wire.inject(nth_of(operation, nth), Fault::Hold(latch.clone()));
        let (slow, key) = (world.worker(), world.key("e0"));
        let overtaking = async {
            latch.came().await;
            world.advance_s(46);
            world.deliver(settle("e", "m", 500).account("a").body()).await;
            assert_eq!(world.work(&world.worker(), &key).await, SETTLED);
            let done = (world.story(&key).await, world.ledger().await);
            latch.open();
            done
        };
        let (slow, done) = futures_util::join!(world.work(&slow, &key), overtaking);
        assert_eq!(slow, Worked::Overtaken, "{operation}");
        assert_eq!((world.story(&key).await, world.ledger().await), done);
        assert_eq!(done.0.claim.unwrap().attempt, 2);
    }
}

#[tokio::test]
async fn nor_after_its_claim_was_parked_brought_back_and_leased_anew() {
    let world = owed().await;
    let latch = Latch::new();
    world.wire.inject(nth_of("TransactWriteItems", 0), Fault::Hold(latch.clone()));
    let (slow, key) = (world.worker(), world.key("e0"));
    let overtaking = async {
        latch.came().await;
        world.advance_s(46);
        let lease = || world.eyes.lease(&key, world.now().plus_ms(45_000), 24, world.deadline());
        let Lease::Ours(row) = lease().await.unwrap() else { panic!("it is due") };
        let why = "the test says so";
        assert!(world.eyes.park(&row, ParkReason::Unreadable, why, world.deadline()).await.unwrap());
        assert_eq!(world.deliver(refund(0).body()).await.reply.status, 200);
        let Lease::Ours(row) = lease().await.unwrap() else { panic!("it was brought back") };
        assert_eq!((row.state, row.attempt), (State::Processing, 1));
        latch.open();
        *row
    };
    let (slow, row) = futures_util::join!(world.work(&slow, &key), overtaking);
    assert_eq!(slow, Worked::Overtaken);
    assert_eq!(world.claim("e0").await, Some(row));
    assert_eq!(world.booked().await.len(), 1);
    world.advance_s(46);
    assert_eq!(world.work(&world.worker(), &key).await, SETTLED);
    assert_eq!(world.booked().await.len(), 2);
}

#[tokio::test]
async fn nor_after_a_person_parked_and_retried_it() {
    for (operation, nth, with_parent) in [("TransactWriteItems", 0, true), ("UpdateItem", 1, false)] {
        let world = World::new().await;
        world.deliver(refund(0).body()).await;
        if with_parent {
            world.deliver(settle("e", "m", 500).account("a").body()).await;
        }
        let latch = Latch::new();
        world.wire.inject(nth_of(operation, nth), Fault::Hold(latch.clone()));
        let (slow, key) = (world.worker(), world.key("e0"));
        let overtaking = async {
            latch.came().await;
            for action in ["park", "retry"] {
                world.ask(json!({"action": action, "key": key.as_str()})).await.unwrap();
            }
            let ends = world.now().plus_ms(45_000);
            let lease = world.eyes.lease(&key, ends, 24, world.deadline()).await.unwrap();
            let Lease::Ours(row) = lease else { panic!("it was brought back") };
            let booked = world.booked().await;
            latch.open();
            (*row, booked)
        };
        let (slow, (row, booked)) = futures_util::join!(world.work(&slow, &key), overtaking);
        assert_eq!(slow, Worked::Overtaken, "{operation}");
        assert_eq!((world.claim("e0").await, world.booked().await), (Some(row), booked), "{operation}");
        world.deliver(settle("e", "m", 500).account("a").body()).await;
        world.advance_s(46);
        assert_eq!(world.work(&world.worker(), &key).await, SETTLED);
        assert_eq!(world.booked().await.len(), 2);
    }
}

#[tokio::test]
async fn clocks_that_differ_by_minutes_do_no_harm() {
    let world = owed().await;
    let key = world.key("e0");
    let received_at = world.now();
    // A worker whose clock is behind finds nothing due; one that is ahead takes it up.
    world.set_now(hookledger::time::UnixMs::new(received_at.get() - 300_000));
    assert_eq!(world.work(&world.worker(), &key).await, Worked::NotOurs);
    world.set_now(received_at.plus_ms(300_000));
    assert_eq!(world.work(&world.worker(), &key).await, SETTLED);
    assert_eq!(world.booked().await.len(), 2);
}
