//! A delivery: `{"events": [...], "meta": {"webhook_id": "WB…"}}`, up to 250 events. The delivery has no meaning of its
//! own; each event is kept as its own text, as it stands in the body.

use bytes::Bytes;
use hookledger::claim::Digest;
use hookledger::json::{FieldError, Object};
use hookledger::provider::{Event, EventMode, Kept};
use hookledger::request::VerifiedRequest;

/// Every event of a delivery. What cannot be named by its id is named by its bytes, and stands in nobody's way.
pub(crate) fn identify(request: &VerifiedRequest) -> Vec<Event> {
    let (body, label) = (request.body(), request.label().unwrap_or_default());
    let listed = Object::parse(body).and_then(|delivery| match delivery.list("events")? {
        events if events.is_empty() => Err(delivery.error("events", "empty")),
        events => Ok(events),
    });
    match listed {
        Ok(events) => events.into_iter().map(|text| event(body.slice_ref(text.as_bytes()), label)).collect(),
        Err(problem) => vec![Event { problem: Some(problem.to_string()), ..unnamed(body.clone(), label) }],
    }
}

pub(crate) fn event(body: Bytes, label: &str) -> Event {
    let mut event = unnamed(body.clone(), label);
    event.problem = name(&mut event, &body).err().map(|problem| problem.to_string());
    event
}

fn unnamed(body: Bytes, label: &str) -> Event {
    Event {
        id: Digest::of(&body).to_hex(),
        scope: label.to_owned(),
        event_type: String::new(),
        // Sandbox and live differ by endpoint and secret, not by anything in an event.
        mode: EventMode::Ours,
        kept: Kept { body, headers: Vec::new() },
        problem: None,
    }
}

fn name(event: &mut Event, body: &[u8]) -> Result<(), FieldError> {
    let object = Object::parse(body)?;
    if let (Ok(Some(resource)), Ok(Some(action))) = (object.text_opt("resource_type"), object.text_opt("action")) {
        event.event_type = format!("{resource}.{action}");
    }
    let id = object.text("id")?;
    if id.is_empty() {
        return Err(object.error("id", "empty"));
    }
    event.id = id.into_owned();
    // There where a partner receives for several organisations.
    if let Some(organisation) = object.object_opt("links")?.map_or(Ok(None), |links| links.text_opt("organisation"))? {
        event.scope = organisation.into_owned();
    }
    Ok(())
}
