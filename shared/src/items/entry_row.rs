//! A ledger entry in the ledger table.

use super::codec::{DecodeError, Reader, ms, n, s};
use super::names as name;
use super::{Item, NewClaim};
use crate::claim::{ClaimKey, HeldEntry, MovementKey, key_part, kind_named, owned_key};
use crate::plan::{Entry, Kind};
use crate::time::UnixMs;

/// An entry as the ledger holds it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct EntryRow {
    /// Which movement.
    pub movement: MovementKey,
    /// How money moved.
    pub kind: Kind,
    /// Amount, currency and account.
    pub held: HeldEntry,
    /// The account's id as the provider writes it.
    pub account_id: Option<String>,
    /// The movement it undoes or belongs to.
    pub parent: Option<String>,
    /// The invoice's key.
    pub invoice: Option<String>,
    /// The claim that booked it.
    pub claim: ClaimKey,
    /// When it happened at the provider.
    pub occurred_at: UnixMs,
    /// When we booked it.
    pub recorded_at: UnixMs,
}

/// The key of an entry.
pub fn entry_key(movement: &MovementKey, kind: Kind) -> Item {
    Item::from([(name::MOVEMENT.to_owned(), s(movement.as_str())), (name::KIND.to_owned(), s(kind.name()))])
}

/// The key of the entry that an item, or an index's projection of it, is about.
pub fn entry_key_of(item: &Item) -> Item {
    let is_key = |(name, _): &(&String, _)| [name::MOVEMENT, name::KIND].contains(&name.as_str());
    item.iter().filter(is_key).map(|(name, value)| (name.clone(), value.clone())).collect()
}

/// The account's key of an entry of this event.
pub fn account_key(provider: &str, scope: &str, entry: &Entry) -> Option<String> {
    entry.account.as_deref().map(|id| owned_key(provider, scope, id))
}

pub(super) fn encode(claim: &Origin<'_>, entry: &Entry, now: UnixMs) -> Item {
    let movement = MovementKey::new(claim.provider, &entry.occurrence);
    let mut item = entry_key(&movement, entry.kind);
    let mut set = |name: &str, value| {
        item.insert(name.to_owned(), value);
    };
    set(name::AMOUNT_MINOR, n(entry.amount_minor));
    set(name::CURRENCY, s(entry.currency.code()));
    set(name::CLAIM, s(claim.key.as_str()));
    set(name::OCCURRED_AT_MS, ms(entry.occurred_at));
    set(name::RECORDED_AT_MS, ms(now));
    if key_part(&entry.occurrence.id) != entry.occurrence.id {
        set(name::OCCURRENCE_ID, s(&entry.occurrence.id));
    }
    if let Some(linked_minor) = entry.linked_minor {
        set(name::LINKED_MINOR, n(linked_minor));
    }
    if let (Some(key), Some(id)) = (account_key(claim.provider, claim.scope, entry), &entry.account) {
        set(name::ACCOUNT, s(key));
        set(name::ACCOUNT_ID, s(id));
    }
    if let Some(parent) = &entry.parent {
        set(name::PARENT, s(MovementKey::new(claim.provider, parent).as_str()));
    }
    if let Some(id) = &entry.invoice {
        set(name::INVOICE, s(owned_key(claim.provider, claim.scope, id)));
    }
    item
}

/// What an event says of an entry, in the ledger's terms.
pub(super) fn said(claim: &Origin<'_>, entry: &Entry) -> HeldEntry {
    HeldEntry {
        amount_minor: entry.amount_minor,
        linked_minor: entry.linked_minor,
        currency: entry.currency.code().to_owned(),
        account: account_key(claim.provider, claim.scope, entry),
    }
}

/// The amount, currency and account of an entry.
pub(super) fn decode_held(item: &Item) -> Result<HeldEntry, DecodeError> {
    let row = Reader(item);
    Ok(HeldEntry {
        amount_minor: row.number(name::AMOUNT_MINOR)?,
        linked_minor: row.number_opt(name::LINKED_MINOR),
        currency: row.text(name::CURRENCY)?.to_owned(),
        account: row.text_opt(name::ACCOUNT).map(str::to_owned),
    })
}

/// The claim an entry or a message belongs to.
#[derive(Clone, Copy, Debug)]
pub(super) struct Origin<'a> {
    pub(super) provider: &'a str,
    pub(super) scope: &'a str,
    pub(super) key: &'a ClaimKey,
}

impl<'a> From<&'a NewClaim<'a>> for Origin<'a> {
    fn from(claim: &'a NewClaim<'a>) -> Self {
        Self { provider: claim.provider, scope: &claim.event.scope, key: &claim.key }
    }
}

impl EntryRow {
    /// Reads an item of the ledger table.
    pub fn decode(item: &Item) -> Result<Self, DecodeError> {
        let row = Reader(item);
        let kind = kind_named(row.text(name::KIND)?).ok_or(DecodeError { attribute: name::KIND })?;
        Ok(Self {
            movement: MovementKey::from_text(row.text(name::MOVEMENT)?),
            kind,
            held: decode_held(item)?,
            account_id: row.text_opt(name::ACCOUNT_ID).map(str::to_owned),
            parent: row.text_opt(name::PARENT).map(str::to_owned),
            invoice: row.text_opt(name::INVOICE).map(str::to_owned),
            claim: ClaimKey::from_text(row.text(name::CLAIM)?),
            occurred_at: row.ms(name::OCCURRED_AT_MS)?,
            recorded_at: row.ms(name::RECORDED_AT_MS)?,
        })
    }
}
