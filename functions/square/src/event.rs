//! The envelope (developer.squareup.com/reference/square/webhooks).

use bytes::Bytes;
use hookledger::claim::Digest;
use hookledger::json::{FieldError, Object};
use hookledger::provider::{Event, EventMode, Kept};

/// The event of a delivery. Never fails: what cannot be named by its id is named by its bytes.
pub(crate) fn identify(body: &Bytes) -> Event {
    let mut event = Event {
        id: Digest::of(body).to_hex(),
        scope: String::new(),
        event_type: String::new(),
        // The sandbox is told by an unsigned header alone. It signs with keys of its own.
        mode: EventMode::Ours,
        kept: Kept { body: body.clone(), headers: Vec::new() },
        problem: None,
    };
    event.problem = name(&mut event, body).err().map(|problem| problem.to_string());
    event
}

fn name(event: &mut Event, body: &[u8]) -> Result<(), FieldError> {
    let object = Object::parse(body)?;
    if let Ok(Some(event_type)) = object.text_opt("type") {
        event.event_type = event_type.into_owned();
    }
    let id = object.text("event_id")?;
    if id.is_empty() {
        return Err(object.error("event_id", "empty"));
    }
    event.id = id.into_owned();
    event.scope = object.text_opt("merchant_id")?.unwrap_or_default().into_owned();
    Ok(())
}
