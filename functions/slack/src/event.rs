//! What was sent (docs.slack.dev: Events API, slash commands, handling user interaction). It is kept as it came, forms too.

use hookledger::claim::Digest;
use hookledger::json::{FieldError, Object};
use hookledger::provider::{Event, EventMode, Kept};
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
    let mut event = Event {
        id: Digest::of(body).to_hex(),
        scope: request.label().unwrap_or_default().to_owned(),
        event_type: String::new(),
        mode: EventMode::Ours,
        kept: Kept { body: body.clone(), headers: Vec::new() },
        problem: None,
    };
    if is_form(body) {
        event.event_type = form(body).to_owned();
    } else {
        event.problem = name(&mut event, body).err().map(|problem| problem.to_string());
    }
    event
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

fn name(event: &mut Event, body: &[u8]) -> Result<(), FieldError> {
    let object = Object::parse(body)?;
    event.event_type = object.text("type")?.into_owned();
    if let Some(team) = team(&object)? {
        event.scope = team;
    }
    if event.event_type != CALLBACK {
        return Ok(());
    }
    event.event_type = object.object("event")?.text("type")?.into_owned();
    let id = object.text("event_id")?;
    if id.is_empty() {
        return Err(object.error("event_id", "empty"));
    }
    event.id = id.into_owned();
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
