//! Two workers and one claim: one settles it, and whoever was overtaken writes nothing.

use std::sync::Arc;

use hookledger::claim::State;
use hookledger::plan::ParkReason;
use hookledger::store::Lease;
use hookledger::work::Worked;
use hookledger_tests::{Fact, Fault, Latch, World, nth_of, settle};
use tokio::sync::Barrier;

const WORKERS: usize = 16;
const COPIES: usize = 4;
const SETTLED: Worked = Worked::Settled { known: 0, account_unknown: false };

fn rounds() -> usize {
    let set = std::env::var("HOOKLEDGER_RACE_ROUNDS").ok();
    set.map_or(40, |rounds| rounds.parse().expect("HOOKLEDGER_RACE_ROUNDS is a number"))
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
