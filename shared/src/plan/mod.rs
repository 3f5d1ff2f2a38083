//! What an event means, as plain data. Only what can be committed in one transaction can be built.

mod movement;
mod reason;

use std::collections::HashSet;

use crate::json::FieldError;

pub use movement::{Entry, Kind, Occurrence, Sign};
pub use reason::{Ignored, ParkReason, Uncommittable};

/// DynamoDB takes 100 actions in a transaction; the claim and its payload parts need a share of them.
pub const ENTRIES_AND_MESSAGES_MAX: usize = 80;

/// A message's body; all of a plan's messages must fit in a transaction of 4 MB.
const MESSAGE_BYTES_MAX: usize = 32 * 1_024;

/// What an event means.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Plan {
    /// Everything is known: book it with the claim.
    Settle(Settle),
    /// Something must be read first: keep the event, answer success, let the worker settle it.
    Defer(Defer),
    /// Verified, and nothing a retry could change makes it processable: keep it for a person.
    Park(Park),
    /// No effect.
    Ignore(Ignored),
}

/// A plan that has an effect: what a transaction writes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Write {
    /// Book it with the claim.
    Settle(Settle),
    /// Keep the event for the worker.
    Defer(Defer),
    /// Keep the event for a person.
    Park(Park),
}

/// Entries to book, with the messages about them.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Settle {
    entries: Vec<Entry>,
    messages: Vec<Message>,
    content: Option<Vec<u8>>,
}

/// What must be read, and the entries that are known before it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Defer {
    fetch: Fetch,
    known: Vec<Entry>,
}

/// Kept for a person.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Park {
    /// The machine's word for it.
    pub reason: ParkReason,
    /// One sentence for the person; names fields, holds no values.
    pub why: String,
}

/// What must be read before an event can be settled.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Fetch {
    /// The account of this occurrence's entry in our own ledger.
    ParentEntry(Occurrence),
    /// An object of the provider's API: path and query, from signed bytes.
    Object(String),
    /// The same, where the event can be settled without it as well: read if a key of the API is configured.
    ObjectIfKeyed(String),
    /// An object of which it is not sure that the provider has it: path and query, checked by the mapping.
    ObjectIfThere(String),
}

/// What the worker read.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Fetched {
    /// The parent's entry: its account, where it has one. `None`: it never came, or is not waited for any longer.
    ParentEntry(Option<ParentEntry>),
    /// The provider's answer.
    Object(Vec<u8>),
    /// The provider has no such object; or no key is configured, to [`Fetch::ObjectIfKeyed`].
    NoObject,
}

/// One thing that was asked for, and what came of it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Read {
    /// What was asked for.
    pub fetch: Fetch,
    /// What came of it.
    pub fetched: Fetched,
}

/// What becomes of work whose run was lost before it said how it ended.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum OnLost {
    /// It runs again by itself.
    #[default]
    Rerun,
    /// It waits for a person.
    Hold,
}

impl OnLost {
    /// As rows spell it. A file format.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Rerun => "rerun",
            Self::Hold => "hold",
        }
    }
}

/// What a child entry takes from its parent.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ParentEntry {
    /// The customer's account.
    pub account: Option<String>,
}

/// Something to tell one sink.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Message {
    /// What it says, e.g. `payment.recorded`.
    pub name: &'static str,
    /// The entry it is about; the message is skipped when that entry existed already.
    pub about: Option<(Occurrence, Kind)>,
    /// Who is told.
    pub sink: String,
    /// JSON.
    pub body: String,
    /// Whether it is sent again by itself when it is not known whether it was sent.
    pub on_lost: OnLost,
}

impl Settle {
    /// Entries with the messages about them.
    pub fn new(entries: Vec<Entry>, messages: Vec<Message>) -> Result<Self, Uncommittable> {
        if entries.is_empty() && messages.is_empty() {
            return Err(Uncommittable::Nothing);
        }
        if entries.len() + messages.len() > ENTRIES_AND_MESSAGES_MAX {
            return Err(Uncommittable::TooMany);
        }
        let movements = check_entries(&entries)?;
        let mut seen = HashSet::new();
        for message in &messages {
            if message.body.len() > MESSAGE_BYTES_MAX {
                return Err(Uncommittable::LongMessage);
            }
            if !seen.insert((message.name, &message.about, &message.sink)) {
                return Err(Uncommittable::SameMessage);
            }
            if message.about.as_ref().is_some_and(|(occurrence, kind)| !movements.contains(&(occurrence, *kind))) {
                return Err(Uncommittable::StrayMessage);
            }
        }
        Ok(Self { entries, messages, content: None })
    }

    /// No entry: the claim alone says that the event came.
    pub(crate) fn nothing() -> Self {
        Self { entries: Vec::new(), messages: Vec::new(), content: None }
    }

    /// What the event says, where that is not what came.
    pub(crate) fn content(&self) -> Option<&[u8]> {
        self.content.as_deref()
    }

    /// To book.
    pub fn entries(&self) -> &[Entry] {
        &self.entries
    }

    /// To tell.
    pub fn messages(&self) -> &[Message] {
        &self.messages
    }
}

impl Defer {
    /// What to read, and what is known before.
    pub fn new(fetch: Fetch, known: Vec<Entry>) -> Result<Self, Uncommittable> {
        check_entries(&known)?;
        Ok(Self { fetch, known })
    }

    /// What to read.
    pub fn fetch(&self) -> &Fetch {
        &self.fetch
    }

    /// The entries, as far as they are known before reading.
    pub fn known(&self) -> &[Entry] {
        &self.known
    }
}

fn check_entries(entries: &[Entry]) -> Result<HashSet<(&Occurrence, Kind)>, Uncommittable> {
    let mut movements = HashSet::new();
    for entry in entries {
        entry.check()?;
        if !movements.insert((&entry.occurrence, entry.kind)) {
            return Err(Uncommittable::SameMovement);
        }
    }
    Ok(movements)
}

impl Plan {
    /// Books `entries`; parks the event if one transaction cannot.
    pub fn settle(entries: Vec<Entry>) -> Self {
        Settle::new(entries, Vec::new()).map_or_else(Self::from, Self::Settle)
    }

    /// Books nothing: the claim is the record of the event, and sinks are told that it came.
    pub fn record() -> Self {
        Self::Settle(Settle::nothing())
    }

    /// The same, where nothing that came is to be believed: sinks are told `content`, which the provider's API gave.
    pub fn record_as(content: &[u8]) -> Self {
        Self::Settle(Settle { content: Some(content.to_vec()), ..Settle::nothing() })
    }

    /// Reads `fetch` first; parks the event if what is known already cannot be committed.
    pub fn defer(fetch: Fetch, known: Vec<Entry>) -> Self {
        Defer::new(fetch, known).map_or_else(Self::from, Self::Defer)
    }

    /// Keeps the event for a person, or for a deploy that can read it.
    pub fn unreadable(why: impl Into<String>) -> Self {
        Self::Park(Park { reason: ParkReason::Unreadable, why: why.into() })
    }
}

impl Plan {
    /// What is to be written, or why nothing is.
    pub fn write(self) -> Result<Write, Ignored> {
        match self {
            Self::Settle(settle) => Ok(Write::Settle(settle)),
            Self::Defer(defer) => Ok(Write::Defer(defer)),
            Self::Park(park) => Ok(Write::Park(park)),
            Self::Ignore(why) => Err(why),
        }
    }
}

impl From<Uncommittable> for Plan {
    fn from(problem: Uncommittable) -> Self {
        Self::unreadable(problem.to_string())
    }
}

impl From<FieldError> for Plan {
    fn from(problem: FieldError) -> Self {
        Self::unreadable(problem.to_string())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::money::Currency;
    use crate::time::UnixMs;

    fn entry(id: &str, kind: Kind, magnitude_minor: i64) -> Result<Entry, Uncommittable> {
        let currency = Currency::parse("eur").unwrap();
        Entry::new(Occurrence::unique(id), kind, magnitude_minor, currency, UnixMs::new(0))
    }

    #[test]
    fn the_kind_gives_the_sign() {
        assert_eq!(entry("ch_1", Kind::Payment, 5).unwrap().amount_minor, 5);
        assert_eq!(entry("re_1", Kind::Refund, 5).unwrap().amount_minor, -5);
        let link = entry("inpay_1", Kind::InvoiceLink, 5).unwrap();
        assert_eq!((link.amount_minor, link.linked_minor), (0, Some(5)));
        assert_eq!(entry("re_1", Kind::Refund, -5), Err(Uncommittable::NegativeMagnitude));
        assert_eq!(entry("ch_1", Kind::Payment, i64::MAX).unwrap().amount_minor, i64::MAX);
    }

    #[test]
    fn what_a_transaction_cannot_take_is_refused() {
        let one = |id: &str| entry(id, Kind::Payment, 1).unwrap();
        let many = (0..=ENTRIES_AND_MESSAGES_MAX).map(|at| one(&at.to_string())).collect();
        assert_eq!(Settle::new(many, vec![]), Err(Uncommittable::TooMany));
        assert_eq!(Settle::new(vec![one("a"), one("a")], vec![]), Err(Uncommittable::SameMovement));
        assert_eq!(Settle::new(vec![], vec![]), Err(Uncommittable::Nothing));
        assert_eq!(Settle::new(vec![one("")], vec![]), Err(Uncommittable::EmptyId));
        assert_eq!(Settle::new(vec![one(&"x".repeat(3_000))], vec![]), Err(Uncommittable::LongText));
        let message = |about| Message {
            name: "payment.recorded",
            about,
            sink: "bus".into(),
            body: "{}".into(),
            on_lost: OnLost::Rerun,
        };
        let about = Some((Occurrence::unique("a"), Kind::Payment));
        assert_eq!(
            Settle::new(vec![one("a")], vec![message(about.clone()), message(about.clone())]),
            Err(Uncommittable::SameMessage)
        );
        assert_eq!(Settle::new(vec![one("b")], vec![message(about)]), Err(Uncommittable::StrayMessage));
    }
}
