//! Names, scopes and modes.

use hookledger::claim::Digest;
use hookledger::provider::{EventMode, Provider as _};
use hookledger::request::{Headers, KeySet, Secret};
use hookledger::time::UnixMs;

use super::vectors::request;
use super::{edited, event, file, files};
use crate::Stripe;

#[test]
fn a_verified_delivery_is_one_event_with_its_exact_bytes() {
    let body = String::from_utf8(file("charge_succeeded")).unwrap();
    let signed = Stripe.sign(body.as_bytes(), &Secret::new("whsec_a"), UnixMs::new(0));
    let request = request(Headers::new(signed), &body);
    let signature = Stripe.signature(&request).unwrap();
    let verified = request.verify(&signature, &KeySet::parse("whsec_a").unwrap(), UnixMs::new(0)).unwrap();
    let events = Stripe.identify(&verified);
    assert_eq!(events.len(), 1);
    assert_eq!((events[0].id.as_str(), events[0].scope.as_str()), ("evt_3ThGuitarPaid001", ""));
    assert_eq!((events[0].event_type.as_str(), events[0].mode), ("charge.succeeded", EventMode::Live));
    assert_eq!((&events[0].kept.body[..], &events[0].problem), (body.as_bytes(), &None));
}

#[test]
fn every_file_but_the_broken_one_has_a_name_of_its_own() {
    let mut seen = std::collections::HashSet::new();
    for (name, body) in files() {
        let digest = Digest::of(&body).to_hex();
        let event = event(body);
        assert!(seen.insert(event.id.clone()), "{name}: {} stands in two files", event.id);
        if name == "truncated" {
            assert_eq!((event.id, event.problem.as_deref()), (digest, Some("body: not valid JSON")));
        } else {
            assert!(event.id.starts_with("evt_") && event.problem.is_none(), "{name}: {:?}", event.problem);
        }
    }
}

#[test]
fn the_account_is_the_scope() {
    assert_eq!(event(file("charge_succeeded_connect")).scope, "acct_1ThWorkshopAnna");
    assert_eq!(event(file("thin_payout_paid_connect")).scope, "acct_1ThWorkshopAnna");
    assert_eq!(event(r#"{"id":"evt_1","account":"acct_1","context":"org_1/acct_1"}"#).scope, "acct_1");
    assert_eq!(event(r#"{"id":"evt_1","context":"acct_2"}"#).scope, "acct_2");
    let odd = event(r#"{"id":"evt_1","account":7}"#);
    assert_eq!((odd.id.as_str(), odd.problem.as_deref()), ("evt_1", Some("account: not a text")));
}

#[test]
fn the_mode_is_said_by_every_event() {
    let mode = |body: &str| event(body).mode;
    assert_eq!(event(file("charge_succeeded_test_mode")).mode, EventMode::Test);
    assert_eq!(mode(r#"{"id":"evt_1","livemode":true}"#), EventMode::Live);
    for missing in ["{}", r#"{"livemode":null}"#, r#"{"livemode":"true"}"#, r#"{"livemode":1}"#, "x"] {
        assert_eq!(mode(missing), EventMode::Missing, "{missing}");
    }
}

#[test]
fn what_has_no_usable_id_is_named_by_its_bytes() {
    for (body, problem) in [
        (r#"{"livemode":true}"#, "id: missing"),
        (r#"{"id":""}"#, "id: empty"),
        (r#"{"id":12}"#, "id: not a text"),
        (r#"{"id":null}"#, "id: missing"),
        (r#"{"id":"\ud800"}"#, "id: not a text"),
        (r#"{"id":"evt_1","id":"evt_2"}"#, "body: a name stands twice"),
        (r#"[{"id":"evt_1"}]"#, "body: not a JSON object"),
        ("", "body: not a JSON object"),
    ] {
        let event = event(body);
        assert_eq!(event.id, Digest::of(body.as_bytes()).to_hex(), "{body}");
        assert_eq!(event.problem.as_deref(), Some(problem), "{body}");
    }
    let not_utf8 = event(b"{\"id\":\"\xff\"}".as_slice());
    assert_eq!(not_utf8.problem.as_deref(), Some("body: not UTF-8"));
}

#[test]
fn ids_pass_through_whatever_they_look_like() {
    let long = "x".repeat(3_000);
    for id in [long.as_str(), "a:b%c#d", " ", "événement-😀", "../evt_1"] {
        let body = edited("charge_succeeded", "evt_3ThGuitarPaid001", id);
        let event = event(body);
        assert_eq!((event.id.as_str(), event.problem), (id, None));
    }
}
