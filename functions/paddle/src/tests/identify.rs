//! Names, scopes and modes.

use hookledger::claim::Digest;
use hookledger::provider::{Event, EventMode, Provider as _};
use hookledger::request::{Headers, KeySet};
use hookledger::time::UnixMs;

use super::vectors::request;
use super::{event, file, files};
use crate::Paddle;

/// What a verified delivery of this body holds.
fn delivered(body: &str, secrets: &str, more: &[(String, String)]) -> Event {
    let provider = Paddle;
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
    let body = String::from_utf8(file("transaction_completed_1")).unwrap();
    let event = delivered(&body, "key", &[]);
    assert_eq!((event.id.as_str(), event.scope.as_str()), ("evt_01hmadeup00000000000000002", ""));
    assert_eq!((event.event_type.as_str(), event.mode), ("transaction.completed", EventMode::Ours));
    assert_eq!((&event.kept.body[..], event.kept.headers, event.problem), (body.as_bytes(), vec![], None));
}

#[test]
fn the_label_of_the_secret_is_the_scope() {
    assert_eq!(delivered(r#"{"event_id":"e1"}"#, "shop@key", &[]).scope, "shop");
    assert_eq!(delivered(r#"{"event_id":"e1"}"#, "key", &[]).scope, "");
}

#[test]
fn a_replay_is_the_same_event_under_another_notification() {
    let body = String::from_utf8(file("transaction_completed_1")).unwrap();
    let replay = body.replace("ntf_01hmadeup", "ntf_01hreplay");
    assert_ne!(body, replay);
    assert_eq!(event(body.as_str()).id, event(replay.as_str()).id);
    let volatile = Paddle.profile().identity.volatile_fields;
    let canonical = |body: &str| hookledger::json::canonical(body.as_bytes(), volatile);
    assert_eq!(canonical(&body), canonical(&replay));
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
            assert_eq!((event.id.starts_with("evt_"), event.problem), (true, None), "{name}");
        }
    }
}

#[test]
fn what_has_no_usable_id_is_named_by_its_bytes() {
    for (body, problem) in [
        (r#"{"event_type":"x"}"#, "event_id: missing"),
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
