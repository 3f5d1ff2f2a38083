//! Our record of an event: its key, its states, and the digests that tell the same again from something else.

use std::borrow::Cow;
use std::fmt;

use ring::digest::{Context, SHA256, digest};

use crate::plan::{Defer, Entry, Fetch, Kind, Occurrence, Settle, Write};
use crate::request::encode_hex;

/// A part of a key longer than this, escaped, is replaced by its SHA-256 in hex.
const KEY_PART_BYTES_MAX: usize = 512;

/// The version of what an effect digest covers. A claim of another version is never compared.
pub const EFFECT_VERSION: u32 = 1;

/// The key of a claim: provider, signed scope and event id.
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct ClaimKey(String);

/// The key of a movement: provider, scope (or empty where ids are unique by themselves) and occurrence id.
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct MovementKey(String);

impl ClaimKey {
    /// Builds the key. Injective: other parts, another key.
    pub fn new(provider: &str, scope: &str, event_id: &str) -> Self {
        Self(join(&[provider, scope, event_id]))
    }

    /// A key as it was printed.
    pub fn from_text(text: impl Into<String>) -> Self {
        Self(text.into())
    }

    /// As stored and printed.
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

impl MovementKey {
    /// Builds the key. Injective, by the same encoder as the claim's.
    pub fn new(provider: &str, occurrence: &Occurrence) -> Self {
        Self(join(&[provider, &occurrence.scope, &occurrence.id]))
    }

    /// A key as it was printed.
    pub fn from_text(text: impl Into<String>) -> Self {
        Self(text.into())
    }

    /// As stored and printed.
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

impl fmt::Display for ClaimKey {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl fmt::Display for MovementKey {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

/// The key of an account or an invoice: provider, scope and the provider's id.
pub fn owned_key(provider: &str, scope: &str, id: &str) -> String {
    join(&[provider, scope, id])
}

/// A part of a key by itself, e.g. in the sort key of a message.
pub fn key_part(part: &str) -> Cow<'_, str> {
    let escaped = escape(part);
    if escaped.len() > KEY_PART_BYTES_MAX { Cow::Owned(Digest::of(part.as_bytes()).to_hex()) } else { escaped }
}

fn join(parts: &[&str]) -> String {
    let parts: Vec<_> = parts.iter().map(|part| key_part(part)).collect();
    parts.join(":")
}

fn escape(part: &str) -> Cow<'_, str> {
    if !part.contains(['%', ':', '#']) {
        return Cow::Borrowed(part);
    }
    Cow::Owned(part.replace('%', "%25").replace(':', "%3A").replace('#', "%23"))
}

/// A SHA-256.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
pub struct Digest([u8; 32]);

impl Digest {
    /// The digest of `bytes`.
    pub fn of(bytes: &[u8]) -> Self {
        Self::finished(digest(&SHA256, bytes))
    }

    /// A digest as it was stored.
    pub fn from_bytes(bytes: &[u8]) -> Option<Self> {
        bytes.try_into().ok().map(Self)
    }

    /// 32 bytes.
    pub fn as_bytes(&self) -> &[u8] {
        &self.0
    }

    /// 64 lower-case digits.
    pub fn to_hex(self) -> String {
        encode_hex(&self.0)
    }

    fn finished(digest: ring::digest::Digest) -> Self {
        let mut bytes = [0; 32];
        bytes.copy_from_slice(digest.as_ref());
        Self(bytes)
    }
}

impl fmt::Debug for Digest {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.to_hex())
    }
}

/// Where a claim stands. A file format: added to, never respelled.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum State {
    /// Kept; the worker will settle it.
    Received,
    /// A worker holds the lease.
    Processing,
    /// Waits for a person, or for a redelivery that can be read.
    Parked,
    /// Settled. Nothing changes until it expires.
    Done,
}

impl State {
    /// Every state.
    pub const ALL: [Self; 4] = [Self::Received, Self::Processing, Self::Parked, Self::Done];

    /// As the claim spells it.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Received => "received",
            Self::Processing => "processing",
            Self::Parked => "parked",
            Self::Done => "done",
        }
    }
}

/// What an effect digest covers.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum EffectKind {
    /// Movements, amounts, currency, account.
    Settle,
    /// What is fetched and the movements known before it, without accounts.
    Defer,
    /// The canonical content.
    Park,
}

impl EffectKind {
    /// Every kind.
    pub const ALL: [Self; 3] = [Self::Settle, Self::Defer, Self::Park];

    /// As the claim spells it.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Settle => "settle",
            Self::Defer => "defer",
            Self::Park => "park",
        }
    }
}

/// The digest of what an event does, by which a later delivery of the same id is told to be the same or something else.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Effect {
    /// What it covers.
    pub kind: EffectKind,
    /// The digest.
    pub digest: Digest,
}

impl Effect {
    /// The effect of a plan as it is claimed first. `content` is the canonical content.
    pub fn of(write: &Write, content: &[u8]) -> Self {
        match write {
            Write::Settle(settle) => Self::of_settle(settle),
            Write::Defer(defer) => Self::of_defer(defer),
            Write::Park(_) => Self::of_content(content),
        }
    }

    /// The effect of a plan in the kind that a claim stored, so that like is compared with like. `None`: impossible.
    pub fn in_kind(kind: EffectKind, write: &Write, content: &[u8]) -> Option<Self> {
        match (kind, write) {
            (EffectKind::Settle, Write::Settle(settle)) => Some(Self::of_settle(settle)),
            (EffectKind::Defer, Write::Defer(defer)) => Some(Self::of_defer(defer)),
            (EffectKind::Park, _) => Some(Self::of_content(content)),
            (EffectKind::Settle | EffectKind::Defer, _) => None,
        }
    }

    fn of_settle(settle: &Settle) -> Self {
        let mut hash = FieldHash::new("settle");
        hash.entries(settle.entries(), true);
        hash.effect(EffectKind::Settle)
    }

    fn of_defer(defer: &Defer) -> Self {
        let mut hash = FieldHash::new("defer");
        match defer.fetch() {
            Fetch::ParentEntry(occurrence) => hash.text("parent").occurrence(occurrence),
            Fetch::Object(path) | Fetch::ObjectIfKeyed(path) | Fetch::ObjectIfThere(path) => {
                hash.text("object").text(path)
            }
        };
        hash.entries(defer.known(), false);
        hash.effect(EffectKind::Defer)
    }

    /// The effect of content that nothing else can be said of.
    pub fn of_content(content: &[u8]) -> Self {
        let mut hash = FieldHash::new("park");
        hash.bytes(content);
        hash.effect(EffectKind::Park)
    }
}

/// Hashes fields with their lengths, so that no two sequences of fields look alike.
struct FieldHash(Context);

impl FieldHash {
    fn new(domain: &str) -> Self {
        let mut hash = Self(Context::new(&SHA256));
        hash.text(domain);
        hash
    }

    fn bytes(&mut self, bytes: &[u8]) -> &mut Self {
        self.0.update(&(bytes.len() as u64).to_be_bytes());
        self.0.update(bytes);
        self
    }

    fn text(&mut self, text: &str) -> &mut Self {
        self.bytes(text.as_bytes())
    }

    fn occurrence(&mut self, occurrence: &Occurrence) -> &mut Self {
        self.text(&occurrence.scope).text(&occurrence.id)
    }

    fn entries(&mut self, entries: &[Entry], with_account: bool) {
        let mut entries: Vec<&Entry> = entries.iter().collect();
        entries.sort_by_key(|entry| (&entry.occurrence, entry.kind.name()));
        for entry in entries {
            self.occurrence(&entry.occurrence).text(entry.kind.name());
            self.bytes(&entry.amount_minor.to_be_bytes());
            self.bytes(&entry.linked_minor.unwrap_or_default().to_be_bytes());
            self.text(entry.currency.code());
            match entry.account.as_deref().filter(|_| with_account) {
                Some(account) => self.text("account").text(account),
                None => self.text(""),
            };
        }
    }

    fn effect(self, kind: EffectKind) -> Effect {
        Effect { kind, digest: Digest::finished(self.0.finish()) }
    }
}

/// Whether an entry that the ledger holds says the same as the one we want to book: amount, currency, sign, and account
/// where both have one.
pub fn same_movement(held: &HeldEntry, wanted: &Entry, wanted_account: Option<&str>) -> bool {
    let same_account = match (held.account.as_deref(), wanted_account) {
        (Some(held), Some(wanted)) => held == wanted,
        _ => true,
    };
    same_account
        && held.amount_minor == wanted.amount_minor
        && held.linked_minor == wanted.linked_minor
        && held.currency == wanted.currency.code()
}

/// What the ledger holds of a movement.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct HeldEntry {
    /// Signed, minor units.
    pub amount_minor: i64,
    /// See [`Entry::linked_minor`].
    pub linked_minor: Option<i64>,
    /// Upper case.
    pub currency: String,
    /// The account's key.
    pub account: Option<String>,
}

/// Reads a kind as the ledger spells it.
pub fn kind_named(name: &str) -> Option<Kind> {
    Kind::ALL.into_iter().find(|kind| kind.name() == name)
}
