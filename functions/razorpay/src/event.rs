//! The envelope (razorpay.com/docs/webhooks).

use bytes::Bytes;
use hookledger::json::{FieldError, Object};
use hookledger::provider::Event;
use hookledger::request::Headers;

/// Names the event at Razorpay, and is not signed.
pub(crate) const ID_HEADER: &str = "x-razorpay-event-id";

/// The event of a delivery, named by its bytes. Never fails.
pub(crate) fn identify(body: &Bytes, headers: &Headers) -> Event {
    let kept_header = headers.get(ID_HEADER).map(|id| (ID_HEADER.to_owned(), id.to_owned()));
    // A test event looks like a live one. Its webhook has a secret of its own.
    let mut event = Event::unnamed(body, None);
    event.kept.headers.extend(kept_header);
    event.named(name)
}

fn name(event: &mut Event, object: &Object<'_>) -> Result<(), FieldError> {
    event.event_type = object.text("event")?.into_owned();
    // The events about an outage of the banks belong to nobody.
    event.scope = object.text_opt("account_id")?.unwrap_or_default().into_owned();
    Ok(())
}
