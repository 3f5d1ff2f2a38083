//! One file to send, and one sending of it.

use std::net::SocketAddr;
use std::path::{Component, Path};
use std::sync::Arc;
use std::time::Instant;

use bytes::Bytes;
use hookledger::provider::Provider;
use hookledger::request::Secret;
use hookledger::runtime::SystemClock;
use hookledger::time::Clock as _;
use http::{HeaderMap, Request, Response};
use http_body_util::{BodyExt as _, Full};
use hyper_util::client::legacy;
use hyper_util::client::legacy::connect::HttpConnector;
use hyper_util::rt::TokioExecutor;
use serde_json::Value;

use crate::cli::Failure;
use crate::front::STACK_PATH;
use crate::registry;
use crate::settings::Settings;

/// A file, ready to be signed.
pub(super) struct Job {
    pub(super) file: String,
    pub(super) provider: Arc<dyn Provider>,
    secret: Secret,
    body: Bytes,
}

/// What came back. `status` is `None` where nothing did.
#[derive(Clone, Debug)]
pub(super) struct Answered {
    pub(super) job: usize,
    pub(super) status: Option<u16>,
    pub(super) outcome: Option<String>,
    pub(super) claim: Option<String>,
    pub(super) took_us: u64,
}

impl Job {
    pub(super) fn read(
        file: &Path,
        provider: Option<&str>,
        tag: Option<&str>,
        settings: &Settings,
    ) -> Result<Self, Failure> {
        let shown = file.display().to_string();
        let unasked = |problem: String| Failure::Unasked(format!("{shown}: {problem}"));
        if file.is_dir() {
            return Err(unasked(format!("it is a folder: name its files, as in {shown}/*")));
        }
        let body = std::fs::read(file).map_err(|error| unasked(error.to_string()))?;
        let name = provider.map(str::to_owned).or_else(|| provider_of(file)).ok_or_else(|| {
            unasked("the path does not say whose event it is (events/<provider>/…): add --provider".to_owned())
        })?;
        let received = settings.of(&name);
        let received =
            received.ok_or_else(|| unasked(format!("{name} is not a provider; known are {}", registry::names())))?;
        let provider = received.provider.clone();
        if let Some(why) = provider.cannot_sign() {
            return Err(unasked(format!("the signature of {name} cannot be made here: {why}")));
        }
        let body = tag.map_or(body.clone(), |tag| provider.refresh(&body, tag));
        let secret =
            received.keys.first().cloned().ok_or_else(|| unasked("there is no secret to sign with".to_owned()))?;
        let body = provider.seal(&body, &secret).into();
        Ok(Self { file: shown, provider, secret, body })
    }
}

/// The folder under `events`.
fn provider_of(file: &Path) -> Option<String> {
    let full = std::path::absolute(file).ok()?;
    let names: Vec<_> = full
        .parent()?
        .components()
        .filter_map(|part| match part {
            Component::Normal(name) => name.to_str(),
            _ => None,
        })
        .collect();
    let at = names.iter().rposition(|name| *name == "events")?;
    names.get(at + 1).map(|name| (*name).to_owned())
}

/// Posts to the stack.
pub(super) struct Client {
    http: legacy::Client<HttpConnector, Full<Bytes>>,
    address: SocketAddr,
}

impl Client {
    pub(super) fn new(address: SocketAddr) -> Self {
        Self { http: legacy::Client::builder(TokioExecutor::new()).build_http(), address }
    }

    /// Signs with the time now, posts, and reads the answer.
    pub(super) async fn send(&self, at: usize, job: &Job) -> Answered {
        let began = Instant::now();
        let response = self.post(job).await;
        let took_us = began.elapsed().as_micros().try_into().unwrap_or(u64::MAX);
        match response {
            Some(response) => {
                let (status, outcome) = (response.status().as_u16(), outcome(&response));
                Answered { job: at, status: Some(status), outcome, claim: claim(response.headers()), took_us }
            }
            None => Answered { job: at, status: None, outcome: Some("no answer".to_owned()), claim: None, took_us },
        }
    }

    /// Where the DynamoDB of this very stack is. `None`: it does not say.
    pub(super) async fn dynamodb(&self) -> Option<SocketAddr> {
        let request = Request::get(format!("http://{}{STACK_PATH}", self.address)).body(Full::default()).ok()?;
        let body = self.http.request(request).await.ok()?.into_body().collect().await.ok()?.to_bytes();
        serde_json::from_slice::<Value>(&body).ok()?.get("dynamodb")?.as_str()?.parse().ok()
    }

    async fn post(&self, job: &Job) -> Option<Response<Bytes>> {
        let name = job.provider.profile().name;
        let signed = job.provider.sign(&job.body, &job.secret, SystemClock.now());
        let mut request = Request::post(format!("http://{}/webhooks/{name}", self.address));
        if !signed.iter().any(|(name, _)| name.eq_ignore_ascii_case("content-type")) {
            request = request.header("content-type", "application/json");
        }
        for (name, value) in signed {
            request = request.header(name, value);
        }
        let (parts, body) = self.http.request(request.body(Full::new(job.body.clone())).ok()?).await.ok()?.into_parts();
        Some(Response::from_parts(parts, body.collect().await.ok()?.to_bytes()))
    }
}

/// What the answer itself says: a replay, or why not. `None`: success, for the first time.
fn outcome(response: &Response<Bytes>) -> Option<String> {
    if response.headers().contains_key("hookledger-replay") {
        return Some("replayed".to_owned());
    }
    if response.status().is_success() {
        return None;
    }
    let body = serde_json::from_slice::<Value>(response.body()).unwrap_or_default();
    Some(body.get("error").and_then(Value::as_str).unwrap_or("refused").to_owned())
}

fn claim(headers: &HeaderMap) -> Option<String> {
    headers.get("hookledger-claim").and_then(|claim| claim.to_str().ok()).map(str::to_owned)
}
