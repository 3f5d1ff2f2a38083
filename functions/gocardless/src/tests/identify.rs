//! A delivery is taken apart without changing a byte of what is in it.

use bytes::Bytes;
use hookledger::claim::Digest;
use hookledger::provider::{Event, EventMode, Provider as _};
use hookledger::request::{Headers, KeySet, Secret, UnverifiedRequest};
use hookledger::time::UnixMs;

use super::files;
use crate::GoCardless;

pub(super) fn request(headers: Headers, body: &str) -> UnverifiedRequest {
    UnverifiedRequest {
        method: "POST".into(),
        path: "/webhooks/gocardless".into(),
        query: String::new(),
        headers,
        body: Bytes::copy_from_slice(body.as_bytes()),
    }
}

fn identify_by(secrets: &str, body: &str) -> Vec<Event> {
    let request = request(Headers::new(GoCardless.sign(body.as_bytes(), &Secret::new("s"), UnixMs::new(0))), body);
    let signature = GoCardless.signature(&request).unwrap();
    GoCardless.identify(&request.verify(&signature, &KeySet::parse(secrets).unwrap(), UnixMs::new(0)).unwrap())
}

fn identify(body: &str) -> Vec<Event> {
    identify_by("s", body)
}

#[test]
fn each_event_keeps_its_own_text() {
    let one = r#"{ "id":"EV1", "n": 1.50, "big":9007199254740993, "links" : {}, "t":"\u00e9" }"#;
    let two = r#"{"id":"EV2","resource_type":"payments","action":"confirmed"}"#;
    let events = identify(&format!("{{\"events\": [ {one} ,{two}], \"meta\":{{\"webhook_id\":\"WB1\"}}}}"));
    let texts: Vec<&[u8]> = events.iter().map(|event| &event.kept.body[..]).collect();
    assert_eq!(texts, [one.as_bytes(), two.as_bytes()]);
    assert_eq!((events[0].id.as_str(), events[1].id.as_str()), ("EV1", "EV2"));
    assert_eq!(events[1].event_type, "payments.confirmed");
    assert!(events.iter().all(|event| event.mode == EventMode::Ours && event.problem.is_none()));
}

#[test]
fn what_cannot_be_named_is_named_by_its_bytes_and_alone() {
    let events =
        identify(r#"{"events":[{"id":"EV1"},"x",{"id":""},{"id":7},{"id":"EV2","links":{"organisation":7}},[1]]}"#);
    let problems: Vec<_> = events.iter().map(|event| event.problem.as_deref()).collect();
    assert_eq!(
        problems,
        [
            None,
            Some("body: not a JSON object"),
            Some("id: empty"),
            Some("id: not a text"),
            Some("links.organisation: not a text"),
            Some("body: not a JSON object"),
        ]
    );
    assert_eq!(events[1].id, Digest::of(br#""x""#).to_hex());
    assert_eq!(events[4].id, "EV2");
}

#[test]
fn a_delivery_that_is_no_batch_is_one_event_with_a_problem() {
    for (body, problem) in [
        (r#"{"events":[]}"#, "events: empty"),
        (r#"{"events":{}}"#, "events: not a list"),
        (r#"{"event":[]}"#, "events: missing"),
        (r#"{"events":[{"id":"EV1"}],"events":[]}"#, "body: a name stands twice"),
        ("[]", "body: not a JSON object"),
        (r#"{"events":[{"id":"EV1"}"#, "body: not valid JSON"),
    ] {
        let events = identify(body);
        assert_eq!((events.len(), events[0].problem.as_deref()), (1, Some(problem)), "{body}");
        assert_eq!((&events[0].id, &events[0].kept.body[..]), (&Digest::of(body.as_bytes()).to_hex(), body.as_bytes()));
    }
}

#[test]
fn the_scope_is_the_organisation_or_the_secret_s_label() {
    let scope = |secrets: &str, body: &str| identify_by(secrets, body)[0].scope.clone();
    let named = String::from_utf8(files().remove("payments_confirmed_organisation").unwrap()).unwrap();
    let unnamed = String::from_utf8(files().remove("payments_confirmed").unwrap()).unwrap();
    assert_eq!(scope("s", &named), "OR0HKLBAKERY1");
    assert_eq!(scope("shop@s", &named), "OR0HKLBAKERY1");
    assert_eq!(scope("shop@s", &unnamed), "shop");
    assert_eq!(scope("s", &unnamed), "");
}
