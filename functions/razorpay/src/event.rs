//! The envelope (razorpay.com/docs/webhooks).

use bytes::Bytes;
use hookledger::claim::Digest;
use hookledger::json::{FieldError, Object};
use hookledger::provider::{Event, EventMode, Kept};
use hookledger::request::Headers;

/// Names the event at Razorpay, and is not signed.
pub(crate) const ID_HEADER: &str = "x-razorpay-event-id";

/// The event of a delivery, named by its bytes. Never fails.
pub(crate) fn identify(body: &Bytes, headers: &Headers) -> Event {
    let kept_header = headers.get(ID_HEADER).map(|id| (ID_HEADER.to_owned(), id.to_owned()));
    let mut event = Event {
        id: Digest::of(body).to_hex(),
        scope: String::new(),
        event_type: String::new(),
        // A test event looks like a live one. Its webhook has a secret of its own.
        mode: EventMode::Ours,
        kept: Kept { body: body.clone(), headers: kept_header.into_iter().collect() },
        problem: None,
    };
    event.problem = name(&mut event, body).err().map(|problem| problem.to_string());
    event
}

fn name(event: &mut Event, body: &[u8]) -> Result<(), FieldError> {
    let object = Object::parse(body)?;
    event.event_type = object.text("event")?.into_owned();
    // The events about an outage of the banks belong to nobody.
    event.scope = object.text_opt("account_id")?.unwrap_or_default().into_owned();
    Ok(())
}
