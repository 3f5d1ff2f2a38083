//! Signatures.

use bytes::Bytes;
use hookledger::provider::Provider as _;
use hookledger::request::{Headers, KeySet, Secret, Unverified, UnverifiedRequest};
use hookledger::time::UnixMs;
use serde_json::Value;

use crate::Checkout;

const VECTORS: &str = include_str!("../../../../tests/vectors/checkout.json");

pub(super) fn request(headers: Headers, body: &str) -> UnverifiedRequest {
    UnverifiedRequest {
        method: "POST".into(),
        path: "/webhooks/checkout".into(),
        query: String::new(),
        headers,
        body: Bytes::copy_from_slice(body.as_bytes()),
    }
}

fn verify(headers: Headers, body: &str, secrets: &str) -> Result<(), Unverified> {
    let request = request(headers, body);
    let signature = Checkout.signature(&request)?;
    assert_eq!(signature.stamp, None);
    request.verify(&signature, &KeySet::parse(secrets).unwrap(), UnixMs::new(0)).map(|_| ())
}

#[test]
fn every_vector_is_accepted_or_refused() {
    let vectors: Vec<Value> = serde_json::from_str(VECTORS).unwrap();
    assert_eq!(vectors.len(), 7);
    for vector in &vectors {
        let text = |name: &str| vector[name].as_str().unwrap();
        let headers = vector["headers"].as_object().unwrap();
        let headers = Headers::new(headers.iter().map(|(name, value)| (name.as_str(), value.as_str().unwrap())));
        let verified = verify(headers, text("body"), text("secret"));
        let expected = match text("expect") {
            "valid" => true,
            "invalid" => false,
            other => panic!("{other}"),
        };
        assert_eq!(verified.is_ok(), expected, "{}: {verified:?}", text("note"));
    }
}

const BODY: &str = r#"{"id":"evt_1"}"#;

fn signed() -> Headers {
    Headers::new(Checkout.sign(BODY.as_bytes(), &Secret::new("a key"), UnixMs::new(0)))
}

#[test]
fn what_is_signed_here_is_accepted_here() {
    assert_eq!(verify(signed(), BODY, "a key"), Ok(()));
    assert_eq!(verify(signed(), BODY, "old,a key"), Ok(()));
    assert_eq!(verify(signed(), BODY, "other"), Err(Unverified::NoMatch));
    assert_eq!(verify(signed(), &format!("{BODY} "), "a key"), Err(Unverified::NoMatch));
}

#[test]
fn the_header_is_there_once_and_hex() {
    let with = |pairs: &[(&str, &str)]| verify(Headers::new(pairs.iter().copied()), BODY, "a key");
    let malformed = |problem| Err(Unverified::MalformedHeader("Cko-Signature", problem));
    assert_eq!(with(&[]), Err(Unverified::MissingHeader("Cko-Signature")));
    assert_eq!(with(&[("Authorization", "a key")]), Err(Unverified::MissingHeader("Cko-Signature")));
    for odd in ["zz", "0", "sha256=00", " 00"] {
        assert_eq!(with(&[("Cko-Signature", odd)]), malformed("not hex"), "{odd}");
    }
    let code = signed().get("Cko-Signature").unwrap().to_owned();
    assert_eq!(with(&[("Cko-Signature", "00"), ("cko-signature", &code)]), malformed("it stands twice"));
}
