//! A delivery is one event. What it is about, its topic, and its GUID stand in headers that are not signed
//! (docs.github.com/webhooks/webhook-events-and-payloads#delivery-headers).

use hookledger::claim::Digest;
use hookledger::json::{FieldError, Object};
use hookledger::provider::{Event, EventMode, Kept};
use hookledger::request::VerifiedRequest;

pub(crate) const TOPIC: &str = "x-github-event";
pub(crate) const GUID: &str = "x-github-delivery";

/// Kept with an event that is not done at once: the topic, and what tells one delivery and one webhook from another.
pub(crate) const KEPT_HEADERS: [&str; 5] =
    [TOPIC, GUID, "x-github-hook-id", "x-github-hook-installation-target-id", "x-github-hook-installation-target-type"];

/// GitHub's topics are short words.
const TOPIC_BYTES_MAX: usize = 64;

/// How a webhook with content type `application/x-www-form-urlencoded` begins.
const FORM: &[u8] = b"payload=";

/// The event of a delivery. GitHub sends a delivery again byte for byte, so its name is the topic and the digest of its
/// bytes: a captured body under another GUID is the same event.
pub(crate) fn identify(request: &VerifiedRequest) -> Event {
    let (body, headers) = (request.body(), request.headers());
    let kept = |name: &&str| headers.get(name).map(|value| ((*name).to_owned(), value.to_owned()));
    let digest = Digest::of(body).to_hex();
    let topic = headers.get(TOPIC).filter(|topic| is_topic(topic));
    let (event_type, problem) = match (topic, action(body)) {
        (None, _) => (String::new(), Some(format!("{TOPIC}: missing, or not a topic"))),
        (Some(topic), Ok(None)) => (topic.to_owned(), None),
        (Some(topic), Ok(Some(action))) => (format!("{topic}.{action}"), None),
        (Some(topic), Err(problem)) => (topic.to_owned(), Some(problem.to_string())),
    };
    Event {
        id: topic.map_or(digest.clone(), |topic| format!("{topic}.{digest}")),
        scope: request.label().unwrap_or_default().to_owned(),
        event_type,
        mode: EventMode::Ours,
        kept: Kept { body: body.clone(), headers: KEPT_HEADERS.iter().filter_map(kept).collect() },
        problem,
    }
}

fn is_topic(text: &str) -> bool {
    let letters = text.bytes().all(|byte| byte.is_ascii_lowercase() || byte.is_ascii_digit() || byte == b'_');
    letters && (1..=TOPIC_BYTES_MAX).contains(&text.len())
}

/// What happened to the topic's object, where the topic has several. A form is kept as it stands, and not looked into.
fn action(body: &[u8]) -> Result<Option<String>, FieldError> {
    if body.starts_with(FORM) {
        return Ok(None);
    }
    Ok(Object::parse(body)?.text_opt("action")?.map(|action| action.into_owned()))
}
