//! The envelope (developer.paddle.com/webhooks/about/how-webhooks-work).

use bytes::Bytes;
use hookledger::json::{FieldError, Object};
use hookledger::provider::Event;

/// The event of a delivery. Never fails: what cannot be named by its id is named by its bytes. Nothing in it says whose it
/// is, so the scope is the label of the secret.
pub(crate) fn identify(body: &Bytes, label: Option<&str>) -> Event {
    // Nothing tells the sandbox's events. It signs with secrets of its own.
    Event::unnamed(body, label).named(name)
}

fn name(event: &mut Event, object: &Object<'_>) -> Result<(), FieldError> {
    if let Ok(Some(event_type)) = object.text_opt("event_type") {
        event.event_type = event_type.into_owned();
    }
    event.id = object.filled("event_id")?.into_owned();
    Ok(())
}
