//! From deliveries to plans, without a store.

mod pings;

use std::collections::BTreeMap;

use bytes::Bytes;
use hookledger::claim::Digest;
use hookledger::plan::Plan;
use hookledger::provider::{Event, EventMode, Provider as _};
use hookledger::request::{Headers, KeySet, Secret, Unverified, UnverifiedRequest, VerifiedRequest};
use hookledger::time::UnixMs;
use serde_json::Value;

use crate::Mollie;

const VECTORS: &str = include_str!("../../../../tests/vectors/mollie.json");
const HEADER: &str = "X-Mollie-Signature";

fn mollie(classic: &str) -> Mollie {
    let mut mollie = Mollie::default();
    mollie.set("CLASSIC", classic).unwrap();
    mollie
}

/// Every file under `events/mollie`, by name without extension.
fn files() -> BTreeMap<String, Vec<u8>> {
    let folder = concat!(env!("CARGO_MANIFEST_DIR"), "/../../events/mollie");
    let read = |path: std::path::PathBuf| {
        let name = path.file_stem().unwrap().to_str().unwrap().to_owned();
        (name, std::fs::read(path).unwrap())
    };
    std::fs::read_dir(folder).unwrap().map(|file| read(file.unwrap().path())).collect()
}

fn request(headers: Headers, body: &[u8]) -> UnverifiedRequest {
    UnverifiedRequest {
        method: "POST".into(),
        path: "/webhooks/mollie".into(),
        query: String::new(),
        headers,
        body: Bytes::copy_from_slice(body),
    }
}

fn verify(headers: Headers, body: &[u8], secrets: &str) -> Result<VerifiedRequest, Unverified> {
    let request = request(headers, body);
    let signature = mollie("on").signature(&request)?;
    request.verify(&signature, &KeySet::parse(secrets).unwrap(), UnixMs::new(0))
}

fn signed(body: &[u8], secret: &str) -> (String, String) {
    Mollie::default().sign(body, &Secret::new(secret), UnixMs::new(0)).remove(0)
}

fn event(body: &[u8]) -> Event {
    let verified = verify(Headers::new([signed(body, "s")]), body, "shop@s").unwrap();
    let mut events = mollie("on").identify(&verified);
    assert_eq!(events.len(), 1);
    events.remove(0)
}

#[test]
fn every_vector_is_accepted_or_refused_as_on_a_signed_endpoint() {
    let vectors: Vec<Value> = serde_json::from_str(VECTORS).unwrap();
    let mut valid = 0;
    for vector in &vectors {
        let text = |name: &str| vector[name].as_str().unwrap();
        let headers = vector["headers"].as_object().unwrap();
        let headers = Headers::new(headers.iter().map(|(name, value)| (name.as_str(), value.as_str().unwrap())));
        let verified = verify(headers, text("body").as_bytes(), text("secret"));
        assert_eq!(verified.is_ok(), text("expect") == "valid", "{}: {verified:?}", text("note"));
        valid += usize::from(verified.is_ok());
    }
    assert_eq!((vectors.len(), valid), (4, 2));
}

#[test]
fn any_of_several_signatures_under_any_of_several_secrets_is_enough() {
    let body = b"{}";
    let [(name, new), (_, old)] = ["new", "old"].map(|secret| signed(body, secret));
    let both = Headers::new([(name.clone(), old.clone()), (name.clone(), new.clone())]);
    assert!(verify(both.clone(), body, "new").is_ok() && verify(both, body, "other, old").is_ok());
    let joined = Headers::new([(name.clone(), format!("{old}, {new}"))]);
    assert!(verify(joined.clone(), body, "new").is_ok());
    assert_eq!(verify(joined.clone(), body, "other").unwrap_err(), Unverified::NoMatch);
    assert_eq!(verify(joined, b"{ }", "new").unwrap_err(), Unverified::NoMatch);
    let header = |value: &str| verify(Headers::new([(HEADER, value)]), body, "new").unwrap_err();
    for odd in ["", "invalid_signature", "sha1=00", "sha256=potato", &new[7..]] {
        assert_eq!(header(odd), Unverified::MalformedHeader(HEADER, "no sha256= with hex behind it"), "{odd}");
    }
    assert_eq!(header(&[&*new; 9].join(",")), Unverified::MalformedHeader(HEADER, "too many signatures"));
    assert_eq!(verify(Headers::default(), body, "new").unwrap_err(), Unverified::MissingHeader(HEADER));
}

#[test]
fn every_signed_event_is_recorded_in_the_mode_of_its_entity() {
    let mut meant = BTreeMap::new();
    for (name, body) in files() {
        let event = event(&body);
        assert_eq!((&event.kept.body[..], event.scope.as_str(), &event.problem), (&body[..], "shop", &None), "{name}");
        assert_eq!(mollie("on").interpret(&event), Plan::record(), "{name}");
        meant.insert(name, (event.id, event.event_type, event.mode));
    }
    let expected = [
        ("balance_transaction_created", "event_BtRosinCake0000000001", "balance-transaction.created", EventMode::Live),
        ("payment_link_paid", "event_PlViolin00000000000001", "payment-link.paid", EventMode::Live),
        ("payment_link_paid_simple", "event_PlViolin00000000000002", "payment-link.paid", EventMode::Ours),
        ("payment_link_paid_test", "event_PlViolin00000000000003", "payment-link.paid", EventMode::Test),
        ("sales_invoice_issued", "event_SiStrings0000000000001", "sales-invoice.issued", EventMode::Live),
        ("sales_invoice_paid", "event_SiStrings0000000000002", "sales-invoice.paid", EventMode::Live),
    ];
    let expected = expected.map(|(name, id, kind, mode)| (name.to_owned(), (id.to_owned(), kind.to_owned(), mode)));
    assert_eq!(meant, BTreeMap::from(expected));
}

#[test]
fn what_has_no_name_is_named_by_its_bytes() {
    let odd: [(&[u8], &str); 9] = [
        (b"id=tr_7UhSN1zuXS", "body: not a JSON object"),
        (b"{\"id\":\"event_1\"", "body: not valid JSON"),
        (b"\xff", "body: not UTF-8"),
        (br#"{"type":"a"}"#, "id: missing"),
        (br#"{"id":"","type":"a"}"#, "id: empty"),
        (br#"{"id":"event_1","type":""}"#, "type: empty"),
        (br#"{"id":1,"type":"a"}"#, "id: not a text"),
        (br#"{"id":"event_1","id":"event_2","type":"a"}"#, "body: a name stands twice"),
        (
            br#"{"id":"event_1","type":"a","_embedded":{"entity":{"mode":"sandbox"}}}"#,
            "_embedded.entity.mode: neither live nor test",
        ),
    ];
    for (body, problem) in odd {
        let event = event(body);
        assert_eq!((event.id, event.problem.as_deref()), (Digest::of(body).to_hex(), Some(problem)));
    }
}

#[test]
fn a_refreshed_event_is_another_one_of_the_same_kind() {
    for (name, body) in files() {
        let (before, after) = (event(&body), event(&mollie("off").refresh(&body, "t1")));
        assert_eq!(after.id, format!("{}_t1", before.id), "{name}");
        assert_eq!((before.event_type, before.mode), (after.event_type, after.mode), "{name}");
    }
}
