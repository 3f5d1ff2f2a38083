//! The envelope: `id`, `type`, `data`, and when it happened
//! (www.checkout.com/docs/developer-resources/event-notifications/event-types).

use bytes::Bytes;
use hookledger::claim::Digest;
use hookledger::json::{FieldError, Object};
use hookledger::provider::{Event, EventMode, Kept};
use hookledger::time::UnixMs;

/// The event of a delivery. Never fails: what cannot be named by its id is named by its bytes.
pub(crate) fn identify(body: &Bytes) -> Event {
    let mut event = Event {
        id: Digest::of(body).to_hex(),
        scope: String::new(),
        event_type: String::new(),
        // No event says whether it is a test: the sandbox has keys of its own.
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
    let id = object.text("id")?;
    if id.is_empty() {
        return Err(object.error("id", "empty"));
    }
    event.id = id.into_owned();
    Ok(())
}

/// When it happened: payments say so themselves, disputes leave it to the envelope, which has two names for it.
pub(crate) fn occurred_at(event: &Object<'_>, data: &Object<'_>) -> Result<UnixMs, FieldError> {
    if data.raw("processed_on").is_some() {
        data.time("processed_on")
    } else if event.raw("created_on").is_some() {
        event.time("created_on")
    } else {
        event.time("timestamp")
    }
}
