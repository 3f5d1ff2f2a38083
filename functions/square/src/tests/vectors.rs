//! Signatures that Square's own libraries made or refuse.

use bytes::Bytes;
use hookledger::provider::Provider as _;
use hookledger::request::{Headers, KeySet, Secret, Unverified, UnverifiedRequest};
use hookledger::time::UnixMs;
use serde_json::Value;

use super::{URL, at_url};
use crate::Square;

const VECTORS: &str = include_str!("../../../../tests/vectors/square.json");
const HEADER: &str = "x-square-hmacsha256-signature";
const BODY: &str = r#"{"event_id":"e1","type":"payment.updated"}"#;

pub(super) fn request(headers: Headers, body: &str) -> UnverifiedRequest {
    UnverifiedRequest {
        method: "POST".into(),
        path: "/webhooks/square".into(),
        query: String::new(),
        headers,
        body: Bytes::copy_from_slice(body.as_bytes()),
    }
}

fn verify(square: &Square, headers: Headers, body: &str, secrets: &str) -> Result<(), Unverified> {
    let request = request(headers, body);
    let signature = square.signature(&request)?;
    request.verify(&signature, &KeySet::parse(secrets).unwrap(), UnixMs::new(0)).map(|_| ())
}

#[test]
fn every_vector_is_accepted_or_refused_as_square_does() {
    let vectors: Vec<Value> = serde_json::from_str(VECTORS).unwrap();
    assert_eq!(vectors.len(), 6);
    for vector in &vectors {
        let text = |name: &str| vector[name].as_str().unwrap();
        let headers = vector["headers"].as_object().unwrap();
        let headers = Headers::new(headers.iter().map(|(name, value)| (name.as_str(), value.as_str().unwrap())));
        let verified = verify(&at_url(text("url")), headers, text("body"), text("secret"));
        let expected = match text("expect") {
            "valid" => true,
            "invalid" => false,
            other => panic!("{other}"),
        };
        assert_eq!(verified.is_ok(), expected, "{}: {verified:?}", text("note"));
    }
}

/// The SDK's own key, body and code; the URL it was made for is in none of its vectors but this.
#[test]
fn the_published_body_fits_its_own_url() {
    let vectors: Vec<Value> = serde_json::from_str(VECTORS).unwrap();
    let sdk = vectors.iter().find(|vector| vector["note"].as_str().unwrap().contains("trailing slash")).unwrap();
    let text = |name: &str| sdk[name].as_str().unwrap();
    let headers = || Headers::new([(HEADER, sdk["headers"][HEADER].as_str().unwrap())]);
    let url = text("url").strip_suffix('/').unwrap();
    assert_eq!(verify(&at_url(url), headers(), text("body"), text("secret")), Ok(()));
    assert_eq!(verify(&Square::default(), headers(), text("body"), text("secret")), Err(Unverified::NoMatch));
}

#[test]
fn what_is_signed_here_is_accepted_here_and_at_no_other_url() {
    let here = at_url(URL);
    let headers = || Headers::new(here.sign(BODY.as_bytes(), &Secret::new("key_made_up"), UnixMs::new(0)));
    assert_eq!(verify(&here, headers(), BODY, "key_made_up"), Ok(()));
    assert_eq!(verify(&here, headers(), BODY, "key_old,key_made_up"), Ok(()));
    assert_eq!(verify(&here, headers(), BODY, "key_other"), Err(Unverified::NoMatch));
    assert_eq!(verify(&here, headers(), &format!("{BODY} "), "key_made_up"), Err(Unverified::NoMatch));
    for url in [
        "https://hooks.example.com/webhooks/square/",
        "http://hooks.example.com/webhooks/square",
        "https://HOOKS.example.com/webhooks/square",
    ] {
        assert_eq!(verify(&at_url(url), headers(), BODY, "key_made_up"), Err(Unverified::NoMatch), "{url}");
    }
}

#[test]
fn headers_that_cannot_be_read_are_refused() {
    let with = |value: &str| verify(&at_url(URL), Headers::new([(HEADER, value)]), BODY, "k");
    let malformed = Err(Unverified::MalformedHeader(HEADER, "not base64"));
    for value in ["not base64!", "YQ", "sha256=YWJj"] {
        assert_eq!(with(value), malformed, "{value:?}");
    }
    for value in ["", "YWJj"] {
        assert_eq!(with(value), Err(Unverified::NoMatch), "{value:?}");
    }
    let none = Headers::new([("x-square-signature", "YWJj")]);
    assert_eq!(verify(&at_url(URL), none, BODY, "k"), Err(Unverified::MissingHeader(HEADER)));
}

#[test]
fn the_url_must_be_whole_and_is_kept_as_it_is() {
    for url in ["https://a", "http://127.0.0.1:9000/webhooks/square", "https://a.example/prod/x/?q=%2F#f"] {
        assert_eq!(Square::default().set("URL", url), Ok(()), "{url}");
    }
    for url in [
        "",
        "a.example/x",
        "https://",
        "https:///x",
        "ftp://a.example",
        " https://a.example",
        "https://a.example/é",
        "https://a b",
        "HTTPS://a",
    ] {
        assert_eq!(Square::default().set("URL", url), Err("is not a whole URL"), "{url}");
    }
    assert_eq!(Square::default().set("KEY", "x"), Err("is unknown"));
    let [setting] = Square::default().settings() else { panic!("one setting") };
    assert!(setting.required && Square::default().set(setting.name, setting.development).is_ok());
}
