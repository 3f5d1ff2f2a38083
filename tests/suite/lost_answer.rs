//! The write took effect and its answer was lost: our own row is recognised, by the request's token or by its owner.

use std::sync::Arc;

use hookledger::claim::State;
use hookledger::metrics::Metric;
use hookledger::store::{Completed, Tuning};
use hookledger_tests::{
    Builder, ErrorAnswer, Fact, Fault, Settled, TestProvider, World, header, nth, nth_of, profile, settle,
};

/// Everything that loses an answer after the effect, and that the SDK tries again.
fn losses() -> Vec<Fault> {
    vec![
        Fault::DropAnswer,
        Fault::AnswerAfter(ErrorAnswer::with_status(500, "InternalServerError")),
        Fault::AnswerAfter(ErrorAnswer::named("ProvisionedThroughputExceededException")),
        Fault::HangAfter,
    ]
}

fn impatient() -> Builder {
    World::builder().tuning(Tuning { connect_ms: 2_000, attempt_ms: 2_000, attempts: 3, backoff_ms: 1 })
}

fn facts() -> [(Fact, &'static str, State); 3] {
    let deferred = Fact { parent: "m0".into(), ..Fact::new("e1", "defer").moving("r1", "refund", 5) };
    [
        (settle("e1", "m1", 500), "applied", State::Done),
        (deferred, "accepted", State::Received),
        (Fact::new("e1", "park"), "parked", State::Parked),
    ]
}

#[tokio::test]
async fn the_retry_under_the_same_token_is_the_same_success() {
    for fault in losses() {
        for (fact, result, state) in facts() {
            let world = impatient().build().await;
            world.wire.inject(nth(0), fault.clone());
            let answer = world.deliver(fact.body()).await;
            assert_eq!(answer.reply.status, 200, "{fault:?}");
            assert_eq!(header(&answer, "hookledger-replay"), None);
            assert_eq!(world.metrics.results(result), 1);
            assert_eq!(world.claim("e1").await.unwrap().state, state);
            let sent = world.wire.calls();
            assert_eq!(sent.len(), 2);
            assert!(sent[0].body["ClientRequestToken"].is_string());
            assert_eq!(sent[0].body, sent[1].body, "a retry is the same request under the same token");
        }
    }
}

#[tokio::test]
async fn a_retry_that_meets_its_own_row_is_the_same_success() {
    for fault in losses() {
        for (fact, result, state) in facts() {
            let world = impatient().build().await;
            world.wire.forget_tokens();
            world.wire.inject(nth(0), fault.clone());
            let answer = world.deliver(fact.body()).await;
            assert_eq!(answer.reply.status, 200, "{fault:?}");
            assert_eq!(header(&answer, "hookledger-replay"), None, "our own row is no replay");
            assert_eq!(world.metrics.results(result), 1);
            assert_eq!(world.metrics.total(Metric::ConflictRetries), 0);
            assert_eq!(world.claim("e1").await.unwrap().state, state);
            assert_eq!(world.calls(), 2);
        }
    }
}

#[tokio::test]
async fn tokens_and_owners_are_fresh_for_each_distinct_request() {
    let world = World::new().await;
    world.deliver(settle("e1", "m1", 500).body()).await;
    world.deliver(settle("e1", "m1", 500).body()).await;
    // The movement is known: a second, distinct request without it.
    world.deliver(settle("e2", "m1", 500).body()).await;
    let sent = world.wire.calls();
    assert_eq!(sent.len(), 4);
    for read in [
        |body: &serde_json::Value| body["ClientRequestToken"].clone(),
        |body: &serde_json::Value| body["TransactItems"][0]["Put"]["Item"]["owner"].clone(),
    ] {
        let distinct: std::collections::HashSet<String> =
            sent.iter().map(|call| read(&call.body).to_string()).collect();
        assert_eq!(distinct.len(), 4);
    }
}

#[tokio::test]
async fn without_a_retry_the_sender_comes_again_and_is_told_what_was_done() {
    for (fact, _, state) in facts() {
        let world = World::builder().no_retries().build().await;
        world.wire.inject(nth(0), Fault::DropAnswer);
        assert_eq!(world.deliver(fact.body()).await.reply.status, 503);
        let again = world.deliver(fact.body()).await;
        assert_eq!((again.reply.status, header(&again, "hookledger-replay")), (200, Some("true")));
        assert_eq!(world.claim("e1").await.unwrap().state, state);
        assert!(world.ledger().await.len() <= 1);
    }
}

#[tokio::test]
async fn a_sibling_that_was_kept_unheard_still_alarms_once() {
    for forgets in [false, true] {
        let world = World::new().await;
        world.deliver(settle("e1", "m1", 500).body()).await;
        if forgets {
            world.wire.forget_tokens();
        }
        world.wire.clear();
        // The first call finds the claim, the second keeps the content.
        world.wire.inject(nth(1), Fault::DropAnswer);
        let other = settle("e1", "m1", 700).body();
        assert_eq!(world.deliver(&other).await.reply.status, 422);
        assert_eq!(world.calls(), 3);
        assert_eq!(world.metrics.total(Metric::Mismatches), 1, "tokens forgotten: {forgets}");
        assert_eq!(world.deliver(&other).await.reply.status, 422);
        assert_eq!(world.metrics.total(Metric::Mismatches), 1);
        assert_eq!(world.story(&world.key("e1")).await.siblings.len(), 1);
    }
}

#[tokio::test]
async fn a_parked_claim_that_was_brought_back_unheard_is_applied() {
    for forgets in [false, true] {
        let provider = Arc::new(TestProvider::new(profile()));
        let world = World::builder().shared_provider(provider.clone()).build().await;
        let fact = Fact { then: "settle".into(), ..Fact::new("e1", "later").moving("m1", "payment", 5) };
        world.deliver(fact.body()).await;
        assert_eq!(world.claim("e1").await.unwrap().state, State::Parked);
        provider.learn();
        if forgets {
            world.wire.forget_tokens();
        }
        world.wire.inject(nth(1), Fault::DropAnswer);
        let answer = world.deliver(fact.body()).await;
        assert_eq!((answer.reply.status, header(&answer, "hookledger-replay")), (200, None));
        assert_eq!(world.metrics.results("applied"), 1);
        assert_eq!(world.booked().await.len(), 1);
    }
}

#[tokio::test]
async fn a_completion_that_was_not_heard_is_done() {
    for forgets in [false, true] {
        let world = World::new().await;
        let fact = Fact { parent: "m0".into(), ..Fact::new("e1", "defer").moving("r1", "refund", 5) };
        world.deliver(fact.body()).await;
        if forgets {
            world.wire.forget_tokens();
        }
        world.wire.inject(nth_of("TransactWriteItems", 0), Fault::DropAnswer);
        let settled = world.settle_deferred(&world.key("e1")).await.unwrap();
        assert_eq!(settled, Settled::Completed(Completed::Done { known: 0 }), "tokens forgotten: {forgets}");
        assert_eq!(world.booked().await, [("test::r1".into(), "refund", -5)]);
    }
}

#[tokio::test]
async fn a_lease_that_was_not_heard_is_held() {
    let world = World::new().await;
    let fact = Fact { parent: "m0".into(), ..Fact::new("e1", "defer").moving("r1", "refund", 5) };
    world.deliver(fact.body()).await;
    world.wire.inject(nth_of("UpdateItem", 0), Fault::DropAnswer);
    let settled = world.settle_deferred(&world.key("e1")).await.unwrap();
    assert_eq!(settled, Settled::Completed(Completed::Done { known: 0 }));
    assert_eq!(world.wire.count_of("UpdateItem"), 2);
    assert_eq!(world.claim("e1").await.unwrap().attempt, 1);
}

#[tokio::test]
async fn parking_that_was_not_heard_is_done() {
    let world = World::new().await;
    world.deliver(settle("e0", "r1", 7).body()).await;
    let fact = Fact { parent: "m0".into(), ..Fact::new("e1", "defer").moving("r1", "payment", 5) };
    world.deliver(fact.body()).await;
    // The first update leases, the second parks what the ledger contradicts.
    world.wire.inject(nth_of("UpdateItem", 1), Fault::DropAnswer);
    let settled = world.settle_deferred(&world.key("e1")).await.unwrap();
    assert_eq!(settled, Settled::Completed(Completed::Conflict));
    assert_eq!(world.claim("e1").await.unwrap().state, State::Parked);
    assert_eq!(world.booked().await, [("test::r1".into(), "payment", 7)]);
}
