//! The envelope (developer.paddle.com/webhooks/about/how-webhooks-work).

use bytes::Bytes;
use hookledger::claim::Digest;
use hookledger::json::{FieldError, Object};
use hookledger::provider::{Event, EventMode, Kept};

/// The event of a delivery. Never fails: what cannot be named by its id is named by its bytes. Nothing in it says whose it
/// is, so the scope is the label of the secret.
pub(crate) fn identify(body: &Bytes, label: Option<&str>) -> Event {
    let mut event = Event {
        id: Digest::of(body).to_hex(),
        scope: label.unwrap_or_default().to_owned(),
        event_type: String::new(),
        // Nothing tells the sandbox's events. It signs with secrets of its own.
        mode: EventMode::Ours,
        kept: Kept { body: body.clone(), headers: Vec::new() },
        problem: None,
    };
    event.problem = name(&mut event, body).err().map(|problem| problem.to_string());
    event
}

fn name(event: &mut Event, body: &[u8]) -> Result<(), FieldError> {
    let object = Object::parse(body)?;
    if let Ok(Some(event_type)) = object.text_opt("event_type") {
        event.event_type = event_type.into_owned();
    }
    let id = object.text("event_id")?;
    if id.is_empty() {
        return Err(object.error("event_id", "empty"));
    }
    event.id = id.into_owned();
    Ok(())
}
