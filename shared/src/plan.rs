//! What an event means, as plain data. Only what can be committed in one transaction can be built.

use std::collections::HashSet;

use crate::json::FieldError;
use crate::money::Currency;
use crate::time::UnixMs;

/// DynamoDB takes 100 actions in a transaction; the claim and its payload parts need a share of them.
pub const ENTRIES_AND_MESSAGES_MAX: usize = 80;

/// A text of the provider's that goes into an item beside its key. Longer ones are refused, never cut.
const TEXT_BYTES_MAX: usize = 2_048;

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

/// Why an event has no effect.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Ignored {
    /// An event type that moves nothing we book.
    EventType,
    /// The type can move money, this occurrence does not: not captured, pending, canceled before it moved.
    NothingMoved,
    /// A test event in a live deployment, or the other way round.
    OtherMode,
}

/// Why a claim is parked. A file format: added to, never respelled.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum ParkReason {
    /// Not JSON, no id, or a money field that cannot be read. A redelivery after a deploy may bring it back.
    Unreadable,
    /// The kept bytes are gone; the next equal delivery writes them again.
    BytesLost,
    /// The ledger holds the same movement with other content.
    Conflict,
    /// The worker's attempts are used up.
    Spent,
    /// A run was lost and the event type must not run again by itself.
    Held,
    /// A person said so.
    Person,
}

/// What must be read before an event can be settled.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Fetch {
    /// The account of this occurrence's entry in our own ledger.
    ParentEntry(Occurrence),
    /// An object of the provider's API: path and query, from signed bytes.
    Object(String),
}

/// What the worker read.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Fetched {
    /// The parent's entry: its account, where it has one. `None`: it never came, or is not waited for any longer.
    ParentEntry(Option<ParentEntry>),
    /// The provider's answer.
    Object(Vec<u8>),
}

/// What a child entry takes from its parent.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ParentEntry {
    /// The customer's account.
    pub account: Option<String>,
}

/// One movement of money, named as the provider names it.
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Occurrence {
    /// From signed bytes or the matched secret; empty where the provider's ids are unique by themselves.
    pub scope: String,
    /// The provider's id of this occurrence.
    pub id: String,
}

impl Occurrence {
    /// An occurrence whose id is unique by itself.
    pub fn unique(id: impl Into<String>) -> Self {
        Self { scope: String::new(), id: id.into() }
    }
}

/// How money moves. A file format: added to, never respelled. The kind carries the sign.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Kind {
    /// Money from a customer: +.
    Payment,
    /// Money back to a customer: −.
    Refund,
    /// A refund that came back: +.
    RefundReversed,
    /// Money to our bank: −.
    Payout,
    /// A payout that came back: +.
    PayoutReversed,
    /// Money withdrawn in a dispute: −.
    Dispute,
    /// Money a dispute gave back: +.
    DisputeReversed,
    /// Says which invoice a payment settled; moves nothing, carries the amount beside the sum.
    InvoiceLink,
}

/// The direction of a kind.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Sign {
    /// Adds to the account.
    Plus,
    /// Takes from the account.
    Minus,
    /// Moves nothing.
    Zero,
}

impl Kind {
    /// Every kind.
    pub const ALL: [Self; 8] = [
        Self::Payment,
        Self::Refund,
        Self::RefundReversed,
        Self::Payout,
        Self::PayoutReversed,
        Self::Dispute,
        Self::DisputeReversed,
        Self::InvoiceLink,
    ];

    /// As the ledger spells it.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Payment => "payment",
            Self::Refund => "refund",
            Self::RefundReversed => "refund_reversed",
            Self::Payout => "payout",
            Self::PayoutReversed => "payout_reversed",
            Self::Dispute => "dispute",
            Self::DisputeReversed => "dispute_reversed",
            Self::InvoiceLink => "invoice_link",
        }
    }

    /// Which way the money goes.
    pub const fn sign(self) -> Sign {
        match self {
            Self::Payment | Self::RefundReversed | Self::PayoutReversed | Self::DisputeReversed => Sign::Plus,
            Self::Refund | Self::Payout | Self::Dispute => Sign::Minus,
            Self::InvoiceLink => Sign::Zero,
        }
    }
}

impl ParkReason {
    /// Every reason.
    pub const ALL: [Self; 6] =
        [Self::Unreadable, Self::BytesLost, Self::Conflict, Self::Spent, Self::Held, Self::Person];

    /// As the claim spells it.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Unreadable => "unreadable",
            Self::BytesLost => "bytes_lost",
            Self::Conflict => "conflict",
            Self::Spent => "spent",
            Self::Held => "held",
            Self::Person => "person",
        }
    }

    /// Whether the next equal delivery may bring the event back without a person.
    pub const fn heals_by_redelivery(self) -> bool {
        matches!(self, Self::Unreadable | Self::BytesLost)
    }
}

impl Ignored {
    /// As logs and metrics spell it.
    pub const fn name(self) -> &'static str {
        match self {
            Self::EventType => "event_type",
            Self::NothingMoved => "nothing_moved",
            Self::OtherMode => "other_mode",
        }
    }
}

/// Our record of a movement. Built from a magnitude: the kind gives the sign.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Entry {
    /// What moved.
    pub occurrence: Occurrence,
    /// How.
    pub kind: Kind,
    /// Signed, in the provider's minor units.
    pub amount_minor: i64,
    /// In which currency.
    pub currency: Currency,
    /// The customer's account at the provider, where known.
    pub account: Option<String>,
    /// The movement this one undoes or belongs to.
    pub parent: Option<Occurrence>,
    /// The invoice, where known.
    pub invoice: Option<String>,
    /// For [`Kind::InvoiceLink`]: the amount that was linked, in minor units; in no sum.
    pub linked_minor: Option<i64>,
    /// When it happened at the provider.
    pub occurred_at: UnixMs,
}

impl Entry {
    /// A movement of `magnitude_minor` (not negative) minor units.
    pub fn new(
        occurrence: Occurrence,
        kind: Kind,
        magnitude_minor: i64,
        currency: Currency,
        occurred_at: UnixMs,
    ) -> Result<Self, Uncommittable> {
        if magnitude_minor < 0 {
            return Err(Uncommittable::NegativeMagnitude);
        }
        let (amount_minor, linked_minor) = match kind.sign() {
            Sign::Plus => (magnitude_minor, None),
            Sign::Minus => (-magnitude_minor, None),
            Sign::Zero => (0, Some(magnitude_minor)),
        };
        let (account, parent, invoice) = (None, None, None);
        Ok(Self { occurrence, kind, amount_minor, currency, account, parent, invoice, linked_minor, occurred_at })
    }

    /// With the customer's account.
    pub fn account(mut self, account: Option<impl Into<String>>) -> Self {
        self.account = account.map(Into::into);
        self
    }

    /// With the movement it undoes or belongs to.
    pub fn parent(mut self, parent: Option<Occurrence>) -> Self {
        self.parent = parent;
        self
    }

    /// With its invoice.
    pub fn invoice(mut self, invoice: Option<impl Into<String>>) -> Self {
        self.invoice = invoice.map(Into::into);
        self
    }

    fn check(&self) -> Result<(), Uncommittable> {
        let Self { occurrence, account, parent, invoice, .. } = self;
        let ids = [Some(&occurrence.id), account.as_ref(), invoice.as_ref(), parent.as_ref().map(|parent| &parent.id)];
        for id in ids.into_iter().flatten() {
            if id.is_empty() {
                return Err(Uncommittable::EmptyId);
            }
            if id.len() > TEXT_BYTES_MAX {
                return Err(Uncommittable::LongText);
            }
        }
        Ok(())
    }
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
}

/// A plan that one transaction cannot take. The event is parked instead.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum Uncommittable {
    /// A settled event books or says something.
    #[error("the event would settle nothing")]
    Nothing,
    /// More actions than a transaction takes.
    #[error("more entries and messages than one transaction takes")]
    TooMany,
    /// Two entries of one movement and kind.
    #[error("one movement stands twice in the event")]
    SameMovement,
    /// Two messages of one name, entry and sink.
    #[error("one message stands twice in the event")]
    SameMessage,
    /// A message about an entry that is not in the plan.
    #[error("a message is about an entry that is not in the plan")]
    StrayMessage,
    /// An amount below zero where the kind carries the sign.
    #[error("an amount is negative where it may not be")]
    NegativeMagnitude,
    /// An id of no letters.
    #[error("an id is empty")]
    EmptyId,
    /// A text longer than an item should hold.
    #[error("a text is longer than {TEXT_BYTES_MAX} bytes")]
    LongText,
    /// A message too long.
    #[error("a message is longer than {MESSAGE_BYTES_MAX} bytes")]
    LongMessage,
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
        Ok(Self { entries, messages })
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
        let message = |about| Message { name: "payment.recorded", about, sink: "bus".into(), body: "{}".into() };
        let about = Some((Occurrence::unique("a"), Kind::Payment));
        assert_eq!(
            Settle::new(vec![one("a")], vec![message(about.clone()), message(about.clone())]),
            Err(Uncommittable::SameMessage)
        );
        assert_eq!(Settle::new(vec![one("b")], vec![message(about)]), Err(Uncommittable::StrayMessage));
    }
}
