//! Ids and scopes as nobody should send them: never a server error, never two events in one claim.

use std::collections::BTreeSet;

use hookledger::claim::{ClaimKey, Digest, MovementKey, State};
use hookledger::metrics::Metric;
use hookledger::plan::Occurrence;
use hookledger_tests::{Fact, World, sample, settle};
use serde_json::{Value, json};

use crate::rows;

/// Stripe's charge with another event id and charge.
fn charge(id: Option<Value>, charge_id: &str) -> Vec<u8> {
    let mut event: Value = serde_json::from_slice(&sample("stripe", "charge_succeeded")).unwrap();
    event["data"]["object"]["id"] = json!(charge_id);
    match id {
        Some(id) => event["id"] = id,
        None => _ = event.as_object_mut().unwrap().remove("id"),
    }
    serde_json::to_vec(&event).unwrap()
}

#[tokio::test]
async fn without_a_usable_id_an_event_is_kept_under_its_bytes() {
    let world = World::stripe().await;
    let ids =
        [None, Some(json!("")), Some(json!(null)), Some(json!(17)), Some(json!(1.5)), Some(json!({"id": "evt_1"}))];
    let ids = ids.into_iter().chain([Some(json!(["evt_1"])), Some(json!(true))]);
    let bodies: Vec<Vec<u8>> = ids.map(|id| charge(id, "ch_1")).collect();
    for body in &bodies {
        let key = world.key(&Digest::of(body).to_hex());
        assert_eq!(world.deliver(body).await.reply.status, 200);
        assert_eq!(world.deliver(body).await.reply.status, 200);
        let story = world.story(&key).await;
        assert_eq!(story.claim.unwrap().state, State::Parked);
        assert_eq!(story.kept.unwrap().body, *body);
    }
    assert_eq!((world.claims().await.len(), world.booked().await.len()), (bodies.len(), 0));
    assert_eq!(world.metrics.total(Metric::Parked), u64::try_from(bodies.len()).unwrap());
}

#[tokio::test]
async fn every_id_is_its_own_claim_however_it_is_spelled() {
    let world = World::stripe().await;
    let long = "x".repeat(3_000);
    let ids = [
        "evt_1",
        "evt:1",
        "evt%3A1",
        "evt%253A1",
        "evt#1",
        "evt%231",
        ":",
        "::",
        "#",
        "%",
        " ",
        "  ",
        "claim",
        "payload#00",
        "\u{0}",
        "evt\u{0}1",
        "evt\u{0}2",
        "événement ✓ 🎸",
        "e\u{301}",
        "\u{e9}",
        "\u{feff}evt_1",
        "EVT_1",
        "null",
        &long,
        &format!("{long}y"),
        &format!("{long}z"),
        &Digest::of(long.as_bytes()).to_hex().to_uppercase(),
    ];
    for (at, id) in ids.iter().enumerate() {
        let body = charge(Some(json!(id)), &format!("ch_{at}"));
        let first = world.deliver(&body).await;
        let again = world.deliver(&body).await;
        assert_eq!((first.reply.status, &again.reply), (200, &first.reply), "{id:?}");
        let claim = world.claim(id).await.unwrap();
        assert_eq!(claim.state, State::Done, "{id:?}");
        assert!(id.starts_with(&claim.event_id) && !claim.event_id.is_empty(), "{id:?}");
    }
    assert_eq!((world.claims().await.len(), world.booked().await.len()), (ids.len(), ids.len()));
    let (applied, replayed) = (world.metrics.results("applied"), world.metrics.results("replayed"));
    assert_eq!((applied, replayed), (u64::try_from(ids.len()).unwrap(), u64::try_from(ids.len()).unwrap()));
}

#[tokio::test]
async fn scope_and_id_do_not_run_into_each_other() {
    let world = World::new().await;
    let (long, shorter) = ("s".repeat(3_000), "s".repeat(2_999));
    let pairs = [
        ("a", "b:c"),
        ("a:b", "c"),
        ("", "a:b:c"),
        ("a:b:c", "x"),
        ("a%3Ab", "c"),
        ("a", "b%3Ac"),
        ("a#", "b"),
        ("a", "#b"),
        ("ab", "c"),
        ("a", "bc"),
        ("\u{0}", "e"),
        ("", "\u{0}:e"),
        (&long, "e"),
        (&shorter, "se"),
    ];
    let mut keys = BTreeSet::new();
    for (at, (scope, id)) in pairs.iter().enumerate() {
        let fact = Fact { scope: (*scope).to_owned(), ..settle(id, &format!("m{at}"), 1) };
        assert_eq!(world.deliver(fact.body()).await.reply.status, 200, "{scope} {id}");
        keys.insert(ClaimKey::new("test", scope, id));
    }
    let claims: BTreeSet<ClaimKey> = world.claims().await.into_iter().map(|row| row.key).collect();
    assert_eq!(claims, keys);
    assert_eq!((keys.len(), world.booked().await.len()), (pairs.len(), pairs.len()));
    assert_eq!(world.metrics.results("applied"), u64::try_from(pairs.len()).unwrap());
}

#[tokio::test]
async fn movements_with_odd_ids_stay_apart_and_keep_their_ids() {
    let world = World::new().await;
    let long = "m".repeat(2_000);
    let ids = ["m:1", "m%3A1", "m#1", "m\u{0}1", "🎸", &long, &format!("{long}x")];
    for (at, id) in ids.iter().enumerate() {
        assert_eq!(world.deliver(settle(&format!("e{at}"), id, 1).body()).await.reply.status, 200);
    }
    let rows = rows::ledger(&world).await;
    assert_eq!(rows.len(), ids.len());
    for id in ids {
        let key = MovementKey::new("test", &Occurrence::unique(id));
        let row = rows.iter().find(|row| row["movement"] == rows::s(key.as_str())).unwrap();
        let is_spelled_out = key.as_str() == format!("test::{id}");
        assert_eq!(row.get("occurrence_id"), (!is_spelled_out).then(|| rows::s(id)).as_ref(), "{id}");
    }
    let empty = world.deliver(settle("e_empty", "", 1).body()).await;
    let too_long = world.deliver(settle("e_long", &"m".repeat(2_049), 1).body()).await;
    assert_eq!((empty.reply.status, too_long.reply.status), (200, 200));
    for id in ["e_empty", "e_long"] {
        assert_eq!(world.claim(id).await.unwrap().state, State::Parked);
    }
}

#[tokio::test]
async fn scopes_that_are_no_text_park_the_event_with_its_bytes() {
    let world = World::stripe().await;
    for (at, account) in [json!(17), json!({}), json!(["acct_1"]), json!(true)].into_iter().enumerate() {
        let id = format!("evt_{at}");
        let mut event: Value = serde_json::from_slice(&charge(Some(json!(id)), &format!("ch_{at}"))).unwrap();
        event["account"] = account;
        let body = serde_json::to_vec(&event).unwrap();
        assert_eq!(world.deliver(&body).await.reply.status, 200);
        let story = world.story(&world.key(&id)).await;
        assert_eq!((story.claim.unwrap().state, story.kept.unwrap().body), (State::Parked, body.into()));
    }
    assert_eq!(world.booked().await, []);
}

#[tokio::test]
async fn events_of_the_other_mode_are_not_asked_about_and_those_of_none_are_kept() {
    let world = World::stripe().await;
    let mut event: Value = serde_json::from_slice(&charge(Some(json!("evt_1")), "ch_1")).unwrap();
    event["livemode"] = json!(false);
    assert_eq!(world.deliver(event.to_string()).await.reply.status, 200);
    assert_eq!((world.calls(), world.metrics.results("ignored")), (0, 1));
    for (at, mode) in [json!(null), json!("true"), json!(1), json!([])].into_iter().enumerate() {
        event["livemode"] = mode;
        event["id"] = json!(format!("evt_mode_{at}"));
        assert_eq!(world.deliver(event.to_string()).await.reply.status, 200);
        assert_eq!(world.claim(&format!("evt_mode_{at}")).await.unwrap().state, State::Parked);
    }
    event.as_object_mut().unwrap().remove("livemode");
    event["id"] = json!("evt_mode_none");
    world.deliver(event.to_string()).await;
    assert_eq!(world.claim("evt_mode_none").await.unwrap().state, State::Parked);
    assert_eq!(world.booked().await, []);
}
