//! The headers (the Standard Webhooks specification, "Webhook headers"; docs.svix.com, verifying manually).

use hookledger::request::{Headers, Unverified};

/// Three headers that belong together.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Family {
    /// The event's id.
    pub(crate) id: &'static str,
    /// When it was signed, in seconds.
    pub(crate) stamp: &'static str,
    /// The signatures.
    pub(crate) signature: &'static str,
}

/// The specification's.
pub(crate) const STANDARD: Family =
    Family { id: "webhook-id", stamp: "webhook-timestamp", signature: "webhook-signature" };

/// Svix's own, of before the specification.
pub(crate) const SVIX: Family = Family { id: "svix-id", stamp: "svix-timestamp", signature: "svix-signature" };

impl Family {
    /// The family that is there whole; what is signed and what names the event are both read from it. Where neither is, the
    /// error is about the one that is there in part.
    pub(crate) fn of(headers: &Headers) -> Result<&'static Self, Unverified> {
        let missing = |family: &Self| family.names().into_iter().find(|name| headers.get(name).is_none());
        let begun = |family: &Self| family.names().into_iter().any(|name| headers.get(name).is_some());
        match (missing(&STANDARD), missing(&SVIX)) {
            (None, _) => Ok(&STANDARD),
            (Some(_), None) => Ok(&SVIX),
            (Some(_), Some(name)) if begun(&SVIX) && !begun(&STANDARD) => Err(Unverified::MissingHeader(name)),
            (Some(name), Some(_)) => Err(Unverified::MissingHeader(name)),
        }
    }

    fn names(&self) -> [&'static str; 3] {
        [self.id, self.stamp, self.signature]
    }
}

/// The one value of a header that is signed.
pub(crate) fn single<'a>(headers: &'a Headers, name: &'static str) -> Result<&'a str, Unverified> {
    let mut values = headers.all(name);
    match (values.next(), values.next()) {
        (Some(""), None) => Err(Unverified::MalformedHeader(name, "empty")),
        (Some(value), None) => Ok(value),
        (Some(_), Some(_)) => Err(Unverified::MalformedHeader(name, "stands twice")),
        (None, _) => Err(Unverified::MissingHeader(name)),
    }
}
