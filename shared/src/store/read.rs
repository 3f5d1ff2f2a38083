//! Reads: consistent where something is decided by them, by index where people look.

use aws_sdk_dynamodb::types::AttributeValue;

use super::client::classify;
use super::{Store, StoreError};
use crate::claim::{ClaimKey, MovementKey};
use crate::items::{
    self, BY_ACCOUNT, BY_INVOICE, CLAIM_PART, ClaimRow, EntryRow, Item, OpenRow, Resolution, claim_key, entry_key,
};
use crate::plan::{Kind, ParentEntry};
use crate::provider::Kept;
use crate::time::UnixMs;

/// Everything the claims table holds about one event.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Story {
    /// The claim itself.
    pub claim: Option<ClaimRow>,
    /// Its bytes, while they are kept.
    pub kept: Option<Kept>,
    /// Sort keys of its messages.
    pub messages: Vec<String>,
    /// Contents that came under the same id with another effect.
    pub siblings: Vec<Sibling>,
}

/// A content that came under a known id with another effect.
#[derive(Clone, Debug, PartialEq)]
pub struct Sibling {
    /// Its sort key: `mismatch#` and the effect's digest.
    pub part: String,
    /// When it was kept.
    pub kept_at: UnixMs,
    /// Its bytes; none any more once a person closed it.
    pub kept: Kept,
    /// What a person decided about it. `None`: it is open.
    pub resolution: Option<Resolution>,
}

/// A page of rows and where the next one begins.
#[derive(Clone, Debug)]
pub struct Page<T> {
    /// The rows.
    pub rows: Vec<T>,
    /// `None`: that was the last one.
    pub next: Option<Item>,
}

/// The rows under one partition key, of a table or of one of its indexes.
#[derive(Clone, Copy)]
struct Place<'a> {
    table: &'a str,
    index: Option<&'a str>,
    attribute: &'a str,
    value: &'a str,
}

impl Store {
    /// One consistent read of a claim. It never conflicts with a transaction.
    pub async fn claim(&self, key: &ClaimKey, deadline: UnixMs) -> Result<Option<ClaimRow>, StoreError> {
        let item = self.get(&self.tables.claims, claim_key(key), deadline).await?;
        Ok(item.map(|item| ClaimRow::decode(&item)).transpose()?)
    }

    /// What a child takes from its parent's entry. `None`: there is no such entry yet.
    pub async fn parent_entry(
        &self,
        movement: &MovementKey,
        kind: Kind,
        deadline: UnixMs,
    ) -> Result<Option<ParentEntry>, StoreError> {
        let row = self.entry(movement, kind, deadline).await?;
        Ok(row.map(|row| ParentEntry { account: row.account_id }))
    }

    /// One entry, by its key.
    pub async fn entry(
        &self,
        movement: &MovementKey,
        kind: Kind,
        deadline: UnixMs,
    ) -> Result<Option<EntryRow>, StoreError> {
        let item = self.ledger_item(entry_key(movement, kind), deadline).await?;
        Ok(item.map(|item| EntryRow::decode(&item)).transpose()?)
    }

    /// Everything about one event, by one query.
    pub async fn story(&self, key: &ClaimKey, deadline: UnixMs) -> Result<Story, StoreError> {
        let all = Place { table: &self.tables.claims, index: None, attribute: items::CLAIM, value: key.as_str() };
        let mut rows = Vec::new();
        let mut from = None;
        loop {
            let page = self.query(all, from, deadline).await?;
            rows.extend(page.rows);
            from = page.next;
            if from.is_none() {
                return story(&rows);
            }
        }
    }

    /// Entries of an account, oldest first, by its key.
    pub async fn entries_of_account(
        &self,
        account: &str,
        from: Option<Item>,
        deadline: UnixMs,
    ) -> Result<Page<EntryRow>, StoreError> {
        let at = self.in_ledger(BY_ACCOUNT, items::ACCOUNT, account);
        decode(self.query(at, from, deadline).await?, EntryRow::decode)
    }

    /// The entries of an invoice, by its key: movement and kind, to be read one by one where more is needed.
    pub async fn entries_of_invoice(&self, invoice: &str, deadline: UnixMs) -> Result<Vec<EntryRow>, StoreError> {
        let mut rows = Vec::new();
        let mut from = None;
        loop {
            let page = self.query(self.in_ledger(BY_INVOICE, items::INVOICE, invoice), from, deadline).await?;
            for key in page.rows {
                // The index holds keys only; an entry never changes, so what it names can be read at leisure.
                if let Some(item) = self.ledger_item(items::entry_key_of(&key), deadline).await? {
                    rows.push(EntryRow::decode(&item)?);
                }
            }
            from = page.next;
            if from.is_none() {
                return Ok(rows);
            }
        }
    }

    /// A page of all entries, in no order.
    pub async fn entries(&self, from: Option<Item>, deadline: UnixMs) -> Result<Page<EntryRow>, StoreError> {
        let page = self.scan(&self.tables.ledger, None, from, deadline).await?;
        decode(page, EntryRow::decode)
    }

    /// A page of all claims, in no order.
    pub async fn claims(&self, from: Option<Item>, deadline: UnixMs) -> Result<Page<ClaimRow>, StoreError> {
        let page = self.scan(&self.tables.claims, Some(CLAIM_PART), from, deadline).await?;
        decode(page, ClaimRow::decode)
    }

    /// Reads the sentinel that is never there: opens the connection before the first delivery needs it.
    pub async fn warm(&self, deadline: UnixMs) -> Result<(), StoreError> {
        self.get(&self.tables.claims, claim_key(&ClaimKey::new("-", "", "warm")), deadline).await.map(|_| ())
    }

    pub(super) async fn ledger_item(&self, key: Item, deadline: UnixMs) -> Result<Option<Item>, StoreError> {
        self.get(&self.tables.ledger, key, deadline).await
    }

    pub(super) async fn get(&self, table: &str, key: Item, deadline: UnixMs) -> Result<Option<Item>, StoreError> {
        let request = self.client.get_item().table_name(table).set_key(Some(key)).consistent_read(true);
        let answer = self.call(deadline, || request.send()).await?;
        Ok(answer.map_err(|error| classify(&error))?.item)
    }

    /// A page of what stands at one place, in the order of its sort key. Consistent, but by index.
    async fn query(&self, at: Place<'_>, from: Option<Item>, deadline: UnixMs) -> Result<Page<Item>, StoreError> {
        let request = self
            .client
            .query()
            .table_name(at.table)
            .set_index_name(at.index.map(str::to_owned))
            .consistent_read(at.index.is_none())
            .key_condition_expression("#key = :key")
            .expression_attribute_names("#key", at.attribute)
            .expression_attribute_values(":key", AttributeValue::S(at.value.to_owned()))
            .set_exclusive_start_key(from);
        let answer = self.call(deadline, || request.send()).await?;
        let page = answer.map_err(|error| classify(&error))?;
        Ok(Page { rows: page.items.unwrap_or_default(), next: page.last_evaluated_key })
    }

    fn in_ledger<'a>(&'a self, index: &'a str, attribute: &'a str, value: &'a str) -> Place<'a> {
        Place { table: &self.tables.ledger, index: Some(index), attribute, value }
    }

    async fn scan(
        &self,
        table: &str,
        part: Option<&str>,
        from: Option<Item>,
        deadline: UnixMs,
    ) -> Result<Page<Item>, StoreError> {
        let mut scan = self.client.scan().table_name(table).set_exclusive_start_key(from);
        if let Some(part) = part {
            scan = scan
                .filter_expression("#part = :part")
                .expression_attribute_names("#part", items::PART)
                .expression_attribute_values(":part", AttributeValue::S(part.to_owned()));
        }
        let answer = self.call(deadline, || scan.send()).await?;
        let page = answer.map_err(|error| classify(&error))?;
        Ok(Page { rows: page.items.unwrap_or_default(), next: page.last_evaluated_key })
    }
}

pub(super) fn decode<T>(
    page: Page<Item>,
    row: fn(&Item) -> Result<T, items::DecodeError>,
) -> Result<Page<T>, StoreError> {
    let rows = page.rows.iter().map(row).collect::<Result<_, _>>()?;
    Ok(Page { rows, next: page.next })
}

/// Sorts the rows of one event. They come in the order of their sort keys.
fn story(rows: &[Item]) -> Result<Story, StoreError> {
    let mut story = Story::default();
    let mut payload = Vec::new();
    let mut siblings: Vec<(OpenRow, UnixMs, Vec<&Item>)> = Vec::new();
    for row in rows {
        let part = items::IndexRow::decode(row)?.part;
        match part.split('#').collect::<Vec<_>>().as_slice() {
            [CLAIM_PART] => story.claim = Some(ClaimRow::decode(row)?),
            ["payload", _] => payload.push(row),
            ["message", ..] => story.messages.push(part),
            ["mismatch", _] => siblings.push((OpenRow::decode(row)?, items::kept_at(row)?, Vec::new())),
            ["mismatch", _, _] => siblings.iter_mut().rev().take(1).for_each(|(_, _, parts)| parts.push(row)),
            _ => {}
        }
    }
    if !payload.is_empty() {
        story.kept = Some(items::unpack(payload)?);
    }
    for (OpenRow { part, resolution, .. }, kept_at, parts) in siblings {
        story.siblings.push(Sibling { part, kept_at, kept: items::unpack(parts)?, resolution });
    }
    Ok(story)
}
