//! The world itself: that its parts do what tests rely on.

use hookledger::claim::State;
use hookledger::metrics::Metric;
use hookledger::store::Completed;
use hookledger_tests::{Fact, Fault, Latch, Settled, World, header, nth, sample, settle};

#[tokio::test]
async fn a_stripe_charge_is_booked_once() {
    let world = World::stripe().await;
    let body = sample("stripe", "charge_succeeded");
    let first = world.deliver(&body).await;
    assert_eq!(first.reply.status, 200);
    assert_eq!(world.calls(), 1);
    let again = world.deliver(&body).await;
    assert_eq!((again.reply, world.calls()), (first.reply, 2));
    assert_eq!(header(&world.deliver(&body).await, "hookledger-replay"), Some("true"));
    assert_eq!(world.ledger().await.len(), 1);
    assert_eq!(world.claims().await[0].state, State::Done);
    assert_eq!((world.metrics.results("applied"), world.metrics.results("replayed")), (1, 2));
    assert_eq!(world.metrics.total(Metric::Deliveries), 3);
}

#[tokio::test]
async fn a_deferred_refund_takes_its_account_from_the_payment() {
    let world = World::new().await;
    world.deliver(settle("e1", "m1", 500).account("a").body()).await;
    let refund = Fact { parent: "m1".into(), ..Fact::new("e2", "defer").moving("r1", "refund", 200) };
    assert_eq!(world.deliver(refund.body()).await.reply.status, 200);
    assert_eq!(world.claim("e2").await.unwrap().state, State::Received);
    let settled = world.settle_deferred(&world.key("e2")).await.unwrap();
    assert_eq!(settled, Settled::Completed(Completed::Done { known: 0 }));
    assert_eq!(world.booked().await, [("test::m1".into(), "payment", 500), ("test::r1".into(), "refund", -200)]);
    assert_eq!(world.ledger().await[1].account_id.as_deref(), Some("a"));
    assert_eq!(world.story(&world.key("e2")).await.kept, None);
}

#[tokio::test]
async fn transactions_that_overlap_conflict() {
    let world = World::builder().contention().build().await;
    let latch = Latch::new();
    world.wire.inject(nth(0), Fault::HoldUnderway(latch.clone()));
    let body = settle("e1", "m1", 500).body();
    let overlapping = async {
        latch.came().await;
        let answer = world.deliver(&body).await;
        latch.open();
        answer
    };
    let (held, overlapping) = futures_util::join!(world.deliver(&body), overlapping);
    assert_eq!((held.reply.status, overlapping.reply.status), (200, 409));
    assert_eq!(header(&overlapping, "retry-after"), Some("5"));
    assert!(world.metrics.total(Metric::ConflictRetries) > 0);
    assert_eq!(header(&world.deliver(&body).await, "hookledger-replay"), Some("true"));
    assert_eq!(world.booked().await.len(), 1);
}

#[tokio::test]
async fn what_expired_is_swept_by_the_worlds_own_time() {
    let world = World::new().await;
    world.deliver(settle("e1", "m1", 500).body()).await;
    assert_eq!(world.sweep_ttl(), 0);
    world.advance_s(13 * 86_400);
    assert_eq!(world.sweep_ttl(), 1);
    assert_eq!(world.claims().await.len(), 0);
}
