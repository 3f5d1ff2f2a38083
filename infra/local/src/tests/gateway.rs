use std::net::{IpAddr, Ipv4Addr};

use bytes::Bytes;
use hookledger::time::UnixMs;
use http::Request;
use serde_json::{Value, json};

use crate::gateway::{Call, event, response};

fn event_of(headers: &[(&str, &[u8])], body: &[u8]) -> Value {
    let mut request = Request::post("/webhooks/stripe/?a=1&b=%20");
    for (name, value) in headers {
        request = request.header(*name, *value);
    }
    let (parts, ()) = request.body(()).unwrap().into_parts();
    let source = IpAddr::V4(Ipv4Addr::LOCALHOST);
    let call = Call { provider: "stripe", request_id: "r-1", source, now: UnixMs::new(1_796_065_558_123) };
    serde_json::from_str(event(&parts, &Bytes::copy_from_slice(body), &call).unwrap().get()).unwrap()
}

#[test]
fn an_event_says_what_the_request_said() {
    let headers: [(&str, &[u8]); 5] = [
        ("Host", b"127.0.0.1:9000"),
        ("User-Agent", b"Stripe/1.0"),
        ("X-Twice", b"1"),
        ("x-twice", b"2"),
        ("Cookie", b"a=1; b=2"),
    ];
    let event = event_of(&headers, b"");
    assert_eq!(event["version"], "2.0");
    assert_eq!((&event["rawPath"], &event["rawQueryString"]), (&json!("/webhooks/stripe/"), &json!("a=1&b=%20")));
    let expected = json!({"host": "127.0.0.1:9000", "user-agent": "Stripe/1.0", "x-twice": "1,2"});
    assert_eq!(event["headers"], expected);
    assert_eq!(event["cookies"], json!(["a=1", "b=2"]));
    let http = &event["requestContext"]["http"];
    assert_eq!(
        (&http["method"], &http["protocol"], &http["sourceIp"]),
        (&json!("POST"), &json!("HTTP/1.1"), &json!("127.0.0.1"))
    );
    assert_eq!(event["requestContext"]["routeKey"], "POST /webhooks/stripe");
    assert_eq!(event["requestContext"]["timeEpoch"], 1_796_065_558_123_i64);
    assert_eq!((event.get("body"), &event["isBase64Encoded"]), (None, &json!(false)));
}

#[test]
fn text_goes_as_text_and_the_rest_as_base64() {
    for (content_type, body, expected) in [
        (Some("application/json"), "{\"a\":\"é😀\"}\r\n", Some("{\"a\":\"é😀\"}\r\n")),
        (Some("Application/JSON; charset=utf-8"), "{}", Some("{}")),
        (Some("text/plain"), "\u{feff}x", Some("\u{feff}x")),
        (Some("application/xml"), "<a/>", Some("<a/>")),
        (Some("application/javascript"), "1", Some("1")),
        (Some("application/x-www-form-urlencoded"), "a=1", None),
        (Some("application/cloudevents+json"), "{}", None),
        (None, "{}", None),
    ] {
        let headers: Vec<(&str, &[u8])> = content_type.iter().map(|value| ("content-type", value.as_bytes())).collect();
        let event = event_of(&headers, body.as_bytes());
        assert_eq!(event["isBase64Encoded"], expected.is_none(), "{content_type:?}");
        match expected {
            Some(text) => assert_eq!(event["body"], text),
            None => assert_eq!(decoded(&event), body.as_bytes(), "{content_type:?}"),
        }
    }
    let event = event_of(&[("content-type", b"application/json")], b"{\"a\":\"\xff\"}");
    assert_eq!(decoded(&event), b"{\"a\":\"\xff\"}");
}

fn decoded(event: &Value) -> Vec<u8> {
    hookledger::request::decode_base64(event["body"].as_str().unwrap()).unwrap()
}

#[test]
fn a_response_says_what_the_function_said() {
    let response = response(json!({
        "statusCode": 202,
        "headers": {"content-type": "text/plain", "retry-after": 5},
        "multiValueHeaders": {"x-many": ["1", "2"]},
        "cookies": ["a=1", "b=2"],
        "body": "/wA=",
        "isBase64Encoded": true,
    }))
    .unwrap();
    assert_eq!(response.status(), 202);
    assert_eq!(response.headers()["retry-after"], "5");
    let all =
        |name: &str| response.headers().get_all(name).iter().map(|value| value.to_str().unwrap()).collect::<Vec<_>>();
    assert_eq!((all("x-many"), all("set-cookie")), (vec!["1", "2"], vec!["a=1", "b=2"]));
    assert_eq!(response.body().as_ref(), [255, 0]);
}

#[test]
fn a_body_may_be_absent_and_text_stays_as_it_is() {
    assert!(response(json!({"statusCode": 200})).unwrap().body().is_empty());
    assert!(response(json!({"statusCode": 200, "body": null})).unwrap().body().is_empty());
    assert_eq!(response(json!({"statusCode": 200, "body": "null"})).unwrap().body(), "null");
}

#[test]
fn what_is_no_response_is_refused() {
    for (answered, problem) in [
        (json!("done"), "it is not a proxy response"),
        (json!({"body": "x"}), "it is not a proxy response"),
        (json!({"statusCode": 42}), "its status is none"),
        (json!({"statusCode": 200, "headers": {"a b": "1"}}), "a header's name is none"),
        (json!({"statusCode": 200, "headers": {"a": "1\n2"}}), "a header's value cannot be sent"),
        (json!({"statusCode": 200, "headers": {"a": []}}), "a header's value is no text"),
        (json!({"statusCode": 200, "body": "%", "isBase64Encoded": true}), "its body is not base64"),
    ] {
        assert_eq!(response(answered.clone()).unwrap_err(), problem, "{answered}");
    }
}
