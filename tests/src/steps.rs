//! The way to DynamoDB of a process that is to be killed at a known point: it says where it stands, and waits there.

use std::io::Write as _;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use aws_sdk_dynamodb::config::RuntimeComponents;
use aws_smithy_runtime_api::client::http::{
    HttpClient, HttpConnector, HttpConnectorFuture, HttpConnectorSettings, SharedHttpClient, SharedHttpConnector,
};
use aws_smithy_runtime_api::client::orchestrator::HttpRequest;
use serde_json::Value;

/// What a process says before it waits to be killed.
pub const STOPPED: &str = "stopped";

/// Counts two points for each call: before it is sent, and after it was answered. Reads of an index are passed over: they
/// are many, and nothing depends on them.
#[derive(Clone, Debug)]
pub struct Steps {
    inner: SharedHttpClient,
    count: Arc<AtomicUsize>,
    stop: Option<usize>,
}

impl Steps {
    /// Stops at this point, counted from 0; never, if not given.
    pub fn new(stop: Option<usize>) -> Self {
        Self { inner: aws_smithy_http_client::Builder::new().build_http(), count: Arc::default(), stop }
    }

    async fn point(&self, when: &str, operation: &str) {
        if Some(self.count.fetch_add(1, Ordering::SeqCst)) == self.stop {
            let mut out = std::io::stdout();
            writeln!(out, "{STOPPED} {when} {operation}").unwrap();
            out.flush().unwrap();
            std::future::pending().await
        }
    }
}

impl HttpClient for Steps {
    fn http_connector(&self, settings: &HttpConnectorSettings, components: &RuntimeComponents) -> SharedHttpConnector {
        let inner = self.inner.http_connector(settings, components);
        SharedHttpConnector::new(Connector { inner, steps: self.clone() })
    }
}

#[derive(Debug)]
struct Connector {
    inner: SharedHttpConnector,
    steps: Steps,
}

impl HttpConnector for Connector {
    fn call(&self, request: HttpRequest) -> HttpConnectorFuture {
        let operation = operation(&request);
        let (inner, steps) = (self.inner.clone(), self.steps.clone());
        HttpConnectorFuture::new(async move {
            let Some(operation) = operation else { return inner.call(request).await };
            steps.point("before", &operation).await;
            let answer = inner.call(request).await;
            steps.point("after", &operation).await;
            answer
        })
    }
}

/// `None`: not counted.
fn operation(request: &HttpRequest) -> Option<String> {
    let body: Value = serde_json::from_slice(request.body().bytes().unwrap()).unwrap();
    let (_, operation) = request.headers().get("x-amz-target").unwrap().split_once('.').unwrap();
    body.get("IndexName").is_none().then(|| operation.to_owned())
}
