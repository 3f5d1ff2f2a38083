//! What API Gateway's HTTP API does with a request and a function's response, as pure functions. Source:
//! docs.aws.amazon.com, "AWS Lambda proxy integrations for HTTP APIs", payload format 2.0.

use std::net::IpAddr;

use bytes::Bytes;
use hookledger::request::{decode_base64, encode_base64};
use hookledger::time::UnixMs;
use http::header::{CONTENT_TYPE, COOKIE, HOST, SET_COOKIE, USER_AGENT};
use http::request::Parts;
use http::{HeaderMap, HeaderName, HeaderValue, Response, StatusCode};
use serde::Deserialize;
use serde_json::value::{RawValue, to_raw_value};
use serde_json::{Map, Value, json};

/// What the gateway knows of a request beside the request.
#[derive(Clone, Copy, Debug)]
pub struct Call<'a> {
    /// Whose route it took.
    pub provider: &'a str,
    /// The gateway's id of the request.
    pub request_id: &'a str,
    /// Who sent it.
    pub source: IpAddr,
    /// When it came.
    pub now: UnixMs,
}

/// The event a function is given for this request.
pub fn event(parts: &Parts, body: &Bytes, call: &Call<'_>) -> Result<Box<RawValue>, serde_json::Error> {
    let path = parts.uri.path();
    let route = format!("{} /webhooks/{}", parts.method, call.provider);
    let mut event = json!({
        "version": "2.0",
        "routeKey": route,
        "rawPath": path,
        "rawQueryString": parts.uri.query().unwrap_or_default(),
        "headers": joined(&parts.headers),
        "requestContext": {
            "accountId": "000000000000",
            "apiId": "local",
            "domainName": text(parts.headers.get(HOST)),
            "domainPrefix": "local",
            "http": {
                "method": parts.method.as_str(),
                "path": path,
                "protocol": format!("{:?}", parts.version),
                "sourceIp": call.source.to_string(),
                "userAgent": text(parts.headers.get(USER_AGENT)),
            },
            "requestId": call.request_id,
            "routeKey": route,
            "stage": "$default",
            "timeEpoch": call.now.get(),
        },
        "isBase64Encoded": false,
    });
    let cookies = cookies(&parts.headers);
    if !cookies.is_empty() {
        event["cookies"] = cookies.into();
    }
    if !body.is_empty() {
        let as_text = if is_text(&parts.headers) { std::str::from_utf8(body).ok() } else { None };
        event["isBase64Encoded"] = as_text.is_none().into();
        event["body"] = as_text.map_or_else(|| encode_base64(body).into(), Value::from);
    }
    to_raw_value(&event)
}

/// Names in lower case, the values of one name joined by commas. Cookies stand apart.
fn joined(headers: &HeaderMap) -> Map<String, Value> {
    let names = headers.keys().filter(|name| *name != COOKIE);
    let values = |name| headers.get_all(name).iter().map(|value| text(Some(value))).collect::<Vec<_>>().join(",");
    names.map(|name| (name.as_str().to_owned(), values(name).into())).collect()
}

fn cookies(headers: &HeaderMap) -> Vec<String> {
    let values = headers.get_all(COOKIE).iter().map(|value| text(Some(value)));
    values.flat_map(|value| value.split("; ").map(str::to_owned).collect::<Vec<_>>()).collect()
}

fn text(value: Option<&HeaderValue>) -> String {
    value.map(|value| String::from_utf8_lossy(value.as_bytes()).into_owned()).unwrap_or_default()
}

/// The content types whose bodies are handed on as text. All others, and none at all, go as base64.
fn is_text(headers: &HeaderMap) -> bool {
    let essence = text(headers.get(CONTENT_TYPE));
    let essence = essence.split(';').next().unwrap_or_default().trim().to_ascii_lowercase();
    essence.starts_with("text/")
        || ["application/json", "application/xml", "application/javascript"].contains(&essence.as_str())
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Answered {
    status_code: u16,
    #[serde(default)]
    headers: Map<String, Value>,
    #[serde(default)]
    multi_value_headers: Map<String, Value>,
    #[serde(default)]
    cookies: Vec<String>,
    body: Option<String>,
    #[serde(default)]
    is_base64_encoded: bool,
}

/// The HTTP response made of what a function gave. Errors say why it cannot be one.
pub fn response(answered: Value) -> Result<Response<Bytes>, &'static str> {
    let answered: Answered = serde_json::from_value(answered).map_err(|_| "it is not a proxy response")?;
    let mut response = Response::new(body(answered.body.unwrap_or_default(), answered.is_base64_encoded)?);
    *response.status_mut() = StatusCode::from_u16(answered.status_code).map_err(|_| "its status is none")?;
    let headers = response.headers_mut();
    for (name, value) in &answered.headers {
        append(headers, name, value)?;
    }
    for (name, values) in &answered.multi_value_headers {
        let values = values.as_array().ok_or("a multi-value header is not a list")?;
        values.iter().try_for_each(|value| append(headers, name, value))?;
    }
    for cookie in answered.cookies {
        append(headers, SET_COOKIE.as_str(), &Value::from(cookie))?;
    }
    Ok(response)
}

fn body(text: String, is_base64: bool) -> Result<Bytes, &'static str> {
    if !is_base64 {
        return Ok(Bytes::from(text));
    }
    decode_base64(&text).map(Bytes::from).ok_or("its body is not base64")
}

fn append(headers: &mut HeaderMap, name: &str, value: &Value) -> Result<(), &'static str> {
    let text = match value {
        Value::String(text) => text.clone(),
        Value::Bool(_) | Value::Number(_) => value.to_string(),
        _ => return Err("a header's value is no text"),
    };
    let name = HeaderName::try_from(name).map_err(|_| "a header's name is none")?;
    let value = HeaderValue::try_from(text).map_err(|_| "a header's value cannot be sent")?;
    headers.append(name, value);
    Ok(())
}
