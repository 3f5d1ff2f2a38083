//! From deliveries to plans, without a store.

use std::collections::BTreeMap;

use bytes::Bytes;
use hookledger::claim::Digest;
use hookledger::json::canonical;
use hookledger::plan::Plan;
use hookledger::provider::{Event, EventMode, Provider as _};
use hookledger::request::{Headers, KeySet, Secret, Unverified, UnverifiedRequest, VerifiedRequest};
use hookledger::time::UnixMs;
use serde_json::Value;

use crate::CoinbaseCommerce;
use crate::signature::HEADER;

const VECTORS: &str = include_str!("../../../../tests/vectors/coinbase-commerce.json");

/// Every file under `events/coinbase-commerce`, by name without extension.
fn files() -> BTreeMap<String, Vec<u8>> {
    let folder = concat!(env!("CARGO_MANIFEST_DIR"), "/../../events/coinbase-commerce");
    let read = |path: std::path::PathBuf| {
        let name = path.file_stem().unwrap().to_str().unwrap().to_owned();
        (name, std::fs::read(path).unwrap())
    };
    std::fs::read_dir(folder).unwrap().map(|file| read(file.unwrap().path())).collect()
}

fn verify(headers: Headers, body: &[u8], secrets: &str) -> Result<VerifiedRequest, Unverified> {
    let request = UnverifiedRequest {
        method: "POST".into(),
        path: "/webhooks/coinbase-commerce".into(),
        query: String::new(),
        headers,
        body: Bytes::copy_from_slice(body),
    };
    let signature = CoinbaseCommerce.signature(&request)?;
    request.verify(&signature, &KeySet::parse(secrets).unwrap(), UnixMs::new(0))
}

fn identify(body: &[u8]) -> Event {
    let headers = Headers::new(CoinbaseCommerce.sign(body, &Secret::new("s"), UnixMs::new(0)));
    let mut events = CoinbaseCommerce.identify(&verify(headers, body, "shop@s").unwrap());
    assert_eq!(events.len(), 1);
    events.remove(0)
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
    let signed = || Headers::new(CoinbaseCommerce.sign(b"{}", &Secret::new("s"), UnixMs::new(0)));
    assert_eq!(refused(signed(), "old, s"), None);
    assert_eq!(refused(signed(), "other"), Some(Unverified::NoMatch));
    assert_eq!(refused(Headers::default(), "s"), Some(Unverified::MissingHeader(HEADER)));
    let potato = Headers::new([(HEADER, "potato")]);
    assert_eq!(refused(potato, "s"), Some(Unverified::MalformedHeader(HEADER, "not hex")));
    assert_eq!(refused(Headers::new([(HEADER, "")]), "s"), Some(Unverified::NoMatch));
}

#[test]
fn every_file_is_recorded_and_books_nothing() {
    let mut types = Vec::new();
    for (name, body) in files() {
        let event = identify(&body);
        assert_eq!((event.mode, event.scope.as_str()), (EventMode::Ours, "shop"), "{name}");
        assert_eq!(event.problem, None, "{name}");
        assert_eq!(CoinbaseCommerce.interpret(&event), Plan::record(), "{name}");
        types.push(event.event_type);
    }
    let expected =
        ["charge:confirmed", "charge:created", "charge:failed", "charge:pending", "charge:pending", "invoice:paid"];
    assert_eq!(types, expected);
}

#[test]
fn the_second_attempt_is_the_same_event() {
    let (first, again) = (files().remove("charge_pending").unwrap(), files().remove("charge_pending_again").unwrap());
    assert_ne!(first, again);
    assert_eq!(identify(&first).id, identify(&again).id);
    let volatile = CoinbaseCommerce.profile().identity.volatile_fields;
    assert_eq!(canonical(&first, volatile), canonical(&again, volatile));
}

#[test]
fn what_has_no_usable_id_is_named_by_its_bytes() {
    for (body, problem) in [
        (&b"{"[..], "body: not valid JSON"),
        (b"\xff", "body: not UTF-8"),
        (b"[]", "body: not a JSON object"),
        (br#"{"id":"d1"}"#, "event: missing"),
        (br#"{"event":7}"#, "event: not a JSON object"),
        (br#"{"event":{"type":"charge:created"}}"#, "event.id: missing"),
        (br#"{"event":{"id":""}}"#, "event.id: empty"),
        (br#"{"event":{"id":7}}"#, "event.id: not a text"),
        (br#"{"event":{"id":"a","id":"b"}}"#, "event: a name stands twice"),
    ] {
        let event = identify(body);
        assert_eq!((event.id, event.problem.as_deref()), (Digest::of(body).to_hex(), Some(problem)));
    }
}

#[test]
fn a_refreshed_event_is_another_of_the_same_kind() {
    for (name, body) in files() {
        let fresh = CoinbaseCommerce.refresh(&body, "t1");
        let (old, new) = (identify(&body), identify(&fresh));
        assert_eq!(new.id, format!("{}_t1", old.id), "{name}");
        assert_eq!((old.event_type, old.problem), (new.event_type, new.problem), "{name}");
        assert_eq!(String::from_utf8(fresh).unwrap().replace("_t1", "").as_bytes(), body, "{name}");
    }
}
