//! The envelope: a snapshot (docs.stripe.com/api/events/object) or a thin event
//! (docs.stripe.com/api/v2/core/events/object). The field `object` tells them apart.

use std::borrow::Cow;

use bytes::Bytes;
use hookledger::json::{FieldError, Object};
use hookledger::provider::{Event, EventMode};

use crate::thin::Thin;

const SNAPSHOT: &str = "event";
const THIN: &str = "v2.core.event";

/// An event, as far as its kind needs to be read.
pub(crate) enum Shape<'a> {
    /// Carries its object.
    Snapshot {
        /// What happened.
        event_type: Cow<'a, str>,
        /// `data.object`, as it was then.
        object: Object<'a>,
    },
    /// Points at its object.
    Thin(Thin<'a>),
}

/// Reads the envelope.
pub(crate) fn shape(body: &[u8]) -> Result<Shape<'_>, FieldError> {
    let event = Object::parse(body)?;
    match event.text("object")?.as_ref() {
        SNAPSHOT => {
            Ok(Shape::Snapshot { event_type: event.text("type")?, object: event.object("data")?.object("object")? })
        }
        THIN => Ok(Shape::Thin(Thin::read(&event)?)),
        _ => Err(event.error("object", "neither a snapshot event nor a thin one")),
    }
}

/// The event of a delivery. Never fails: what cannot be named by its id is named by its bytes.
pub(crate) fn identify(body: &Bytes) -> Event {
    Event { mode: EventMode::Missing, ..Event::unnamed(body, None) }.named(name)
}

fn name(event: &mut Event, object: &Object<'_>) -> Result<(), FieldError> {
    event.mode = match object.flag_opt("livemode") {
        Ok(Some(true)) => EventMode::Live,
        Ok(Some(false)) => EventMode::Test,
        Ok(None) | Err(_) => EventMode::Missing,
    };
    if let Ok(Some(event_type)) = object.text_opt("type") {
        event.event_type = event_type.into_owned();
    }
    event.id = object.filled("id")?.into_owned();
    event.scope = scope(object)?.unwrap_or_default().into_owned();
    Ok(())
}

/// The account the event comes from: `account` names a connected account, `context` the account where an organisation
/// receives for several, and the only one in a thin event. A connected account's event carries both
/// (docs.stripe.com/changelog/basil/2025-04-30/additional-context-organization-events).
fn scope<'a>(event: &Object<'a>) -> Result<Option<Cow<'a, str>>, FieldError> {
    Ok(event.text_opt("account")?.or(event.text_opt("context")?))
}
