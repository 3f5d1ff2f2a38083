//! Open work: the sparse index, shard by shard, and the transitions that the watch and a person make.

use std::collections::HashMap;

use aws_sdk_dynamodb::types::AttributeValue;

use super::cancellation::{self, Books, Reading};
use super::client::classify;
use super::commit::Sent;
use super::{Page, Store, StoreError};
use crate::claim::ClaimKey;
use crate::items::{self, Change, Item, OPEN_INDEX, OpenRow, SHARD, Shelf, Transaction};
use crate::time::UnixMs;

/// What one shard of the index holds, due first.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Shard {
    /// Its rows, at most as many as were asked for.
    pub rows: Vec<OpenRow>,
    /// Whether it holds more.
    pub more: bool,
}

impl Store {
    /// The first `rows_max` rows of a shard, by due time. The index follows the table within moments: what is decided by
    /// these rows is decided again by the condition of the write.
    pub async fn shard(&self, shelf: Shelf, shard: u8, rows_max: usize, deadline: UnixMs) -> Result<Shard, StoreError> {
        let mut read = Shard::default();
        let mut from = None;
        loop {
            let limit = rows_max.saturating_sub(read.rows.len());
            let page = self.shard_page(&shelf.shard(shard), limit, from, deadline).await?;
            for item in &page.rows {
                read.rows.push(OpenRow::decode(item)?);
            }
            from = page.next;
            read.more = from.is_some();
            if from.is_none() || read.rows.len() >= rows_max {
                return Ok(read);
            }
        }
    }

    async fn shard_page(
        &self,
        shard: &str,
        limit: usize,
        from: Option<Item>,
        deadline: UnixMs,
    ) -> Result<Page<Item>, StoreError> {
        let values = HashMap::from([(":shard".to_owned(), AttributeValue::S(shard.to_owned()))]);
        let request = self
            .client
            .query()
            .table_name(&self.tables.claims)
            .index_name(OPEN_INDEX)
            .key_condition_expression("#shard = :shard")
            .expression_attribute_names("#shard", SHARD)
            .set_expression_attribute_values(Some(values))
            .limit(i32::try_from(limit.max(1)).unwrap_or(i32::MAX))
            .set_exclusive_start_key(from);
        let answer = self.call(deadline, || request.send()).await?;
        let page = answer.map_err(|error| classify(&error))?;
        Ok(Page { rows: page.items.unwrap_or_default(), next: page.last_evaluated_key })
    }

    /// One consistent read of any row of the claims table.
    pub async fn row(&self, key: &ClaimKey, part: &str, deadline: UnixMs) -> Result<Option<OpenRow>, StoreError> {
        let item = self.get(&self.tables.claims, items::row_key(key, part), deadline).await?;
        Ok(item.map(|item| OpenRow::decode(&item)).transpose()?)
    }

    /// Changes a row that is as `row` says. False: it is not any more, and nothing was written.
    pub async fn change(&self, row: &OpenRow, change: &Change, deadline: UnixMs) -> Result<bool, StoreError> {
        let nothing = Books { provider: &row.provider, scope: &row.scope, settle: None };
        let mut conflicts = 0;
        loop {
            let stroke = self.stroke()?;
            let Transaction { actions, roles } =
                items::change(&self.tables, row, change, &stroke).ok_or(StoreError::Invalid)?;
            let reasons = match self.send(actions, deadline).await? {
                Sent::Committed => return Ok(true),
                Sent::Invalid => return Err(StoreError::Invalid),
                Sent::Cancelled(reasons) => reasons,
            };
            match cancellation::read(&roles, &reasons, nothing) {
                // Our own write, whose answer was lost, is one that happened.
                Reading::ClaimHeld(item) => {
                    return Ok(item.is_some_and(|item| items::owner(&item) == Some(&stroke.owner)));
                }
                Reading::ClaimContended | Reading::Contended | Reading::Throttled(_) => {
                    conflicts += 1;
                    if !self.back_off(conflicts, deadline).await {
                        return Err(StoreError::TooLittleTime);
                    }
                }
                Reading::Invalid => return Err(StoreError::Invalid),
                _ => return Err(StoreError::Refused("a change that cannot be written".into())),
            }
        }
    }
}
