//! Reads of a stack's tables, for the commands and the page alike.

use hookledger::items::{Booked, ClaimRow, EntryRow, OpenRow};
use hookledger::runtime::SystemClock;
use hookledger::store::{Store, StoreError, Story};
use hookledger::time::{Clock as _, UnixMs};

/// Patience of a person.
const PATIENCE_MS: u64 = 30_000;

/// Rows, and whether there are more.
#[derive(Clone, Debug)]
pub(crate) struct Rows<T> {
    pub(crate) rows: Vec<T>,
    pub(crate) more: bool,
}

/// An entry that a claim names, and what the ledger holds of it.
pub(crate) type Entries = Vec<(Booked, Option<EntryRow>)>;

/// When a person stops waiting for a call that begins now.
pub(crate) fn deadline() -> UnixMs {
    SystemClock.now().plus_ms(PATIENCE_MS)
}

/// Every claim, in the order they were claimed.
pub(crate) async fn claims(store: &Store) -> Result<Vec<ClaimRow>, StoreError> {
    let (mut rows, mut from) = (Vec::new(), None);
    loop {
        let page = store.claims(from, deadline()).await?;
        rows.extend(page.rows);
        from = page.next;
        if from.is_none() {
            rows.sort_by(|a, b| (a.claimed_at, &a.key).cmp(&(b.claimed_at, &b.key)));
            return Ok(rows);
        }
    }
}

/// Every entry, or those of an account, in the order they occurred. Reading stops once there are `enough`.
pub(crate) async fn entries(store: &Store, account: Option<&str>, enough: usize) -> Result<Rows<EntryRow>, StoreError> {
    let (mut rows, mut from) = (Vec::new(), None);
    loop {
        let page = match account {
            Some(account) => store.entries_of_account(account, from, deadline()).await?,
            None => store.entries(from, deadline()).await?,
        };
        rows.extend(page.rows);
        from = page.next;
        if from.is_none() || rows.len() >= enough {
            rows.sort_by(|a, b| (a.occurred_at, &a.movement, a.kind).cmp(&(b.occurred_at, &b.movement, b.kind)));
            return Ok(Rows { rows, more: from.is_some() });
        }
    }
}

/// What a claim booked.
pub(crate) async fn booked(store: &Store, claim: &ClaimRow) -> Result<Entries, StoreError> {
    let mut entries = Vec::new();
    for booked in &claim.entries {
        let row = store.entry(&booked.movement, booked.kind, deadline()).await?;
        entries.push((booked.clone(), row));
    }
    Ok(entries)
}

/// The messages of an event.
pub(crate) async fn messages(store: &Store, claim: &ClaimRow, story: &Story) -> Result<Vec<OpenRow>, StoreError> {
    let mut messages = Vec::new();
    for part in &story.messages {
        // Between the two reads a message may have gone.
        messages.extend(store.row(&claim.key, part, deadline()).await?);
    }
    Ok(messages)
}
