//! Every file: what is read of it, or why not.

use std::collections::BTreeSet;

use super::super::envelope::read;
use super::{file, folder};
use crate::request::{REQUEST_ID, UnverifiedRequest};

const UNKNOWN: &str = "not an HTTP event of API Gateway or of a function URL";
const UNREADABLE: &str = "a header, the method or another field of the gateway's event cannot be read";
const BAD_BASE64: &str = "the body is not the base64 it is said to be";
const BAD_HOST: &str = "the Host header is not a host";

const PLAIN: &str = r#"{"id":"evt_3ThGateway000001","object":"event","type":"charge.succeeded","livemode":true,"created":1796000002,"pending_webhooks":1,"data":{"object":{"id":"ch_3ThGateway0000001","object":"charge","amount":4200,"amount_captured":4200,"captured":true,"status":"succeeded","currency":"eur","customer":"cus_TkMiraHolt001","description":"Strings, set of six","created":1796000000,"livemode":true}}}"#;
const DESCRIPTION: &str = "Café-Saiten 🎸 für\u{2028}Mira";

/// What a file is expected to hold: how it is asked, where, and which body.
const READABLE: &[(&str, &str, &str, &str)] = &[
    ("plain", "POST", "/webhooks/stripe", PLAIN),
    ("base64", "POST", "/webhooks/stripe", PLAIN),
    ("no_host", "POST", "/webhooks/stripe", PLAIN),
    ("repeated_headers", "POST", "/webhooks/stripe", PLAIN),
    ("unicode_header_value", "POST", "/webhooks/stripe", PLAIN),
    ("utf8", "POST", "/webhooks/stripe", DESCRIPTION),
    ("utf8_base64", "POST", "/webhooks/stripe", DESCRIPTION),
    ("missing_body", "POST", "/webhooks/stripe", ""),
    ("empty_body", "POST", "/webhooks/stripe", ""),
    ("get", "GET", "/webhooks/stripe", ""),
];

const REFUSED: &[(&str, &str)] = &[
    ("bad_base64", BAD_BASE64),
    ("host_with_spaces", BAD_HOST),
    ("host_with_unicode", BAD_HOST),
    ("odd_header_value", UNREADABLE),
];

const ALONE: &[(&str, &str, &str)] = &[
    ("rest_null_body", "/webhooks/stripe", ""),
    ("rest_query", "/webhooks/stripe", PLAIN),
    ("rest_stage_in_path", "/prod/webhooks/stripe", PLAIN),
    ("http_payload_1", "/webhooks/stripe", PLAIN),
    ("http_query_and_cookies", "/webhooks/stripe", PLAIN),
    ("http_stage_in_path", "/prod/webhooks/stripe", PLAIN),
    ("http_utf8_escaped", "/webhooks/stripe", DESCRIPTION),
];

const UNKNOWN_SHAPES: &[&str] = &["console_test_event", "load_balancer", "warmup"];

const KINDS: [&str; 3] = ["rest", "http", "url"];

fn request(name: &str) -> UnverifiedRequest {
    read(&file(name)).unwrap_or_else(|reason| panic!("{name}: {reason}"))
}

fn expect(name: &str, method: &str, path: &str, body: &str) {
    let request = request(name);
    assert_eq!((request.method.as_str(), request.path.as_str()), (method, path), "{name}");
    if body == DESCRIPTION {
        let expected = PLAIN.replace("00001\"", "00002\"").replace("Strings, set of six", DESCRIPTION);
        assert_eq!(request.body, expected.as_bytes(), "{name}");
    } else {
        assert_eq!(request.body, body.as_bytes(), "{name}");
    }
}

#[test]
fn every_kind_of_event_gives_the_exact_bytes() {
    for kind in KINDS {
        for (name, method, path, body) in READABLE {
            expect(&format!("{kind}_{name}"), method, path, body);
        }
    }
    for (name, path, body) in ALONE {
        expect(name, "POST", path, body);
    }
}

#[test]
fn what_cannot_be_read_is_refused_without_a_panic() {
    for kind in KINDS {
        for (name, reason) in REFUSED {
            assert_eq!(read(&file(&format!("{kind}_{name}"))).unwrap_err(), *reason, "{kind}_{name}");
        }
    }
    for name in UNKNOWN_SHAPES {
        assert_eq!(read(&file(name)).unwrap_err(), UNKNOWN, "{name}");
    }
    let half_a_character = file("http_plain").replace("Strings", r"\ud83c");
    assert_eq!(read(&half_a_character).unwrap_err(), UNREADABLE);
    for text in ["null", "1", "\"x\"", "[]", "{}", r#"{"requestContext":null}"#, r#"{"requestContext":{"http":{}}}"#] {
        assert!(read(text).is_err(), "{text}");
    }
}

#[test]
fn no_file_is_left_out() {
    let there: BTreeSet<String> = std::fs::read_dir(folder())
        .unwrap()
        .map(|entry| entry.unwrap().path().file_stem().unwrap().to_str().unwrap().to_owned())
        .collect();
    let of_kinds = KINDS.into_iter().flat_map(|kind| {
        let names = READABLE.iter().map(|(name, ..)| name).chain(REFUSED.iter().map(|(name, _)| name));
        names.map(move |name| format!("{kind}_{name}"))
    });
    let alone = ALONE.iter().map(|(name, ..)| *name).chain(UNKNOWN_SHAPES.iter().copied()).map(str::to_owned);
    assert_eq!(there, of_kinds.chain(alone).collect());
}

#[test]
fn the_same_delivery_is_the_same_request_however_it_came() {
    for name in ["plain", "base64", "utf8", "utf8_base64", "no_host", "unicode_header_value"] {
        let [rest, http, url] = KINDS.map(|kind| request(&format!("{kind}_{name}")));
        let but = |request: &UnverifiedRequest, not: &[&str]| {
            let headers = request.headers.iter().filter(|(name, _)| !not.contains(name));
            headers.map(|(name, value)| (name.to_owned(), value.to_owned())).collect::<Vec<_>>()
        };
        assert_eq!(but(&rest, &[REQUEST_ID]), but(&http, &[REQUEST_ID]), "{name}");
        assert_eq!(but(&http, &[REQUEST_ID, "host"]), but(&url, &[REQUEST_ID, "host"]), "{name}");
        assert_eq!((&rest.body, &rest.query), (&http.body, &http.query), "{name}");
        assert_eq!((&url.body, &url.query), (&http.body, &http.query), "{name}");
    }
}

#[test]
fn no_value_of_a_repeated_header_is_lost() {
    let [first, second] = ["0", "1"].map(|digit| format!("t=1796000002,v1={}", digit.repeat(64)));
    let signatures = |name: &str| {
        let request = request(name);
        request.headers.all("Stripe-Signature").map(str::to_owned).collect::<Vec<_>>()
    };
    assert_eq!(signatures("rest_repeated_headers"), [first.clone(), second.clone()]);
    for kind in ["http", "url"] {
        assert_eq!(signatures(&format!("{kind}_repeated_headers")), [format!("{first},{second}")]);
    }
}

#[test]
fn queries_and_cookies_arrive() {
    let rest = request("rest_query");
    assert_eq!(rest.query, "endpoint=one%26one&endpoint=two+words");
    let http = request("http_query_and_cookies");
    assert_eq!(http.query, rest.query);
    assert_eq!(http.headers.get("cookie"), Some("a=1; b=2"));
    assert_eq!(request("http_unicode_header_value").headers.get("x-shop"), Some("Café"));
}

#[test]
fn a_request_has_the_id_that_the_gateway_gave_it_and_no_other() {
    for name in KINDS.map(|kind| format!("{kind}_plain")).into_iter().chain(["http_payload_1".to_owned()]) {
        let event: serde_json::Value = serde_json::from_str(&file(&name)).unwrap();
        let id = event["requestContext"]["requestId"].as_str().unwrap();
        let mut forged = event.clone();
        for lists in ["headers", "multiValueHeaders"] {
            if let Some(headers) = forged[lists].as_object_mut() {
                let value = if lists == "headers" { "forged".into() } else { vec!["forged"].into() };
                headers.insert("Hookledger-Request-Id".to_owned(), value);
            }
        }
        for event in [event.clone(), forged] {
            let request = read(&event.to_string()).unwrap();
            assert_eq!(request.headers.all(REQUEST_ID).collect::<Vec<_>>(), [id], "{name}");
        }
    }
}
