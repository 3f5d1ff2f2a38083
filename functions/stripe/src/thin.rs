//! A thin event names its object by type, id and path (docs.stripe.com/event-destinations); the object is read by the API
//! as it is *then*. The rules for objects read only what does not change, or what only grows.

use std::borrow::Cow;

use hookledger::json::{FieldError, Object};
use hookledger::plan::{Fetch, Ignored, Plan};

use crate::object;

/// Types that always have an object, one that may tell of money.
const FAMILIES: [&str; 4] = ["charge.", "refund.", "payout.", "invoice_payment."];

/// A thin event.
pub(crate) struct Thin<'a> {
    event_type: Cow<'a, str>,
    related: Option<Related<'a>>,
}

/// What it is about.
struct Related<'a> {
    object: Object<'a>,
    kind: Cow<'a, str>,
}

impl<'a> Thin<'a> {
    pub(crate) fn read(event: &Object<'a>) -> Result<Self, FieldError> {
        let related = match event.object_opt("related_object")? {
            Some(object) => Some(Related { kind: object.text("type")?, object }),
            None => None,
        };
        Ok(Self { event_type: event.text("type")?, related })
    }

    /// As the event first means it: its object is asked for, if it can be one that tells of money.
    pub(crate) fn plan(&self) -> Result<Plan, FieldError> {
        match &self.related {
            Some(related) if self.tells_of_money(related) => {
                Ok(Plan::defer(Fetch::Object(related.path()?), Vec::new()))
            }
            None if FAMILIES.iter().any(|family| self.snapshot_type().starts_with(family)) => {
                Ok(Plan::unreadable("related_object: missing where the type tells of money"))
            }
            _ => Ok(Plan::Ignore(Ignored::EventType)),
        }
    }

    /// Once its object was read.
    pub(crate) fn settled(&self, answer: &[u8]) -> Result<Plan, FieldError> {
        let Some(related) = &self.related else {
            return Ok(Plan::Ignore(Ignored::EventType));
        };
        let read = Object::parse(answer)?;
        if read.text("object")? != related.kind || read.text("id")? != related.object.text("id")? {
            return Err(read.error("id", "not the object that was asked for"));
        }
        Ok(object::read(&read, self.snapshot_type())?.settled(None))
    }

    fn tells_of_money(&self, related: &Related<'_>) -> bool {
        match related.kind.as_ref() {
            "charge" => object::CASH_IN.contains(&self.snapshot_type()),
            "refund" | "payout" | "dispute" | "invoice_payment" => true,
            _ => false,
        }
    }

    /// `v1.charge.succeeded` is the thin twin of `charge.succeeded`.
    fn snapshot_type(&self) -> &str {
        self.event_type.strip_prefix("v1.").unwrap_or(&self.event_type)
    }
}

impl Related<'_> {
    /// The path to read. It goes out with our key, so nothing but a plain path of the API is taken.
    fn path(&self) -> Result<String, FieldError> {
        let url = self.object.text("url")?;
        let plain = |byte: u8| byte.is_ascii_alphanumeric() || matches!(byte, b'/' | b'_' | b'-');
        let first = url.starts_with("/v1/") || url.starts_with("/v2/");
        if !first || url.contains("//") || !url.bytes().all(plain) {
            return Err(self.object.error("url", "not a plain path of the API"));
        }
        // With its charge, whose customer is the account: one read instead of a wait for the charge's entry.
        let has_charge = matches!(self.kind.as_ref(), "refund" | "dispute") && url.starts_with("/v1/");
        Ok(format!("{url}{}", if has_charge { "?expand[]=charge" } else { "" }))
    }
}
