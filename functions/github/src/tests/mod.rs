//! From deliveries to plans, without a store.

use std::collections::BTreeMap;

use bytes::Bytes;
use hookledger::claim::Digest;
use hookledger::plan::{Ignored, Plan};
use hookledger::provider::{Event, EventMode, Provider as _};
use hookledger::request::{Headers, KeySet, Secret, Unverified, UnverifiedRequest};
use hookledger::time::UnixMs;
use serde_json::Value;

use crate::GitHub;

const VECTORS: &str = include_str!("../../../../tests/vectors/github.json");
const HEADER: &str = "X-Hub-Signature-256";

/// Every file under `events/github`, by name without extension.
fn files() -> BTreeMap<String, Vec<u8>> {
    let folder = concat!(env!("CARGO_MANIFEST_DIR"), "/../../events/github");
    let read = |path: std::path::PathBuf| {
        let name = path.file_stem().unwrap().to_str().unwrap().to_owned();
        (name, std::fs::read(path).unwrap())
    };
    std::fs::read_dir(folder).unwrap().map(|file| read(file.unwrap().path())).collect()
}

fn request(headers: Headers, body: &[u8]) -> UnverifiedRequest {
    UnverifiedRequest {
        method: "POST".into(),
        path: "/webhooks/github".into(),
        query: String::new(),
        headers,
        body: Bytes::copy_from_slice(body),
    }
}

fn verify(headers: Headers, body: &str, secrets: &str) -> Result<(), Unverified> {
    let request = request(headers, body.as_bytes());
    let signature = GitHub.signature(&request)?;
    request.verify(&signature, &KeySet::parse(secrets).unwrap(), UnixMs::new(0)).map(|_| ())
}

/// As GitHub sends `body`, with these headers in place of its own.
fn identify(body: &[u8], changed: &[(&str, Option<&str>)]) -> Event {
    let mut headers = GitHub.sign(body, &Secret::new("s"), UnixMs::new(0));
    for (name, value) in changed {
        headers.retain(|(key, _)| key != name);
        headers.extend(value.map(|value| ((*name).to_owned(), value.to_owned())));
    }
    let request = request(Headers::new(headers), body);
    let signature = GitHub.signature(&request).unwrap();
    let mut events =
        GitHub.identify(&request.verify(&signature, &KeySet::parse("shop@s").unwrap(), UnixMs::new(0)).unwrap());
    assert_eq!(events.len(), 1);
    events.remove(0)
}

#[test]
fn every_vector_is_accepted_or_refused_as_github_does() {
    let vectors: Vec<Value> = serde_json::from_str(VECTORS).unwrap();
    let mut valid = 0;
    for vector in &vectors {
        let text = |name: &str| vector[name].as_str().unwrap();
        let headers = vector["headers"].as_object().unwrap();
        let headers = Headers::new(headers.iter().map(|(name, value)| (name.as_str(), value.as_str().unwrap())));
        let verified = verify(headers, text("body"), text("secret"));
        assert_eq!(verified.is_ok(), text("expect") == "valid", "{}: {verified:?}", text("note"));
        valid += usize::from(verified.is_ok());
    }
    assert_eq!((vectors.len(), valid), (8, 4));
}

#[test]
fn a_signature_is_refused_for_what_is_wrong_with_it() {
    let header = |value: &str| verify(Headers::new([(HEADER, value)]), "{}", "s");
    assert_eq!(header("sha1=00"), Err(Unverified::MalformedHeader(HEADER, "no sha256=")));
    assert_eq!(header("sha256=potato"), Err(Unverified::MalformedHeader(HEADER, "not hex")));
    assert_eq!(header("sha256="), Err(Unverified::NoMatch));
    let old = Headers::new([("X-Hub-Signature", "sha1=00")]);
    assert_eq!(verify(old, "{}", "s"), Err(Unverified::MissingHeader(HEADER)));
    let signed = || Headers::new(GitHub.sign(b"{}", &Secret::new("s"), UnixMs::new(0)));
    assert_eq!(verify(signed(), "{}", "older, s"), Ok(()));
    assert_eq!(verify(signed(), "{ }", "s"), Err(Unverified::NoMatch));
}

#[test]
fn all_but_a_ping_is_recorded_and_books_nothing() {
    let mut meant = BTreeMap::new();
    for (name, body) in files() {
        let event = identify(&body, &[]);
        assert_eq!(
            (event.mode, event.problem.as_deref(), event.scope.as_str()),
            (EventMode::Ours, None, "shop"),
            "{name}"
        );
        let plan = GitHub.interpret(&event);
        let recorded = plan == Plan::record();
        assert!(recorded || plan == Plan::Ignore(Ignored::EventType), "{name}: {plan:?}");
        meant.insert(event.event_type, recorded);
    }
    let expected = [
        ("issues.opened", true),
        ("marketplace_purchase.purchased", true),
        ("ping", false),
        ("push", true),
        ("sponsorship.created", true),
    ];
    assert_eq!(meant, expected.map(|(event_type, recorded)| (event_type.to_owned(), recorded)).into());
}

#[test]
fn an_event_is_its_topic_and_its_bytes() {
    let body = files().remove("sponsorship_created").unwrap();
    let event = identify(&body, &[]);
    assert_eq!(event.id, format!("sponsorship.{}", Digest::of(&body).to_hex()));
    let replayed = identify(&body, &[("x-github-delivery", Some("00000000-0000-0000-0000-000000000000"))]);
    assert_eq!(replayed.id, event.id, "a captured body under another GUID is the same event");
    let guid =
        |event: &Event| event.kept.headers.iter().find(|(name, _)| name == "x-github-delivery").cloned().unwrap().1;
    assert_eq!(guid(&replayed), "00000000-0000-0000-0000-000000000000");
    assert_eq!(guid(&event).len(), 36);
    let other_topic = identify(&body, &[("x-github-event", Some("star"))]);
    assert_ne!(other_topic.id, event.id);
    let other_body = identify(&[&body[..], b" "].concat(), &[]);
    assert_ne!(other_body.id, event.id, "two apps on one repository: one GUID, two bodies");
}

#[test]
fn what_has_no_topic_or_no_readable_body_is_kept_for_a_person() {
    let body = files().remove("push").unwrap();
    for topic in [None, Some(""), Some("Push"), Some("push event"), Some("push:x"), Some("ev\u{e9}nement")] {
        let event = identify(&body, &[("x-github-event", topic)]);
        assert_eq!(event.problem.as_deref(), Some("x-github-event: missing, or not a topic"), "{topic:?}");
        assert_eq!(event.id, Digest::of(&body).to_hex());
    }
    let long = "x".repeat(65);
    assert!(identify(&body, &[("x-github-event", Some(&long))]).problem.is_some());
    let broken = identify(b"{\"action\":7}", &[("x-github-event", Some("star"))]);
    assert_eq!((broken.event_type.as_str(), broken.problem.as_deref()), ("star", Some("action: not a text")));
}

#[test]
fn a_form_is_recorded_as_it_stands() {
    let event = identify(b"payload=%7B%22action%22%3A%22created%22%7D", &[("x-github-event", Some("star"))]);
    assert_eq!((event.event_type.as_str(), event.problem.as_deref()), ("star", None));
    assert_eq!(GitHub.interpret(&event), Plan::record());
}

#[test]
fn a_refreshed_body_is_another_event_of_the_same_kind() {
    let forms = [("empty", b"{ }".to_vec()), ("form", b"payload=%7B%7D".to_vec())].map(|(n, b)| (n.to_owned(), b));
    for (name, body) in files().into_iter().chain(forms) {
        let fresh = GitHub.refresh(&body, "t1");
        assert!(String::from_utf8(fresh.clone()).unwrap().contains("t1"), "{name}");
        let (old, new) = (identify(&body, &[]), identify(&fresh, &[]));
        assert_eq!((old.event_type, old.problem), (new.event_type, new.problem), "{name}");
        assert_ne!(old.id, new.id, "{name}");
    }
}
