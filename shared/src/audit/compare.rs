//! What two rows say about each other, as pure functions.

use crate::claim::{ClaimKey, State};
use crate::items::{AuditedClaim, AuditedEntry, EntryKey, ListedEntry};

/// Something that must not be.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Finding {
    /// What.
    pub sort: Sort,
    /// The entry it is about, where that is known.
    pub entry: Option<EntryKey>,
    /// The claim it is about, where that is known.
    pub claim: Option<ClaimKey>,
}

/// What must not be.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Sort {
    /// The entry names no claim.
    NamesNoClaim,
    /// The claim that the entry names is not there.
    ClaimMissing,
    /// The claim that the entry names is not done, so it cannot have booked anything.
    ClaimOpen,
    /// The claim that the entry names does not list it.
    NotListed,
    /// The claim lists an entry that the ledger does not hold.
    EntryMissing,
    /// The claim says it booked the entry, and the entry names another.
    EntryOfAnother,
    /// An entry was changed.
    EntryChanged,
    /// An entry was removed.
    EntryRemoved,
    /// This version cannot read what the claim lists.
    ClaimUnreadable,
    /// This version cannot read a record of the ledger's stream.
    RecordUnreadable,
}

/// How a finding is counted.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Class {
    /// Entries and claims contradict each other.
    Drift,
    /// The ledger is not as it was written.
    Changed,
    /// It could not be compared.
    Unreadable,
}

const FIND_WRITER: &str = "find out who wrote to the tables beside the product (CloudTrail), and whether the money moved \
     at the provider; then book or reverse it by hand";
const RESTORE: &str = "find out who wrote to the ledger (CloudTrail), and restore the entry from a point in time";
const UPDATE: &str = "update this function; if it is the newest, look at the row by hand";

impl Sort {
    /// As machines read it.
    pub const fn name(self) -> &'static str {
        match self {
            Self::NamesNoClaim => "names_no_claim",
            Self::ClaimMissing => "claim_missing",
            Self::ClaimOpen => "claim_open",
            Self::NotListed => "not_listed",
            Self::EntryMissing => "entry_missing",
            Self::EntryOfAnother => "entry_of_another",
            Self::EntryChanged => "entry_changed",
            Self::EntryRemoved => "entry_removed",
            Self::ClaimUnreadable => "claim_unreadable",
            Self::RecordUnreadable => "record_unreadable",
        }
    }

    /// One sentence.
    pub const fn sentence(self) -> &'static str {
        match self {
            Self::NamesNoClaim => "an entry names no claim",
            Self::ClaimMissing => "an entry's claim is not there",
            Self::ClaimOpen => "an entry's claim is not done",
            Self::NotListed => "an entry's claim does not list it",
            Self::EntryMissing => "a claim lists an entry that the ledger does not hold",
            Self::EntryOfAnother => "a claim says it booked an entry that names another claim",
            Self::EntryChanged => "an entry was changed",
            Self::EntryRemoved => "an entry was removed",
            Self::ClaimUnreadable => "what a claim lists cannot be read",
            Self::RecordUnreadable => "a record of the ledger's stream cannot be read",
        }
    }

    /// What a person does about it.
    pub const fn todo(self) -> &'static str {
        match self {
            Self::EntryChanged | Self::EntryRemoved | Self::EntryMissing => RESTORE,
            Self::ClaimUnreadable | Self::RecordUnreadable => UPDATE,
            _ => FIND_WRITER,
        }
    }

    /// How it is counted.
    pub const fn class(self) -> Class {
        match self {
            Self::EntryChanged | Self::EntryRemoved => Class::Changed,
            Self::ClaimUnreadable | Self::RecordUnreadable => Class::Unreadable,
            _ => Class::Drift,
        }
    }
}

impl Finding {
    /// What this claim lists cannot be read.
    pub(super) fn unreadable(claim: &ClaimKey) -> Self {
        Self { sort: Sort::ClaimUnreadable, entry: None, claim: Some(claim.clone()) }
    }
}

/// An entry against the claim it names. An entry is booked with its claim, which is done from then on until it expires, and
/// lists what it booked. `None`: nothing is wrong.
pub(super) fn entry_with_claim(entry: &AuditedEntry, claim: Option<&AuditedClaim>) -> Option<Sort> {
    if entry.claim.is_none() {
        return Some(Sort::NamesNoClaim);
    }
    let Some(claim) = claim else { return Some(Sort::ClaimMissing) };
    match (claim.state, &claim.entries) {
        // Another version knows what that state means.
        (None, _) => None,
        (Some(State::Done), None) => Some(Sort::ClaimUnreadable),
        (Some(State::Done), Some(listed)) => {
            let is_listed = listed.iter().any(|listed| listed.key == entry.key);
            (!is_listed).then_some(Sort::NotListed)
        }
        (Some(State::Received | State::Processing | State::Parked), _) => Some(Sort::ClaimOpen),
    }
}

/// An entry that a claim lists against the ledger. What existed already may be another claim's. `None`: nothing is wrong.
pub(super) fn listed_with_entry(claim: &ClaimKey, listed: &ListedEntry, entry: Option<&AuditedEntry>) -> Option<Sort> {
    match entry {
        None => Some(Sort::EntryMissing),
        Some(entry) if !listed.existed && entry.claim.as_ref() != Some(claim) => Some(Sort::EntryOfAnother),
        Some(_) => None,
    }
}
