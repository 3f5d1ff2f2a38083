//! From the gateway's text to the gateway's answer.

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use lambda_runtime::{Context, LambdaEvent};
use serde_json::value::RawValue;
use serde_json::{Value, json};

use super::super::Handler;
use super::super::log::{filter, subscriber};
use super::logging::Lines;
use super::world::{Echo, SECRET, handler};
use super::{file, folder};
use crate::provider::Provider as _;
use crate::request::{Secret, decode_base64};
use crate::time::UnixMs;

/// A file with another path, body and further headers.
fn event(name: &str, path: &str, body: &[u8], headers: &[(String, String)]) -> Value {
    let mut event: Value = serde_json::from_str(&file(name)).unwrap();
    let path_field = if event["rawPath"].is_null() { "path" } else { "rawPath" };
    event[path_field] = json!(path);
    let is_base64 = std::str::from_utf8(body).is_err();
    event["isBase64Encoded"] = json!(is_base64);
    event["body"] = if is_base64 { STANDARD.encode(body).into() } else { String::from_utf8_lossy(body).into() };
    for (name, value) in headers {
        event["headers"][name] = json!(value);
    }
    event
}

async fn handle(handler: &Handler, event: &Value) -> Value {
    let payload = RawValue::from_string(event.to_string()).unwrap();
    let mut context = Context::default();
    context.request_id = "r-1".to_owned();
    // Spawned: the future is Send and the handler outlives whoever made it, as running side by side asks.
    let handler = handler.clone();
    tokio::spawn(async move { handler.handle(LambdaEvent::new(payload, context)).await }).await.unwrap().unwrap()
}

#[tokio::test]
async fn bytes_go_in_and_come_out_unchanged() {
    let handler = handler(|_| {});
    let bodies: [&[u8]; 6] =
        [b"", b"null", b"{\"a\": 1 }\r\n", "🎸\u{2028}\u{feff}".as_bytes(), b"\xff\x00", "\u{feff}x".as_bytes()];
    for kind in ["rest_plain", "http_plain", "url_plain"] {
        for body in bodies {
            for content_type in ["", "application/json", "text/plain; charset=utf-16", "application/xml"] {
                let headers = [("x-echo".to_owned(), content_type.to_owned())];
                let answer = handle(&handler, &event(kind, "/webhooks/echo-pay", body, &headers)).await;
                let text = answer["body"].as_str().unwrap();
                let is_base64 = answer["isBase64Encoded"] == true;
                let bytes = if is_base64 { decode_base64(text).unwrap() } else { text.as_bytes().to_vec() };
                assert_eq!((bytes.as_slice(), &answer["statusCode"]), (body, &json!(200)), "{kind}: {answer}");
            }
        }
    }
}

#[tokio::test]
async fn no_file_is_more_than_a_refusal_to_another_provider() {
    let handler = handler(|_| {});
    for entry in std::fs::read_dir(folder()).unwrap() {
        let path = entry.unwrap().path();
        let event = serde_json::from_str(&std::fs::read_to_string(&path).unwrap()).unwrap();
        let answer = handle(&handler, &event).await;
        let status = answer["statusCode"].as_u64().unwrap();
        assert!([400, 404].contains(&status), "{}: {answer}", path.display());
    }
}

#[tokio::test]
async fn the_outcome_decides_the_status() {
    let handler = handler(|_| {});
    let signed = |body: &[u8]| Echo.sign(body, &Secret::new(SECRET), UnixMs::new(0));
    for kind in ["rest", "http", "url"] {
        let status = async |name: &str, path: &str, headers: &[(String, String)]| {
            let event = event(&format!("{kind}_{name}"), path, b"{}", headers);
            handle(&handler, &event).await["statusCode"].clone()
        };
        let ours = "/prod/webhooks/echo-pay";
        assert_eq!(status("plain", ours, &[]).await, 401);
        assert_eq!(status("plain", "/webhooks/other", &[]).await, 404);
        assert_eq!(status("get", ours, &[]).await, 405);
        assert_eq!(status("host_with_spaces", ours, &signed(b"{}")).await, 400);
        // The store cannot be reached: nothing is acknowledged.
        assert_eq!(status("plain", ours, &signed(b"{}")).await, 503);
    }
}

#[tokio::test]
async fn a_panic_anywhere_is_an_answer() {
    let echo = handler(|_| {});
    let headers = [("x-echo".to_owned(), "panic".to_owned())];
    let inside = event("http_plain", "/webhooks/echo-pay", b"{}", &headers);
    assert_eq!(handle(&echo, &inside).await["statusCode"], 503);

    let broken = handler(|_| panic!("no metrics today"));
    let outside = handle(&broken, &serde_json::from_str(&file("warmup")).unwrap()).await;
    let expected = json!({"statusCode": 503, "headers": {"retry-after": "5"}, "body": "", "isBase64Encoded": false});
    assert_eq!(outside, expected);
}

#[tokio::test]
async fn an_event_of_another_kind_is_one_line_with_the_request_id() {
    let lines = Lines::default();
    let handler = handler(|_| {});
    let guard = tracing::subscriber::set_default(subscriber(filter(Some("ERROR"), Some("warn")), lines.clone()));
    let payload = RawValue::from_string(file("console_test_event")).unwrap();
    let mut context = Context::default();
    context.request_id = "r-1".to_owned();
    let silent = handler.handle(LambdaEvent::new(payload.clone(), context.clone())).await.unwrap();
    assert!(lines.read().is_empty());
    drop(guard);

    let _guard = tracing::subscriber::set_default(subscriber(filter(None, None), lines.clone()));
    let answer = handler.handle(LambdaEvent::new(payload, context)).await.unwrap();
    assert_eq!((&answer["statusCode"], &answer), (&json!(400), &silent));
    let lines = lines.read();
    let [line] = &lines[..] else { panic!("{lines:#?}") };
    assert_eq!(line["span"]["request_id"], "r-1");
    assert_eq!(line["reason"], "not an HTTP event of API Gateway or of a function URL");
}
