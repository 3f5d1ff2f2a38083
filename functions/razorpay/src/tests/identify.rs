//! Names, scopes and modes.

use hookledger::claim::Digest;
use hookledger::provider::{Event, EventMode, Provider as _};
use hookledger::request::{Headers, KeySet};
use hookledger::time::UnixMs;

use super::vectors::request;
use super::{event, file, files};
use crate::Razorpay;

/// What a verified delivery of this body holds.
fn delivered(body: &str, secrets: &str, more: &[(String, String)]) -> Event {
    let provider = Razorpay::default();
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
fn a_verified_delivery_is_named_by_its_bytes_whatever_the_header_says() {
    let body = String::from_utf8(file("payment_captured_1")).unwrap();
    let header = |id: &str| ("X-Razorpay-Event-Id".to_owned(), id.to_owned());
    let first = delivered(&body, "key", &[header("ev_1")]);
    assert_eq!((first.id.clone(), first.scope.as_str()), (Digest::of(body.as_bytes()).to_hex(), "acc_MadeUpWorkshop"));
    assert_eq!((first.event_type.as_str(), first.mode), ("payment.captured", EventMode::Ours));
    assert_eq!((&first.kept.body[..], &first.problem), (body.as_bytes(), &None));
    assert_eq!(first.kept.headers, [("x-razorpay-event-id".to_owned(), "ev_1".to_owned())]);
    let again = delivered(&body, "key", &[header("ev_2")]);
    assert_eq!((again.id, again.scope), (first.id, first.scope));
    assert!(delivered(&body, "key", &[]).kept.headers.is_empty());
}

#[test]
fn the_account_is_the_scope() {
    assert_eq!(event(r#"{"event":"x","account_id":"acc_1"}"#).scope, "acc_1");
    assert_eq!(event(file("payout_downtime_started")).scope, "");
    let odd = event(r#"{"event":"x","account_id":7}"#);
    assert_eq!(odd.problem.as_deref(), Some("account_id: not a text"));
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
            assert_eq!((event.id, event.problem), (digest, None), "{name}");
        }
    }
}

#[test]
fn what_is_no_event_is_a_problem_and_no_panic() {
    for (body, problem) in [
        ("{}", "event: missing"),
        (r#"{"event":7}"#, "event: not a text"),
        (r#"{"event":"\ud800"}"#, "event: not a text"),
        (r#"{"event":"x","event":"y"}"#, "body: a name stands twice"),
        (r#"[{"event":"x"}]"#, "body: not a JSON object"),
        ("", "body: not a JSON object"),
    ] {
        let event = event(body);
        assert_eq!(event.id, Digest::of(body.as_bytes()).to_hex(), "{body}");
        assert_eq!(event.problem.as_deref(), Some(problem), "{body}");
    }
    let not_utf8 = event(b"{\"event\":\"\xff\"}".as_slice());
    assert_eq!(not_utf8.problem.as_deref(), Some("body: not UTF-8"));
}
