//! Signatures that Razorpay's own libraries made or refuse.

use bytes::Bytes;
use hookledger::provider::Provider as _;
use hookledger::request::{Headers, KeySet, Secret, Unverified, UnverifiedRequest};
use hookledger::time::UnixMs;
use serde_json::Value;

use crate::Razorpay;

const VECTORS: &str = include_str!("../../../../tests/vectors/razorpay.json");
const HEADER: &str = "X-Razorpay-Signature";
const BODY: &str = r#"{"entity":"event","event":"payment.captured"}"#;

pub(super) fn request(headers: Headers, body: &str) -> UnverifiedRequest {
    UnverifiedRequest {
        method: "POST".into(),
        path: "/webhooks/razorpay".into(),
        query: String::new(),
        headers,
        body: Bytes::copy_from_slice(body.as_bytes()),
    }
}

fn verify(headers: Headers, body: &str, secrets: &str) -> Result<(), Unverified> {
    let request = request(headers, body);
    let signature = Razorpay::default().signature(&request)?;
    request.verify(&signature, &KeySet::parse(secrets).unwrap(), UnixMs::new(0)).map(|_| ())
}

#[test]
fn every_vector_is_accepted_or_refused_as_razorpay_does() {
    let vectors: Vec<Value> = serde_json::from_str(VECTORS).unwrap();
    assert_eq!(vectors.len(), 3);
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

#[test]
fn what_is_signed_here_is_accepted_here() {
    let headers = || Headers::new(Razorpay::default().sign(BODY.as_bytes(), &Secret::new("made_up"), UnixMs::new(0)));
    assert_eq!(verify(headers(), BODY, "made_up"), Ok(()));
    assert_eq!(verify(headers(), BODY, "new,made_up"), Ok(()));
    assert_eq!(verify(headers(), BODY, "new"), Err(Unverified::NoMatch));
    assert_eq!(verify(headers(), &format!("{BODY} "), "made_up"), Err(Unverified::NoMatch));
}

#[test]
fn headers_that_cannot_be_read_are_refused() {
    let with = |value: &str| verify(Headers::new([(HEADER, value)]), BODY, "k");
    for value in ["0", "0g", "sha256=00"] {
        assert_eq!(with(value), Err(Unverified::MalformedHeader(HEADER, "not hex")), "{value:?}");
    }
    for value in ["", "00"] {
        assert_eq!(with(value), Err(Unverified::NoMatch), "{value:?}");
    }
    let none = Headers::new([("x-razorpay-event-id", "e1")]);
    assert_eq!(verify(none, BODY, "k"), Err(Unverified::MissingHeader(HEADER)));
}
