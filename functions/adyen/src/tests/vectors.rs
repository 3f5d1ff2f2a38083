//! Signatures that Adyen's own libraries make or refuse.

use bytes::Bytes;
use hookledger::provider::Provider as _;
use hookledger::request::{Headers, KeySet, Secret, Unverified, UnverifiedRequest};
use hookledger::time::UnixMs;
use serde_json::Value;

use super::{adyen, file};

const VECTORS: &str = include_str!("../../../../tests/vectors/adyen.json");

pub(super) fn request(headers: &[(&str, &str)], body: &str) -> UnverifiedRequest {
    UnverifiedRequest {
        method: "POST".into(),
        path: "/webhooks/adyen".into(),
        query: String::new(),
        headers: Headers::new(headers.iter().copied()),
        body: Bytes::copy_from_slice(body.as_bytes()),
    }
}

fn verify(headers: &[(&str, &str)], body: &str, secrets: &str) -> Result<(), Unverified> {
    let request = request(headers, body);
    let signature = adyen().signature(&request)?;
    request.verify(&signature, &KeySet::parse(secrets).unwrap(), UnixMs::new(0)).map(|_| ())
}

/// Platform webhooks are signed in another way; those of them that Adyen accepts are refused here too, with that reason.
#[test]
fn every_vector_is_accepted_or_refused_as_adyen_does() {
    let vectors: Vec<Value> = serde_json::from_str(VECTORS).unwrap();
    let (mut accepted, mut refused, mut platform) = (0, 0, 0);
    for vector in &vectors {
        let text = |name: &str| vector[name].as_str().unwrap();
        let headers = vector["headers"].as_object().unwrap();
        let headers: Vec<_> = headers.iter().map(|(name, value)| (name.as_str(), value.as_str().unwrap())).collect();
        let verified = verify(&headers, text("body"), text("secret"));
        match (text("provider"), text("expect")) {
            ("adyen", "valid") => accepted += usize::from(verified == Ok(())),
            ("adyen", "invalid") => refused += usize::from(verified.is_err()),
            ("adyen-platform", _) => {
                let why = "it is a platform webhook, and only standard ones are taken here";
                platform += usize::from(verified == Err(Unverified::Unsigned(why)));
            }
            other => panic!("{other:?}"),
        }
    }
    assert_eq!((accepted, refused, platform), (4, 4, 2));
}

const SECRET: &str = "44782DEF547AAA06C910C43932B1EB0C71FC68D9D0C057550C48EC2ACF6BA056";

fn sealed(name: &str) -> String {
    String::from_utf8(adyen().seal(&file(name), &Secret::new(SECRET))).unwrap()
}

#[test]
fn what_is_signed_here_is_accepted_here() {
    let body = sealed("batch");
    assert_eq!(verify(&[], &body, SECRET), Ok(()));
    let other = "00112233445566778899aabbccddeeff";
    assert_eq!(verify(&[], &body, &format!("{other},{SECRET}")), Ok(()));
    assert_eq!(verify(&[], &body, other), Err(Unverified::NoMatch));
    assert_eq!(verify(&[], &body, &SECRET.to_lowercase()), Ok(()));
}

#[test]
fn each_of_the_eight_fields_is_signed_and_the_rest_is_not() {
    let body = sealed("refund");
    for (from, to) in [
        ("HG7BACK000000016", "HG7BACK000000017"),
        ("HG7GUITAR0000001", "HG7GUITAR0000002"),
        ("HoltGuitarsEU", "HoltGuitarsUS"),
        ("guitar-1001", "guitar-1002"),
        ("1500", "1501"),
        ("EUR", "USD"),
        ("\"REFUND\"", "\"REFUND_FAILED\""),
        ("\"success\": \"true\"", "\"success\": \"false\""),
    ] {
        assert_eq!(verify(&[], &body.replace(from, to), SECRET), Err(Unverified::NoMatch), "{from}");
    }
    for (from, to) in [("\"live\": \"true\"", "\"live\": \"false\""), ("2026-11-28", "2026-11-29"), ("visa", "mc")] {
        assert!(body.contains(from));
        assert_eq!(verify(&[], &body.replace(from, to), SECRET), Ok(()), "{from}");
    }
}

#[test]
fn one_item_that_does_not_fit_refuses_the_delivery() {
    let body = sealed("batch").replace("HG7BATCH00000028", "HG7BATCH00000029");
    assert_eq!(verify(&[], &body, SECRET), Err(Unverified::NoMatch));
}

#[test]
fn a_body_without_codes_is_unsigned() {
    let unsigned = |body: &str| match verify(&[], body, SECRET) {
        Err(Unverified::Unsigned(why)) => why,
        other => panic!("{body}: {other:?}"),
    };
    let of = |item: &str| format!(r#"{{"notificationItems":[{{"NotificationRequestItem":{item}}}]}}"#);
    assert_eq!(unsigned(""), "not a JSON object");
    assert_eq!(unsigned(r#"{"live":"#), "not valid JSON");
    assert_eq!(unsigned(r#"{"notificationItems":[]}"#), "notificationItems is empty");
    assert_eq!(unsigned(&of("{}")), "an item has no hmacSignature");
    assert_eq!(unsigned(&of(r#"{"additionalData":{}}"#)), "an item has no hmacSignature");
    assert_eq!(unsigned(&of(r#"{"additionalData":{"hmacSignature":"*"}}"#)), "an hmacSignature is not base64");
    assert_eq!(unsigned(&of(r#"{"a":1,"a":2}"#)), "a name stands twice");
}

/// Fields are joined by colons and not escaped, so a signed item can be cut in another place. Only what holds no colon where
/// none may be is believed.
#[test]
fn an_item_that_was_cut_elsewhere_fits_its_code_and_is_kept_without_a_name() {
    let body = sealed("refund").replace("guitar-1001", "guitar:1001");
    let body = String::from_utf8(adyen().seal(body.as_bytes(), &Secret::new(SECRET))).unwrap();
    let cut = body.replace("HoltGuitarsEU", "HoltGuitarsEU:guitar").replace("guitar:1001", "1001");
    assert_eq!(verify(&[], &cut, SECRET), Ok(()));
    let event = super::event(cut);
    let problem = "merchantAccountCode: holds a colon, so what was signed could be read in two ways";
    assert_eq!((event.scope.as_str(), event.problem.as_deref()), ("", Some(problem)));
    assert_eq!(super::event(body).problem, None);
}
