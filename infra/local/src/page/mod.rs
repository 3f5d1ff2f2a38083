//! The page at `/`: what was received, what is open, what the ledger holds. It reads, and changes nothing.
//!
//! What it shows comes from outside, so every text is escaped where it is put in, nothing is ever run, and a browser that was
//! led here under another name is turned away.

mod account;
mod frame;
mod overview;
mod story;

use std::net::SocketAddr;

use axum::body::Body;
use axum::response::Response;
use hookledger::claim::ClaimKey;
use hookledger::stuck::Watch;
use http::header::{
    CACHE_CONTROL, CONTENT_SECURITY_POLICY, CONTENT_TYPE, HOST, REFERRER_POLICY, X_CONTENT_TYPE_OPTIONS,
};
use http::request::Parts;
use http::{Method, StatusCode};
use maud::Markup;

use crate::commands::Commands;
use crate::tally::Tally;

const STYLE: &str = include_str!("style.css");
const STYLE_PATH: &str = "/style.css";

/// Nothing but our own style sheet.
const POLICY: &str =
    "default-src 'none'; style-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'";

/// The names of this machine for itself.
const LOOPBACK: [&str; 3] = ["127.0.0.1", "localhost", "[::1]"];

/// The page of one stack.
#[derive(Clone)]
pub(crate) struct Page {
    address: SocketAddr,
    watch: Watch,
    tally: Tally,
    commands: Commands,
}

impl Page {
    pub(crate) fn new(address: SocketAddr, watch: Watch, tally: Tally, commands: Commands) -> Self {
        Self { address, watch, tally, commands }
    }

    /// The answer to a request that reads one of the page's paths; `None`: it is none of them.
    pub(crate) async fn answer(&self, parts: &Parts) -> Option<Response> {
        let path = parts.uri.path();
        let event = path.strip_prefix("/events/");
        let account = path.strip_prefix("/accounts/");
        let reads = parts.method == Method::GET || parts.method == Method::HEAD;
        if !reads || (path != "/" && path != STYLE_PATH && event.is_none() && account.is_none()) {
            return None;
        }
        if !is_loopback(parts) {
            let text = format!("open it as http://{}/: it is for this machine only", self.address);
            return Some(plain(StatusCode::FORBIDDEN, text));
        }
        if path == STYLE_PATH {
            return Some(guarded(StatusCode::OK, "text/css; charset=utf-8", STYLE.to_owned()));
        }
        let (status, markup) = match (event, account) {
            (Some(key), _) => self.story(&ClaimKey::from_text(decoded(key))).await,
            (_, Some(account)) => self.account(&decoded(account)).await,
            _ => self.overview().await,
        };
        Some(html(status, markup))
    }
}

/// A page elsewhere can have its name point at 127.0.0.1 and so read what is shown here, but not under our name.
fn is_loopback(parts: &Parts) -> bool {
    let host = parts.headers.get(HOST).and_then(|host| host.to_str().ok()).unwrap_or_default();
    let name = match host.rsplit_once(':') {
        Some((name, port)) if !port.is_empty() && port.bytes().all(|byte| byte.is_ascii_digit()) => name,
        _ => host,
    };
    LOOPBACK.contains(&name)
}

/// A part of a path, read back.
fn decoded(part: &str) -> String {
    let bytes = part.as_bytes();
    let mut out = Vec::with_capacity(bytes.len());
    let mut at = 0;
    while let Some(byte) = bytes.get(at) {
        let escaped = bytes.get(at + 1..at + 3).filter(|_| *byte == b'%');
        let value = escaped.and_then(|hex| u8::from_str_radix(std::str::from_utf8(hex).ok()?, 16).ok());
        out.push(value.unwrap_or(*byte));
        at += if value.is_some() { 3 } else { 1 };
    }
    String::from_utf8_lossy(&out).into_owned()
}

/// A text as one part of a path.
fn encoded(text: &str) -> String {
    let plain = |byte: u8| byte.is_ascii_alphanumeric() || b"-_.~".contains(&byte);
    text.bytes().map(|byte| if plain(byte) { char::from(byte).to_string() } else { format!("%{byte:02X}") }).collect()
}

fn html(status: StatusCode, markup: Markup) -> Response {
    guarded(status, "text/html; charset=utf-8", markup.into_string())
}

fn plain(status: StatusCode, text: String) -> Response {
    guarded(status, "text/plain; charset=utf-8", text + "\n")
}

fn guarded(status: StatusCode, content_type: &'static str, body: String) -> Response {
    let response = Response::builder()
        .status(status)
        .header(CONTENT_TYPE, content_type)
        .header(CONTENT_SECURITY_POLICY, POLICY)
        .header(REFERRER_POLICY, "no-referrer")
        .header(X_CONTENT_TYPE_OPTIONS, "nosniff")
        .header(CACHE_CONTROL, "no-store");
    response.body(Body::from(body)).unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_part_of_a_path_goes_both_ways() {
        for text in ["stripe::evt_1", "a/b?c#d%e", "é\u{7}\"<>", "%zz", ""] {
            assert_eq!(decoded(&encoded(text)), text);
        }
        assert_eq!(decoded("%zz%4"), "%zz%4");
    }
}
