//! Contents that cannot be compared with what a claim stored: the claim answers, the content is kept.

use std::sync::Arc;

use hookledger::certificates::Certificates;
use hookledger::gate::Gate;
use hookledger::keys::Keys;
use hookledger::metrics::Metric;
use hookledger::provider::Provider;
use hookledger::receive::{Answer, Receiver};
use hookledger_tests::{Fact, TestProvider, World, header, profile, settle};

use crate::rows;

/// Another version of the function on the same tables.
fn version(world: &World, provider: impl Provider) -> Receiver {
    Receiver {
        provider: Arc::new(provider),
        keys: Keys::fixed((*world.receiver.keys.held()).clone()),
        certificates: Certificates::default(),
        mode: world.receiver.mode,
        store: world.receiver.store.clone(),
        gate: Gate::new(0),
        metrics: world.metrics.sink(),
        outbox: hookledger::outbox::Outbox::default(),
        clock: Arc::new(world.clock.clone()),
    }
}

fn is_replay(answer: &Answer) -> bool {
    answer.reply.status == 200 && header(answer, "hookledger-replay") == Some("true")
}

fn deferred(id: &str) -> Fact {
    Fact { parent: "m0".into(), ..Fact::new(id, "defer").moving("m1", "payment", 500) }
}

/// Delivers `other` under the id of a claim in another kind, thrice: replays, one sibling, one alarm, no other change.
async fn kept_once(world: &World, receiver: &Receiver, other: &Fact) {
    let key = world.key(&other.id);
    let (before, ledger, siblings) =
        (rows::of(world, &key).await, rows::ledger(world).await, world.story(&key).await.siblings.len());
    world.metrics.clear();
    for _ in 0..3 {
        let answer = receiver.receive(world.request(other.body()), world.deadline()).await;
        assert!(is_replay(&answer), "{other:?}: {answer:?}");
    }
    let story = world.story(&key).await;
    assert_eq!(story.siblings.len(), siblings + 1, "{other:?}");
    assert_eq!(story.siblings.iter().filter(|sibling| sibling.kept.body == other.body()).count(), 1);
    assert_eq!((world.metrics.total(Metric::Mismatches), world.metrics.results("replayed")), (1, 3));
    let mut after = rows::of(world, &key).await;
    after.retain(|part, _| before.contains_key(part));
    assert_eq!((after, rows::ledger(world).await), (before, ledger), "{other:?}");
}

#[tokio::test]
async fn a_settled_event_that_another_version_parks_or_defers() {
    let world = World::new().await;
    let newer = TestProvider::new(profile());
    newer.learn();
    let newer = version(&world, newer);
    let older = version(&world, TestProvider::new(profile()));
    let fact = Fact { then: "settle".into(), ..Fact::new("e1", "later").moving("m1", "payment", 500) };
    newer.receive(world.request(fact.body()), world.deadline()).await;
    assert_eq!(world.booked().await.len(), 1);
    let same = older.receive(world.request(fact.body()), world.deadline()).await;
    assert!(is_replay(&same));
    assert_eq!(world.story(&world.key("e1")).await.siblings, [], "the same bytes need no comparison");
    kept_once(&world, &older, &Fact { attempt: 2, ..fact.clone() }).await;
    kept_once(&world, &older, &deferred("e1")).await;
    assert!(is_replay(&newer.receive(world.request(fact.body()), world.deadline()).await));
}

#[tokio::test]
async fn a_deferred_event_that_another_version_settles_or_parks() {
    let world = World::new().await;
    world.deliver(deferred("e1").body()).await;
    kept_once(&world, &world.receiver, &settle("e1", "m1", 500)).await;
    kept_once(&world, &world.receiver, &Fact::new("e1", "park")).await;
    assert!(is_replay(&world.deliver(deferred("e1").body()).await));
    assert_eq!(world.booked().await, []);
}

#[tokio::test]
async fn an_event_whose_effect_was_digested_by_another_version() {
    for fact in [settle("e1", "m1", 500), deferred("e1"), Fact::new("e1", "park")] {
        let world = World::new().await;
        world.deliver(fact.body()).await;
        rows::set(&world, "e1", "effect_v", rows::n(2)).await;
        assert!(is_replay(&world.deliver(fact.body()).await));
        assert_eq!(world.story(&world.key("e1")).await.siblings, [], "the same bytes need no comparison");
        let mut other = fact.clone().moving("m2", "payment", 1);
        other.note = "another".into();
        kept_once(&world, &world.receiver, &other).await;
        assert!(is_replay(&world.deliver(fact.body()).await));
    }
}

#[tokio::test]
async fn the_same_effect_in_other_bytes_is_kept_once_where_it_cannot_be_compared() {
    let world = World::new().await;
    let fact = settle("e1", "m1", 500);
    world.deliver(fact.body()).await;
    rows::set(&world, "e1", "effect_v", rows::n(2)).await;
    for attempt in 2..6 {
        assert!(is_replay(&world.deliver(Fact { attempt, ..fact.clone() }.body()).await));
    }
    assert_eq!(world.story(&world.key("e1")).await.siblings.len(), 1);
    assert_eq!(world.metrics.total(Metric::Mismatches), 1);
}

#[tokio::test]
async fn a_kind_of_effect_that_this_version_does_not_know() {
    let world = World::new().await;
    world.deliver(settle("e1", "m1", 500).body()).await;
    rows::set(&world, "e1", "effect_kind", rows::s("forecast")).await;
    kept_once(&world, &world.receiver, &settle("e1", "m1", 501)).await;
}

#[tokio::test]
async fn a_row_that_this_version_cannot_read_is_neither_believed_nor_overwritten() {
    let broken = [
        ("state", Some(rows::s("archived"))),
        ("state", None),
        ("reply_status", None),
        ("reply_body", None),
        ("reply_type", Some(rows::n(1))),
        ("raw_digest", Some(rows::s("text"))),
        ("effect_v", None),
        ("owner", None),
        ("claimed_at_ms", Some(rows::s("yesterday"))),
    ];
    for fact in [settle("e1", "m1", 500), deferred("e1"), Fact::new("e1", "park")] {
        for (attribute, value) in &broken {
            let world = World::new().await;
            world.deliver(fact.body()).await;
            match value {
                Some(value) => rows::set(&world, "e1", attribute, value.clone()).await,
                None => rows::remove(&world, "e1", attribute).await,
            }
            let before = (rows::of(&world, &world.key("e1")).await, rows::ledger(&world).await);
            for body in [fact.body(), Fact { attempt: 2, ..settle("e1", "m1", 501) }.body()] {
                let answer = world.deliver(body).await;
                assert_eq!((answer.reply.status, header(&answer, "retry-after")), (503, Some("5")), "{attribute}");
            }
            assert_eq!(world.metrics.total(Metric::StoreFaults), 2, "{attribute}");
            let after = (rows::of(&world, &world.key("e1")).await, rows::ledger(&world).await);
            assert_eq!(after, before, "{attribute}");
        }
    }
}
