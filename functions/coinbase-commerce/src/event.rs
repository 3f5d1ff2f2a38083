//! The envelope and the event in it (docs.cdp.coinbase.com/commerce, webhook fields).

use hookledger::claim::Digest;
use hookledger::json::{FieldError, Object};
use hookledger::provider::{Event, EventMode, Kept};
use hookledger::request::VerifiedRequest;

/// The event of a delivery. Never fails: what cannot be named by its id is named by its bytes.
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
    let inner = Object::parse(body)?.object("event")?;
    event.event_type = inner.text_opt("type")?.unwrap_or_default().into_owned();
    let id = inner.text("id")?;
    if id.is_empty() {
        return Err(inner.error("id", "empty"));
    }
    event.id = id.into_owned();
    Ok(())
}
