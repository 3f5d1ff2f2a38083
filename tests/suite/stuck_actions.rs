//! What the person on call does: every action on every state, and what is refused.

use aws_sdk_dynamodb::types::AttributeValue;
use hookledger::claim::State;
use hookledger::items::{Book, CLAIM_PART, OpenRow};
use hookledger::plan::ParkReason;
use hookledger::store::Lease;
use hookledger::stuck::{Answer, Changes};
use hookledger_tests::{Fact, NOW, World, header, settle};
use serde_json::{Value, json};

async fn changes(world: &World, action: Value) -> Changes {
    match world.ask(action).await.unwrap() {
        Answer::Changes(changes) => changes,
        other => panic!("{other:?}"),
    }
}

async fn refused(world: &World, action: Value) -> String {
    world.ask(action).await.unwrap_err().to_string()
}

/// An event in each state, under the id of its state.
async fn one_of_each(world: &World) {
    world.owe("received").await;
    world.owe("processing").await;
    let ends = world.now().plus_ms(45_000);
    let lease = world.eyes.lease(&world.key("processing"), ends, 24, world.deadline()).await.unwrap();
    assert!(matches!(lease, Lease::Ours(_)));
    world.set_aside("parked").await;
    world.deliver(settle("done", "m1", 500).body()).await;
}

#[tokio::test]
async fn every_action_on_every_state() {
    let resolve = |book: &str| json!({"action": "resolve", "by": "kim", "note": "refunded by hand", "book": book});
    let table = [
        (json!({"action": "retry"}), [Some(State::Received), None, Some(State::Received), None]),
        (json!({"action": "park"}), [Some(State::Parked), Some(State::Parked), None, None]),
        (resolve("nothing"), [Some(State::Done), None, Some(State::Done), None]),
        (resolve("missing"), [Some(State::Received), None, Some(State::Received), None]),
    ];
    for (action, expected) in table {
        let world = World::new().await;
        one_of_each(&world).await;
        let rows = world.rows().await;
        world.advance_s(7);
        for (event_id, expected) in ["received", "processing", "parked", "done"].into_iter().zip(expected) {
            let mut action = action.clone();
            action["key"] = world.key(event_id).as_str().into();
            let before = world.claim_row(event_id).await;
            action["dry_run"] = true.into();
            assert_eq!(changes(&world, action.clone()).await.rows[0].result.clone().ok(), expected, "{action}");
            assert_eq!(world.claim_row(event_id).await, before, "a dry run writes nothing");
            action["dry_run"] = false.into();
            let changed = changes(&world, action.clone()).await;
            assert_eq!(
                (changed.changed(), changed.rows[0].result.clone().ok()),
                (usize::from(expected.is_some()), expected)
            );
            let after = world.claim_row(event_id).await;
            match expected {
                Some(state) => assert_eq!(after.state, Some(state), "{action}"),
                None => assert_eq!(after, before, "{action} leaves {event_id} as it was"),
            }
        }
        let closed = if action["book"] == "nothing" { 2 } else { 0 };
        assert_eq!(world.rows().await, rows - closed, "no row is made, and what is closed keeps no payload: {action}");
    }
}

#[tokio::test]
async fn retry_makes_young_and_whole_again() {
    let world = World::new().await;
    world.owe("e1").await;
    let (attempt, hold) = (AttributeValue::N("9".to_owned()), AttributeValue::S("hold".to_owned()));
    world.write(&world.key("e1"), CLAIM_PART, &[("attempt", attempt), ("on_lost", hold)]).await;
    world.set_aside("e2").await;
    changes(&world, json!({"action": "park", "provider": "test", "event_id": "e1", "by": "kim", "note": "wait"})).await;
    let parked = world.claim_row("e1").await;
    assert_eq!((parked.park_reason, parked.last_error.as_deref()), (Some(ParkReason::Person), Some("kim: wait")));
    assert_eq!(parked.open_since, Some(NOW), "parking makes nothing young");
    world.advance_s(100);
    for event_id in ["e1", "e2"] {
        let changed = changes(&world, json!({"action": "retry", "provider": "test", "event_id": event_id})).await;
        assert_eq!(changed.changed(), 1);
        let OpenRow { state, attempt, open_since, due_at, park_reason, .. } = world.claim_row(event_id).await;
        assert_eq!((state, attempt, park_reason), (Some(State::Received), 0, None));
        assert_eq!((open_since, due_at), (Some(world.now()), Some(world.now())));
    }
    // What must not run again by itself stays so, and so does what may.
    assert!(!world.claim_row("e1").await.reruns && world.claim_row("e2").await.reruns);
}

#[tokio::test]
async fn what_is_resolved_keeps_who_and_why_and_answers_as_before() {
    let world = World::new().await;
    world.set_aside("e1").await;
    let action = json!({"action": "resolve", "key": "test::e1", "by": "kim", "note": "booked in the old system"});
    assert_eq!(changes(&world, action).await.changed(), 1);
    let claim = world.claim("e1").await.unwrap();
    let resolution = claim.resolution.clone().unwrap();
    assert_eq!((resolution.by.as_str(), resolution.book, resolution.at), ("kim", Book::Nothing, world.now()));
    assert_eq!((claim.state, claim.completed_at, claim.payload_parts), (State::Done, Some(world.now()), 0));
    assert!(claim.due_at.is_none() && claim.expires_at.is_some());
    assert_eq!(world.story(&world.key("e1")).await.kept, None);
    let again = world.deliver(Fact::new("e1", "park").body()).await;
    assert_eq!((again.reply.status, header(&again, "hookledger-replay")), (200, Some("true")));
    assert_eq!(world.watched().await.line(), None);
    let shown = world.ask(json!({"action": "show", "key": "test::e1"})).await.unwrap().json();
    assert_eq!(shown["claim"]["resolution"]["note"], "booked in the old system");
}

#[tokio::test]
async fn a_mismatch_is_listed_and_closed_by_resolve_alone() {
    let world = World::new().await;
    world.deliver(settle("e1", "m1", 500).body()).await;
    assert_eq!(world.deliver(settle("e1", "m1", 900).body()).await.reply.status, 422);
    let listed = world.ask(json!({"action": "list", "state": "parked"})).await.unwrap().json();
    assert_eq!((&listed["rows"][0]["kind"], &listed["rows"][0]["claim"]), (&json!("mismatch"), &json!("test::e1")));
    let part = listed["rows"][0]["part"].as_str().unwrap();
    for action in ["retry", "park"] {
        let changed = changes(&world, json!({"action": action, "key": "test::e1", "part": part})).await;
        assert_eq!(changed.changed(), 0, "{action}");
    }
    let resolve = |book: &str| json!({"action": "resolve", "key": "test::e1", "part": part, "by": "kim", "note": "wrong", "book": book});
    assert_eq!(changes(&world, resolve("missing")).await.changed(), 0);
    let rows = world.rows().await;
    assert_eq!(changes(&world, resolve("nothing")).await.changed(), 1);
    assert_eq!(world.rows().await, rows - 1, "its bytes are gone");
    assert_eq!(world.watched().await.counts.mismatches, 0);
    let story = world.story(&world.key("e1")).await;
    assert_eq!(story.siblings[0].resolution.as_ref().unwrap().note, "wrong");
    assert_eq!(story.claim.unwrap().resolution, None, "the claim itself was not touched");
    // The same content once more is known, and no new alarm.
    assert_eq!(world.deliver(settle("e1", "m1", 900).body()).await.reply.status, 422);
    assert_eq!(world.watched().await.counts.mismatches, 0);
}

#[tokio::test]
async fn a_message_is_parked_and_retried_by_its_part() {
    let world = World::new().await;
    let told = Fact { tell: vec!["bus".to_owned()], ..settle("e1", "m1", 500) };
    world.deliver(told.body()).await;
    let listed = world.ask(json!({"action": "list"})).await.unwrap().json();
    let part = listed["rows"][0]["part"].as_str().unwrap();
    assert_eq!((listed["rows"].as_array().unwrap().len(), &listed["rows"][0]["kind"]), (1, &json!("message")));
    for (action, state) in [("park", State::Parked), ("retry", State::Received)] {
        let changed = changes(&world, json!({"action": action, "key": "test::e1", "part": part})).await;
        assert_eq!(changed.rows[0].result, Ok(state));
    }
    assert_eq!(world.claim("e1").await.unwrap().state, State::Done);
}

#[tokio::test]
async fn many_are_found_by_filter_bounded_and_tried_dry_first() {
    let world = World::new().await;
    world.deliver(settle("e0", "m1", 500).body()).await;
    world.deliver(settle("e0", "m1", 900).body()).await;
    for event_id in ["e1", "e2", "e3"] {
        world.set_aside(event_id).await;
        world.advance_s(10);
    }
    world.owe("e4").await;
    let retry = |dry_run: bool, limit: usize| json!({"action": "retry", "state": "parked", "provider": "test", "older_than_s": 20, "limit": limit, "dry_run": dry_run});
    let dry = changes(&world, retry(true, 10)).await;
    let keys: Vec<_> = dry.rows.iter().map(|change| change.row.key.as_str()).collect();
    assert_eq!((keys, dry.more), (vec!["test::e1", "test::e2"], false), "oldest first, no mismatch, none too young");
    assert_eq!(world.claim("e1").await.unwrap().state, State::Parked);
    let first = changes(&world, retry(false, 1)).await;
    assert_eq!((first.changed(), first.more), (1, true));
    assert_eq!(changes(&world, retry(false, 10)).await.changed(), 1);
    let states = ["e1", "e2", "e3", "e4"].map(|event_id| world.key(event_id));
    let mut seen = Vec::new();
    for key in states {
        seen.push(world.open_row(&key, CLAIM_PART).await.unwrap().state.unwrap());
    }
    assert_eq!(seen, [State::Received, State::Received, State::Parked, State::Received]);
    let none = changes(&world, json!({"action": "retry", "provider": "nobody", "limit": 10})).await;
    assert_eq!((none.rows.len(), none.more), (0, false));
}

#[tokio::test]
async fn what_is_mistyped_makes_no_row_and_says_what_is_allowed() {
    let world = World::new().await;
    world.set_aside("e1").await;
    let rows = world.rows().await;
    let decided = |mut action: Value| {
        action["by"] = "kim".into();
        action["note"] = "n".into();
        action
    };
    for (action, says) in [
        (
            json!({"action": "resume", "key": "test::e1"}),
            "expected one of `run`, `check_retention`, `list`, `show`, `retry`, `park`, `resolve`",
        ),
        (json!({"key": "test::e1"}), "missing field `action`"),
        (json!({"action": "retry", "claim": "test::e1"}), "unknown field `claim`"),
        (json!({"action": "list", "state": "done"}), "expected one of `received`, `processing`, `parked`"),
        (json!({"action": "list", "limit": 0}), "from 1 to 1000"),
        (json!({"action": "retry"}), "`limit`"),
        (json!({"action": "retry", "key": "test::e1", "limit": 3}), "choose many"),
        (json!({"action": "retry", "key": "test::e1", "book": "nothing"}), "belongs to resolve"),
        (json!({"action": "retry", "key": "e1"}), "provider:scope:event id"),
        (json!({"action": "retry", "event_id": "e1"}), "needs `provider`"),
        (json!({"action": "retry", "key": "test::e9"}), "there is no claim test::e9"),
        (json!({"action": "park", "provider": "test", "event_id": "e9"}), "there is no claim test::e9"),
        (decided(json!({"action": "resolve", "key": "tset::e1"})), "there is no claim tset::e1"),
        (decided(json!({"action": "resolve", "key": "test::e1", "part": "mismatch#00"})), "there is no row"),
        (decided(json!({"action": "resolve", "key": "test::e1", "book": "all"})), "expected `missing` or `nothing`"),
        (json!({"action": "resolve", "key": "test::e1", "note": "n"}), "needs `by`"),
        (json!({"action": "resolve", "key": "test::e1", "by": "kim", "note": "  "}), "needs `note`"),
        (decided(json!({"action": "resolve", "key": "test::e1", "part": ""})), "not the part of a row"),
        (json!({"action": "retry", "key": format!("test::{}", "e".repeat(3_000))}), "not a claim's key"),
        (json!({"action": "show"}), "show needs `key`"),
        (json!({"action": "show", "key": "test::e9"}), "there is no claim"),
        (json!("retry"), "expected"),
    ] {
        let said = refused(&world, action.clone()).await;
        assert!(said.contains(says), "{action}: {said}");
    }
    let payload = changes(&world, decided(json!({"action": "resolve", "key": "test::e1", "part": "payload#00"}))).await;
    assert_eq!(payload.changed(), 0, "a payload is no row to be closed");
    assert_eq!(world.rows().await, rows);
    assert_eq!(world.claim("e1").await.unwrap().state, State::Parked);
}
