use std::path::PathBuf;

use bytes::Bytes;
use hookledger::request::Secret;
use hookledger::runtime::SystemClock;
use hookledger::time::Clock as _;
use http::{Request, Response};
use http_body_util::{BodyExt as _, Full};
use hyper_util::client::legacy::Client;
use hyper_util::rt::TokioExecutor;

use crate::{Options, Settings, Stack, StartError, registry};

const BODY: &[u8] = include_bytes!("../../../../events/stripe/charge_succeeded.json");

pub(super) async fn stack() -> Stack {
    Stack::start(Options::on_free_ports(Settings::development())).await.unwrap()
}

pub(super) async fn send(stack: &Stack, request: http::request::Builder, path: &str, body: Bytes) -> Response<Bytes> {
    let request = request.uri(format!("http://{}{path}", stack.http_address())).body(Full::new(body)).unwrap();
    let client = Client::builder(TokioExecutor::new()).build_http();
    let (parts, body) = client.request(request).await.unwrap().into_parts();
    Response::from_parts(parts, body.collect().await.unwrap().to_bytes())
}

pub(super) async fn deliver(stack: &Stack, body: &[u8]) -> Response<Bytes> {
    let provider = registry::provider("stripe").unwrap();
    let mut request = Request::post("/");
    for (name, value) in provider.sign(body, &Secret::new(provider.development_secret()), SystemClock.now()) {
        request = request.header(name, value);
    }
    send(stack, request, "/webhooks/stripe", Bytes::copy_from_slice(body)).await
}

#[tokio::test]
async fn a_delivery_is_booked_and_its_repetition_replayed() {
    let stack = stack().await;
    let (first, again) = (deliver(&stack, BODY).await, deliver(&stack, BODY).await);
    assert_eq!((first.status().as_u16(), again.status().as_u16()), (200, 200));
    assert_eq!(first.body(), again.body());
    assert!(!first.headers().contains_key("hookledger-replay"));
    assert_eq!(again.headers()["hookledger-replay"], "true");
    stack.stop().await;
}

#[tokio::test]
async fn what_is_not_signed_is_refused_with_a_hint() {
    let stack = stack().await;
    let refused = send(&stack, Request::post("/"), "/webhooks/stripe", Bytes::from_static(BODY)).await;
    assert_eq!(refused.status(), 401);
    assert!(refused.headers()["hookledger-hint"].to_str().unwrap().contains("cargo run -- send"));
    stack.stop().await;
}

#[tokio::test]
async fn other_paths_and_what_is_too_large_are_refused_before_the_function() {
    let stack = stack().await;
    for path in ["/", "/webhooks/", "/webhooks/nobody", "/webhooks/stripe/x"] {
        let refused = send(&stack, Request::post("/"), path, Bytes::new()).await;
        assert_eq!(refused.status(), 404, "{path}");
        assert!(String::from_utf8_lossy(refused.body()).contains("POST /webhooks/stripe"), "{refused:?}");
    }
    let known = send(&stack, Request::get("/"), "/stack", Bytes::new()).await;
    assert!(String::from_utf8_lossy(known.body()).contains(&stack.dynamodb_address().to_string()), "{known:?}");
    let large = Bytes::from(vec![b' '; 10 * 1_024 * 1_024 + 1]);
    assert_eq!(send(&stack, Request::post("/"), "/webhooks/stripe", large).await.status(), 413);
    assert_eq!(send(&stack, Request::get("/"), "/webhooks/stripe", Bytes::new()).await.status(), 405);
    stack.stop().await;
}

#[tokio::test]
async fn a_port_in_use_is_named_with_its_flag() {
    let stack = stack().await;
    let taken =
        |port, dynamodb_port| Options { port, dynamodb_port, ..Options::on_free_ports(Settings::development()) };
    for (options, flag) in [
        (taken(stack.http_address().port(), 0), "--port"),
        (taken(0, stack.dynamodb_address().port()), "--dynamodb-port"),
    ] {
        let error = Stack::start(options).await.err().unwrap();
        assert!(error.to_string().ends_with(flag), "{error}");
    }
    stack.stop().await;
}

#[tokio::test]
async fn a_data_directory_has_one_user_and_outlives_it() {
    let directory = Directory::new("data");
    let options = Options { data: Some(directory.0.clone()), ..Options::on_free_ports(Settings::development()) };
    let stack = Stack::start(options.clone()).await.unwrap();
    assert_eq!(deliver(&stack, BODY).await.status(), 200);
    let second = Stack::start(options.clone()).await.err().unwrap();
    assert!(matches!(&second, StartError::Data { problem, .. } if problem == "another stack uses it"), "{second}");
    stack.stop().await;
    let stack = Stack::start(options).await.unwrap();
    assert_eq!(deliver(&stack, BODY).await.headers()["hookledger-replay"], "true");
    stack.stop().await;
}

#[tokio::test]
async fn a_data_directory_that_is_a_file_is_refused() {
    let directory = Directory::new("file");
    std::fs::write(&directory.0, "").unwrap();
    let options = Options { data: Some(directory.0.clone()), ..Options::on_free_ports(Settings::development()) };
    assert!(matches!(Stack::start(options).await.err().unwrap(), StartError::Data { .. }));
}

/// A name of its own in the system's temporary directory, gone in the end.
struct Directory(PathBuf);

impl Directory {
    fn new(name: &str) -> Self {
        Self(std::env::temp_dir().join(format!("hookledger-local-{name}-{}", std::process::id())))
    }
}

impl Drop for Directory {
    fn drop(&mut self) {
        let _ = if self.0.is_dir() { std::fs::remove_dir_all(&self.0) } else { std::fs::remove_file(&self.0) };
    }
}
