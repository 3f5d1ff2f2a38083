//! A signed event (docs.mollie.com/reference/webhooks-new). It does not say itself whether it is a test; the entity inside
//! it does, where there is one. Without, it is taken to be of the deployment's mode: a webhook is of one mode, and so is its
//! secret.

use hookledger::claim::Digest;
use hookledger::json::{FieldError, Object};
use hookledger::provider::{Event, EventMode, Kept};
use hookledger::request::VerifiedRequest;

/// The event of a signed delivery.
pub(crate) fn identify(request: &VerifiedRequest) -> Event {
    let body = request.body();
    let (id, event_type, mode, problem) = match read(body) {
        Ok((id, event_type, mode)) => (id, event_type, mode, None),
        Err(problem) => (Digest::of(body).to_hex(), String::new(), EventMode::Ours, Some(problem.to_string())),
    };
    let scope = request.label().unwrap_or_default().to_owned();
    Event { id, scope, event_type, mode, kept: Kept { body: body.clone(), headers: Vec::new() }, problem }
}

fn read(body: &[u8]) -> Result<(String, String, EventMode), FieldError> {
    let event = Object::parse(body)?;
    let text = |name: &str| match event.text(name)? {
        text if text.is_empty() => Err(event.error(name, "empty")),
        text => Ok(text.into_owned()),
    };
    Ok((text("id")?, text("type")?, mode(&event)?))
}

fn mode(event: &Object<'_>) -> Result<EventMode, FieldError> {
    let Some(embedded) = event.object_opt("_embedded")? else { return Ok(EventMode::Ours) };
    let Some(entity) = embedded.object_opt("entity")? else { return Ok(EventMode::Ours) };
    match entity.text_opt("mode")?.as_deref() {
        None => Ok(EventMode::Ours),
        Some("live") => Ok(EventMode::Live),
        Some("test") => Ok(EventMode::Test),
        Some(_) => Err(entity.error("mode", "neither live nor test")),
    }
}
