//! Signatures that Paddle's own libraries made or refuse.

use bytes::Bytes;
use hookledger::provider::Provider as _;
use hookledger::request::{Headers, KeySet, Secret, Unverified, UnverifiedRequest};
use hookledger::time::{UnixMs, UnixS};
use serde_json::Value;

use crate::Paddle;

const VECTORS: &str = include_str!("../../../../tests/vectors/paddle.json");
const HEADER: &str = "Paddle-Signature";
const BODY: &str = r#"{"event_id":"evt_1","event_type":"transaction.completed"}"#;

pub(super) fn request(headers: Headers, body: &str) -> UnverifiedRequest {
    UnverifiedRequest {
        method: "POST".into(),
        path: "/webhooks/paddle".into(),
        query: String::new(),
        headers,
        body: Bytes::copy_from_slice(body.as_bytes()),
    }
}

/// Without a `now`, the moment of signing: the tolerance is not in question.
fn verify_headers(headers: Headers, body: &str, secrets: &str, now: Option<UnixMs>) -> Result<(), Unverified> {
    let request = request(headers, body);
    let signature = Paddle.signature(&request)?;
    let signed_at = signature.stamp.map(|stamp| stamp.at.to_ms());
    let now = now.or(signed_at).unwrap_or_default();
    request.verify(&signature, &KeySet::parse(secrets).unwrap(), now).map(|_| ())
}

fn verify(header: &str, secrets: &str, now: Option<UnixMs>) -> Result<(), Unverified> {
    verify_headers(Headers::new([(HEADER, header)]), BODY, secrets, now)
}

fn signed(at_s: i64) -> String {
    let mut headers = Paddle.sign(BODY.as_bytes(), &Secret::new("pdl_made_up"), UnixS::new(at_s).to_ms());
    assert_eq!(headers.len(), 1);
    headers.remove(0).1
}

#[test]
fn every_vector_is_accepted_or_refused_as_paddle_does() {
    let vectors: Vec<Value> = serde_json::from_str(VECTORS).unwrap();
    assert_eq!(vectors.len(), 13);
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

#[test]
fn what_is_signed_here_is_accepted_here() {
    let header = signed(1_796_000_000);
    assert_eq!(verify(&header, "pdl_made_up", None), Ok(()));
    assert_eq!(verify(&header, "pdl_old,pdl_made_up", None), Ok(()));
    assert_eq!(verify(&header, "pdl_other", None), Err(Unverified::NoMatch));
    let headers = Headers::new([(HEADER, header.as_str())]);
    assert_eq!(verify_headers(headers, "{}", "pdl_made_up", None), Err(Unverified::NoMatch));
}

#[test]
fn the_tolerance_is_a_minute_both_ways() {
    let header = signed(10_000);
    let at = |now_s: i64| verify(&header, "pdl_made_up", Some(UnixS::new(now_s).to_ms()));
    assert_eq!(at(10_060), Ok(()));
    assert_eq!(at(9_940), Ok(()));
    assert_eq!(at(10_061), Err(Unverified::Stale { age_s: 61, tolerance_s: 60 }));
    assert_eq!(at(9_939), Err(Unverified::FromTheFuture { ahead_s: 61, tolerance_s: 60 }));
}

#[test]
fn any_h1_is_enough_other_keys_are_ignored_and_two_times_refused() {
    let good = signed(10_000);
    let (stamp, code) = good.split_once(";h1=").unwrap();
    let check = |header: &str| verify(header, "pdl_made_up", None);
    let malformed = |problem| Err(Unverified::MalformedHeader(HEADER, problem));
    assert_eq!(check(&format!("{good};h2=zz;word")), Ok(()));
    assert_eq!(check(&format!("{stamp};h1=00;h1={code}")), Ok(()));
    assert_eq!(check(&format!("{stamp};h1={code};h1=00")), Ok(()));
    assert_eq!(check(&format!("{stamp};h1=dummy;h1={code}")), Ok(()));
    assert_eq!(check(&format!("{stamp}; h1={code}")), Ok(()));
    assert_eq!(check(&format!("{stamp};h2={code}")), malformed("no h1= that is hex"));
    assert_eq!(check(&format!("{good};{stamp}")), Ok(()));
    assert_eq!(check(&format!("{good};ts=10001")), malformed("two times"));
    assert_eq!(check(&format!("h1={code}")), malformed("no ts="));
    for time in ["+10000", "-10000", " 10000", "1e4", "", "٣", "99999999999999999999"] {
        assert_eq!(check(&format!("ts={time};h1={code}")), malformed("ts is not a count of seconds"), "{time:?}");
    }
    assert_eq!(check(&format!("ts=010000;h1={code}")), Err(Unverified::NoMatch));
    let none = Headers::new([("X-Other", "1")]);
    assert_eq!(verify_headers(none, BODY, "k", None), Err(Unverified::MissingHeader(HEADER)));
}
