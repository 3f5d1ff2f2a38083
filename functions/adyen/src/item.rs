//! One item of a delivery, `NotificationRequestItem` (docs.adyen.com/api-explorer/Webhooks, and Webhooks-v1.json in
//! github.com/Adyen/adyen-openapi). Eight of its fields are signed. What is booked, under which claim and in which scope
//! follows from those alone: whoever holds a signed item can write anything into the others.

use std::borrow::Cow;

use bytes::Bytes;
use hookledger::claim::Digest;
use hookledger::json::{FieldError, Object};
use hookledger::money::Currency;
use hookledger::plan::{Entry, Kind, Occurrence};
use hookledger::provider::{Event, EventMode, Kept};
use hookledger::time::UnixMs;

/// The signed fields joined as they are signed. Seven of them must not hold one: then the first three and the last four can
/// be cut off the text, and no other item has the same text. The eighth, `merchantReference`, is what is left between.
pub(crate) const SEPARATOR: &str = ":";

/// Stands for the time of an event that does not say it: no clock is read here, and an unsigned field refuses no money.
const NO_TIME: UnixMs = UnixMs::new(0);

/// An item whose signed fields name it.
pub(crate) struct Item<'a> {
    object: Object<'a>,
    /// Of the authorisation, capture, refund or dispute that the event is about.
    pub(crate) psp_reference: Cow<'a, str>,
    /// Of the payment it belongs to; empty where it is the payment's own.
    pub(crate) original_reference: Cow<'a, str>,
    /// Never empty.
    pub(crate) merchant_account: Cow<'a, str>,
    /// What happened; never empty.
    pub(crate) event_code: Cow<'a, str>,
    success: Cow<'a, str>,
}

/// The text of every item in a delivery, as it stands there.
pub(crate) fn texts(body: &[u8]) -> Result<Vec<&str>, FieldError> {
    const ITEM: &str = "NotificationRequestItem";
    let wrappers = Object::parse(body)?.objects("notificationItems")?;
    wrappers.iter().map(|wrapper| wrapper.raw(ITEM).ok_or_else(|| wrapper.error(ITEM, "missing"))).collect()
}

/// A field as it is signed: missing is empty, and what is no text stands as it is written.
pub(crate) fn signed<'a>(object: &Object<'a>, name: &str) -> Cow<'a, str> {
    match object.text_opt(name) {
        Ok(text) => text.unwrap_or_default(),
        Err(_) => Cow::Borrowed(object.raw(name).unwrap_or_default()),
    }
}

impl<'a> Item<'a> {
    pub(crate) fn read(text: &'a [u8]) -> Result<Self, FieldError> {
        let object = Object::parse(text)?;
        let plain = |name: &str| match signed(&object, name) {
            text if text.contains(SEPARATOR) => {
                Err(object.error(name, "holds a colon, so what was signed could be read in two ways"))
            }
            text => Ok(text),
        };
        let named = |name: &str| match plain(name)? {
            text if text.is_empty() => Err(object.error(name, "missing")),
            text => Ok(text),
        };
        let (psp_reference, merchant_account) = (named("pspReference")?, named("merchantAccountCode")?);
        let (event_code, success) = (named("eventCode")?, plain("success")?);
        let original_reference = plain("originalReference")?;
        Ok(Self { psp_reference, original_reference, merchant_account, event_code, success, object })
    }

    /// Adyen repeats an event under the same reference, code and outcome
    /// (docs.adyen.com/development-resources/webhooks/handle-webhook-events). None of them holds the separator.
    fn id(&self) -> String {
        [&*self.psp_reference, &*self.event_code, &*self.success].join(SEPARATOR)
    }

    /// Whether what was asked for was done.
    pub(crate) fn succeeded(&self) -> Result<bool, FieldError> {
        match self.success.as_ref() {
            "true" => Ok(true),
            "false" => Ok(false),
            _ => Err(self.object.error("success", "neither true nor false")),
        }
    }

    /// In Adyen's minor units, never negative.
    pub(crate) fn value_minor(&self) -> Result<i64, FieldError> {
        let amount = self.object.object("amount")?;
        // The signature does not tell 1000 from "1000".
        let is_text = amount.raw("value").is_some_and(|raw| raw.starts_with('"'));
        let value_minor = if is_text { amount.integer_text("value")? } else { amount.integer("value")? };
        if value_minor < 0 { Err(amount.error("value", "negative")) } else { Ok(value_minor) }
    }

    /// An entry of this item's amount, about the occurrence that `reference` names.
    pub(crate) fn entry(&self, reference: &str, kind: Kind) -> Result<Entry, FieldError> {
        let amount = self.object.object("amount")?;
        let currency = Currency::read(&amount, "currency")?;
        let entry = Entry::new(self.occurrence(reference), kind, self.value_minor()?, currency, self.occurred_at());
        entry.map_err(|_| amount.error("value", "negative"))
    }

    /// References are unique, and the account beside them is signed as well: a reference that two accounts shared would not
    /// lose money.
    pub(crate) fn occurrence(&self, reference: &str) -> Occurrence {
        Occurrence { scope: self.merchant_account.clone().into_owned(), id: reference.to_owned() }
    }

    /// Adyen signs no time. `eventDate` is only a hint, in no digest and in no comparison: the first delivery's stays.
    fn occurred_at(&self) -> UnixMs {
        self.object.time("eventDate").unwrap_or(NO_TIME)
    }
}

/// The events of a delivery, one per item. Never empty.
pub(crate) fn identify(body: &Bytes) -> Vec<Event> {
    let mode = mode(body);
    let items = match texts(body) {
        Ok(items) if !items.is_empty() => items,
        Ok(_) => return vec![unnamed(body.clone(), mode, "notificationItems: empty".to_owned())],
        Err(problem) => return vec![unnamed(body.clone(), mode, problem.to_string())],
    };
    items.into_iter().map(|text| event(Bytes::copy_from_slice(text.as_bytes()), mode)).collect()
}

/// An item that does not say whether it is a test must not stand in the way of the one that does: it is named by its bytes.
fn event(body: Bytes, mode: EventMode) -> Event {
    let named = Item::read(&body).map(|item| {
        let scope = item.merchant_account.clone().into_owned();
        (item.id(), scope, item.event_code.clone().into_owned())
    });
    match named {
        Ok(_) if mode == EventMode::Missing => unnamed(body, mode, "live: neither true nor false".to_owned()),
        Ok((id, scope, event_type)) => {
            Event { id, scope, event_type, mode, kept: Kept { body, headers: Vec::new() }, problem: None }
        }
        Err(problem) => unnamed(body, mode, problem.to_string()),
    }
}

/// What cannot be named by its signed fields is named by its bytes.
fn unnamed(body: Bytes, mode: EventMode, problem: String) -> Event {
    Event {
        id: Digest::of(&body).to_hex(),
        scope: String::new(),
        event_type: String::new(),
        mode,
        kept: Kept { body, headers: Vec::new() },
        problem: Some(problem),
    }
}

/// `live` stands once in a delivery and is not signed; see the crate's page for what that allows.
fn mode(body: &[u8]) -> EventMode {
    let live = Object::parse(body).map(|document| signed(&document, "live"));
    match live.as_deref() {
        Ok("true") => EventMode::Live,
        Ok("false") => EventMode::Test,
        _ => EventMode::Missing,
    }
}
