//! An event as it came, and as the API has it.

use hookledger::claim::Digest;
use hookledger::json::{FieldError, Object};
use hookledger::plan::{Fetch, Fetched, Plan, Read};
use hookledger::provider::{Event, EventMode, Kept};
use hookledger::request::VerifiedRequest;

/// `WH-` and two groups of 17 letters and digits.
const ID_BYTES_MAX: usize = 128;

/// The event of a delivery.
pub(crate) fn identify(request: &VerifiedRequest) -> Event {
    let body = request.body();
    let (id, event_type, problem) = match read(body) {
        Ok((id, event_type)) => (id, event_type, None),
        Err(problem) => (Digest::of(body).to_hex(), String::new(), Some(problem.to_string())),
    };
    let scope = request.label().unwrap_or_default().to_owned();
    let kept = Kept { body: body.clone(), headers: Vec::new() };
    Event { id, scope, event_type, mode: EventMode::Ours, kept, problem }
}

/// Id and type. The id goes into a path, so it is one of plain characters.
fn read(event: &[u8]) -> Result<(String, String), FieldError> {
    let event = Object::parse(event)?;
    let (id, event_type) = (event.text("id")?, event.text("event_type")?);
    let plain = |byte: u8| byte.is_ascii_alphanumeric() || b"-_".contains(&byte);
    if !(1..=ID_BYTES_MAX).contains(&id.len()) || !id.bytes().all(plain) {
        return Err(event.error("id", "not an event's id"));
    }
    if event_type.is_empty() {
        return Err(event.error("event_type", "empty"));
    }
    Ok((id.into_owned(), event_type.into_owned()))
}

/// The event at the API (developer.paypal.com/docs/api/webhooks/v1, "Show event notification details").
pub(crate) fn look(event: &Event) -> Plan {
    Plan::defer(Fetch::Object(format!("/v1/notifications/webhooks-events/{}", event.id)), Vec::new())
}

/// Whether the API has the event that came.
pub(crate) fn looked(event: &Event, reads: &[Read]) -> Plan {
    let Some(Fetched::Object(answer)) = reads.last().map(|read| &read.fetched) else {
        return Plan::unreadable("the event was not asked for");
    };
    match read(answer) {
        Ok((id, event_type)) if id == event.id && event_type == event.event_type => Plan::record_as(answer),
        Ok(_) => Plan::unreadable("the API has another event under this id: what came may be forged"),
        Err(problem) => Plan::from(problem),
    }
}
