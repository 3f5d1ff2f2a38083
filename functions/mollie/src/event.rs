//! A signed event (docs.mollie.com/reference/webhooks-new). It does not say itself whether it is a test; the entity inside
//! it does, where there is one. Without, it is taken to be of the deployment's mode: a webhook is of one mode, and so is its
//! secret.

use hookledger::json::{FieldError, Object};
use hookledger::provider::{Event, EventMode};
use hookledger::request::VerifiedRequest;

/// The event of a signed delivery.
pub(crate) fn identify(request: &VerifiedRequest) -> Event {
    Event::unnamed(request.body(), request.label()).named(|event, object| {
        let (id, event_type) = (object.filled("id")?, object.filled("type")?);
        (event.id, event.event_type, event.mode) = (id.into_owned(), event_type.into_owned(), mode(object)?);
        Ok(())
    })
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
