//! The envelope and the event in it (docs.cdp.coinbase.com/commerce, webhook fields).

use hookledger::json::{FieldError, Object};
use hookledger::provider::Event;
use hookledger::request::VerifiedRequest;

/// The event of a delivery. Never fails: what cannot be named by its id is named by its bytes.
pub(crate) fn identify(request: &VerifiedRequest) -> Event {
    Event::unnamed(request.body(), request.label()).named(name)
}

fn name(event: &mut Event, object: &Object<'_>) -> Result<(), FieldError> {
    let inner = object.object("event")?;
    event.event_type = inner.text_opt("type")?.unwrap_or_default().into_owned();
    event.id = inner.filled("id")?.into_owned();
    Ok(())
}
