//! Why an event has no effect, is parked, or cannot be committed as it is.

use super::MESSAGE_BYTES_MAX;
use super::movement::TEXT_BYTES_MAX;

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
