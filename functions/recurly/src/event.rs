//! The notification (docs.recurly.com, account notifications, payment notifications).

use hookledger::json::{FieldError, Object};
use hookledger::provider::Event;
use hookledger::request::VerifiedRequest;

/// The event of a delivery. Never fails: what cannot be named by its fields is named by its bytes.
pub(crate) fn identify(request: &VerifiedRequest) -> Event {
    Event::unnamed(request.body(), request.label()).named(name)
}

fn name(event: &mut Event, object: &Object<'_>) -> Result<(), FieldError> {
    event.event_type = format!("{}.{}", object.text("object_type")?, object.text("event_type")?);
    if let Some(site) = object.text_opt("site_id")?.filter(|site| !site.is_empty()) {
        event.scope = site.into_owned();
    }
    let id = object.filled("id")?;
    event.id = format!("{}.{}.{id}", event.event_type, object.text("event_time")?);
    Ok(())
}
