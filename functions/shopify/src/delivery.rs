//! A delivery (shopify.dev/docs/apps/build/webhooks, headers; shopify-app-js).

use hookledger::claim::Digest;
use hookledger::json::{FieldError, Object};
use hookledger::provider::{Event, EventMode, Kept};
use hookledger::request::{Headers, VerifiedRequest};

use crate::signature::{self, Family};

/// Kept with an event that is not done at once: what it is about, whose it is, and what tells one delivery from another.
pub(crate) const KEPT_HEADERS: [&str; 15] = [
    "x-shopify-topic",
    "x-shopify-shop-domain",
    "x-shopify-api-version",
    "x-shopify-webhook-id",
    "x-shopify-event-id",
    "x-shopify-triggered-at",
    "shopify-topic",
    "shopify-action",
    "shopify-shop-domain",
    "shopify-api-version",
    "shopify-webhook-id",
    "shopify-event-id",
    "shopify-resource-id",
    "shopify-handle",
    "shopify-triggered-at",
];

/// Topics are short words.
const TOPIC_BYTES_MAX: usize = 128;

/// The event of a delivery. Never fails.
pub(crate) fn identify(request: &VerifiedRequest) -> Event {
    let (body, headers) = (request.body(), request.headers());
    let kept = |name: &&str| headers.get(name).map(|value| ((*name).to_owned(), value.to_owned()));
    let digest = Digest::of(body).to_hex();
    let topic = topic(headers);
    let (mode, unreadable) = match mode(body) {
        Ok(mode) => (mode, None),
        Err(problem) => (EventMode::Ours, Some(problem.to_string())),
    };
    let untold = topic.is_none().then(|| "the header with the topic is missing, or holds no topic".to_owned());
    Event {
        id: topic.as_ref().map_or(digest.clone(), |topic| format!("{topic}.{digest}")),
        scope: request.label().unwrap_or_default().to_owned(),
        event_type: topic.unwrap_or_default(),
        mode,
        kept: Kept { body: body.clone(), headers: KEPT_HEADERS.iter().filter_map(kept).collect() },
        problem: unreadable.or(untold),
    }
}

/// The topic, with the action where the delivery is one of the newer events.
fn topic(headers: &Headers) -> Option<String> {
    match signature::family(headers)? {
        Family::Webhook => word(headers, "x-shopify-topic").map(str::to_owned),
        Family::Event => {
            let topic = word(headers, "shopify-topic")?;
            Some(word(headers, "shopify-action").map_or(topic.to_owned(), |action| format!("{topic}/{action}")))
        }
    }
}

fn word<'a>(headers: &'a Headers, name: &str) -> Option<&'a str> {
    let letter = |byte: u8| byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'-' | b'/');
    let fits = |text: &&str| (1..=TOPIC_BYTES_MAX).contains(&text.len()) && text.bytes().all(letter);
    headers.get(name).map(str::trim).filter(fits)
}

/// Orders, transactions and refunds of a test say so.
fn mode(body: &[u8]) -> Result<EventMode, FieldError> {
    Ok(match Object::parse(body)?.flag_opt("test")? {
        Some(true) => EventMode::Test,
        Some(false) => EventMode::Live,
        None => EventMode::Ours,
    })
}
