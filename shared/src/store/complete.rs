//! What a worker does to a claim or message it was given: take it up, settle it, park it.

use aws_sdk_dynamodb::operation::update_item::UpdateItemError;
use aws_sdk_dynamodb::types::{ReturnValue, ReturnValuesOnConditionCheckFailure, Update};

use super::cancellation::{self, Books, Held, Reading};
use super::client::classify;
use super::commit::Sent;
use super::{Store, StoreError};
use crate::claim::{ClaimKey, MovementKey, State};
use crate::items::{self, ClaimRow, IndexRow, Item, MessageRow, Skip, Stroke, Transaction, entry_key};
use crate::plan::{ParkReason, Settle};
use crate::time::UnixMs;

/// What came of taking a claim up.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Lease {
    /// Ours until `row.due_at`; `row.owner` is the fence.
    Ours(Box<ClaimRow>),
    /// Not due, held by another worker, settled, parked, spent or unknown: nothing to do.
    NotOurs,
}

/// What came of settling a leased claim.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Completed {
    /// Done; this many of the entries existed already.
    Done {
        /// Entries that the ledger held already.
        known: usize,
    },
    /// The ledger holds a movement with other content: parked for a person.
    Conflict,
    /// Somebody else took the claim up meanwhile: nothing was written.
    Overtaken,
}

impl Store {
    /// Takes a claim up until `ends`.
    pub async fn lease(
        &self,
        key: &ClaimKey,
        ends: UnixMs,
        attempts_max: u32,
        deadline: UnixMs,
    ) -> Result<Lease, StoreError> {
        let row = IndexRow { key: key.clone(), part: items::CLAIM_PART.to_owned() };
        Ok(match self.take_up(&row, ends, attempts_max, deadline).await? {
            Some(item) => Lease::Ours(Box::new(ClaimRow::decode(&item)?)),
            None => Lease::NotOurs,
        })
    }

    /// Takes a message up until `ends`. `None`: not due, held by another worker, sent, parked, spent or unknown.
    pub async fn lease_message(
        &self,
        row: &IndexRow,
        ends: UnixMs,
        attempts_max: u32,
        deadline: UnixMs,
    ) -> Result<Option<MessageRow>, StoreError> {
        let item = self.take_up(row, ends, attempts_max, deadline).await?;
        Ok(item.map(|item| MessageRow::decode(&item)).transpose()?)
    }

    async fn take_up(
        &self,
        row: &IndexRow,
        ends: UnixMs,
        attempts_max: u32,
        deadline: UnixMs,
    ) -> Result<Option<Item>, StoreError> {
        let stroke = self.stroke()?;
        let update = items::lease(&self.tables, row, &stroke, ends, attempts_max);
        self.update(update, &stroke, deadline).await
    }

    /// Closes a message that is as `message` says: it was sent. False: it is not any more.
    pub async fn sent(&self, message: &MessageRow, retention_s: u64, deadline: UnixMs) -> Result<bool, StoreError> {
        let stroke = self.stroke()?;
        let update = items::sent(&self.tables, message.into(), retention_s, &stroke);
        Ok(self.update(update, &stroke, deadline).await?.is_some())
    }

    /// Settles a claim that `row` says we hold. Conflicts with duplicates of the event are tried again until `deadline`. Where
    /// a person decided to book what is missing, an entry that differs stays as it is and is noted on the claim.
    pub async fn complete(
        &self,
        row: &ClaimRow,
        settle: &Settle,
        retention_s: u64,
        deadline: UnixMs,
    ) -> Result<Completed, StoreError> {
        let mut skip = Skip::default();
        let books_missing = row.books_missing();
        let books = Books { provider: &row.provider, scope: &row.scope, settle: Some(settle) };
        let mut conflicts = 0;
        loop {
            let stroke = self.stroke()?;
            let Transaction { actions, roles } =
                items::completion(&self.tables, row, settle, retention_s, (&skip, &stroke))
                    .ok_or(StoreError::Invalid)?;
            let reasons = match self.send(actions, deadline).await? {
                Sent::Committed => return Ok(Completed::Done { known: skip.entries.len() }),
                Sent::Invalid => return Err(StoreError::Invalid),
                Sent::Cancelled(reasons) => reasons,
            };
            match cancellation::read(&roles, &reasons, books) {
                Reading::ClaimHeld(item) => {
                    let ours = self.is_settled_by(&row.owner, &row.key, item, deadline).await?;
                    let known = skip.entries.len();
                    return Ok(if ours { Completed::Done { known } } else { Completed::Overtaken });
                }
                Reading::Known(known) => {
                    skip.entries.extend(known.entries);
                    skip.messages.extend(known.messages);
                }
                Reading::Differs(at, _) if books_missing => skip.leave(at),
                Reading::Differs(_, movement) => return self.park_conflict(row, &movement, deadline).await,
                Reading::EntryUnseen(at) => match self.look(at, books, deadline).await? {
                    Some(Held::Same) => {
                        skip.entries.insert(at);
                    }
                    Some(Held::Other(_)) if books_missing => skip.leave(at),
                    Some(Held::Other(movement)) => return self.park_conflict(row, &movement, deadline).await,
                    Some(Held::Unseen) | None => conflicts = self.wait(conflicts, deadline).await?,
                },
                Reading::ClaimContended | Reading::Contended | Reading::Throttled(_) => {
                    conflicts = self.wait(conflicts, deadline).await?;
                }
                Reading::Invalid => return Err(StoreError::Invalid),
                Reading::Refused(code) => return Err(StoreError::Refused(code)),
            }
        }
    }

    /// Whether the claim, of which `item` is what a failed condition returned, is done by this owner: its answer was lost.
    async fn is_settled_by(
        &self,
        owner: &str,
        key: &ClaimKey,
        item: Option<Box<Item>>,
        deadline: UnixMs,
    ) -> Result<bool, StoreError> {
        let row = match item {
            Some(item) => Some(ClaimRow::decode(&item)?),
            None => self.claim(key, deadline).await?,
        };
        Ok(row.is_some_and(|row| row.state == State::Done && row.owner == owner))
    }

    /// Parks a row that is as `row` says. False: it is not any more.
    pub async fn park(
        &self,
        row: impl Into<items::Held<'_>>,
        reason: ParkReason,
        why: &str,
        deadline: UnixMs,
    ) -> Result<bool, StoreError> {
        let stroke = self.stroke()?;
        let update = items::park(&self.tables, row.into(), reason, why, &stroke);
        Ok(self.update(update, &stroke, deadline).await?.is_some())
    }

    /// Gives a row back that is as `row` says: when it is due again, and until when what it waits for may be missing.
    /// False: it is not as `row` says any more.
    pub async fn release(
        &self,
        row: impl Into<items::Held<'_>>,
        due: (UnixMs, Option<UnixMs>),
        why: &str,
        deadline: UnixMs,
    ) -> Result<bool, StoreError> {
        let stroke = self.stroke()?;
        let update = items::release(&self.tables, row.into(), due, why, &stroke);
        Ok(self.update(update, &stroke, deadline).await?.is_some())
    }

    async fn park_conflict(
        &self,
        row: &ClaimRow,
        movement: &MovementKey,
        deadline: UnixMs,
    ) -> Result<Completed, StoreError> {
        let why = format!("the ledger holds {movement} with another amount, currency or account");
        let parked = self.park(row, ParkReason::Conflict, &why, deadline).await?;
        Ok(if parked { Completed::Conflict } else { Completed::Overtaken })
    }

    async fn look(&self, at: usize, books: Books<'_>, deadline: UnixMs) -> Result<Option<Held>, StoreError> {
        let Some(entry) = books.settle.and_then(|settle| settle.entries().get(at)) else { return Ok(None) };
        let key = entry_key(&MovementKey::new(books.provider, &entry.occurrence), entry.kind);
        let item = self.ledger_item(key, deadline).await?;
        Ok(item.map(|item| cancellation::compare(at, &item, books)))
    }

    async fn wait(&self, conflicts: u32, deadline: UnixMs) -> Result<u32, StoreError> {
        let again = self.back_off(conflicts + 1, deadline).await;
        if again { Ok(conflicts + 1) } else { Err(StoreError::TooLittleTime) }
    }

    /// A conditional update; `None`: the condition failed, and not because our own answer was lost. A conflict with a
    /// transaction is tried again.
    async fn update(
        &self,
        update: Option<Update>,
        stroke: &Stroke,
        deadline: UnixMs,
    ) -> Result<Option<Item>, StoreError> {
        let update = update.ok_or(StoreError::Invalid)?;
        let mut conflicts = 0;
        loop {
            let request = self
                .client
                .update_item()
                .table_name(update.table_name())
                .set_key(Some(update.key().clone()))
                .update_expression(update.update_expression())
                .set_condition_expression(update.condition_expression().map(str::to_owned))
                .set_expression_attribute_names(update.expression_attribute_names().cloned())
                .set_expression_attribute_values(update.expression_attribute_values().cloned())
                .return_values(ReturnValue::AllNew)
                .return_values_on_condition_check_failure(ReturnValuesOnConditionCheckFailure::AllOld);
            let answer = self.call(deadline, || request.send()).await?;
            let error = match answer {
                Ok(output) => return Ok(Some(output.attributes.unwrap_or_default())),
                Err(error) => error,
            };
            match error.as_service_error() {
                Some(UpdateItemError::ConditionalCheckFailedException(failed)) => {
                    let ours = failed.item().filter(|item| items::owner(item) == Some(&stroke.owner));
                    return Ok(ours.cloned());
                }
                Some(UpdateItemError::TransactionConflictException(_)) => {
                    conflicts = self.wait(conflicts, deadline).await?;
                }
                _ => return Err(classify(&error)),
            }
        }
    }
}
