//! A delivery: `{"events": [...], "meta": {"webhook_id": "WB…"}}`, up to 250 events. The delivery has no meaning of its
//! own; each event is kept as its own text, as it stands in the body.

use bytes::Bytes;
use hookledger::json::{FieldError, Object};
use hookledger::provider::Event;
use hookledger::request::VerifiedRequest;

/// Every event of a delivery. What cannot be named by its id is named by its bytes, and stands in nobody's way.
pub(crate) fn identify(request: &VerifiedRequest) -> Vec<Event> {
    let (body, label) = (request.body(), request.label());
    let listed = Object::parse(body).and_then(|delivery| match delivery.list("events")? {
        events if events.is_empty() => Err(delivery.error("events", "empty")),
        events => Ok(events),
    });
    match listed {
        Ok(events) => events.into_iter().map(|text| event(&body.slice_ref(text.as_bytes()), label)).collect(),
        Err(problem) => vec![Event { problem: Some(problem.to_string()), ..Event::unnamed(body, label) }],
    }
}

/// Sandbox and live differ by endpoint and secret, not by anything in an event.
pub(crate) fn event(body: &Bytes, label: Option<&str>) -> Event {
    Event::unnamed(body, label).named(name)
}

fn name(event: &mut Event, object: &Object<'_>) -> Result<(), FieldError> {
    if let (Ok(Some(resource)), Ok(Some(action))) = (object.text_opt("resource_type"), object.text_opt("action")) {
        event.event_type = format!("{resource}.{action}");
    }
    event.id = object.filled("id")?.into_owned();
    // There where a partner receives for several organisations.
    if let Some(organisation) = object.object_opt("links")?.map_or(Ok(None), |links| links.text_opt("organisation"))? {
        event.scope = organisation.into_owned();
    }
    Ok(())
}
