//! From deliveries to plans, without a store and without a network.

mod signatures;

use std::collections::BTreeMap;

use bytes::Bytes;
use hookledger::claim::Digest;
use hookledger::plan::{Fetch, Fetched, Plan, Read};
use hookledger::provider::{Event, EventMode, Provider as _};
use hookledger::request::{Headers, KeySet, UnverifiedRequest, encode_base64};
use hookledger::time::UnixMs;
use ring::rand::SystemRandom;
use ring::signature::{RSA_PKCS1_SHA256, RsaKeyPair};
use rustls_pki_types::CertificateDer;
use rustls_pki_types::pem::PemObject as _;

use crate::PayPal;

const WEBHOOK: &str = "1JE4291016473214C";
const URL: &str = "https://api.paypal.com/v1/notifications/certs/CERT-360caa42-fca2a594-7a47c14e";

/// Every file under `events/paypal`, by name without extension.
fn files() -> BTreeMap<String, Vec<u8>> {
    let folder = concat!(env!("CARGO_MANIFEST_DIR"), "/../../events/paypal");
    let read = |path: std::path::PathBuf| {
        let name = path.file_stem().unwrap().to_str().unwrap().to_owned();
        (name, std::fs::read(path).unwrap())
    };
    std::fs::read_dir(folder).unwrap().map(|file| read(file.unwrap().path())).collect()
}

fn certificate() -> CertificateDer<'static> {
    CertificateDer::from_pem_slice(include_bytes!("../../../../tests/certificates/signer.pem")).unwrap()
}

/// As the holder of the certificate's key signs it.
fn rsa(message: &str) -> String {
    let key = rustls_pki_types::PrivatePkcs8KeyDer::from_pem_slice(include_bytes!(
        "../../../../tests/certificates/signer.key"
    ));
    let key = RsaKeyPair::from_pkcs8(key.unwrap().secret_pkcs8_der()).unwrap();
    let mut code = vec![0; key.public().modulus_len()];
    key.sign(&RSA_PKCS1_SHA256, &SystemRandom::new(), message.as_bytes(), &mut code).unwrap();
    encode_base64(&code)
}

/// The headers PayPal would send with a body whose CRC-32 is this.
fn headers(crc: u32) -> Vec<(&'static str, String)> {
    let (id, time) = ("69cd13f0-d67a-11e5-baa3-778b53f4ae55", "2026-11-30T10:00:01Z");
    vec![
        ("paypal-transmission-id", id.to_owned()),
        ("paypal-transmission-time", time.to_owned()),
        ("paypal-transmission-sig", rsa(&format!("{id}|{time}|{WEBHOOK}|{crc}"))),
        ("paypal-cert-url", URL.to_owned()),
        ("paypal-auth-algo", "SHA256withRSA".to_owned()),
    ]
}

fn request(headers: Vec<(&str, String)>, body: &[u8]) -> UnverifiedRequest {
    UnverifiedRequest {
        method: "POST".into(),
        path: "/webhooks/paypal".into(),
        query: String::new(),
        headers: Headers::new(headers),
        body: Bytes::copy_from_slice(body),
    }
}

fn event(body: &[u8]) -> Event {
    let request = request(headers(crc32fast::hash(body)), body);
    let signature = PayPal.signature(&request).unwrap().certified(URL, &certificate());
    let keys = KeySet::parse(&format!("shop@{WEBHOOK}")).unwrap();
    let mut events = PayPal.identify(&request.verify(&signature, &keys, UnixMs::new(0)).unwrap());
    assert_eq!(events.len(), 1);
    events.remove(0)
}

fn looked(event: &Event, answer: &[u8]) -> Plan {
    let fetch = Fetch::Object(format!("/v1/notifications/webhooks-events/{}", event.id));
    PayPal.resume(event, &[Read { fetch, fetched: Fetched::Object(answer.to_vec()) }])
}

#[test]
fn every_event_is_read_at_the_api_and_recorded_if_it_is_there() {
    for (name, body) in files() {
        let event = event(&body);
        assert!(event.id.starts_with("WH-0VIOLIN"), "{name}");
        assert_eq!((event.scope.as_str(), event.mode, &event.problem), ("shop", EventMode::Ours, &None), "{name}");
        let fetch = Fetch::Object(format!("/v1/notifications/webhooks-events/{}", event.id));
        assert_eq!(PayPal.interpret(&event), Plan::defer(fetch, vec![]), "{name}");
        assert_eq!(looked(&event, &body), Plan::record_as(&body), "{name}");
    }
}

#[test]
fn what_the_api_has_decides_and_not_what_came() {
    let body = files().remove("payment_capture_completed").unwrap();
    let event = event(&body);
    let changed = |from: &str, to: &str| {
        let text = String::from_utf8(body.clone()).unwrap();
        assert!(text.contains(from));
        looked(&event, text.replace(from, to).as_bytes())
    };
    let other = Plan::unreadable("the API has another event under this id: what came may be forged");
    assert_eq!(changed("PAYMENT.CAPTURE.COMPLETED", "PAYMENT.CAPTURE.DENIED"), other);
    assert_eq!(changed("WH-0VIOLIN0000000001-0CAPTURE000000001", "WH-1"), other);
    let corrected = String::from_utf8(body.clone()).unwrap().replace("\"42.00\"", "\"42.01\"");
    assert_eq!(looked(&event, corrected.as_bytes()), Plan::record_as(corrected.as_bytes()), "sinks are told that");
    assert_eq!(looked(&event, b"{}"), Plan::unreadable("id: missing"));
    assert_eq!(looked(&event, b""), Plan::unreadable("body: not a JSON object"));
    let nothing = Plan::unreadable("the event was not asked for");
    assert_eq!(PayPal.resume(&event, &[]), nothing);
    let read = Read { fetch: Fetch::Object(String::new()), fetched: Fetched::NoObject };
    assert_eq!(PayPal.resume(&event, &[read]), nothing);
}

#[test]
fn what_has_no_usable_name_is_named_by_its_bytes() {
    let long = format!(r#"{{"id":"WH-{}","event_type":"A"}}"#, "1".repeat(126));
    let odd: [(&[u8], &str); 10] = [
        (b"[]", "body: not a JSON object"),
        (b"{\"id\":\"WH-1\"", "body: not valid JSON"),
        (b"\xff", "body: not UTF-8"),
        (br#"{"event_type":"A"}"#, "id: missing"),
        (br#"{"id":"","event_type":"A"}"#, "id: not an event's id"),
        (br#"{"id":"../x","event_type":"A"}"#, "id: not an event's id"),
        (br#"{"id":"WH-1?x=1","event_type":"A"}"#, "id: not an event's id"),
        (br#"{"id":"WH-1","event_type":""}"#, "event_type: empty"),
        (br#"{"id":"WH-1","id":"WH-2","event_type":"A"}"#, "body: a name stands twice"),
        (long.as_bytes(), "id: not an event's id"),
    ];
    for (body, problem) in odd {
        let event = event(body);
        assert_eq!((event.id, event.problem.as_deref()), (Digest::of(body).to_hex(), Some(problem)));
    }
}

#[test]
fn a_refreshed_event_is_another_one_of_the_same_type() {
    for (name, body) in files() {
        let (before, after) = (event(&body), event(&PayPal.refresh(&body, "t1")));
        assert_eq!(after.id, format!("{}_t1", before.id), "{name}");
        assert_eq!((before.event_type, after.problem), (after.event_type, None), "{name}");
    }
}
