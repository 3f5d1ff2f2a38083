//! Names and modes.

use std::collections::HashSet;

use hookledger::claim::Digest;
use hookledger::provider::{EventMode, Provider as _};
use hookledger::request::{Headers, KeySet, Secret};
use hookledger::time::UnixMs;

use super::vectors::request;
use super::{edited, event, file, files};
use crate::Checkout;

#[test]
fn a_verified_delivery_is_one_event_with_its_exact_bytes() {
    let body = String::from_utf8(file("payment_refunded")).unwrap();
    let signed = Checkout.sign(body.as_bytes(), &Secret::new("a"), UnixMs::new(0));
    let request = request(Headers::new(signed), &body);
    let signature = Checkout.signature(&request).unwrap();
    let verified = request.verify(&signature, &KeySet::parse("a").unwrap(), UnixMs::new(0)).unwrap();
    let events = Checkout.identify(&verified);
    assert_eq!(events.len(), 1);
    assert!(events[0].id.starts_with("evt_") && events[0].scope.is_empty());
    assert_eq!((events[0].event_type.as_str(), events[0].mode), ("payment_refunded", EventMode::Ours));
    assert_eq!((&events[0].kept.body[..], &events[0].problem), (body.as_bytes(), &None));
}

#[test]
fn every_file_but_the_broken_one_has_a_name_of_its_own() {
    let mut seen = HashSet::new();
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
fn what_has_no_usable_id_is_named_by_its_bytes() {
    for (body, problem) in [
        ("{}", "id: missing"),
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
    assert_eq!(event(b"{\"id\":\"\xff\"}".as_slice()).problem.as_deref(), Some("body: not UTF-8"));
}

#[test]
fn ids_pass_through_whatever_they_look_like() {
    let own = event(file("payment_refunded")).id;
    let long = "x".repeat(3_000);
    for id in [long.as_str(), "a:b%c#d", " ", "événement-😀"] {
        let event = event(edited("payment_refunded", &own, id));
        assert_eq!((event.id.as_str(), event.problem), (id, None));
    }
}
