//! The gateway's event, taken apart before anything in it is believed.
//!
//! The event types are those of `aws_lambda_events`. `lambda_http`, which makes an `http::Request` of them, is not used: it
//! builds a URL of the Host header and the path, which neither verifying nor routing needs, and panics where they do not
//! make one or where the base64 is bad; of a header that a REST API lists twice it keeps one value; and its answers change
//! bytes by their content type.

use aws_lambda_events::apigw::{ApiGatewayProxyRequest, ApiGatewayV2httpRequest};
use bytes::Bytes;
use http::HeaderMap;
use http::header::{COOKIE, HOST};
use http::uri::Authority;
use serde::Deserialize;
use serde::de::{DeserializeOwned, IgnoredAny};

use crate::request::{Headers, REQUEST_ID, UnverifiedRequest, decode_base64};

const UNKNOWN: &str = "not an HTTP event of API Gateway or of a function URL";
const UNREADABLE: &str = "a header, the method or another field of the gateway's event cannot be read";
const BAD_BASE64: &str = "the body is not the base64 it is said to be";
const BAD_HOST: &str = "the Host header is not a host";

/// Reads a REST API's event, an HTTP API's (either payload format) or a function URL's. Errors say why not.
pub(super) fn read(event: &str) -> Result<UnverifiedRequest, &'static str> {
    match Shape::of(event) {
        Some(Shape::V1) => from_v1(parse(event)?),
        Some(Shape::V2) => from_v2(parse(event)?),
        None => Err(UNKNOWN),
    }
}

/// The two payload formats. Sources: docs.aws.amazon.com, "Lambda proxy integrations in API Gateway" (REST: 1.0) and
/// "AWS Lambda proxy integrations for HTTP APIs" (1.0 and 2.0); function URLs send 2.0.
enum Shape {
    V1,
    V2,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Outline {
    http_method: Option<IgnoredAny>,
    request_context: Option<ContextOutline>,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct ContextOutline {
    http: Option<IgnoredAny>,
    http_method: Option<IgnoredAny>,
}

impl Shape {
    fn of(event: &str) -> Option<Self> {
        let Outline { http_method, request_context } = serde_json::from_str(event).ok()?;
        let context = request_context?;
        match (http_method, context) {
            (_, ContextOutline { http: Some(_), .. }) => Some(Self::V2),
            (Some(_), ContextOutline { http_method: Some(_), .. }) => Some(Self::V1),
            _ => None,
        }
    }
}

fn parse<T: DeserializeOwned>(event: &str) -> Result<T, &'static str> {
    serde_json::from_str(event).map_err(|_| UNREADABLE)
}

fn from_v1(event: ApiGatewayProxyRequest) -> Result<UnverifiedRequest, &'static str> {
    // The single values repeat what the lists hold, and only the last of each.
    let (lists, singles) = (&event.multi_value_headers, &event.headers);
    let unlisted = singles.iter().filter(|(name, _)| !lists.contains_key(*name));
    let headers = texts(lists.iter().chain(unlisted), event.request_context.request_id.as_deref())?;
    let (lists, singles) = (event.multi_value_query_string_parameters, event.query_string_parameters);
    let query = if lists.is_empty() { singles } else { lists };
    check_host(&headers, event.request_context.domain_name.as_deref())?;
    Ok(UnverifiedRequest {
        method: event.http_method.as_str().to_ascii_uppercase(),
        path: event.path.unwrap_or_default(),
        query: query.to_query_string(),
        headers,
        body: body(event.body, event.is_base64_encoded)?,
    })
}

fn from_v2(event: ApiGatewayV2httpRequest) -> Result<UnverifiedRequest, &'static str> {
    let mut all: HeaderMap = event.headers;
    // This format takes cookies out of the headers.
    if let Some(cookies) = event.cookies.filter(|cookies| !cookies.is_empty()) {
        all.insert(COOKIE, cookies.join("; ").parse().map_err(|_| UNREADABLE)?);
    }
    let headers = texts(all.iter(), event.request_context.request_id.as_deref())?;
    check_host(&headers, event.request_context.domain_name.as_deref())?;
    Ok(UnverifiedRequest {
        method: event.request_context.http.method.as_str().to_ascii_uppercase(),
        path: event.raw_path.unwrap_or_default(),
        query: event.raw_query_string.unwrap_or_default(),
        headers,
        body: body(event.body, event.is_base64_encoded)?,
    })
}

/// With the gateway's own id of the request, and no other under its name.
fn texts<'a>(
    headers: impl Iterator<Item = (&'a http::HeaderName, &'a http::HeaderValue)>,
    request_id: Option<&'a str>,
) -> Result<Headers, &'static str> {
    let headers = headers.filter(|(name, _)| *name != REQUEST_ID);
    let text = |value: &'a http::HeaderValue| std::str::from_utf8(value.as_bytes()).map_err(|_| UNREADABLE);
    let pairs = headers.map(|(name, value)| Ok((name.as_str(), text(value)?)));
    let id = request_id.map(|id| Ok((REQUEST_ID, id)));
    Ok(Headers::new(pairs.chain(id).collect::<Result<Vec<_>, &'static str>>()?))
}

fn body(text: Option<String>, is_base64: bool) -> Result<Bytes, &'static str> {
    let text = text.unwrap_or_default();
    if is_base64 { decode_base64(&text).map(Bytes::from).ok_or(BAD_BASE64) } else { Ok(Bytes::from(text)) }
}

/// No Host at all is fine; one that is none was not made by the gateway.
fn check_host(headers: &Headers, domain: Option<&str>) -> Result<(), &'static str> {
    match headers.get(HOST.as_str()).or(domain) {
        Some(host) if host.parse::<Authority>().is_err() => Err(BAD_HOST),
        _ => Ok(()),
    }
}
