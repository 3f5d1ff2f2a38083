//! Signatures that GoCardless's own libraries make or refuse.

use hookledger::provider::Provider as _;
use hookledger::request::{Headers, KeySet, Secret, Unverified};
use hookledger::time::UnixMs;
use serde_json::Value;

use super::identify::request;
use crate::GoCardless;

const VECTORS: &str = include_str!("../../../../tests/vectors/gocardless.json");
const HEADER: &str = "Webhook-Signature";

fn verify(headers: Headers, body: &str, secrets: &str) -> Result<(), Unverified> {
    let request = request(headers, body);
    let signature = GoCardless.signature(&request)?;
    request.verify(&signature, &KeySet::parse(secrets).unwrap(), UnixMs::new(0)).map(|_| ())
}

#[test]
fn every_vector_is_accepted_or_refused_as_gocardless_does() {
    let vectors: Vec<Value> = serde_json::from_str(VECTORS).unwrap();
    let mut seen = Vec::new();
    for vector in &vectors {
        let text = |name: &str| vector[name].as_str().unwrap();
        let headers = vector["headers"].as_object().unwrap();
        let headers = Headers::new(headers.iter().map(|(name, value)| (name.as_str(), value.as_str().unwrap())));
        let verified = verify(headers, text("body"), text("secret"));
        assert_eq!(verified.is_ok(), text("expect") == "valid", "{}: {verified:?}", text("note"));
        seen.push(text("expect"));
    }
    assert_eq!(seen, ["valid", "invalid"]);
}

#[test]
fn what_is_signed_here_is_accepted_here() {
    let signed = || Headers::new(GoCardless.sign(b"{}", &Secret::new("made_up"), UnixMs::new(5)));
    assert_eq!(verify(signed(), "{}", "made_up"), Ok(()));
    assert_eq!(verify(signed(), "{}", "old, made_up"), Ok(()));
    assert_eq!(verify(signed(), "{}", "other"), Err(Unverified::NoMatch));
    assert_eq!(verify(signed(), "{} ", "made_up"), Err(Unverified::NoMatch));
    let header = |value: &str| verify(Headers::new([(HEADER, value)]), "{}", "made_up");
    assert_eq!(header("potato"), Err(Unverified::MalformedHeader(HEADER, "not hex")));
    assert_eq!(header(""), Err(Unverified::NoMatch));
    assert_eq!(verify(Headers::new([("X-Other", "1")]), "{}", "made_up"), Err(Unverified::MissingHeader(HEADER)));
}
