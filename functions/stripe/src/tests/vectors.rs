//! Signatures that Stripe's own libraries made or refuse.

use bytes::Bytes;
use hookledger::provider::Provider as _;
use hookledger::request::{Headers, KeySet, Unverified, UnverifiedRequest};
use hookledger::time::{UnixMs, UnixS};
use serde_json::Value;

use crate::Stripe;

const VECTORS: &str = include_str!("../../../../tests/vectors/stripe.json");

pub(super) fn request(headers: Headers, body: &str) -> UnverifiedRequest {
    UnverifiedRequest {
        method: "POST".into(),
        path: "/webhooks/stripe".into(),
        query: String::new(),
        headers,
        body: Bytes::copy_from_slice(body.as_bytes()),
    }
}

pub(super) fn verify(header: &str, body: &str, secrets: &str, now: Option<UnixMs>) -> Result<(), Unverified> {
    verify_headers(Headers::new([("Stripe-Signature", header)]), body, secrets, now)
}

/// Without a `now`, the moment of signing: the tolerance is not in question.
fn verify_headers(headers: Headers, body: &str, secrets: &str, now: Option<UnixMs>) -> Result<(), Unverified> {
    let request = request(headers, body);
    let signature = Stripe.signature(&request)?;
    let signed_at = signature.stamp.map(|stamp| stamp.at.to_ms());
    let now = now.or(signed_at).unwrap_or_default();
    request.verify(&signature, &KeySet::parse(secrets).unwrap(), now).map(|_| ())
}

#[test]
fn every_vector_is_accepted_or_refused_as_stripe_does() {
    let vectors: Vec<Value> = serde_json::from_str(VECTORS).unwrap();
    assert_eq!(vectors.len(), 23);
    for vector in &vectors {
        let text = |name: &str| vector[name].as_str().unwrap();
        let headers = vector["headers"].as_object().unwrap();
        let headers = Headers::new(headers.iter().map(|(name, value)| (name.as_str(), value.as_str().unwrap())));
        let now = vector["now"].as_i64().map(|now_s| UnixS::new(now_s).to_ms());
        let verified = verify_headers(headers, text("body"), text("secret"), now);
        let expected = match text("expect") {
            "valid" => true,
            "invalid" => false,
            other => panic!("{other}"),
        };
        assert_eq!(verified.is_ok(), expected, "{}: {verified:?}", text("note"));
    }
}

const BODY: &str = r#"{"id":"evt_1","object":"event"}"#;

fn signed(at_s: i64) -> String {
    let secret = hookledger::request::Secret::new("whsec_made_up");
    let mut headers = Stripe.sign(BODY.as_bytes(), &secret, UnixS::new(at_s).to_ms());
    assert_eq!(headers.len(), 1);
    headers.remove(0).1
}

#[test]
fn what_is_signed_here_is_accepted_here() {
    let header = signed(1_796_000_000);
    assert_eq!(verify(&header, BODY, "whsec_made_up", None), Ok(()));
    assert_eq!(verify(&header, BODY, "whsec_old,whsec_made_up", None), Ok(()));
    assert_eq!(verify(&header, BODY, "whsec_other", None), Err(Unverified::NoMatch));
    assert_eq!(verify(&header, &format!("{BODY} "), "whsec_made_up", None), Err(Unverified::NoMatch));
}

#[test]
fn the_tolerance_is_five_minutes_both_ways() {
    let header = signed(10_000);
    let at = |now_s: i64| verify(&header, BODY, "whsec_made_up", Some(UnixS::new(now_s).to_ms()));
    assert_eq!(at(10_300), Ok(()));
    assert_eq!(at(9_700), Ok(()));
    assert_eq!(at(10_301), Err(Unverified::Stale { age_s: 301, tolerance_s: 300 }));
    assert_eq!(at(9_699), Err(Unverified::FromTheFuture { ahead_s: 301, tolerance_s: 300 }));
}

#[test]
fn other_schemes_are_ignored_and_two_times_refused() {
    let good = signed(10_000);
    let (stamp, code) = good.split_once(",v1=").unwrap();
    let check = |header: &str| verify(header, BODY, "whsec_made_up", None);
    let malformed = |problem| Err(Unverified::MalformedHeader("Stripe-Signature", problem));
    assert_eq!(check(&format!("{good},v0=00,v2=zz,scheme")), Ok(()));
    assert_eq!(check(&format!("{stamp},v0={code}")), malformed("no v1= that is hex"));
    assert_eq!(check(&format!("{stamp},v1=potato,v1=0")), malformed("no v1= that is hex"));
    assert_eq!(check(&format!("{stamp},{good}")), Ok(()));
    assert_eq!(check(&format!("{good},t=10001")), malformed("two times"));
    assert_eq!(check(&format!("v1={code}")), malformed("no t="));
    assert_eq!(check(&format!("{stamp},v1=00,v1={code}")), Ok(()));
    let twice = Headers::new([("Stripe-Signature", "t=1,v1=00"), ("stripe-signature", good.as_str())]);
    assert_eq!(verify_headers(twice, BODY, "whsec_made_up", None), malformed("two times"));
    let none = Headers::new([("X-Other", "1")]);
    assert_eq!(verify_headers(none, BODY, "whsec_made_up", None), Err(Unverified::MissingHeader("Stripe-Signature")));
}

#[test]
fn a_time_is_plain_digits_and_signed_as_it_stands() {
    let code = signed(10_000);
    let code = code.split_once(",v1=").unwrap().1;
    for stamp in ["+10000", "-10000", " 10000", "10000 ", "1e4", "10000.0", "", "٣", "99999999999999999999"] {
        let verified = verify(&format!("t={stamp},v1={code}"), BODY, "whsec_made_up", None);
        let problem = "t is not a count of seconds";
        assert_eq!(verified, Err(Unverified::MalformedHeader("Stripe-Signature", problem)), "{stamp:?}");
    }
    assert_eq!(verify(&format!("t=010000,v1={code}"), BODY, "whsec_made_up", None), Err(Unverified::NoMatch));
}
