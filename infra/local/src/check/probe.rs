//! A signed delivery that asks whether it would be received, and leaves nothing: verified by the function that would book it.

use std::fs;
use std::path::{Path, PathBuf};
use std::time::Duration;

use aws_smithy_runtime_api::client::http::HttpConnector as _;
use aws_smithy_runtime_api::client::orchestrator::HttpRequest;
use aws_smithy_types::body::SdkBody;
use bytes::Bytes;
use hookledger::outside;
use hookledger::plan::Plan;
use hookledger::provider::{Event, EventMode, Provider};
use hookledger::receive::PROBE;
use hookledger::request::{Headers, KeySet, Secret, UnverifiedRequest};
use hookledger::runtime::SystemClock;
use hookledger::time::Clock as _;

use super::Finding;
use super::aws::Unasked;

/// A gateway's error page says no more after that.
const BODY_CHARS_SHOWN: usize = 200;

/// Ours and a gateway's answers are far smaller.
const BODY_BYTES_MAX: usize = 64 * 1_024;

const ANSWERS_WITHIN: Duration = Duration::from_secs(30);

/// Probes `url` as `provider` with its first secret. `Err`: it cannot be probed from here, and why. `host`: what the request
/// says it is for, where that is not the address it goes to.
pub(super) async fn probe(
    provider: &dyn Provider,
    keys: &KeySet,
    url: &str,
    host: Option<&str>,
) -> Result<Vec<Finding>, String> {
    let name = provider.profile().name;
    if let Some(why) = provider.cannot_sign() {
        return Err(format!("{name} is not probed: {why}"));
    }
    let Some(secret) = keys.first() else { return Err(format!("{name} is not probed: it has no secret")) };
    let body = body(provider, keys, secret)
        .ok_or_else(|| format!("{name} is not probed: no sample in events/{name} can be signed and moves no money"))?;
    let mut headers = provider.sign(&body, secret, SystemClock.now());
    headers.push((PROBE.to_owned(), "1".to_owned()));
    headers.extend(host.map(|host| ("host".to_owned(), host.to_owned())));
    let answer = tokio::time::timeout(ANSWERS_WITHIN, post(url, headers, body)).await;
    let seen = match answer {
        Ok(Ok(answer)) if answer.is_verified => return Ok(Vec::new()),
        Ok(Ok(answer)) => format!("{} {}", answer.status, answer.body),
        Ok(Err(problem)) => problem,
        Err(_) => "nothing in time".to_owned(),
    };
    let why = "what this provider sends would not be received";
    let mend = "401: its secret is not the function's; 403, 404: route or permission; 5xx: see the function's log";
    Ok(vec![Finding::new(format!("a signed probe of {url} was answered with {seen}"), why, mend)])
}

/// A sample of the provider that has to be signed and moves no money: whoever does not know the header, books nothing. The
/// best has no effect at all.
fn body(provider: &dyn Provider, keys: &KeySet, secret: &Secret) -> Option<Bytes> {
    let folder = samples().join(provider.profile().name);
    let mut files: Vec<_> = fs::read_dir(folder).ok()?.filter_map(|file| Some(file.ok()?.path())).collect();
    files.sort();
    let bodies = files.iter().filter_map(|file| fs::read(file).ok());
    let bodies = bodies.map(|body| Bytes::from(provider.seal(&body, secret)));
    let harmless = bodies.filter_map(|body| Some((effect(provider, keys, secret, &body)?, body)));
    harmless.min_by_key(|(effect, _)| *effect).map(|(_, body)| body)
}

/// How much a signed delivery of this body would write: nothing, or claims. `None`: more than that, or it is not signed.
fn effect(provider: &dyn Provider, keys: &KeySet, secret: &Secret, body: &Bytes) -> Option<usize> {
    let now = SystemClock.now();
    let headers = Headers::new(provider.sign(body, secret, now));
    let path = format!("/webhooks/{}", provider.profile().name);
    let request =
        UnverifiedRequest { method: "POST".to_owned(), path, query: String::new(), headers, body: body.clone() };
    if provider.handshake(&request, keys).is_some() || provider.is_ping(&request) {
        return None;
    }
    let signature = provider.signature(&request).ok()?;
    let events = provider.identify(&request.verify(&signature, keys, now).ok()?);
    events.iter().map(|event| effect_of(provider, event)).sum()
}

fn effect_of(provider: &dyn Provider, event: &Event) -> Option<usize> {
    if event.problem.is_some() || event.mode == EventMode::Missing {
        return None;
    }
    match provider.interpret(event) {
        Plan::Ignore(_) => Some(0),
        Plan::Settle(settle) if settle.entries().is_empty() => Some(1),
        _ => None,
    }
}

fn samples() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../events")
}

/// Where a request for `url` goes on an emulator, which tells its APIs by the host `<api>.execute-api.localhost:<port>`: the
/// address, and the host.
pub(super) fn redirected(url: &str, endpoint: &str) -> Result<(String, String), Unasked> {
    let unasked = || Unasked(format!("--endpoint {endpoint} is not of the form http://127.0.0.1:4566"));
    let uri: http::Uri = url.parse().map_err(|_| unasked())?;
    let port = endpoint.parse::<http::Uri>().ok().and_then(|endpoint| endpoint.port_u16()).ok_or_else(unasked)?;
    let api: Vec<&str> = uri.host().unwrap_or_default().split('.').take(2).collect();
    Ok((format!("{}{}", endpoint.trim_end_matches('/'), uri.path()), format!("{}.localhost:{port}", api.join("."))))
}

struct Answer {
    status: u16,
    is_verified: bool,
    body: String,
}

async fn post(url: &str, headers: Vec<(String, String)>, body: Bytes) -> Result<Answer, String> {
    let mut request = http::Request::post(url).header("content-type", "application/json");
    for (name, value) in headers {
        if name.eq_ignore_ascii_case("content-type") {
            request.headers_mut().map(|all| all.remove("content-type"));
        }
        request = request.header(name, value);
    }
    let request = request.body(SdkBody::from(body.to_vec())).map_err(|error| error.to_string())?;
    let request: HttpRequest = request.try_into().map_err(|_| "no request can be made of it".to_owned())?;
    let answer = outside::connector(ANSWERS_WITHIN).call(request).await.map_err(|error| format!("nothing: {error}"))?;
    let (status, said) = (answer.status().as_u16(), answer.headers().get(PROBE).map(str::to_owned));
    let body = outside::body(answer, BODY_BYTES_MAX).await.unwrap_or_default();
    let body = String::from_utf8_lossy(&body).chars().take(BODY_CHARS_SHOWN).collect();
    Ok(Answer { status, is_verified: said.as_deref() == Some("verified"), body })
}
