//! Parked events come back by a redelivery that can be read, once, and by nothing else.

use std::sync::Arc;

use bytes::Bytes;
use futures_util::future::join_all;
use hookledger::claim::State;
use hookledger::metrics::Metric;
use hookledger::plan::ParkReason;
use hookledger::store::Completed;
use hookledger_tests::{Fact, Settled, TestProvider, World, header, profile, settle};

use crate::rows;

/// An event that is parked until the provider has learned to read it.
fn later(id: &str, then: &str) -> Fact {
    Fact { then: then.into(), parent: "p1".into(), ..Fact::new(id, "later").moving("m1", "payment", 500) }
}

async fn world() -> (World, Arc<TestProvider>) {
    let provider = Arc::new(TestProvider::new(profile()));
    (World::builder().shared_provider(provider.clone()).build().await, provider)
}

fn is_replay(answer: &hookledger::receive::Answer) -> bool {
    answer.reply.status == 200 && header(answer, "hookledger-replay") == Some("true")
}

#[tokio::test]
async fn what_can_be_read_now_settles_once_and_keeps_its_reply() {
    let (world, provider) = world().await;
    let fact = later("e1", "settle");
    world.deliver(fact.body()).await;
    let parked = world.claim("e1").await.unwrap();
    assert_eq!((parked.state, parked.park_reason), (State::Parked, Some(ParkReason::Unreadable)));
    assert!(is_replay(&world.deliver(fact.body()).await), "nothing was learned yet");
    rows::set(&world, "e1", "reply_body", aws_sdk_dynamodb::types::AttributeValue::B(b"[old]".to_vec().into())).await;
    rows::set(&world, "e1", "attempt", rows::n(7)).await;
    world.advance_s(3_600);
    provider.learn();
    let revived = world.deliver(Fact { attempt: 2, ..fact.clone() }.body()).await;
    assert_eq!((revived.reply.status, &revived.reply.body), (200, &Bytes::from_static(b"[old]")));
    let done = world.claim("e1").await.unwrap();
    assert_eq!((done.state, done.claimed_at, done.attempt), (State::Done, parked.claimed_at, 0));
    assert_eq!((done.park_reason, done.due_at, done.last_error), (None, None, None));
    assert_eq!(rows::parts(&world, &world.key("e1")).await, ["claim"]);
    for _ in 0..2 {
        let again = world.deliver(fact.body()).await;
        assert!(is_replay(&again));
        assert_eq!(again.reply, revived.reply);
    }
    assert_eq!(world.booked().await, [("test::m1".to_owned(), "payment", 500)]);
    assert_eq!(world.metrics.results("applied"), 1);
}

/// White space that does not compress away.
fn spaces(length: usize) -> String {
    let mut seed: u64 = 7;
    let mut space = || {
        seed = seed.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        [' ', '\t', '\n', '\r'][usize::try_from(seed >> 62).unwrap()]
    };
    (0..length).map(|_| space()).collect()
}

#[tokio::test]
async fn what_is_deferred_now_keeps_its_age_and_leaves_no_part_behind() {
    let (world, provider) = world().await;
    let fact = later("e1", "defer");
    let body = String::from_utf8(fact.body()).unwrap();
    let wide = body.replacen(':', &format!(":{}", spaces(4_000_000)), 1);
    assert_eq!(world.deliver(&wide).await.reply.status, 200);
    let parked = world.claim("e1").await.unwrap();
    assert!(parked.payload_parts >= 3, "{}", parked.payload_parts);
    rows::set(&world, "e1", "attempt", rows::n(7)).await;
    world.advance_s(3_600);
    provider.learn();
    let answer = world.deliver(&body).await;
    assert_eq!((answer.reply.status, is_replay(&answer)), (200, false));
    let received = world.claim("e1").await.unwrap();
    assert_eq!((received.state, received.attempt, received.payload_parts), (State::Received, 0, 1));
    assert_eq!((received.claimed_at, received.open_since), (parked.claimed_at, parked.open_since));
    assert_eq!((received.due_at, received.reply), (Some(world.now()), parked.reply));
    assert_eq!(rows::parts(&world, &world.key("e1")).await, ["claim", "payload#00"]);
    assert_eq!(world.story(&world.key("e1")).await.kept.unwrap().body, body.as_bytes());
    assert!(is_replay(&world.deliver(&wide).await));
}

#[tokio::test]
async fn a_deferred_event_is_never_brought_back_a_second_time() {
    let (world, _) = world().await;
    let deferred = Fact { parent: "p1".into(), ..Fact::new("e1", "defer").moving("r1", "refund", 5) };
    world.deliver(deferred.body()).await;
    let before = rows::of(&world, &world.key("e1")).await;
    assert!(is_replay(&world.deliver(deferred.body()).await));
    assert_eq!(rows::of(&world, &world.key("e1")).await, before);
}

#[tokio::test]
async fn lost_bytes_are_written_again_by_the_next_equal_delivery() {
    for attempt in [0, 2] {
        let (world, _) = world().await;
        world.deliver(settle("e0", "p1", 9).account("a").body()).await;
        let deferred = Fact { parent: "p1".into(), ..Fact::new("e1", "defer").moving("r1", "refund", 5) };
        world.deliver(deferred.body()).await;
        rows::delete(&world, "e1", "payload#00").await;
        park(&world, "e1", "bytes_lost").await;
        let redelivered = Fact { attempt, ..deferred };
        assert_eq!(world.deliver(redelivered.body()).await.reply.status, 200);
        assert_eq!(world.claim("e1").await.unwrap().state, State::Received);
        assert_eq!(world.story(&world.key("e1")).await.kept.unwrap().body, redelivered.body());
        let settled = world.settle_deferred(&world.key("e1")).await.unwrap();
        assert_eq!(settled, Settled::Completed(Completed::Done { known: 0 }));
    }
}

#[tokio::test]
async fn lost_bytes_of_an_event_that_still_cannot_be_read_are_written_again_too() {
    let (world, _) = world().await;
    let fact = Fact::new("e1", "park");
    world.deliver(fact.body()).await;
    rows::delete(&world, "e1", "payload#00").await;
    park(&world, "e1", "bytes_lost").await;
    assert_eq!(world.deliver(fact.body()).await.reply.status, 200);
    let story = world.story(&world.key("e1")).await;
    assert_eq!(story.kept.unwrap().body, fact.body());
    let claim = story.claim.unwrap();
    assert_eq!((claim.state, claim.park_reason), (State::Parked, Some(ParkReason::Unreadable)));
    assert!(is_replay(&world.deliver(fact.body()).await));
}

#[tokio::test]
async fn what_was_parked_for_another_reason_waits_for_a_person() {
    for reason in ["conflict", "spent", "held", "person", "a_later_version"] {
        let (world, provider) = world().await;
        let fact = later("e1", "settle");
        world.deliver(fact.body()).await;
        rows::set(&world, "e1", "park_reason", rows::s(reason)).await;
        let before = rows::of(&world, &world.key("e1")).await;
        provider.learn();
        for attempt in 0..3 {
            assert!(is_replay(&world.deliver(Fact { attempt, ..fact.clone() }.body()).await), "{reason}");
        }
        assert_eq!(rows::of(&world, &world.key("e1")).await, before, "{reason}");
        assert_eq!(world.booked().await, [], "{reason}");
    }
}

#[tokio::test]
async fn another_content_does_not_bring_a_parked_event_back() {
    let (world, provider) = world().await;
    world.deliver(later("e1", "settle").body()).await;
    let before = rows::of(&world, &world.key("e1")).await;
    provider.learn();
    let other = later("e1", "settle").moving("m2", "payment", 1);
    assert_eq!(world.deliver(other.body()).await.reply.status, 422);
    let mut after = rows::of(&world, &world.key("e1")).await;
    after.retain(|part, _| !part.starts_with("mismatch#"));
    assert_eq!(after, before);
    assert_eq!(world.booked().await, []);
}

#[tokio::test]
async fn one_that_contradicts_the_ledger_stays_parked_as_a_conflict() {
    let (world, provider) = world().await;
    let fact = later("e1", "settle").moving("m2", "payment", 7);
    world.deliver(fact.body()).await;
    world.deliver(settle("e2", "m1", 600).body()).await;
    provider.learn();
    world.metrics.clear();
    let answer = world.deliver(fact.body()).await;
    assert_eq!((answer.reply.status, is_replay(&answer)), (200, false));
    let claim = world.claim("e1").await.unwrap();
    assert_eq!((claim.state, claim.park_reason), (State::Parked, Some(ParkReason::Conflict)));
    assert!(claim.last_error.unwrap().contains("test::m1"));
    assert_eq!(world.booked().await, [("test::m1".to_owned(), "payment", 600)]);
    assert_eq!(world.story(&world.key("e1")).await.kept.unwrap().body, fact.body());
    assert_eq!((world.metrics.total(Metric::Parked), world.metrics.total(Metric::MovementConflicts)), (1, 1));
    assert!(is_replay(&world.deliver(fact.body()).await));
    assert_eq!(world.metrics.total(Metric::Parked), 1);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn of_many_that_bring_it_back_at_once_one_does() {
    for then in ["settle", "defer"] {
        let provider = Arc::new(TestProvider::new(profile()));
        let world = World::builder().shared_provider(provider.clone()).contention().build().await;
        let fact = later("e1", then);
        world.deliver(fact.body()).await;
        provider.learn();
        world.metrics.clear();
        let deliveries = (0..16).map(|attempt| {
            let process = world.process();
            let request = world.request(Fact { attempt: attempt % 3, ..fact.clone() }.body());
            let deadline = world.deadline();
            tokio::spawn(async move { process.receive(request, deadline).await })
        });
        for answer in join_all(deliveries).await {
            assert!([200, 409].contains(&answer.unwrap().reply.status));
        }
        assert!(is_replay(&world.deliver(fact.body()).await));
        let won = world.metrics.results("applied") + world.metrics.results("accepted");
        assert_eq!(won, 1, "{then}");
        assert_eq!(world.booked().await.len(), usize::from(then == "settle"));
        let parts = rows::parts(&world, &world.key("e1")).await;
        assert_eq!(parts.len(), if then == "settle" { 1 } else { 2 }, "{parts:?}");
    }
}

/// Parks a claim as the worker would.
async fn park(world: &World, event_id: &str, reason: &str) {
    rows::set(world, event_id, "state", rows::s("parked")).await;
    rows::set(world, event_id, "park_reason", rows::s(reason)).await;
}
