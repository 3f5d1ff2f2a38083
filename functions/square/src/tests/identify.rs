//! Names, scopes and modes.

use hookledger::claim::Digest;
use hookledger::provider::{Event, EventMode, Provider as _};
use hookledger::request::{Headers, KeySet};
use hookledger::time::UnixMs;

use super::vectors::request;
use super::{event, file, files, square};

/// What a verified delivery of this body holds.
fn delivered(body: &str, secrets: &str, more: &[(String, String)]) -> Event {
    let provider = square();
    let keys = KeySet::parse(secrets).unwrap();
    let mut headers = provider.sign(body.as_bytes(), keys.first().unwrap(), UnixMs::new(0));
    headers.extend_from_slice(more);
    let request = request(Headers::new(headers), body);
    let signature = provider.signature(&request).unwrap();
    let mut events = provider.identify(&request.verify(&signature, &keys, UnixMs::new(0)).unwrap());
    assert_eq!(events.len(), 1);
    events.remove(0)
}

#[test]
fn a_verified_delivery_is_one_event_with_its_exact_bytes() {
    let body = String::from_utf8(file("payment_updated_completed_1")).unwrap();
    let event = delivered(&body, "label@key", &[("square-environment".into(), "Sandbox".into())]);
    assert_eq!((event.id.as_str(), event.scope.as_str()), ("5e1f0000-0000-4000-8000-000000000002", "MLWRKSHPANNA1"));
    assert_eq!((event.event_type.as_str(), event.mode), ("payment.updated", EventMode::Ours));
    assert_eq!((&event.kept.body[..], event.kept.headers, event.problem), (body.as_bytes(), vec![], None));
}

#[test]
fn the_merchant_is_the_scope() {
    assert_eq!(event(r#"{"event_id":"e1","merchant_id":"M1"}"#).scope, "M1");
    assert_eq!(event(r#"{"event_id":"e1"}"#).scope, "");
    let odd = event(r#"{"event_id":"e1","merchant_id":7}"#);
    assert_eq!((odd.id.as_str(), odd.problem.as_deref()), ("e1", Some("merchant_id: not a text")));
}

#[test]
fn every_file_but_the_broken_one_has_a_name_of_its_own() {
    let mut seen = std::collections::HashSet::new();
    for (name, body) in files() {
        let digest = Digest::of(&body).to_hex();
        let event = event(body);
        assert!(seen.insert(event.id.clone()), "{name}: {} stands in two files", event.id);
        assert_eq!(event.mode, EventMode::Ours, "{name}");
        if name == "truncated" {
            assert_eq!((event.id, event.problem.as_deref()), (digest, Some("body: not valid JSON")));
        } else {
            assert_eq!((event.id.starts_with("5e1f0000-"), event.problem), (true, None), "{name}");
        }
    }
}

#[test]
fn what_has_no_usable_id_is_named_by_its_bytes() {
    for (body, problem) in [
        (r#"{"type":"x"}"#, "event_id: missing"),
        (r#"{"event_id":""}"#, "event_id: empty"),
        (r#"{"event_id":12}"#, "event_id: not a text"),
        (r#"{"event_id":null}"#, "event_id: missing"),
        (r#"{"event_id":"\ud800"}"#, "event_id: not a text"),
        (r#"{"event_id":"e1","event_id":"e2"}"#, "body: a name stands twice"),
        (r#"[{"event_id":"e1"}]"#, "body: not a JSON object"),
        ("", "body: not a JSON object"),
    ] {
        let event = event(body);
        assert_eq!(event.id, Digest::of(body.as_bytes()).to_hex(), "{body}");
        assert_eq!(event.problem.as_deref(), Some(problem), "{body}");
    }
    let not_utf8 = event(b"{\"event_id\":\"\xff\"}".as_slice());
    assert_eq!(not_utf8.problem.as_deref(), Some("body: not UTF-8"));
}

#[test]
fn ids_pass_through_whatever_they_look_like() {
    let long = "x".repeat(3_000);
    for id in [long.as_str(), "a:b%c#d", " ", "événement-😀", "../e1"] {
        let event = event(format!(r#"{{"event_id":"{id}"}}"#));
        assert_eq!((event.id.as_str(), event.problem), (id, None));
    }
}
