//! The envelope (developer.squareup.com/reference/square/webhooks).

use bytes::Bytes;
use hookledger::json::{FieldError, Object};
use hookledger::provider::Event;

/// The event of a delivery. Never fails: what cannot be named by its id is named by its bytes.
pub(crate) fn identify(body: &Bytes) -> Event {
    // The sandbox is told by an unsigned header alone. It signs with keys of its own.
    Event::unnamed(body, None).named(name)
}

fn name(event: &mut Event, object: &Object<'_>) -> Result<(), FieldError> {
    if let Ok(Some(event_type)) = object.text_opt("type") {
        event.event_type = event_type.into_owned();
    }
    event.id = object.filled("event_id")?.into_owned();
    event.scope = object.text_opt("merchant_id")?.unwrap_or_default().into_owned();
    Ok(())
}
