//! Rows as the audit reads them: leniently, so that what a newer version or a hand wrote is still held against the rest.

use std::fmt;

use super::Item;
use super::codec::{DecodeError, Reader, s};
use super::names as name;
use crate::claim::{ClaimKey, MovementKey, State};
use crate::time::{UnixMs, UnixS};

/// DynamoDB's limits of a key, in bytes; an empty one is refused too. Source: docs.aws.amazon.com, "Quotas in Amazon
/// DynamoDB". One key beyond them would make DynamoDB refuse the whole request it stands in.
const PARTITION_KEY_BYTES_MAX: usize = 2_048;
const SORT_KEY_BYTES_MAX: usize = 1_024;

/// What the audit reads of an entry.
pub const ENTRY_AUDITED: [&str; 4] = [name::MOVEMENT, name::KIND, name::CLAIM, name::RECORDED_AT_MS];

/// What the audit reads of a claim.
pub const CLAIM_AUDITED: [&str; 4] = [name::CLAIM, name::STATE, name::ENTRIES, name::EXPIRES_AT];

/// The key of an entry, whose kind may be of another version.
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct EntryKey {
    /// Which movement.
    pub movement: MovementKey,
    /// How, as the ledger spells it.
    pub kind: String,
}

/// An entry, and which claim it says booked it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct AuditedEntry {
    /// Its key.
    pub key: EntryKey,
    /// The claim. `None`: it names none, or something that cannot be the key of one.
    pub claim: Option<ClaimKey>,
    /// When it was booked. `None`: it does not say.
    pub recorded_at: Option<UnixMs>,
}

/// A claim, and which entries it says it has.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct AuditedClaim {
    /// Its key.
    pub key: ClaimKey,
    /// Where it stands. `None`: a state of another version.
    pub state: Option<State>,
    /// What it lists. `None`: this version cannot read it.
    pub entries: Option<Vec<ListedEntry>>,
    /// When it may be forgotten, once done.
    pub expires_at: Option<UnixS>,
}

/// An entry that a claim lists.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ListedEntry {
    /// Its key.
    pub key: EntryKey,
    /// Whether the ledger held it already, so that another claim may have booked it.
    pub existed: bool,
}

impl EntryKey {
    /// A key. `None`: DynamoDB takes no such key.
    pub fn new(movement: &str, kind: &str) -> Option<Self> {
        let fits = is_key(movement, PARTITION_KEY_BYTES_MAX) && is_key(kind, SORT_KEY_BYTES_MAX);
        fits.then(|| Self { movement: MovementKey::from_text(movement), kind: kind.to_owned() })
    }

    /// Reads the key out of an item, or out of the key of one.
    pub fn decode(item: &Item) -> Result<Self, DecodeError> {
        let row = Reader(item);
        Self::new(row.text(name::MOVEMENT)?, row.text(name::KIND)?).ok_or(DecodeError { attribute: name::MOVEMENT })
    }

    /// As DynamoDB asks for it.
    pub fn item(&self) -> Item {
        Item::from([
            (name::MOVEMENT.to_owned(), s(self.movement.as_str())),
            (name::KIND.to_owned(), s(self.kind.as_str())),
        ])
    }
}

impl fmt::Display for EntryKey {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} of {}", self.kind, self.movement)
    }
}

impl AuditedEntry {
    /// Reads an item of the ledger. Only the key must be there.
    pub fn decode(item: &Item) -> Result<Self, DecodeError> {
        let row = Reader(item);
        let claim = row.text_opt(name::CLAIM).filter(|text| is_key(text, PARTITION_KEY_BYTES_MAX));
        Ok(Self {
            key: EntryKey::decode(item)?,
            claim: claim.map(ClaimKey::from_text),
            recorded_at: row.ms_opt(name::RECORDED_AT_MS),
        })
    }
}

impl AuditedClaim {
    /// Reads a claim. Only the key must be there.
    pub fn decode(item: &Item) -> Result<Self, DecodeError> {
        let row = Reader(item);
        let state = row.text_opt(name::STATE);
        Ok(Self {
            key: ClaimKey::from_text(row.text(name::CLAIM)?),
            state: State::ALL.into_iter().find(|known| Some(known.name()) == state),
            entries: listed(item),
            expires_at: row.number_opt(name::EXPIRES_AT).map(UnixS::new),
        })
    }

    /// Whether TTL may have deleted it by now.
    pub fn expired(&self, now: UnixS) -> bool {
        self.expires_at.is_some_and(|expires_at| expires_at <= now)
    }
}

fn listed(item: &Item) -> Option<Vec<ListedEntry>> {
    let Some(list) = item.get(name::ENTRIES) else { return Some(Vec::new()) };
    let decode = |entry: &aws_sdk_dynamodb::types::AttributeValue| {
        let map = entry.as_m().ok()?;
        let existed = map.get(name::EXISTED).and_then(|value| value.as_bool().ok()).copied().unwrap_or_default();
        Some(ListedEntry { key: EntryKey::decode(map).ok()?, existed })
    };
    list.as_l().ok()?.iter().map(decode).collect()
}

fn is_key(text: &str, bytes_max: usize) -> bool {
    (1..=bytes_max).contains(&text.len())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_cannot_be_a_key_is_none() {
        assert!(EntryKey::new("test::m1", "payment").is_some());
        let long = "m".repeat(PARTITION_KEY_BYTES_MAX + 1);
        for (movement, kind) in [("", "payment"), ("test::m1", ""), (long.as_str(), "payment")] {
            assert_eq!(EntryKey::new(movement, kind), None);
        }
        let mut item = EntryKey::new("test::m1", "payment").unwrap().item();
        for claim in ["", long.as_str()] {
            item.insert(name::CLAIM.to_owned(), s(claim));
            assert_eq!(AuditedEntry::decode(&item).unwrap().claim, None);
        }
    }

    #[test]
    fn a_list_that_cannot_be_read_is_not_an_empty_one() {
        let mut item = Item::from([(name::CLAIM.to_owned(), s("test::e1"))]);
        assert_eq!(AuditedClaim::decode(&item).unwrap().entries, Some(Vec::new()));
        item.insert(name::ENTRIES.to_owned(), s("none"));
        assert_eq!(AuditedClaim::decode(&item).unwrap().entries, None);
    }
}
