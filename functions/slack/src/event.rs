//! What was sent (docs.slack.dev: Events API, slash commands, handling user interaction). It is kept as it came, forms too.

use hookledger::json::{FieldError, Object};
use hookledger::provider::Event;
use hookledger::request::VerifiedRequest;

/// The type of a form by which Slack looks whether the address answers.
pub(crate) const SSL_CHECK: &str = "ssl_check";

/// The envelope of an event.
const CALLBACK: &str = "event_callback";

/// Forms, by a field that only they have, and what they are called here.
const FORMS: [(&str, &str); 3] = [("ssl_check", SSL_CHECK), ("command", "command"), ("payload", "interaction")];

/// The event of a request. Never fails: what has no id of its own is named by its bytes.
pub(crate) fn identify(request: &VerifiedRequest) -> Event {
    let body = request.body();
    let event = Event::unnamed(body, request.label());
    if is_form(body) { Event { event_type: form(body).to_owned(), ..event } } else { event.named(name) }
}

/// Whether a body is a form and not JSON: by its first byte, because the header that says so is not signed.
pub(crate) fn is_form(body: &[u8]) -> bool {
    body.first().is_some_and(u8::is_ascii_alphabetic) && body.contains(&b'=')
}

fn form(body: &[u8]) -> &'static str {
    let names: Vec<&[u8]> =
        body.split(|byte| *byte == b'&').filter_map(|pair| pair.split(|byte| *byte == b'=').next()).collect();
    let known = FORMS.into_iter().find(|(field, _)| names.contains(&field.as_bytes()));
    known.map_or("form", |(_, called)| called)
}

fn name(event: &mut Event, object: &Object<'_>) -> Result<(), FieldError> {
    event.event_type = object.text("type")?.into_owned();
    if let Some(team) = team(object)? {
        event.scope = team;
    }
    if event.event_type != CALLBACK {
        return Ok(());
    }
    event.event_type = object.object("event")?.text("type")?.into_owned();
    event.id = object.filled("event_id")?.into_owned();
    Ok(())
}

/// The workspace, or the organisation where an app is installed in all of its workspaces.
fn team(object: &Object<'_>) -> Result<Option<String>, FieldError> {
    for field in ["team_id", "enterprise_id"] {
        if let Some(team) = object.text_opt(field)?.filter(|team| !team.is_empty()) {
            return Ok(Some(team.into_owned()));
        }
    }
    Ok(None)
}
