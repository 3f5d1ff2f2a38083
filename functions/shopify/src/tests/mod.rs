//! From deliveries to plans, without a store.

use std::collections::BTreeMap;

use bytes::Bytes;
use hookledger::claim::Digest;
use hookledger::plan::Plan;
use hookledger::provider::{Event, EventMode, Provider as _};
use hookledger::request::{Headers, KeySet, Secret, Unverified, UnverifiedRequest, VerifiedRequest};
use hookledger::time::UnixMs;
use serde_json::Value;

use crate::Shopify;
use crate::signature::{EVENT, WEBHOOK};

const VECTORS: &str = include_str!("../../../../tests/vectors/shopify.json");

/// Every file under `events/shopify`, by name without extension.
fn files() -> BTreeMap<String, Vec<u8>> {
    let folder = concat!(env!("CARGO_MANIFEST_DIR"), "/../../events/shopify");
    let read = |path: std::path::PathBuf| {
        let name = path.file_stem().unwrap().to_str().unwrap().to_owned();
        (name, std::fs::read(path).unwrap())
    };
    std::fs::read_dir(folder).unwrap().map(|file| read(file.unwrap().path())).collect()
}

fn verify(headers: Headers, body: &[u8], secrets: &str) -> Result<VerifiedRequest, Unverified> {
    let request = UnverifiedRequest {
        method: "POST".into(),
        path: "/webhooks/shopify".into(),
        query: String::new(),
        headers,
        body: Bytes::copy_from_slice(body),
    };
    let signature = Shopify.signature(&request)?;
    request.verify(&signature, &KeySet::parse(secrets).unwrap(), UnixMs::new(0))
}

/// As Shopify sends `body`, with these headers in place of its own.
fn identify(body: &[u8], changed: &[(&str, Option<&str>)]) -> Event {
    let mut headers = Shopify.sign(body, &Secret::new("s"), UnixMs::new(0));
    for (name, value) in changed {
        headers.retain(|(key, _)| key != name);
        headers.extend(value.map(|value| ((*name).to_owned(), value.to_owned())));
    }
    let mut events = Shopify.identify(&verify(Headers::new(headers), body, "strings@s").unwrap());
    assert_eq!(events.len(), 1);
    events.remove(0)
}

/// The code Shopify would put on `body`.
fn code(body: &[u8]) -> String {
    Shopify.sign(body, &Secret::new("s"), UnixMs::new(0)).remove(0).1
}

#[test]
fn every_vector_is_accepted_or_refused_as_by_the_sdk() {
    let vectors: Vec<Value> = serde_json::from_str(VECTORS).unwrap();
    let mut valid = 0;
    for vector in &vectors {
        let text = |name: &str| vector[name].as_str().unwrap();
        let headers = vector["headers"].as_object().unwrap();
        let headers = Headers::new(headers.iter().map(|(name, value)| (name.as_str(), value.as_str().unwrap())));
        let verified = verify(headers, text("body").as_bytes(), text("secret"));
        assert_eq!(verified.is_ok(), text("expect") == "valid", "{}", text("note"));
        valid += usize::from(verified.is_ok());
    }
    assert_eq!((vectors.len(), valid), (2, 1));
}

#[test]
fn a_signature_is_refused_for_what_is_wrong_with_it() {
    let refused = |headers: Headers, secrets: &str| verify(headers, b"{}", secrets).err();
    let signed = || Headers::new([(WEBHOOK, code(b"{}"))]);
    assert_eq!(refused(signed(), "old, s"), None);
    assert_eq!(refused(signed(), "other"), Some(Unverified::NoMatch));
    assert_eq!(refused(Headers::default(), "s"), Some(Unverified::MissingHeader(WEBHOOK)));
    for name in [WEBHOOK, EVENT] {
        assert_eq!(refused(Headers::new([(name, code(b"{}"))]), "s"), None);
        let odd = Headers::new([(name, "p*tato")]);
        assert_eq!(refused(odd, "s"), Some(Unverified::MalformedHeader(name, "not base64")));
        assert_eq!(refused(Headers::new([(name, "")]), "s"), Some(Unverified::NoMatch));
    }
    let both = Headers::new([(WEBHOOK, code(b"{}")), (EVENT, code(b"{ }"))]);
    assert_eq!(refused(both, "s"), Some(Unverified::NoMatch), "one kind is read, never both");
}

#[test]
fn every_file_is_recorded_and_books_nothing() {
    let mut types = Vec::new();
    for (name, body) in files() {
        let event = identify(&body, &[]);
        assert_eq!((event.scope.as_str(), event.problem.as_deref()), ("strings", None), "{name}");
        assert_eq!(event.id, format!("{}.{}", event.event_type, Digest::of(&body).to_hex()), "{name}");
        assert_eq!(Shopify.interpret(&event), Plan::record(), "{name}");
        types.push((event.event_type, event.mode));
    }
    let expected = [
        ("customers/redact", EventMode::Ours),
        ("disputes/create", EventMode::Ours),
        ("order_transactions/create", EventMode::Live),
        ("orders/paid", EventMode::Live),
        ("orders/paid", EventMode::Test),
        ("refunds/create", EventMode::Ours),
    ];
    assert_eq!(types, expected.map(|(topic, mode)| (topic.to_owned(), mode)));
}

#[test]
fn an_event_is_its_topic_and_its_bytes() {
    let body = files().remove("orders_paid").unwrap();
    let event = identify(&body, &[]);
    let forged = [
        ("X-Shopify-Webhook-Id", Some("another")),
        ("X-Shopify-Event-Id", Some("another")),
        ("X-Shopify-Shop-Domain", Some("other.myshopify.example")),
    ];
    let replayed = identify(&body, &forged);
    assert_eq!((&replayed.id, &replayed.scope), (&event.id, &event.scope));
    let kept = |event: &Event, name: &str| event.kept.headers.iter().find(|(key, _)| key == name).unwrap().1.clone();
    assert_eq!(kept(&event, "x-shopify-shop-domain"), "strings.myshopify.example");
    assert_eq!(kept(&replayed, "x-shopify-shop-domain"), "other.myshopify.example");
    let create = identify(&body, &[("X-Shopify-Topic", Some("orders/create"))]);
    assert_eq!(create.event_type, "orders/create");
    assert_ne!(create.id, event.id);
    assert_ne!(identify(&[&body[..], b" "].concat(), &[]).id, event.id);
}

#[test]
fn a_newer_event_has_headers_of_its_own() {
    let body = br#"{"product":{"id":"gid://shopify/Product/1"}}"#;
    let event = |headers: &[(&str, &str)]| {
        let code = code(body);
        let all = headers.iter().copied().chain([(EVENT, code.as_str())]);
        Shopify.identify(&verify(Headers::new(all), body, "strings@s").unwrap()).remove(0)
    };
    let told = event(&[("shopify-topic", "Product"), ("shopify-action", "update"), ("shopify-handle", "h1")]);
    assert_eq!((told.event_type.as_str(), told.problem.as_deref()), ("Product/update", None));
    assert_eq!(told.kept.headers.len(), 3);
    assert_eq!(event(&[("shopify-topic", "Product")]).event_type, "Product");
    let other_kind = event(&[("x-shopify-topic", "orders/paid")]);
    assert!(other_kind.problem.is_some() && other_kind.event_type.is_empty());
}

#[test]
fn what_has_no_topic_or_no_readable_body_is_kept_for_a_person() {
    let body = files().remove("orders_paid").unwrap();
    let long = "x".repeat(129);
    for topic in [None, Some(""), Some("orders paid"), Some("orders:paid"), Some("commandes/pay\u{e9}"), Some(&long)] {
        let event = identify(&body, &[("X-Shopify-Topic", topic)]);
        let problem = Some("the header with the topic is missing, or holds no topic");
        assert_eq!((event.id, event.problem.as_deref()), (Digest::of(&body).to_hex(), problem), "{topic:?}");
    }
    for (body, problem) in [
        (&b"{"[..], "body: not valid JSON"),
        (b"\xff", "body: not UTF-8"),
        (b"[]", "body: not a JSON object"),
        (br#"{"id":1,"id":2}"#, "body: a name stands twice"),
        (br#"{"test":"true"}"#, "test: not true or false"),
    ] {
        let event = identify(body, &[]);
        let id = format!("app/uninstalled.{}", Digest::of(body).to_hex());
        assert_eq!((event.id, event.problem.as_deref()), (id, Some(problem)));
    }
}

#[test]
fn a_refreshed_event_is_another_of_the_same_kind() {
    for (name, body) in files().into_iter().chain([("empty".to_owned(), b"{ }".to_vec())]) {
        let (old, new) = (identify(&body, &[]), identify(&Shopify.refresh(&body, "t1"), &[]));
        assert_ne!(old.id, new.id, "{name}");
        assert_eq!((old.event_type, old.mode, old.problem), (new.event_type, new.mode, new.problem), "{name}");
    }
    assert_eq!(Shopify.refresh(b"x", "t1"), b"xt1");
}
