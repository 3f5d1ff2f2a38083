//! The one builder of the transaction that claims an event and books it.

use std::collections::BTreeSet;

use aws_sdk_dynamodb::types::AttributeValue;

use super::claim_row::{Booked, cut, encode_entries, last_error, shard};
use super::codec::{Condition, b, claims_key, delete, ms, n, put, s};
use super::entry_row::{self, Origin};
use super::names::{self as name, CLAIM_PART};
use super::payload::part_name;
use super::{Item, NewClaim, Role, Stroke, Tables, Transaction};
use crate::claim::{ClaimKey, Digest, EFFECT_VERSION, Effect, MovementKey, State, key_part};
use crate::plan::{Entry, Message, Settle, Write};
use crate::provider::Reply;
use crate::time::UnixMs;

/// Longer event ids and scopes are hashed in the key; beside it they are kept up to here.
const TEXT_BYTES_MAX: usize = 1_024;

/// A sort key takes 1,024 bytes, with the message's name and sink.
const ABOUT_BYTES_MAX: usize = 400;

/// Under which condition the claim is written.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Guard {
    /// No claim, or one that has expired.
    Absent,
    /// The claim is parked and as we saw it: a redelivery brings it back.
    Parked(Box<Seen>),
}

/// What a claim that is brought back keeps.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Seen {
    /// The owner we saw.
    pub owner: String,
    /// First claimed.
    pub claimed_at: UnixMs,
    /// Open since: the redelivery does not make it young.
    pub open_since: UnixMs,
    /// What was answered.
    pub reply: Reply,
    /// Payload parts that lie beside it.
    pub payload_parts: usize,
}

/// What exists already and is left out: entries, with their messages, and messages.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Skip {
    /// Positions of entries in the plan.
    pub entries: BTreeSet<usize>,
    /// Positions of messages in the plan.
    pub messages: BTreeSet<usize>,
    /// Those of `entries` of which the ledger says something else.
    pub differs: BTreeSet<usize>,
}

impl Skip {
    /// Leaves an entry of which the ledger says something else.
    pub fn leave(&mut self, at: usize) {
        self.entries.insert(at);
        self.differs.insert(at);
    }
}

/// Claims the event and does what the plan says, all or nothing. The event's bytes are kept unless the plan settles.
pub fn transaction(
    tables: &Tables,
    claim: &NewClaim<'_>,
    write: &Write,
    guard: &Guard,
    skip: &Skip,
    stroke: &Stroke,
) -> Transaction {
    let mut transaction = Transaction::new();
    let keep = !matches!(write, Write::Settle(_));
    let parts = if keep { claim.payload().count() } else { 0 };
    let item = claim_item(claim, write, parts, guard, skip, stroke);
    transaction.push(Role::Claim, put(&tables.claims, item, Some(guard.condition(stroke.now))));
    if let Write::Settle(settle) = write {
        push_effects(&mut transaction, tables, claim.into(), settle, skip, stroke);
    }
    if keep {
        for item in claim.payload().items(&claim.key, "payload") {
            transaction.push(Role::Payload, put(&tables.claims, item, None));
        }
    }
    if let Guard::Parked(seen) = guard {
        push_deletes(&mut transaction, tables, &claim.key, parts..seen.payload_parts);
    }
    transaction
}

impl Guard {
    fn condition(&self, now: UnixMs) -> Condition {
        match self {
            Self::Absent => Condition::new(
                "attribute_not_exists(#claim) OR #expires_at <= :now_s",
                &[name::CLAIM, name::EXPIRES_AT],
                vec![(":now_s", n(now.to_s().get()))],
            ),
            Self::Parked(seen) => Condition::new(
                "#state = :parked AND #owner = :seen",
                &[name::STATE, name::OWNER],
                vec![(":parked", s(State::Parked.name())), (":seen", s(&seen.owner))],
            ),
        }
    }
}

/// The entries and messages of a plan that are not skipped. A message is skipped with its entry.
pub(super) fn push_effects(
    transaction: &mut Transaction,
    tables: &Tables,
    origin: Origin<'_>,
    settle: &Settle,
    skip: &Skip,
    stroke: &Stroke,
) {
    for (at, entry) in settle.entries().iter().enumerate().filter(|(at, _)| !skip.entries.contains(at)) {
        let absent = Condition::new("attribute_not_exists(#movement)", &[name::MOVEMENT], vec![]);
        let item = entry_row::encode(&origin, entry, stroke.now);
        transaction.push(Role::Entry(at), put(&tables.ledger, item, Some(absent)));
    }
    for (at, message) in settle.messages().iter().enumerate().filter(|(at, _)| !skip.messages.contains(at)) {
        if !about_skipped(message, settle, skip) {
            let absent = Condition::new("attribute_not_exists(#claim)", &[name::CLAIM], vec![]);
            let item = message_item(&origin, message, stroke);
            transaction.push(Role::Message(at), put(&tables.claims, item, Some(absent)));
        }
    }
}

fn about_skipped(message: &Message, settle: &Settle, skip: &Skip) -> bool {
    let is_about = |entry: &Entry| {
        message.about.as_ref().is_some_and(|(occurrence, kind)| (occurrence, *kind) == (&entry.occurrence, entry.kind))
    };
    skip.entries.iter().any(|at| settle.entries().get(*at).is_some_and(is_about))
}

/// Deletes payload parts; the claim's condition in the same transaction guards them.
pub(super) fn push_deletes(
    transaction: &mut Transaction,
    tables: &Tables,
    key: &ClaimKey,
    parts: std::ops::Range<usize>,
) {
    for at in parts {
        let key = claims_key(key.as_str(), part_name("payload", at));
        transaction.push(Role::Payload, delete(&tables.claims, key));
    }
}

fn claim_item(claim: &NewClaim<'_>, write: &Write, parts: usize, guard: &Guard, skip: &Skip, stroke: &Stroke) -> Item {
    let mut item = identity(claim, CLAIM_PART, claim.effect(write));
    let (claimed_at, open_since, reply) = match guard {
        Guard::Absent => (stroke.now, stroke.now, &claim.reply),
        Guard::Parked(seen) => (seen.claimed_at, seen.open_since, &seen.reply),
    };
    let mut set = |name: &str, value| {
        item.insert(name.to_owned(), value);
    };
    set(name::OWNER, s(&stroke.owner));
    set(name::CLAIMED_AT_MS, ms(claimed_at));
    set(name::REPLY_STATUS, n(reply.status));
    set(name::REPLY_BODY, b(reply.body.to_vec()));
    set(name::REPLY_TYPE, s(&reply.content_type));
    match write {
        Write::Settle(settle) => {
            set(name::STATE, s(State::Done.name()));
            set(name::COMPLETED_AT_MS, ms(stroke.now));
            set(name::ENTRIES, booked(&claim.into(), settle, skip));
            set(name::EXPIRES_AT, expires_at(stroke.now, claim.retention_s));
        }
        Write::Defer(_) => {
            set(name::STATE, s(State::Received.name()));
            set(name::SHARD, s(shard("open", &claim.key)));
        }
        Write::Park(park) => {
            set(name::STATE, s(State::Parked.name()));
            set(name::SHARD, s(shard("parked", &claim.key)));
            set(name::PARK_REASON, s(park.reason.name()));
            set(name::LAST_ERROR, last_error(&park.why));
        }
    }
    if !matches!(write, Write::Settle(_)) {
        set(name::OPEN_SINCE_MS, ms(open_since));
        set(name::DUE_AT_MS, ms(stroke.now));
        set(name::ATTEMPT, n(0));
        set(name::ON_LOST, s(claim.on_lost.name()));
        set(name::PAYLOAD_PARTS, n(i128::try_from(parts).unwrap_or_default()));
    }
    item
}

/// What says which event a row is about.
pub(super) fn identity(claim: &NewClaim<'_>, part: &str, effect: Effect) -> Item {
    let event = claim.event;
    let mut item = claims_key(claim.key.as_str(), part);
    let mut set = |name: &str, value| {
        item.insert(name.to_owned(), value);
    };
    set(name::PROVIDER, s(claim.provider));
    set(name::SCOPE, s(cut(&event.scope, TEXT_BYTES_MAX)));
    set(name::EVENT_ID, s(cut(&event.id, TEXT_BYTES_MAX)));
    set(name::EVENT_TYPE, s(claim.event_type()));
    set(name::RAW_DIGEST, b(claim.raw_digest.as_bytes()));
    set(name::EFFECT_DIGEST, b(effect.digest.as_bytes()));
    set(name::EFFECT_KIND, s(effect.kind.name()));
    set(name::EFFECT_V, n(EFFECT_VERSION));
    item
}

/// The list of what a settled claim booked.
pub(super) fn booked(origin: &Origin<'_>, settle: &Settle, skip: &Skip) -> AttributeValue {
    encode_entries(settle.entries().iter().enumerate().map(|(at, entry)| Booked {
        movement: MovementKey::new(origin.provider, &entry.occurrence),
        kind: entry.kind,
        existed: skip.entries.contains(&at),
        differs: skip.differs.contains(&at).then(|| entry_row::said(origin, entry)),
    }))
}

/// TTL's attribute: epoch seconds, or DynamoDB never deletes.
pub(super) fn expires_at(now: UnixMs, retention_s: u64) -> AttributeValue {
    n(now.to_s().plus_s(retention_s).get())
}

fn message_item(origin: &Origin<'_>, message: &Message, stroke: &Stroke) -> Item {
    let about = message
        .about
        .as_ref()
        .map(|(occurrence, kind)| format!("{}/{}", MovementKey::new(origin.provider, occurrence), kind.name()));
    let about = about.unwrap_or_default();
    let about = if about.len() > ABOUT_BYTES_MAX { Digest::of(about.as_bytes()).to_hex() } else { about };
    let part = format!("message#{}#{about}#{}", message.name, key_part(&message.sink));
    let mut item = claims_key(origin.key.as_str(), part);
    let mut set = |name: &str, value| {
        item.insert(name.to_owned(), value);
    };
    set(name::PROVIDER, s(origin.provider));
    set(name::STATE, s(State::Received.name()));
    set(name::OWNER, s(&stroke.owner));
    set(name::CLAIMED_AT_MS, ms(stroke.now));
    set(name::OPEN_SINCE_MS, ms(stroke.now));
    set(name::DUE_AT_MS, ms(stroke.now));
    set(name::ATTEMPT, n(0));
    set(name::ON_LOST, s(message.on_lost.name()));
    set(name::SHARD, s(shard("open", origin.key)));
    set(name::BODY, s(&message.body));
    item
}
