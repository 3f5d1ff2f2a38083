//! What is read at the API, written down as if all of it were there already: what is not yet is asked for, and the plan is
//! made again once it came.

use std::borrow::Cow;

use hookledger::json::{FieldError, Object};
use hookledger::money::Currency;
use hookledger::plan::{Entry, Fetch, Fetched, Kind, Occurrence, Plan, Read};
use hookledger::time::UnixMs;

/// Why a plan is not finished.
pub(crate) enum Stop {
    /// This must be read first.
    Ask(Fetch),
    /// A field is not what it must be.
    Field(FieldError),
    /// Nothing a retry could change.
    Park(&'static str),
}

impl From<FieldError> for Stop {
    fn from(problem: FieldError) -> Self {
        Self::Field(problem)
    }
}

impl From<Stop> for Plan {
    fn from(stop: Stop) -> Self {
        match stop {
            Stop::Ask(fetch) => Self::defer(fetch, Vec::new()),
            Stop::Field(problem) => problem.into(),
            Stop::Park(why) => Self::unreadable(why),
        }
    }
}

/// What was read so far.
#[derive(Clone, Copy)]
pub(crate) struct Reads<'a>(pub(crate) &'a [Read]);

impl<'a> Reads<'a> {
    /// What stands at this path.
    pub(crate) fn answer(self, path: String) -> Result<&'a [u8], Stop> {
        let fetch = Fetch::Object(path);
        match self.of(&fetch) {
            Some(Fetched::Object(answer)) => Ok(answer),
            Some(_) => Err(Stop::Park("the answer is of a kind that this event did not ask for")),
            None => Err(Stop::Ask(fetch)),
        }
    }

    /// The same; `None` where it cannot be had.
    pub(crate) fn answer_if_any(self, path: String) -> Result<Option<&'a [u8]>, Stop> {
        let fetch = Fetch::ObjectIfKeyed(path);
        match self.of(&fetch) {
            Some(Fetched::Object(answer)) => Ok(Some(answer)),
            Some(_) => Ok(None),
            None => Err(Stop::Ask(fetch)),
        }
    }

    /// The resource of this id: `GET /payments/PM1` answers `{"payments": {…}}`.
    pub(crate) fn resource(self, name: &str, id: &str) -> Result<Object<'a>, Stop> {
        let object = Object::parse(self.answer(format!("/{name}/{id}"))?)?.object(name)?;
        if object.text("id")? != id {
            return Err(object.error("id", "not the one that was asked for").into());
        }
        Ok(object)
    }

    fn of(self, fetch: &Fetch) -> Option<&'a Fetched> {
        self.0.iter().find(|read| read.fetch == *fetch).map(|read| &read.fetched)
    }
}

/// An id in `links`, if it is there. It becomes a part of a path that is asked for with our key: nothing but an id's letters
/// is taken.
pub(crate) fn link_opt(object: &Object<'_>, name: &str) -> Result<Option<String>, FieldError> {
    let Some(links) = object.object_opt("links")? else { return Ok(None) };
    let Some(id) = links.text_opt(name)? else { return Ok(None) };
    if is_plain(&id) { Ok(Some(id.into_owned())) } else { Err(links.error(name, "not an id")) }
}

/// An id in `links` that must be there.
pub(crate) fn link(object: &Object<'_>, name: &str) -> Result<String, FieldError> {
    link_opt(object, name)?.ok_or_else(|| object.error(&format!("links.{name}"), "missing"))
}

/// Whether a text can stand in a path or a query as it is.
pub(crate) fn is_plain(text: &str) -> bool {
    !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'-'))
}

/// When something happened.
pub(crate) fn created_at(object: &Object<'_>) -> Result<UnixMs, FieldError> {
    let at = object.time("created_at")?;
    if at.get() < 0 { Err(object.error("created_at", "before 1970")) } else { Ok(at) }
}

/// An entry of the amount and currency of `resource`.
pub(crate) fn entry(
    resource: &Object<'_>,
    occurrence: Cow<'_, str>,
    kind: Kind,
    at: UnixMs,
) -> Result<Entry, FieldError> {
    let amount_minor = resource.integer("amount")?;
    let currency = Currency::read(resource, "currency")?;
    let entry = Entry::new(Occurrence::unique(occurrence), kind, amount_minor, currency, at);
    entry.map_err(|_| resource.error("amount", "negative"))
}
