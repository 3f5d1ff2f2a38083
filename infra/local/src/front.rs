//! HTTP in, an API Gateway event to the function's handler, its response out.

use std::net::SocketAddr;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use axum::Router;
use axum::body::{Body, to_bytes};
use axum::extract::{ConnectInfo, Request, State};
use axum::response::Response;
use bytes::Bytes;
use hookledger::runtime::{Handler, SystemClock};
use hookledger::time::Clock as _;
use http::header::CONTENT_LENGTH;
use http::request::Parts;
use http::{HeaderMap, HeaderValue, StatusCode};
use http_body_util::LengthLimitError;
use lambda_runtime::{Context, LambdaEvent};
use serde_json::{Value, json};
use tokio::net::TcpListener;

use crate::gateway::{self, Call};
use crate::page::Page;

/// API Gateway's limit (docs.aws.amazon.com, "Quotas for configuring and running an HTTP API").
const BODY_BYTES_MAX: usize = 10 * 1_024 * 1_024;

/// How long a function may run. Behind the gateway's own limit, 30 s.
const FUNCTION_MS: u64 = 29_000;

/// Answers where this stack's DynamoDB is, so that a client of one port finds the other.
pub(crate) const STACK_PATH: &str = "/stack";

const HINT: &str = "sign it as the provider does: `cargo run -- send FILE` signs with the first configured secret";

/// The handlers behind `/webhooks/<provider>`.
#[derive(Clone)]
pub(crate) struct Front {
    handlers: Arc<Vec<(&'static str, Handler)>>,
    dynamodb: SocketAddr,
    page: Page,
    requests: Arc<AtomicU64>,
}

impl Front {
    pub(crate) fn new(handlers: Vec<(&'static str, Handler)>, dynamodb: SocketAddr, page: Page) -> Self {
        Self { handlers: Arc::new(handlers), dynamodb, page, requests: Arc::new(AtomicU64::new(0)) }
    }

    /// Serves until `stopped`, then ends after the requests that are running.
    pub(crate) async fn serve(self, listener: TcpListener, stopped: impl Future<Output = ()> + Send + 'static) {
        let service =
            Router::new().fallback(answer).with_state(self).into_make_service_with_connect_info::<SocketAddr>();
        if let Err(error) = axum::serve(listener, service).with_graceful_shutdown(stopped).await {
            tracing::error!(%error, "the HTTP front did not end as it should");
        }
    }

    fn handler(&self, path: &str) -> Option<(&'static str, Handler)> {
        let name = path.strip_prefix("/webhooks/")?;
        let name = name.strip_suffix('/').unwrap_or(name);
        self.handlers.iter().find(|(known, _)| *known == name).cloned()
    }

    /// Where no function is: the page, the stack's own address book, or nothing.
    async fn elsewhere(&self, parts: &Parts) -> Response {
        if let Some(response) = self.page.answer(parts).await {
            return response;
        }
        let path = parts.uri.path();
        if path == STACK_PATH {
            return json_response(StatusCode::OK, &json!({"dynamodb": self.dynamodb.to_string()}));
        }
        let known: Vec<_> = self.handlers.iter().map(|(name, _)| format!("POST /webhooks/{name}")).collect();
        let reason = format!("nothing is received at {path}");
        json_response(StatusCode::NOT_FOUND, &json!({"error": "not_found", "reason": reason, "known": known}))
    }
}

async fn answer(State(front): State<Front>, ConnectInfo(peer): ConnectInfo<SocketAddr>, request: Request) -> Response {
    let (parts, body) = request.into_parts();
    let Some((provider, handler)) = front.handler(parts.uri.path()) else { return front.elsewhere(&parts).await };
    let body = match read(&parts.headers, body).await {
        Ok(body) => body,
        Err(refused) => return *refused,
    };
    let now = SystemClock.now();
    let request_id = format!("local-{}", front.requests.fetch_add(1, Ordering::Relaxed) + 1);
    let call = Call { provider, request_id: &request_id, source: peer.ip(), now };
    let event = gateway::event(&parts, &body, &call);
    let mut context = Context::default();
    context.deadline = u64::try_from(now.plus_ms(FUNCTION_MS).get()).unwrap_or_default();
    context.request_id = request_id;
    // A sender that hangs up does not stop a function.
    let invocation = tokio::spawn(async move { handler.handle(LambdaEvent::new(event.ok()?, context)).await.ok() });
    let answered = invocation.await.ok().flatten();
    respond(answered)
}

/// What API Gateway itself answers where a function gives nothing it can use is 500.
fn respond(answered: Option<Value>) -> Response {
    let response = answered.ok_or("it failed").and_then(gateway::response);
    let mut response = match response {
        Ok(response) => response.map(Body::from),
        Err(problem) => {
            tracing::error!(problem, "the function gave no usable response");
            json_response(StatusCode::INTERNAL_SERVER_ERROR, &json!({"message": "Internal Server Error"}))
        }
    };
    if response.status() == StatusCode::UNAUTHORIZED {
        tracing::info!(todo = HINT, "not verified");
        response.headers_mut().insert("hookledger-hint", HeaderValue::from_static(HINT));
    }
    response
}

async fn read(headers: &HeaderMap, body: Body) -> Result<Bytes, Box<Response>> {
    let too_large = || {
        let reason = "API Gateway takes no more than 10 MB";
        Box::new(json_response(StatusCode::PAYLOAD_TOO_LARGE, &json!({"error": "too_large", "reason": reason})))
    };
    let announced = headers.get(CONTENT_LENGTH).and_then(|length| length.to_str().ok()?.parse::<usize>().ok());
    if announced.is_some_and(|length| length > BODY_BYTES_MAX) {
        return Err(too_large());
    }
    to_bytes(body, BODY_BYTES_MAX).await.map_err(|error| {
        let source = std::error::Error::source(&error);
        if source.is_some_and(|source| source.is::<LengthLimitError>()) {
            return too_large();
        }
        let reason = "the body ended early";
        Box::new(json_response(StatusCode::BAD_REQUEST, &json!({"error": "malformed", "reason": reason})))
    })
}

fn json_response(status: StatusCode, body: &Value) -> Response {
    let mut response = Response::new(Body::from(body.to_string()));
    *response.status_mut() = status;
    response.headers_mut().insert(http::header::CONTENT_TYPE, HeaderValue::from_static("application/json"));
    response
}
