//! The event of a delivery.

use hookledger::claim::Digest;
use hookledger::json::{FieldError, Object};
use hookledger::provider::{Event, EventMode, Kept};
use hookledger::request::VerifiedRequest;

use crate::family::{Family, single};
use crate::mapping::Mapping;
use crate::pointer::Pointer;

/// The event, named by the id that was signed with it. Never fails.
pub(crate) fn identify(request: &VerifiedRequest, mapping: Option<&Mapping>) -> Event {
    let (body, headers) = (request.body(), request.headers());
    let id = Family::of(headers).and_then(|family| single(headers, family.id));
    let (event_type, problem) = match event_type(body, mapping) {
        Ok(event_type) => (event_type, None),
        Err(problem) => (String::new(), Some(problem.to_string())),
    };
    Event {
        id: id.map_or_else(|_| Digest::of(body).to_hex(), str::to_owned),
        scope: request.label().unwrap_or_default().to_owned(),
        event_type,
        mode: EventMode::Ours,
        kept: Kept { body: body.clone(), headers: Vec::new() },
        problem,
    }
}

/// Empty where the body has none. Only a mapping insists on it.
fn event_type(body: &[u8], mapping: Option<&Mapping>) -> Result<String, FieldError> {
    let body = Object::parse(body)?;
    let standard = Pointer::name("type");
    let pointer = mapping.map_or(&standard, |mapping| &mapping.event_type);
    Ok(pointer.text(&body).ok().flatten().unwrap_or_default())
}
