//! The envelope: `event` and `data` (paystack.com/docs/payments/webhooks).

use hookledger::json::{FieldError, Object};
use hookledger::provider::{Event, EventMode};
use hookledger::request::VerifiedRequest;

/// Events that happen once to the object `data.id` names.
const ONCE: [&str; 5] =
    ["charge.dispute.create", "charge.dispute.resolve", "charge.success", "transfer.reversed", "transfer.success"];

/// The event of a delivery. Never fails: what has no name of its own is named by its bytes.
pub(crate) fn identify(request: &VerifiedRequest) -> Event {
    Event::unnamed(request.body(), request.label()).named(name)
}

fn name(event: &mut Event, object: &Object<'_>) -> Result<(), FieldError> {
    event.event_type = object.text("event")?.into_owned();
    let once = ONCE.contains(&event.event_type.as_str());
    // A list of cards in `subscription.expiring_cards`.
    if !once && object.raw("data").is_none_or(|data| !data.starts_with('{')) {
        return Ok(());
    }
    let data = object.object("data")?;
    event.mode = match data.text_opt("domain") {
        Ok(Some(domain)) if domain == "live" => EventMode::Live,
        Ok(Some(domain)) if domain == "test" => EventMode::Test,
        Ok(None) if !once => EventMode::Ours,
        _ => EventMode::Missing,
    };
    if once {
        event.id = format!("{}.{}", event.event_type, id(&data)?);
    }
    Ok(())
}

/// A number everywhere, by the documentation; a text is taken as well.
fn id(data: &Object<'_>) -> Result<String, FieldError> {
    if data.raw("id").is_none_or(|raw| !raw.starts_with('"')) {
        return Ok(data.integer("id")?.to_string());
    }
    Ok(data.filled("id")?.into_owned())
}
