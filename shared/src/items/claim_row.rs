//! A claim as the claims table holds it.

use std::collections::HashMap;

use aws_sdk_dynamodb::types::AttributeValue;
use bytes::Bytes;

use super::codec::{DecodeError, Reader, claims_key, n, s};
use super::entry_row::decode_held;
use super::names as name;
use super::resolution::{Book, Resolution};
use super::{Item, RowKind, SHARDS};
use crate::claim::{ClaimKey, Digest, EFFECT_VERSION, Effect, EffectKind, HeldEntry, MovementKey, State, kind_named};
use crate::plan::{Kind, ParkReason};
use crate::provider::{Event, EventMode, Kept, Reply};
use crate::time::{UnixMs, UnixS};

const ERROR_BYTES_MAX: usize = 300;

/// A claim, read back.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ClaimRow {
    /// Its key.
    pub key: ClaimKey,
    /// Provider's name.
    pub provider: String,
    /// Scope; empty for none.
    pub scope: String,
    /// The provider's id of the event, cut to what an item should hold.
    pub event_id: String,
    /// The provider's word for what happened.
    pub event_type: String,
    /// The digest of the bytes that were claimed.
    pub raw_digest: Digest,
    /// Its effect. `None`: digested by another version, never compared.
    pub effect: Option<Effect>,
    /// Where it stands.
    pub state: State,
    /// The last writer's token.
    pub owner: String,
    /// First claimed.
    pub claimed_at: UnixMs,
    /// Settled.
    pub completed_at: Option<UnixMs>,
    /// Since when it is open; only a person resets it.
    pub open_since: Option<UnixMs>,
    /// What was answered.
    pub reply: Reply,
    /// What it booked, when done.
    pub entries: Vec<Booked>,
    /// How often a worker took it up.
    pub attempt: u32,
    /// Why the last attempt failed, or why it is parked.
    pub last_error: Option<String>,
    /// Why it is parked.
    pub park_reason: Option<ParkReason>,
    /// How many payload parts lie beside it.
    pub payload_parts: usize,
    /// When it is due, until done.
    pub due_at: Option<UnixMs>,
    /// When it may be forgotten, once done.
    pub expires_at: Option<UnixS>,
    /// What a person decided about it.
    pub resolution: Option<Resolution>,
}

/// An entry of a claim that is done.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Booked {
    /// Which movement.
    pub movement: MovementKey,
    /// How.
    pub kind: Kind,
    /// Whether the ledger held it already.
    pub existed: bool,
    /// What this event says of it, where the ledger holds something else: a person decided to leave that as it is.
    pub differs: Option<HeldEntry>,
}

/// The key of one row of the claims table, as the index of open work lists it.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct IndexRow {
    /// The claim.
    pub key: ClaimKey,
    /// Its part: the claim itself, a message or a mismatch.
    pub part: String,
}

impl IndexRow {
    /// Reads an item of the claims table or of its index.
    pub fn decode(item: &Item) -> Result<Self, DecodeError> {
        let row = Reader(item);
        Ok(Self { key: ClaimKey::from_text(row.text(name::CLAIM)?), part: row.text(name::PART)?.to_owned() })
    }
}

/// What a record of the claims table's stream says about its row.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct StreamRow {
    /// Which row.
    pub row: IndexRow,
    /// Whether it waits for a worker.
    pub received: bool,
    /// When it is due, until done.
    pub due_at: Option<UnixMs>,
}

impl StreamRow {
    /// Reads a row, or as much of it as a worker needs to know.
    pub fn decode(item: &Item) -> Result<Self, DecodeError> {
        let received = Reader(item).text_opt(name::STATE) == Some(State::Received.name());
        Ok(Self { row: IndexRow::decode(item)?, received, due_at: Reader(item).ms_opt(name::DUE_AT_MS) })
    }
}

impl IndexRow {
    /// Whether it is a claim's own row.
    pub fn is_claim(&self) -> bool {
        self.part == name::CLAIM_PART
    }

    /// Whether it is a message that is owed to a sink.
    pub fn is_message(&self) -> bool {
        RowKind::of(&self.part) == RowKind::Message
    }
}

impl ClaimRow {
    /// Reads a claim. A state, reply or digest that this version does not know is an error: never guessed, never
    /// overwritten.
    pub fn decode(item: &Item) -> Result<Self, DecodeError> {
        let row = Reader(item);
        let state = row.text(name::STATE)?;
        Ok(Self {
            key: ClaimKey::from_text(row.text(name::CLAIM)?),
            provider: row.text(name::PROVIDER)?.to_owned(),
            scope: row.text(name::SCOPE)?.to_owned(),
            event_id: row.text(name::EVENT_ID)?.to_owned(),
            event_type: row.text(name::EVENT_TYPE)?.to_owned(),
            raw_digest: digest(&row, name::RAW_DIGEST)?,
            effect: effect(&row)?,
            state: State::ALL
                .into_iter()
                .find(|known| known.name() == state)
                .ok_or(DecodeError { attribute: name::STATE })?,
            owner: row.text(name::OWNER)?.to_owned(),
            claimed_at: row.ms(name::CLAIMED_AT_MS)?,
            completed_at: row.ms_opt(name::COMPLETED_AT_MS),
            open_since: row.ms_opt(name::OPEN_SINCE_MS),
            reply: Reply {
                status: row.number(name::REPLY_STATUS)?,
                body: Bytes::copy_from_slice(row.bytes(name::REPLY_BODY)?),
                content_type: row.text(name::REPLY_TYPE)?.to_owned(),
            },
            entries: item.get(name::ENTRIES).map(decode_entries).transpose()?.unwrap_or_default(),
            attempt: row.number_opt(name::ATTEMPT).unwrap_or_default(),
            last_error: row.text_opt(name::LAST_ERROR).map(str::to_owned),
            park_reason: row.text_opt(name::PARK_REASON).and_then(park_reason),
            payload_parts: row.number_opt(name::PAYLOAD_PARTS).unwrap_or_default(),
            due_at: row.ms_opt(name::DUE_AT_MS),
            expires_at: row.number_opt(name::EXPIRES_AT).map(UnixS::new),
            resolution: Resolution::decode(item),
        })
    }

    /// The event as the provider identified it when it was kept.
    pub fn event(&self, kept: Kept) -> Event {
        Event {
            id: self.event_id.clone(),
            scope: self.scope.clone(),
            event_type: self.event_type.clone(),
            // An event of the other mode is never kept for us.
            mode: EventMode::Ours,
            kept,
            problem: None,
        }
    }

    /// Whether a person decided that what the ledger lacks is booked and what differs is left. It holds until the claim is
    /// done.
    pub fn books_missing(&self) -> bool {
        self.resolution.as_ref().is_some_and(|resolution| resolution.book == Book::Missing)
    }

    /// Whether TTL may have deleted it by now: expired claims count as absent, deleted or not.
    pub fn expired(&self, now: UnixS) -> bool {
        self.expires_at.is_some_and(|expires_at| expires_at <= now)
    }
}

/// The key of a claim's own row.
pub fn claim_key(key: &ClaimKey) -> Item {
    claims_key(key.as_str(), name::CLAIM_PART)
}

/// When a row was first written.
pub fn kept_at(item: &Item) -> Result<UnixMs, DecodeError> {
    Reader(item).ms(name::CLAIMED_AT_MS)
}

/// Who wrote a row of the claims table last.
pub fn owner(item: &Item) -> Option<&str> {
    Reader(item).text_opt(name::OWNER)
}

fn digest(row: &Reader<'_>, attribute: &'static str) -> Result<Digest, DecodeError> {
    Digest::from_bytes(row.bytes(attribute)?).ok_or(DecodeError { attribute })
}

fn effect(row: &Reader<'_>) -> Result<Option<Effect>, DecodeError> {
    if row.number::<u32>(name::EFFECT_V)? != EFFECT_VERSION {
        return Ok(None);
    }
    let kind = row.text(name::EFFECT_KIND)?;
    let kind = EffectKind::ALL.into_iter().find(|known| known.name() == kind);
    let digest = digest(row, name::EFFECT_DIGEST)?;
    Ok(kind.map(|kind| Effect { kind, digest }))
}

fn park_reason(name: &str) -> Option<ParkReason> {
    ParkReason::ALL.into_iter().find(|reason| reason.name() == name)
}

pub(super) fn encode_entries(entries: impl Iterator<Item = Booked>) -> AttributeValue {
    AttributeValue::L(entries.map(|booked| AttributeValue::M(encode_entry(booked))).collect())
}

fn encode_entry(booked: Booked) -> Item {
    let mut map = HashMap::from([
        (name::MOVEMENT.to_owned(), s(booked.movement.as_str())),
        (name::KIND.to_owned(), s(booked.kind.name())),
        (name::EXISTED.to_owned(), AttributeValue::Bool(booked.existed)),
    ]);
    if let Some(HeldEntry { amount_minor, linked_minor, currency, account }) = booked.differs {
        map.insert(name::DIFFERS.to_owned(), AttributeValue::Bool(true));
        map.insert(name::AMOUNT_MINOR.to_owned(), n(amount_minor));
        map.insert(name::CURRENCY.to_owned(), s(currency));
        map.extend(linked_minor.map(|minor| (name::LINKED_MINOR.to_owned(), n(minor))));
        map.extend(account.map(|account| (name::ACCOUNT.to_owned(), s(account))));
    }
    map
}

fn decode_entries(list: &AttributeValue) -> Result<Vec<Booked>, DecodeError> {
    let wrong = DecodeError { attribute: name::ENTRIES };
    let decode = |entry: &AttributeValue| {
        let map = entry.as_m().map_err(|_| wrong.clone())?;
        let row = Reader(map);
        let is = |name| map.get(name).and_then(|value| value.as_bool().ok()).copied().unwrap_or_default();
        Ok(Booked {
            movement: MovementKey::from_text(row.text(name::MOVEMENT)?),
            kind: kind_named(row.text(name::KIND)?).ok_or(wrong.clone())?,
            existed: is(name::EXISTED),
            differs: if is(name::DIFFERS) { Some(decode_held(map)?) } else { None },
        })
    };
    list.as_l().map_err(|_| wrong.clone())?.iter().map(decode).collect()
}

/// Which of the index's partitions a claim lies in.
pub(super) fn shard(prefix: &str, key: &ClaimKey) -> String {
    let shard = Digest::of(key.as_str().as_bytes()).as_bytes()[0] % SHARDS;
    format!("{prefix}#{shard:02}")
}

/// Why it was parked or given back, as a row takes it: it stands in an index, and duplicates are charged by its size.
pub(super) fn last_error(why: &str) -> AttributeValue {
    s(cut(why, ERROR_BYTES_MAX))
}

/// A text cut to at most `bytes_max` bytes, at a character's edge.
pub(super) fn cut(text: &str, bytes_max: usize) -> &str {
    &text[..text.floor_char_boundary(bytes_max)]
}
