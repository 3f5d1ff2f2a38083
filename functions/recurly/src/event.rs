//! The notification (docs.recurly.com, account notifications, payment notifications).

use hookledger::claim::Digest;
use hookledger::json::{FieldError, Object};
use hookledger::provider::{Event, EventMode, Kept};
use hookledger::request::VerifiedRequest;

/// The event of a delivery. Never fails: what cannot be named by its fields is named by its bytes.
pub(crate) fn identify(request: &VerifiedRequest) -> Event {
    let body = request.body();
    let mut event = Event {
        id: Digest::of(body).to_hex(),
        scope: request.label().unwrap_or_default().to_owned(),
        event_type: String::new(),
        mode: EventMode::Ours,
        kept: Kept { body: body.clone(), headers: Vec::new() },
        problem: None,
    };
    event.problem = name(&mut event, body).err().map(|problem| problem.to_string());
    event
}

fn name(event: &mut Event, body: &[u8]) -> Result<(), FieldError> {
    let object = Object::parse(body)?;
    event.event_type = format!("{}.{}", object.text("object_type")?, object.text("event_type")?);
    if let Some(site) = object.text_opt("site_id")?.filter(|site| !site.is_empty()) {
        event.scope = site.into_owned();
    }
    let id = object.text("id")?;
    if id.is_empty() {
        return Err(object.error("id", "empty"));
    }
    event.id = format!("{}.{}.{id}", event.event_type, object.text("event_time")?);
    Ok(())
}
