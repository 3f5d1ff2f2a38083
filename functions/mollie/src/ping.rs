//! A classic ping: a form with an id and nothing else (docs.mollie.com/reference/webhooks).

use hookledger::claim::Digest;
use hookledger::json::Object;
use hookledger::plan::{Fetch, Fetched, Ignored, Plan, Read};
use hookledger::provider::{Event, EventMode, Kept};
use hookledger::request::{VerifiedRequest, form};

/// Mollie's ids are a short prefix and some ten letters and digits.
const ID_BYTES_MAX: usize = 64;

const PAYMENT: &str = "tr_";

/// The id in a ping's body. `None`: it is none. The id goes into a path, so it is one of plain characters.
pub(crate) fn resource(body: &[u8]) -> Option<String> {
    if body.len() > 4 * ID_BYTES_MAX {
        return None;
    }
    let mut pairs = form(body)?.into_iter();
    let (name, id) = pairs.next().filter(|_| pairs.next().is_none())?;
    let (prefix, rest) = id.split_once('_')?;
    let plain = |text: &str| !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_alphanumeric());
    (name == "id" && id.len() <= ID_BYTES_MAX && plain(prefix) && plain(rest)).then_some(id)
}

/// The event of one call. Without the gateway's id there is no telling it from another.
pub(crate) fn identify(request: &VerifiedRequest) -> Event {
    let body = request.body();
    let id = resource(body).zip(request.id()).map(|(resource, call)| format!("{resource}.{call}"));
    let problem = id.is_none().then(|| "a ping without the gateway's id of the request".to_owned());
    Event {
        id: id.unwrap_or_else(|| Digest::of(body).to_hex()),
        scope: String::new(),
        event_type: "ping".to_owned(),
        mode: EventMode::Ours,
        kept: Kept { body: body.clone(), headers: Vec::new() },
        problem,
    }
}

/// What a ping leads to: a look at the payment.
pub(crate) fn look(resource: &str) -> Plan {
    if !resource.starts_with(PAYMENT) {
        return Plan::Ignore(Ignored::EventType);
    }
    Plan::defer(Fetch::ObjectIfThere(format!("/v2/payments/{resource}")), Vec::new())
}

/// What the look said. A key sees the payments of its own mode and its own account, and no others.
pub(crate) fn looked(event: &Event, read: &[Read]) -> Plan {
    let Some(resource) = resource(&event.kept.body) else { return Plan::unreadable("nothing was asked for") };
    match read.last().map(|read| &read.fetched) {
        Some(Fetched::NoObject) => Plan::Ignore(Ignored::NothingMoved),
        Some(Fetched::Object(payment)) => {
            match Object::parse(payment).and_then(|payment| payment.text("id").map(|id| id == resource)) {
                Ok(true) => Plan::record(),
                Ok(false) => Plan::unreadable("the API answered with another payment"),
                Err(problem) => Plan::from(problem),
            }
        }
        _ => Plan::unreadable("nothing was asked for"),
    }
}
