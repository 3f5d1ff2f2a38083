//! What is parked at once, and what is kept of it.

use hookledger::claim::{Digest, State};
use hookledger::metrics::Metric;
use hookledger::plan::ParkReason;
use hookledger_tests::{Fact, World, batch, header, settle};

/// Delivers, and expects a parked claim with the bytes.
async fn parks(world: &World, id: &str, body: &[u8], why: &str) {
    world.metrics.clear();
    let answer = world.deliver(body).await;
    assert_eq!((answer.reply.status, &answer.reply.body[..]), (200, &b"[ok]"[..]), "{why}");
    let story = world.story(&world.key(id)).await;
    let claim = story.claim.unwrap();
    assert_eq!((claim.state, claim.park_reason), (State::Parked, Some(ParkReason::Unreadable)));
    assert_eq!(story.kept.unwrap().body, body);
    let said = claim.last_error.unwrap();
    assert!(said.contains(why), "{said}");
    assert_eq!((world.metrics.total(Metric::Parked), world.metrics.results("parked")), (1, 1));
    assert_eq!(header(&world.deliver(body).await, "hookledger-replay"), Some("true"));
    assert_eq!(world.booked().await, []);
}

#[tokio::test]
async fn a_panic_while_interpreting_parks_the_event() {
    let world = World::new().await;
    let fact = Fact { note: "x".repeat(1_000), ..Fact::new("e1", "panic") };
    parks(&world, "e1", &fact.body(), "fault of ours").await;
}

#[tokio::test]
async fn a_panic_while_identifying_parks_the_whole_delivery() {
    let world = World::new().await;
    parks(&world, &Digest::of(br#""panic""#).to_hex(), br#""panic""#, "fault of ours").await;
}

#[tokio::test]
async fn a_panic_touches_no_other_event_of_the_delivery() {
    let world = World::new().await;
    let body = batch(&[settle("e1", "m1", 1), Fact::new("e2", "panic"), settle("e3", "m3", 3)]);
    assert_eq!(world.deliver(body).await.reply.status, 200);
    let states: Vec<State> = world.claims().await.iter().map(|row| row.state).collect();
    assert_eq!(states, [State::Done, State::Parked, State::Done]);
    assert_eq!(world.booked().await.len(), 2);
}

#[tokio::test]
async fn more_than_one_transaction_takes_parks_the_event() {
    let world = World::new().await;
    let many = |count: usize| {
        (0..count).fold(Fact::new(&format!("e{count}"), "settle"), |fact, at| {
            fact.moving(&format!("m{count}_{at:03}"), "payment", 1)
        })
    };
    parks(&world, "e81", &many(81).body(), "more entries and messages").await;
    let mut told = many(41);
    told.id = "told".into();
    told.tell = (0..40).map(|at| format!("sink{at}")).collect();
    parks(&world, "told", &told.body(), "more entries and messages").await;
    assert_eq!(world.deliver(many(80).body()).await.reply.status, 200);
    assert_eq!(world.booked().await.len(), 80);
    assert_eq!(world.claim("e80").await.unwrap().entries.len(), 80);
}

#[tokio::test]
async fn one_movement_twice_parks_the_event() {
    let world = World::new().await;
    let fact = settle("e1", "m1", 1).moving("m1", "payment", 1);
    parks(&world, "e1", &fact.body(), "one movement stands twice").await;
    let fact = Fact { tell: vec!["bus".into(), "bus".into()], ..settle("e2", "m1", 1) };
    parks(&world, "e2", &fact.body(), "one message stands twice").await;
    parks(&world, "e3", &Fact::new("e3", "settle").body(), "settle nothing").await;
    let both_ways = settle("e4", "m1", 1).moving("m1", "refund", 1);
    assert_eq!(world.deliver(both_ways.body()).await.reply.status, 200);
    assert_eq!(world.booked().await.len(), 2, "kinds are part of a movement's key");
}
