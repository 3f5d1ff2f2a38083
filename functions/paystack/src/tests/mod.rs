//! From deliveries to plans, without a store.

use std::collections::BTreeMap;

use bytes::Bytes;
use hookledger::claim::Digest;
use hookledger::plan::Plan;
use hookledger::provider::{Event, EventMode, Provider as _};
use hookledger::request::{Headers, KeySet, Secret, Unverified, UnverifiedRequest, VerifiedRequest};
use hookledger::time::UnixMs;
use serde_json::Value;

use crate::Paystack;
use crate::signature::HEADER;

const VECTORS: &str = include_str!("../../../../tests/vectors/paystack.json");

/// Every file under `events/paystack`, by name without extension.
fn files() -> BTreeMap<String, Vec<u8>> {
    let folder = concat!(env!("CARGO_MANIFEST_DIR"), "/../../events/paystack");
    let read = |path: std::path::PathBuf| {
        let name = path.file_stem().unwrap().to_str().unwrap().to_owned();
        (name, std::fs::read(path).unwrap())
    };
    std::fs::read_dir(folder).unwrap().map(|file| read(file.unwrap().path())).collect()
}

fn verify(headers: Headers, body: &[u8], secrets: &str) -> Result<VerifiedRequest, Unverified> {
    let request = UnverifiedRequest {
        method: "POST".into(),
        path: "/webhooks/paystack".into(),
        query: String::new(),
        headers,
        body: Bytes::copy_from_slice(body),
    };
    let signature = Paystack.signature(&request)?;
    request.verify(&signature, &KeySet::parse(secrets).unwrap(), UnixMs::new(0))
}

fn identify(body: &[u8]) -> Event {
    let headers = Headers::new(Paystack.sign(body, &Secret::new("s"), UnixMs::new(0)));
    let mut events = Paystack.identify(&verify(headers, body, "shop@s").unwrap());
    assert_eq!(events.len(), 1);
    events.remove(0)
}

/// No signatures are published; these were made by another implementation of HMAC.
#[test]
fn every_vector_is_accepted_or_refused() {
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
    assert_eq!((vectors.len(), valid), (5, 2));
}

#[test]
fn a_signature_is_refused_for_what_is_wrong_with_it() {
    let refused = |headers: Headers, secrets: &str| verify(headers, b"{}", secrets).err();
    let signed = || Headers::new(Paystack.sign(b"{}", &Secret::new("s"), UnixMs::new(0)));
    assert_eq!(refused(signed(), "old, s"), None);
    assert_eq!(refused(signed(), "other"), Some(Unverified::NoMatch));
    assert_eq!(refused(Headers::default(), "s"), Some(Unverified::MissingHeader(HEADER)));
    let potato = Headers::new([(HEADER, "potato")]);
    assert_eq!(refused(potato, "s"), Some(Unverified::MalformedHeader(HEADER, "not hex")));
}

#[test]
fn every_file_is_recorded_and_books_nothing() {
    let mut named = Vec::new();
    for (name, body) in files() {
        let event = identify(&body);
        assert_eq!((event.scope.as_str(), event.problem.as_deref()), ("shop", None), "{name}");
        assert_eq!(Paystack.interpret(&event), Plan::record(), "{name}");
        let digest = Digest::of(&body).to_hex();
        named.push((name, event.id.replace(&digest, "bytes"), event.mode));
    }
    let expected = [
        ("charge_dispute_remind", "bytes", EventMode::Live),
        ("charge_success", "charge.success.4099260516", EventMode::Live),
        ("charge_success_test_mode", "charge.success.302961", EventMode::Test),
        ("refund_processed", "bytes", EventMode::Live),
        ("subscription_expiring_cards", "bytes", EventMode::Ours),
        ("transfer_success", "transfer.success.37272792", EventMode::Live),
    ];
    assert_eq!(named, expected.map(|(name, id, mode)| (name.to_owned(), id.to_owned(), mode)));
}

#[test]
fn what_happens_once_is_named_by_its_object_and_the_rest_by_its_bytes() {
    let id = |event: &str, data: &str| identify(format!(r#"{{"event":"{event}","data":{data}}}"#).as_bytes()).id;
    let once = |data: &str| id("transfer.reversed", data);
    assert_eq!(once(r#"{"id":7,"amount":1}"#), once(r#"{"id":7,"amount":1 }"#));
    assert_eq!(once(r#"{"id":"7"}"#), "transfer.reversed.7");
    assert_ne!(once(r#"{"id":7}"#), once(r#"{"id":8}"#));
    assert_ne!(once(r#"{"id":7}"#), id("transfer.success", r#"{"id":7}"#));
    let again = |at: &str| id("charge.dispute.remind", &format!(r#"{{"id":7,"updatedAt":"{at}"}}"#));
    assert_ne!(again("10:00"), again("14:00"));
}

#[test]
fn what_must_have_an_id_and_has_none_is_kept_for_a_person() {
    for (body, problem) in [
        (&b"{"[..], "body: not valid JSON"),
        (b"\xff", "body: not UTF-8"),
        (b"{}", "event: missing"),
        (br#"{"event":7}"#, "event: not a text"),
        (br#"{"event":"charge.success"}"#, "data: missing"),
        (br#"{"event":"charge.success","data":[]}"#, "data: not a JSON object"),
        (br#"{"event":"charge.success","data":{}}"#, "data.id: missing"),
        (br#"{"event":"charge.success","data":{"id":""}}"#, "data.id: empty"),
        (br#"{"event":"charge.success","data":{"id":1.5}}"#, "data.id: not a 64-bit integer"),
        (br#"{"event":"charge.success","data":{"id":1,"id":2}}"#, "data: a name stands twice"),
    ] {
        let event = identify(body);
        assert_eq!((event.id, event.problem.as_deref()), (Digest::of(body).to_hex(), Some(problem)));
    }
}

#[test]
fn the_mode_is_the_domain() {
    let mode = |event: &str, domain: &str| {
        identify(format!(r#"{{"event":"{event}","data":{{"id":1,"domain":{domain}}}}}"#).as_bytes()).mode
    };
    for event in ["charge.success", "refund.processed"] {
        assert_eq!(mode(event, r#""live""#), EventMode::Live);
        assert_eq!(mode(event, r#""test""#), EventMode::Test);
        for odd in [r#""Live""#, r#""""#, "1"] {
            assert_eq!(mode(event, odd), EventMode::Missing, "{event} {odd}");
        }
    }
    assert_eq!(mode("charge.success", "null"), EventMode::Missing);
    assert_eq!(mode("customeridentification.success", "null"), EventMode::Ours);
}

#[test]
fn a_refreshed_event_is_another_of_the_same_kind() {
    for (name, body) in files() {
        let fresh = Paystack.refresh(&body, "t1");
        let (old, new) = (identify(&body), identify(&fresh));
        assert_ne!(old.id, new.id, "{name}");
        assert_eq!((old.event_type, old.mode, old.problem), (new.event_type, new.mode, new.problem), "{name}");
        assert_ne!(Paystack.refresh(&body, "t2"), fresh, "{name}");
    }
    let fresh = String::from_utf8(Paystack.refresh(&files()["charge_success"], "t1")).unwrap();
    assert!(fresh.contains(r#""reference": "hl-guitar-0417_t1""#), "{fresh}");
    assert!(fresh.contains(r#""customer_code": "CUS_miraholt00417""#) && fresh.contains(r#""id": 181873746"#));
    assert_eq!(Paystack.refresh(b"\"cut", "t1"), b"\"cut");
}
