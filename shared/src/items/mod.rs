//! The rows of the two tables: attribute names, codec, and the one builder of transactions. A file format: names and
//! values are added to, never respelled.

mod audit_row;
mod change;
mod claim_row;
mod codec;
mod complete;
mod done_row;
mod entry_row;
mod message_row;
mod names;
mod open_row;
mod payload;
mod resolution;
mod sibling;
mod transaction;

use std::collections::HashMap;
use std::sync::OnceLock;

use aws_sdk_dynamodb::types::{AttributeValue, TransactWriteItem};

use crate::claim::{ClaimKey, Digest, Effect};
use crate::json;
use crate::plan::{OnLost, Write};
use crate::provider::{Event, Provider, Reply};
use crate::time::UnixMs;

pub use audit_row::{AuditedClaim, AuditedEntry, CLAIM_AUDITED, ENTRY_AUDITED, EntryKey, ListedEntry};
pub use change::{Change, change};
pub use claim_row::{Booked, ClaimRow, IndexRow, StreamRow, claim_key, kept_at, owner};
pub use codec::DecodeError;
pub use complete::{Held, completion, lease, park, release, sent};
pub use done_row::{DoneRow, TTL_ATTRIBUTE, scan_done};
pub use entry_row::{EntryRow, account_key, entry_key, entry_key_of};
pub use message_row::MessageRow;
pub use names::{ACCOUNT, BY_ACCOUNT, BY_INVOICE, CLAIM, CLAIM_PART, INVOICE, OPEN_INDEX, PART, SHARD, STATE};
pub use open_row::{OpenRow, RowKind, row_key};
pub use payload::{Payload, unpack};
pub use resolution::{Book, Resolution};
pub use sibling::sibling;
pub use transaction::{Guard, Seen, Skip, transaction};

/// An item as DynamoDB has it.
pub type Item = HashMap<String, AttributeValue>;

/// The names of the two tables.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Tables {
    /// Claims, their payloads, messages and mismatches.
    pub claims: String,
    /// Entries.
    pub ledger: String,
}

/// How many partitions the index of open claims is spread over. May only grow: readers read every shard.
pub const SHARDS: u8 = 64;

const EVENT_TYPE_BYTES_MAX: usize = 128;
/// The two halves of the index of open work, so that what waits for a person never stands before what is due.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Shelf {
    /// Owed: received, or being worked on.
    Open,
    /// Waits for a person.
    Parked,
}

impl Shelf {
    /// The partition key of one of its [`SHARDS`].
    pub fn shard(self, shard: u8) -> String {
        match self {
            Self::Open => format!("open#{shard:02}"),
            Self::Parked => format!("parked#{shard:02}"),
        }
    }
}

/// Everything about an event that its claim will hold, whatever the plan.
#[derive(Debug)]
pub struct NewClaim<'a> {
    /// Provider's name.
    pub provider: &'static str,
    /// The event.
    pub event: &'a Event,
    /// Its key.
    pub key: ClaimKey,
    /// The digest of its bytes.
    pub raw_digest: Digest,
    /// The answer to store.
    pub reply: Reply,
    /// How long the claim is kept once it is done, in seconds.
    pub retention_s: u64,
    /// Fields that may differ between deliveries of one event.
    pub volatile_fields: &'static [&'static str],
    /// What becomes of it when a worker is lost over it.
    pub on_lost: OnLost,
    payload: OnceLock<Payload>,
}

impl<'a> NewClaim<'a> {
    /// The claim of an event of `provider`'s.
    pub fn new(provider: &dyn Provider, event: &'a Event) -> Self {
        let profile = provider.profile();
        Self {
            provider: profile.name,
            event,
            key: ClaimKey::new(profile.name, &event.scope, &event.id),
            raw_digest: Digest::of(&event.kept.body),
            reply: profile.transport.success.into(),
            retention_s: profile.lifetime.retention_s,
            volatile_fields: profile.identity.volatile_fields,
            on_lost: provider.on_lost(&event.event_type),
            payload: OnceLock::new(),
        }
    }

    /// The provider's word for what happened, as rows and log lines take it: short. Longer ones are none.
    pub fn event_type(&self) -> &str {
        claim_row::cut(&self.event.event_type, EVENT_TYPE_BYTES_MAX)
    }

    /// The event's bytes, ready to be kept. Packed when first asked for: a settled event keeps none.
    pub fn payload(&self) -> &Payload {
        self.payload.get_or_init(|| Payload::pack(&self.event.kept))
    }

    /// The content that says whether a delivery is the same: canonical, or the bytes where they have no canonical form.
    pub fn content(&self) -> Vec<u8> {
        let body = &self.event.kept.body;
        json::canonical(body, self.volatile_fields).unwrap_or_else(|| body.to_vec())
    }

    /// The effect that a plan gives this event when it is claimed first.
    pub fn effect(&self, write: &Write) -> Effect {
        match write {
            Write::Settle(_) | Write::Defer(_) => Effect::of(write, &[]),
            Write::Park(_) => Effect::of(write, &self.content()),
        }
    }
}

/// Who writes, and when.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Stroke {
    /// Fresh and random in each distinct request: recognises our own write, fences later ones.
    pub owner: String,
    /// The time of writing.
    pub now: UnixMs,
}

/// A transaction and what each of its actions is for, in the same order: reasons of a cancellation come by index.
#[derive(Clone, Debug)]
pub struct Transaction {
    /// At most 100.
    pub actions: Vec<TransactWriteItem>,
    /// As long as `actions`.
    pub roles: Vec<Role>,
}

/// What an action of a transaction is for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Role {
    /// The claim itself: decides first.
    Claim,
    /// The plan's entry at this position.
    Entry(usize),
    /// The plan's message at this position.
    Message(usize),
    /// A payload part.
    Payload,
}

impl Transaction {
    fn new() -> Self {
        Self { actions: Vec::new(), roles: Vec::new() }
    }

    fn push(&mut self, role: Role, action: TransactWriteItem) {
        self.roles.push(role);
        self.actions.push(action);
    }
}
