//! The notification inside a delivery: its kind, when it was made, and what it is about
//! (`webhook_notification.py` in github.com/braintree/braintree_python).
//!
//! A document type is refused and no entity is resolved but XML's own five; a notification has neither.

use bytes::Bytes;
use hookledger::claim::Digest;
use hookledger::provider::{Event, EventMode, Kept};
use hookledger::request::{VerifiedRequest, decode_base64};
use roxmltree::{Document, Node};

use crate::signature;

/// Kinds are words, and time stamps have a fixed form: both well below this.
const WORD_BYTES_MAX: usize = 128;

/// What a notification says of itself.
struct Notification {
    kind: String,
    merchant: Option<String>,
    id: String,
}

/// The event of a delivery. What is kept of it is the notification alone.
pub(crate) fn identify(request: &VerifiedRequest) -> Event {
    let decoded = signature::payload(request.body()).and_then(|payload| decode_base64(&payload.replace('\n', "")));
    let (body, read) = match decoded.map(Bytes::from) {
        Some(notification) => (notification.clone(), Notification::read(&notification)),
        None => (request.body().clone(), Err("bt_payload: not base64")),
    };
    let label = request.label().unwrap_or_default();
    let (id, scope, event_type, problem) = match read {
        Ok(read) => (read.id, read.merchant.unwrap_or_else(|| label.to_owned()), read.kind, None),
        Err(problem) => (Digest::of(&body).to_hex(), label.to_owned(), String::new(), Some(problem.to_owned())),
    };
    let kept = Kept { body, headers: Vec::new() };
    Event { id, scope, event_type, mode: EventMode::Ours, kept, problem }
}

impl Notification {
    fn read(bytes: &[u8]) -> Result<Self, &'static str> {
        let text = std::str::from_utf8(bytes).map_err(|_| "not UTF-8")?;
        let document = Document::parse(text).map_err(|_| "not XML that is read here")?;
        let root = document.root_element();
        if root.tag_name().name() != "notification" {
            return Err("not a notification");
        }
        let word = |byte: u8| byte.is_ascii_lowercase() || byte.is_ascii_digit() || byte == b'_';
        let kind =
            text_of(root, "kind")?.filter(|kind| is_made_of(kind, word)).ok_or("kind: missing, or not a word")?;
        let time = |byte: u8| byte.is_ascii_digit() || b"TZ:+-".contains(&byte);
        let made_at = text_of(root, "timestamp")?.filter(|text| is_made_of(text, time));
        let made_at = made_at.ok_or("timestamp: missing, or not a time")?;
        let subject = match only(root, "subject")?.and_then(|subject| subject.first_element_child()) {
            Some(subject) => text_of(subject, "id")?,
            None => None,
        };
        let subject = subject.map_or_else(|| Digest::of(bytes).to_hex(), str::to_owned);
        let merchant = text_of(root, "source-merchant-id")?.map(str::to_owned);
        // Neither a kind nor a time stamp holds a dot, so no two sets of parts make one id.
        Ok(Self { id: format!("{kind}.{made_at}.{subject}"), kind: kind.to_owned(), merchant })
    }
}

/// The text of a child, where there is one and it is not empty.
fn text_of<'a>(parent: Node<'a, '_>, name: &str) -> Result<Option<&'a str>, &'static str> {
    let text = only(parent, name)?.and_then(|child| child.text()).map(str::trim);
    Ok(text.filter(|text| !text.is_empty()))
}

fn only<'a, 'input>(parent: Node<'a, 'input>, name: &str) -> Result<Option<Node<'a, 'input>>, &'static str> {
    let mut named = parent.children().filter(|child| child.is_element() && child.tag_name().name() == name);
    let first = named.next();
    if named.next().is_some() { Err("an element stands twice") } else { Ok(first) }
}

fn is_made_of(text: &str, allowed: impl Fn(u8) -> bool) -> bool {
    text.len() <= WORD_BYTES_MAX && text.bytes().all(allowed)
}
