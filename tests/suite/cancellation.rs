//! What each reason of a cancelled transaction means. The answers are forged where the emulator gives none of the kind.

use std::sync::Arc;

use hookledger::claim::{MovementKey, State};
use hookledger::items::{Item, claim_key, entry_key};
use hookledger::metrics::Metric;
use hookledger::plan::{Kind, Occurrence, ParkReason};
use hookledger::receive::Answer;
use hookledger_tests::{
    ErrorAnswer, Fact, Fault, Reason, TestProvider, World, each, header, item_json, nth, profile, settle,
};
use serde_json::Value;

const BODY: fn() -> Vec<u8> = || settle("e1", "m1", 500).body();

fn cancelled(reasons: &[Reason]) -> Fault {
    Fault::Answer(ErrorAnswer::cancelled(reasons))
}

/// A world in which the first transaction is cancelled like this.
async fn forged(reasons: &[Reason]) -> World {
    let world = World::new().await;
    world.wire.inject(nth(0), cancelled(reasons));
    world
}

async fn forged_always(reasons: &[Reason]) -> World {
    let world = World::new().await;
    world.wire.inject(each("TransactWriteItems"), cancelled(reasons));
    world
}

async fn item(world: &World, table: &str, key: Item) -> Value {
    let answer = world.client.get_item().table_name(table).set_key(Some(key)).send().await.unwrap();
    item_json(&answer.item.unwrap())
}

/// The row that a delivery of `fact` leaves in another world.
async fn claim_of(fact: &Fact) -> Value {
    let world = World::new().await;
    world.deliver(fact.body()).await;
    item(&world, &world.tables.claims, claim_key(&world.key(&fact.id))).await
}

async fn entry_of(fact: &Fact) -> Value {
    let world = World::new().await;
    world.deliver(fact.body()).await;
    let movement = MovementKey::new("test", &Occurrence::unique(&fact.entries[0].id));
    item(&world, &world.tables.ledger, entry_key(&movement, Kind::Payment)).await
}

fn is_replay(answer: &Answer) -> bool {
    answer.reply.status == 200 && header(answer, "hookledger-replay") == Some("true")
}

#[tokio::test]
async fn the_claims_reason_decides_first() {
    let done = || async { Reason::failed(Some(claim_of(&settle("e1", "m1", 500)).await)) };
    let other_entry = Reason::failed(Some(entry_of(&settle("e0", "m1", 999)).await));
    for second in [Reason::CONFLICT, other_entry, Reason::code("ThrottlingError"), Reason::code("SomethingNew")] {
        let world = forged(&[done().await, second]).await;
        assert!(is_replay(&world.deliver(BODY()).await));
        assert_eq!(world.calls(), 1);
        assert_eq!(world.claims().await.len(), 0, "nothing is written on a replay");
    }
}

#[tokio::test]
async fn the_claim_held_with_the_same_content_is_a_replay_in_any_state() {
    let deferred = Fact { parent: "m0".into(), ..Fact::new("e1", "defer").moving("r1", "refund", 5) };
    for fact in [settle("e1", "m1", 500), deferred, Fact::new("e1", "park")] {
        let world = forged(&[Reason::failed(Some(claim_of(&fact).await)), Reason::NONE]).await;
        assert!(is_replay(&world.deliver(fact.body()).await));
        assert_eq!(world.calls(), 1);
    }
}

#[tokio::test]
async fn other_bytes_with_the_same_effect_drift() {
    let held = claim_of(&settle("e1", "m1", 500)).await;
    let world = forged(&[Reason::failed(Some(held)), Reason::NONE]).await;
    let fact = Fact { attempt: 2, note: "more".into(), ..settle("e1", "m1", 500) };
    assert!(is_replay(&world.deliver(fact.body()).await));
    assert_eq!((world.calls(), world.metrics.total(Metric::Drift)), (1, 1));
}

#[tokio::test]
async fn another_effect_is_a_mismatch() {
    let held = claim_of(&settle("e1", "m1", 700)).await;
    let world = forged(&[Reason::failed(Some(held)), Reason::NONE]).await;
    assert_eq!(world.deliver(BODY()).await.reply.status, 422);
    assert_eq!((world.calls(), world.metrics.total(Metric::Mismatches)), (2, 1));
    assert_eq!(world.story(&world.key("e1")).await.siblings.len(), 1);
}

#[tokio::test]
async fn a_contended_claim_is_looked_at_and_tried_again() {
    for reasons in [[Reason::CONFLICT, Reason::NONE], [Reason::CONFLICT, Reason::CONFLICT]] {
        let world = forged(&reasons).await;
        let answer = world.deliver(BODY()).await;
        assert_eq!((answer.reply.status, header(&answer, "hookledger-replay")), (200, None));
        let operations: Vec<String> = world.wire.calls().into_iter().map(|call| call.operation).collect();
        assert_eq!(operations, ["TransactWriteItems", "GetItem", "TransactWriteItems"]);
        assert_eq!(world.wire.calls()[1].body["ConsistentRead"], true);
        assert_eq!(world.metrics.total(Metric::ConflictRetries), 1);
        assert_eq!(world.booked().await.len(), 1);
    }
}

#[tokio::test]
async fn a_contended_claim_that_is_there_is_answered_at_once() {
    let world = World::new().await;
    world.deliver(BODY()).await;
    world.wire.clear();
    world.wire.inject(nth(0), cancelled(&[Reason::CONFLICT, Reason::NONE]));
    assert!(is_replay(&world.deliver(BODY()).await));
    assert_eq!(world.calls(), 2);
}

#[tokio::test]
async fn a_contended_claim_that_has_expired_counts_as_absent() {
    let world = World::new().await;
    world.deliver(BODY()).await;
    world.advance_s(13 * 86_400);
    world.wire.inject(nth(0), cancelled(&[Reason::CONFLICT, Reason::NONE]));
    let answer = world.deliver(BODY()).await;
    assert_eq!((answer.reply.status, header(&answer, "hookledger-replay")), (200, None));
    assert_eq!(world.booked().await.len(), 1);
}

#[tokio::test]
async fn a_known_movement_is_not_booked_again() {
    let held = Reason::failed(Some(entry_of(&settle("e0", "m1", 500)).await));
    let world = forged(&[Reason::NONE, held]).await;
    assert_eq!(world.deliver(BODY()).await.reply.status, 200);
    let sent = world.wire.calls();
    assert_eq!(sent.len(), 2);
    assert_eq!(sent[1].body["TransactItems"].as_array().unwrap().len(), 1, "without the entry");
    let claim = world.claim("e1").await.unwrap();
    assert_eq!(claim.entries.iter().map(|entry| entry.existed).collect::<Vec<_>>(), [true]);
    assert_eq!(world.metrics.total(Metric::KnownMovements), 1);
}

#[tokio::test]
async fn a_known_movement_is_no_alarm_where_families_overlap() {
    let mut profile = profile();
    profile.identity.overlapping_families = true;
    let world = World::builder().provider(TestProvider::new(profile)).build().await;
    world.deliver(settle("e0", "m1", 500).body()).await;
    world.deliver(BODY()).await;
    assert_eq!(world.metrics.total(Metric::KnownMovements), 0);
    assert_eq!(world.booked().await, [("test::m1".into(), "payment", 500)]);
}

#[tokio::test]
async fn only_what_is_missing_is_booked_and_told() {
    let world = World::new().await;
    world.deliver(settle("e0", "m1", 1).body()).await;
    let mut fact = settle("e1", "m1", 1).moving("m2", "payment", 2).moving("m3", "payment", 3);
    fact.tell = vec!["bus".into()];
    world.deliver(fact.body()).await;
    let amounts: Vec<i64> = world.booked().await.into_iter().map(|(_, _, minor)| minor).collect();
    assert_eq!(amounts, [1, 2, 3]);
    // The message is about the entry that was known, and was owed with it.
    assert_eq!(world.story(&world.key("e1")).await.messages.len(), 0);
    let existed: Vec<bool> = world.claim("e1").await.unwrap().entries.iter().map(|entry| entry.existed).collect();
    assert_eq!(existed, [true, false, false]);
}

#[tokio::test]
async fn a_movement_that_differs_parks_the_event_and_alarms() {
    let mut other_currency = settle("e1", "m1", 500);
    other_currency.entries[0].currency = "USD".into();
    let facts = [settle("e1", "m1", 700), other_currency, settle("e1", "m1", 500).account("b")];
    for fact in facts {
        let world = World::new().await;
        world.deliver(settle("e0", "m1", 500).account("a").body()).await;
        // One of its entries would be free: all or nothing.
        let fact = fact.moving("m2", "payment", 1);
        assert_eq!(world.deliver(fact.body()).await.reply.status, 200);
        let claim = world.claim("e1").await.unwrap();
        assert_eq!((claim.state, claim.park_reason), (State::Parked, Some(ParkReason::Conflict)));
        assert!(claim.last_error.unwrap().contains("test::m1"));
        assert_eq!(world.story(&world.key("e1")).await.kept.unwrap().body, fact.body());
        assert_eq!(world.booked().await, [("test::m1".into(), "payment", 500)]);
        let alarms = [Metric::Parked, Metric::MovementConflicts].map(|metric| world.metrics.total(metric));
        assert_eq!(alarms, [1, 1]);
        // A person's matter now: a redelivery changes nothing.
        assert!(is_replay(&world.deliver(fact.body()).await));
        assert_eq!(world.booked().await.len(), 1);
    }
}

#[tokio::test]
async fn an_account_on_one_side_only_is_no_difference() {
    for accounts in [("a", ""), ("", "a")] {
        let world = World::new().await;
        world.deliver(settle("e0", "m1", 500).account(accounts.0).body()).await;
        world.deliver(settle("e1", "m1", 500).account(accounts.1).body()).await;
        assert_eq!(world.claim("e1").await.unwrap().state, State::Done);
    }
}

#[tokio::test]
async fn a_message_that_is_owed_already_is_not_owed_twice() {
    let mut fact = settle("e1", "m1", 500);
    fact.tell = vec!["bus".into(), "audit".into()];
    let world = forged(&[Reason::NONE, Reason::NONE, Reason::failed(None), Reason::NONE]).await;
    assert_eq!(world.deliver(fact.body()).await.reply.status, 200);
    assert_eq!(world.calls(), 2);
    assert_eq!(world.story(&world.key("e1")).await.messages, ["message#test.told#test::m1/payment#audit"]);
    assert_eq!(world.booked().await.len(), 1);
}

#[tokio::test]
async fn throttling_inside_a_cancellation_is_retried_within_the_time() {
    for code in ["ThrottlingError", "ProvisionedThroughputExceeded"] {
        for reasons in [[Reason::code(code), Reason::NONE], [Reason::NONE, Reason::code(code)]] {
            let world = forged(&reasons).await;
            assert_eq!(world.deliver(BODY()).await.reply.status, 200);
            assert_eq!((world.calls(), world.booked().await.len()), (2, 1));

            let world = forged_always(&reasons).await;
            assert_eq!(world.deliver(BODY()).await.reply.status, 503);
            assert!(world.calls() > 4, "it was tried again");
            assert_eq!(world.claims().await.len(), 0);
        }
    }
}

#[tokio::test]
async fn contention_on_an_entry_is_waited_for() {
    let reasons = [Reason::NONE, Reason::CONFLICT];
    let world = forged(&reasons).await;
    assert_eq!(world.deliver(BODY()).await.reply.status, 200);
    assert_eq!((world.calls(), world.metrics.total(Metric::ConflictRetries)), (2, 1));
    let world = forged_always(&reasons).await;
    assert_eq!(world.deliver(BODY()).await.reply.status, 409);
    assert_eq!(world.claims().await.len(), 0);
}

#[tokio::test]
async fn a_validation_error_parks_what_it_can() {
    for reasons in [[Reason::code("ValidationError"), Reason::NONE], [Reason::NONE, Reason::code("ValidationError")]] {
        let world = forged(&reasons).await;
        assert_eq!(world.deliver(BODY()).await.reply.status, 200);
        let claim = world.claim("e1").await.unwrap();
        assert_eq!((claim.state, claim.park_reason), (State::Parked, Some(ParkReason::Unreadable)));
        assert_eq!(world.booked().await.len(), 0);
        world.deliver(BODY()).await;
        assert_eq!(world.claim("e1").await.unwrap().state, State::Done);
        assert_eq!(world.booked().await.len(), 1);
    }
}

#[tokio::test]
async fn an_unknown_code_is_never_a_success() {
    let unknown = || Reason::code("AccessDenied");
    let all = [
        vec![unknown(), Reason::NONE],
        vec![Reason::NONE, unknown()],
        vec![Reason::NONE, Reason::NONE],
        vec![Reason::NONE],
        vec![Reason::failed(None); 5],
        vec![],
    ];
    for reasons in all {
        let world = forged(&reasons).await;
        assert_eq!(world.deliver(BODY()).await.reply.status, 503, "{reasons:?}");
        assert_eq!((world.calls(), world.claims().await.len()), (1, 0), "{reasons:?}");
        assert_eq!(world.metrics.total(Metric::StoreFaults), 1, "{reasons:?}");
        assert_eq!(world.deliver(BODY()).await.reply.status, 200);
    }
}

#[tokio::test]
async fn a_claim_that_was_not_returned_is_read() {
    let held = [Reason::failed(None), Reason::NONE];
    let world = World::new().await;
    world.deliver(BODY()).await;
    world.wire.clear();
    world.wire.inject(nth(0), cancelled(&held));
    assert!(is_replay(&world.deliver(BODY()).await));
    assert_eq!(world.wire.calls()[1].body["ConsistentRead"], true);

    // Deleted by TTL in between: committed again, but not for ever.
    let world = forged(&held).await;
    let answer = world.deliver(BODY()).await;
    assert_eq!((answer.reply.status, header(&answer, "hookledger-replay")), (200, None));
    assert_eq!(world.calls(), 3);
    let world = forged_always(&held).await;
    assert_eq!(world.deliver(BODY()).await.reply.status, 503);
    assert!(world.calls() <= 10, "bounded: {}", world.calls());
}

#[tokio::test]
async fn an_entry_that_was_not_returned_is_read() {
    let held = [Reason::NONE, Reason::failed(None)];
    for (amount, state) in [(500, State::Done), (700, State::Parked)] {
        let world = World::new().await;
        world.deliver(settle("e0", "m1", amount).body()).await;
        world.wire.clear();
        world.wire.inject(nth(0), cancelled(&held));
        assert_eq!(world.deliver(BODY()).await.reply.status, 200);
        assert_eq!(world.wire.calls()[1].body["ConsistentRead"], true);
        assert_eq!(world.claim("e1").await.unwrap().state, state);
        assert_eq!(world.booked().await, [("test::m1".into(), "payment", amount)]);
    }
    let world = forged_always(&held).await;
    assert_eq!(world.deliver(BODY()).await.reply.status, 409);
    assert!(world.calls() <= 10, "bounded: {}", world.calls());
}

#[tokio::test]
async fn a_parked_claim_comes_back_once_it_can_be_read() {
    let provider = Arc::new(TestProvider::new(profile()));
    let world = World::builder().shared_provider(provider.clone()).build().await;
    let fact = Fact { then: "settle".into(), ..Fact::new("e1", "later").moving("m1", "payment", 500) };
    world.deliver(fact.body()).await;
    let parked = world.claim("e1").await.unwrap();
    provider.learn();
    world.advance_s(60);
    world.wire.clear();
    let answer = world.deliver(fact.body()).await;
    assert_eq!((answer.reply.status, header(&answer, "hookledger-replay")), (200, None));
    assert_eq!(world.calls(), 2, "one question, one second commit");
    let story = world.story(&world.key("e1")).await;
    let done = story.claim.unwrap();
    assert_eq!((done.state, done.claimed_at, done.park_reason), (State::Done, parked.claimed_at, None));
    assert_eq!((done.reply, done.due_at, story.kept), (parked.reply, None, None));
    assert_eq!(world.booked().await.len(), 1);
}

#[tokio::test]
async fn a_row_of_another_version_is_neither_guessed_nor_overwritten() {
    let mut row = claim_of(&settle("e1", "m1", 500)).await;
    row["state"] = serde_json::json!({"S": "archived"});
    let world = forged(&[Reason::failed(Some(row)), Reason::NONE]).await;
    assert_eq!(world.deliver(BODY()).await.reply.status, 503);
    assert_eq!((world.calls(), world.metrics.total(Metric::StoreFaults)), (1, 1));
}
