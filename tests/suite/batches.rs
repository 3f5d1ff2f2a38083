//! Many events in one delivery: each is claimed alone, the answer is about all.

use hookledger::claim::State;
use hookledger::metrics::Metric;
use hookledger_tests::{Call, ErrorAnswer, Fact, Fault, World, batch, header, settle};

fn facts(count: usize) -> Vec<Fact> {
    (0..count).map(|at| settle(&format!("e{at:03}"), &format!("m{at:03}"), 1)).collect()
}

fn about(event_id: &'static str) -> Box<dyn FnMut(&Call) -> bool + Send> {
    Box::new(move |call| call.body.to_string().contains(event_id))
}

#[tokio::test]
async fn the_largest_batch_is_booked_once_whatever_of_it_comes_again() {
    let world = World::builder().no_retries().build().await;
    let facts = facts(250);
    let body = batch(&facts);
    world.wire.inject(about("test::e017"), Fault::Answer(ErrorAnswer::with_status(500, "InternalServerError")));
    let first = world.deliver(&body).await;
    assert_eq!((first.reply.status, header(&first, "retry-after")), (503, Some("5")));
    assert_eq!(world.booked().await.len(), 249);
    assert!(world.claim("e017").await.is_none());
    let second = world.deliver(&body).await;
    assert_eq!(second.reply.status, 503, "as long as one is missing");
    world.wire.heal();
    let third = world.deliver(&body).await;
    assert_eq!((third.reply.status, header(&third, "hookledger-replay")), (200, None));
    let fourth = world.deliver(&body).await;
    assert_eq!((&fourth.reply, header(&fourth, "hookledger-replay")), (&third.reply, Some("true")));
    assert_eq!((world.booked().await.len(), world.claims().await.len()), (250, 250));
    assert_eq!((world.metrics.results("applied"), world.metrics.results("unavailable")), (250, 2));
    assert_eq!(world.metrics.total(Metric::KnownMovements), 0);
}

#[tokio::test]
async fn byte_equal_events_are_one_and_others_of_one_id_are_told_apart() {
    let world = World::new().await;
    let (one, two) = (settle("e1", "m1", 1), settle("e2", "m2", 2));
    let body = batch(&[one.clone(), two.clone(), one.clone(), one.clone(), two]);
    assert_eq!(world.deliver(&body).await.reply.status, 200);
    assert_eq!((world.calls(), world.metrics.results("applied")), (2, 2));
    let again = world.deliver(&body).await;
    assert_eq!((header(&again, "hookledger-replay"), world.metrics.results("replayed")), (Some("true"), 2));
    let drifted = batch(&[one.clone(), Fact { attempt: 2, ..one }]);
    assert_eq!(header(&world.deliver(&drifted).await, "hookledger-replay"), Some("true"));
    assert_eq!((world.booked().await.len(), world.metrics.total(Metric::Drift)), (2, 1));
}

#[tokio::test]
async fn two_contents_of_one_id_in_one_delivery_never_book_both() {
    for contention in [false, true] {
        let builder = World::builder();
        let world = if contention { builder.contention() } else { builder }.build().await;
        let body = batch(&[settle("e1", "m1", 1), settle("e1", "m1", 2), settle("e1", "m2", 1)]);
        let mut answer = world.deliver(&body).await;
        for _ in 0..3 {
            if answer.reply.status == 200 {
                break;
            }
            answer = world.deliver(&body).await;
        }
        assert_eq!(answer.reply.status, 200, "a mismatch in a batch must not block it");
        let booked = world.booked().await;
        assert_eq!(booked.len(), 1, "{booked:?}");
        assert_eq!(world.story(&world.key("e1")).await.siblings.len(), 2);
        assert_eq!(world.metrics.total(Metric::Mismatches), 2);
    }
}

#[tokio::test]
async fn a_mismatch_in_a_batch_is_kept_and_blocks_nothing() {
    let world = World::new().await;
    world.deliver(settle("e1", "m1", 500).body()).await;
    let other = settle("e1", "m1", 501);
    let body = batch(&[settle("e0", "m0", 1), other.clone(), settle("e2", "m2", 2)]);
    for replay in [None, None] {
        let answer = world.deliver(&body).await;
        assert_eq!((answer.reply.status, header(&answer, "hookledger-replay")), (200, replay));
    }
    assert_eq!(world.booked().await.len(), 3);
    let siblings = world.story(&world.key("e1")).await.siblings;
    let kept: Fact = serde_json::from_slice(&siblings[0].kept.body).unwrap();
    assert_eq!((siblings.len(), kept), (1, other));
    assert_eq!(world.metrics.total(Metric::Mismatches), 1);
}

#[tokio::test]
async fn each_event_of_a_batch_has_its_own_fate() {
    let world = World::new().await;
    let mixed = [
        settle("e1", "m1", 1),
        Fact { parent: "m1".into(), ..Fact::new("e2", "defer").moving("r1", "refund", 1) },
        Fact::new("e3", "park"),
        Fact::new("e4", "ignore"),
        Fact::new("e5", "panic"),
        Fact { mode: "test".into(), ..settle("e6", "m6", 1) },
        Fact { mode: "missing".into(), ..settle("e7", "m7", 1) },
        settle("", "m8", 1),
    ];
    let answer = world.deliver(batch(&mixed)).await;
    assert_eq!((answer.reply.status, header(&answer, "hookledger-replay")), (200, None));
    let state = async |id: &str| world.claim(id).await.map(|row| row.state);
    assert_eq!(state("e1").await, Some(State::Done));
    assert_eq!(state("e2").await, Some(State::Received));
    for parked in ["e3", "e5", "e7"] {
        assert_eq!(state(parked).await, Some(State::Parked), "{parked}");
    }
    for ignored in ["e4", "e6"] {
        assert_eq!(state(ignored).await, None, "{ignored}");
    }
    assert_eq!((world.claims().await.len(), world.booked().await.len()), (6, 1));
}

#[tokio::test]
async fn an_empty_batch_is_malformed() {
    let world = World::new().await;
    assert_eq!(world.deliver(batch(&[])).await.reply.status, 400);
    assert_eq!(world.calls(), 0);
}
