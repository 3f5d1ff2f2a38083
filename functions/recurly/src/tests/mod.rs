//! From deliveries to plans, without a store.

mod signature;

use std::collections::{BTreeMap, HashSet};

use bytes::Bytes;
use hookledger::claim::Digest;
use hookledger::plan::Plan;
use hookledger::provider::{Event, EventMode, Provider as _};
use hookledger::request::{Headers, KeySet, Secret, Unverified, UnverifiedRequest, VerifiedRequest};
use hookledger::time::UnixMs;

use crate::Recurly;

/// Every file under `events/recurly`, by name without extension.
fn files() -> BTreeMap<String, Vec<u8>> {
    let folder = concat!(env!("CARGO_MANIFEST_DIR"), "/../../events/recurly");
    let read = |path: std::path::PathBuf| {
        let name = path.file_stem().unwrap().to_str().unwrap().to_owned();
        (name, std::fs::read(path).unwrap())
    };
    std::fs::read_dir(folder).unwrap().map(|file| read(file.unwrap().path())).collect()
}

/// Without a `now`, the moment of signing: the tolerance is not in question.
fn verify(headers: Headers, body: &[u8], secrets: &str, now: Option<UnixMs>) -> Result<VerifiedRequest, Unverified> {
    let request = UnverifiedRequest {
        method: "POST".into(),
        path: "/webhooks/recurly".into(),
        query: String::new(),
        headers,
        body: Bytes::copy_from_slice(body),
    };
    let signature = Recurly.signature(&request)?;
    let now = now.or(signature.stamp.map(|stamp| stamp.at.to_ms())).unwrap_or_default();
    request.verify(&signature, &KeySet::parse(secrets).unwrap(), now)
}

fn signed(body: &[u8], at: UnixMs) -> Headers {
    Headers::new(Recurly.sign(body, &Secret::new("s"), at))
}

fn identify(body: &[u8]) -> Event {
    let mut events = Recurly.identify(&verify(signed(body, UnixMs::new(5)), body, "shop@s", None).unwrap());
    assert_eq!(events.len(), 1);
    events.remove(0)
}

#[test]
fn every_file_is_recorded_and_books_nothing() {
    let mut types = Vec::new();
    for (name, body) in files() {
        let event = identify(&body);
        assert_eq!((event.mode, event.scope.as_str()), (EventMode::Ours, "rmh0site0001"), "{name}");
        assert_eq!(event.problem, None, "{name}");
        assert_eq!(Recurly.interpret(&event), Plan::record(), "{name}");
        types.push(event.event_type);
    }
    let expected = [
        "account.created",
        "account.updated",
        "charge_invoice.paid",
        "payment.failed",
        "payment.succeeded",
        "subscription.created",
    ];
    assert_eq!(types, expected);
}

#[test]
fn a_name_holds_what_happened_when_and_to_what() {
    let body = files().remove("account_updated").unwrap();
    let id = |body: &[u8]| identify(body).id;
    assert_eq!(id(&body), "account.updated.2026-11-30T18:30:12Z.rmk3x0c9w2ab");
    let text = String::from_utf8(body).unwrap();
    let mut names = HashSet::from([id(text.as_bytes())]);
    for (from, to) in [("updated", "closed"), ("18:30:12", "18:30:13"), ("9w2ab", "9w2ac"), ("account\"", "plan\"")] {
        assert!(text.contains(from), "{from}");
        assert!(names.insert(id(text.replace(from, to).as_bytes())), "{to}");
    }
    let other_customer = text.replace("mira-holt", "jonas-weil");
    assert!(!names.insert(id(other_customer.as_bytes())), "what else stands in it names nothing");
}

#[test]
fn a_site_that_is_not_named_is_the_label() {
    let named = |site: &str| {
        let body = format!(
            r#"{{"id":"a","object_type":"payment","event_type":"failed","event_time":"2026-11-30T18:00:00Z"{site}}}"#
        );
        let event = identify(body.as_bytes());
        assert_eq!(event.problem, None);
        event.scope
    };
    assert_eq!(named(""), "shop");
    assert_eq!(named(r#","site_id":"""#), "shop");
    assert_eq!(named(r#","site_id":"s1""#), "s1");
}

#[test]
fn what_cannot_be_named_is_named_by_its_bytes() {
    for (body, problem) in [
        (&b"<?xml version=\"1.0\"?><new_account_notification/>"[..], "body: not a JSON object"),
        (b"{\"id\":\"a\"", "body: not valid JSON"),
        (b"\xff", "body: not UTF-8"),
        (br#"{"id":"a","id":"b"}"#, "body: a name stands twice"),
        (br#"{"id":"a"}"#, "object_type: missing"),
        (br#"{"id":"a","object_type":"payment","event_type":7}"#, "event_type: not a text"),
        (br#"{"id":"","object_type":"payment","event_type":"failed","event_time":"t"}"#, "id: empty"),
        (br#"{"id":7,"object_type":"payment","event_type":"failed","event_time":"t"}"#, "id: not a text"),
        (br#"{"id":"a","object_type":"payment","event_type":"failed"}"#, "event_time: missing"),
        (br#"{"id":"a","object_type":"payment","event_type":"failed","site_id":7}"#, "site_id: not a text"),
    ] {
        let event = identify(body);
        assert_eq!((event.id, event.problem.as_deref()), (Digest::of(body).to_hex(), Some(problem)));
    }
}

#[test]
fn a_refreshed_event_is_another_of_the_same_kind() {
    for (name, body) in files() {
        let fresh = Recurly.refresh(&body, "t1");
        let (old, new) = (identify(&body), identify(&fresh));
        assert_eq!(new.id, format!("{}_t1", old.id), "{name}");
        assert_eq!((old.event_type, old.scope, old.problem), (new.event_type, new.scope, new.problem), "{name}");
        assert_eq!(String::from_utf8(fresh).unwrap().replace("_t1", "").as_bytes(), body, "{name}");
    }
}
