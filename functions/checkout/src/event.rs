//! The envelope: `id`, `type`, `data`, and when it happened
//! (www.checkout.com/docs/developer-resources/event-notifications/event-types).

use bytes::Bytes;
use hookledger::json::{FieldError, Object};
use hookledger::provider::Event;
use hookledger::time::UnixMs;

/// The event of a delivery. Never fails: what cannot be named by its id is named by its bytes.
pub(crate) fn identify(body: &Bytes) -> Event {
    // No event says whether it is a test: the sandbox has keys of its own.
    Event::unnamed(body, None).named(name)
}

fn name(event: &mut Event, object: &Object<'_>) -> Result<(), FieldError> {
    if let Ok(Some(event_type)) = object.text_opt("type") {
        event.event_type = event_type.into_owned();
    }
    event.id = object.filled("id")?.into_owned();
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
