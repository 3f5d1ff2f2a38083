//! The events of one payment, as the API lists them (developer.gocardless.com/api-reference/#events-list-events). Lists
//! are ordered and paged from the newest to the oldest; `payment` and `resource_type` cannot be asked for together.

use hookledger::json::{FieldError, Object};
use hookledger::time::UnixMs;

use crate::api::{Reads, Stop, created_at, is_plain, link_opt};

/// The API gives no more on one page; a payment has a dozen.
const LIMIT: usize = 500;
const PAGES_MAX: usize = 2;

/// One event of a payment.
pub(crate) struct Listed {
    pub(crate) id: String,
    pub(crate) action: String,
    pub(crate) at: UnixMs,
}

impl Listed {
    pub(crate) fn read(event: &Object<'_>) -> Result<Self, FieldError> {
        let (id, action) = (event.text("id")?.into_owned(), event.text("action")?.into_owned());
        Ok(Self { id, action, at: created_at(event)? })
    }
}

/// All of them, oldest first. `own` is known already: a list that lags behind does not hide it.
pub(crate) fn of_payment(reads: Reads<'_>, payment: &str, own: Listed) -> Result<Vec<Listed>, Stop> {
    let mut listed = newest_first(reads, payment)?;
    listed.reverse();
    if listed.iter().all(|event| event.id != own.id) {
        listed.push(own);
    }
    // Stable: what happened in one millisecond stays as the API orders it.
    listed.sort_by_key(|event| event.at);
    Ok(listed)
}

fn newest_first(reads: Reads<'_>, payment: &str) -> Result<Vec<Listed>, Stop> {
    let first = format!("/events?payment={payment}&limit={LIMIT}");
    let mut path = first.clone();
    let mut listed = Vec::new();
    for _ in 0..PAGES_MAX {
        let page = Object::parse(reads.answer(path)?)?;
        for event in page.objects("events")? {
            if is_about(&event, payment)? {
                listed.push(Listed::read(&event)?);
            }
        }
        let cursors = page.object("meta")?.object("cursors")?;
        let Some(after) = cursors.text_opt("after")? else { return Ok(listed) };
        if !is_plain(&after) {
            return Err(cursors.error("after", "not a cursor").into());
        }
        path = format!("{first}&after={after}");
    }
    Err(Stop::Park("the payment has more events than are read (1000)"))
}

/// A list may hold events of other resources that have to do with the payment.
fn is_about(event: &Object<'_>, payment: &str) -> Result<bool, FieldError> {
    Ok(event.text("resource_type")? == "payments" && link_opt(event, "payment")?.as_deref() == Some(payment))
}
