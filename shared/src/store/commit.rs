//! Committing a delivery: one transaction, whose own condition is the question whether the event is known.

use aws_sdk_dynamodb::operation::transact_write_items::TransactWriteItemsError;
use aws_sdk_dynamodb::types::error::TransactionCanceledException;
use aws_sdk_dynamodb::types::{CancellationReason, TransactWriteItem};

use super::attempt::{Attempt, Next};
use super::cancellation::{self, Books, Held, Reading};
use super::client::classify;
use super::{Store, StoreError};
use crate::claim::Effect;
use crate::items::{self, ClaimRow, Guard, NewClaim, Skip, Stroke, Transaction};
use crate::plan::{Park, ParkReason, Write};
use crate::provider::Reply;
use crate::time::{UnixMs, UnixS};

/// How often in a row a claim may be there for the condition and gone for the read, before the store is called unwell.
const VANISHED_MAX: u32 = 3;

/// What became of one event.
#[derive(Clone, Debug, PartialEq)]
pub struct Commit {
    /// The answer.
    pub verdict: Verdict,
    /// How often another transaction stood in the way.
    pub conflicts: u32,
}

/// What the store says about one event. Every variant but the last two is durable.
#[derive(Clone, Debug, PartialEq)]
pub enum Verdict {
    /// Ours: claimed now, as `write` says.
    Won {
        /// What was committed: what was asked for, or a Park when it could not be.
        write: Write,
        /// How many of its entries the ledger held already.
        known: usize,
        /// Whether this delivery brought a parked claim back.
        revived: bool,
        /// The stored answer.
        reply: Reply,
        /// When the claim may be forgotten, if it is done.
        expires_at: UnixS,
    },
    /// The claim exists.
    Replayed {
        /// The claim.
        row: Box<ClaimRow>,
        /// Other bytes, same effect.
        drift: bool,
        /// The effects could not be compared; the content was kept as a sibling now.
        sibling_kept: bool,
    },
    /// The claim exists, with another effect; the content is kept.
    Mismatch {
        /// The claim.
        row: Box<ClaimRow>,
        /// The effect of this delivery, in the claim's kind.
        effect: Effect,
        /// False: this content was kept before.
        first: bool,
    },
    /// Another delivery of this event is being written, for longer than we could wait.
    InFlight,
    /// The store gave no answer that can be relied on.
    Unavailable(StoreError),
}

impl Store {
    /// Claims `claim`'s event and does what `write` says, or finds out what stands there already.
    pub async fn commit(&self, claim: &NewClaim<'_>, write: Write, deadline: UnixMs) -> Commit {
        let (guard, skip) = (Guard::Absent, Skip::default());
        let mut attempt = Attempt { claim, write, guard, skip, parked: None, conflicts: 0, vanished: 0 };
        let verdict = match self.drive(&mut attempt, deadline).await {
            Ok(verdict) => verdict,
            Err(error) => Verdict::Unavailable(error),
        };
        Commit { verdict, conflicts: attempt.conflicts }
    }

    async fn drive(&self, attempt: &mut Attempt<'_>, deadline: UnixMs) -> Result<Verdict, StoreError> {
        loop {
            let stroke = self.stroke()?;
            let Transaction { actions, roles } = attempt.transaction(self, &stroke);
            let next = match self.send(actions, deadline).await? {
                Sent::Committed => return Ok(attempt.won(&stroke)),
                Sent::Invalid => attempt.park(ParkReason::Unreadable, "DynamoDB finds the item invalid")?,
                Sent::Cancelled(reasons) => {
                    let reading = cancellation::read(&roles, &reasons, attempt.books());
                    self.after(attempt, reading, &stroke, deadline).await?
                }
            };
            match next {
                Next::Again => {}
                Next::End(verdict) => return Ok(verdict),
                Next::Wait => {
                    attempt.conflicts += 1;
                    if !self.back_off(attempt.conflicts, deadline).await {
                        return Ok(Verdict::InFlight);
                    }
                }
            }
        }
    }

    /// One row of the table of meanings.
    async fn after(
        &self,
        attempt: &mut Attempt<'_>,
        reading: Reading,
        stroke: &Stroke,
        deadline: UnixMs,
    ) -> Result<Next, StoreError> {
        match reading {
            Reading::ClaimHeld(Some(item)) => self.judge(attempt, ClaimRow::decode(&item)?, stroke, deadline).await,
            Reading::ClaimHeld(None) => {
                attempt.vanished += 1;
                match self.claim(&attempt.claim.key, deadline).await? {
                    Some(row) => self.judge(attempt, row, stroke, deadline).await,
                    None if attempt.vanished <= VANISHED_MAX => Ok(Next::Again),
                    None => Err(StoreError::Refused("a claim that is there for writes and not for reads".into())),
                }
            }
            Reading::ClaimContended => match self.claim(&attempt.claim.key, deadline).await? {
                Some(row) if attempt.may_still_revive(&row) => Ok(Next::Wait),
                Some(row) if !row.expired(self.clock.now().to_s()) => self.judge(attempt, row, stroke, deadline).await,
                _ => Ok(Next::Wait),
            },
            Reading::Known(skip) => {
                attempt.skip.entries.extend(skip.entries);
                attempt.skip.messages.extend(skip.messages);
                Ok(Next::Again)
            }
            Reading::EntryUnseen(at) => self.look_at_entry(attempt, at, deadline).await,
            Reading::Differs(_, movement) => self.conflict(attempt, movement.as_str(), deadline).await,
            Reading::Contended => Ok(Next::Wait),
            Reading::Throttled(code) => {
                attempt.conflicts += 1;
                let again = self.back_off(attempt.conflicts, deadline).await;
                if again { Ok(Next::Again) } else { Err(StoreError::Throttled(code)) }
            }
            Reading::Invalid => attempt.park(ParkReason::Unreadable, "DynamoDB finds the item invalid"),
            Reading::Refused(code) => Err(StoreError::Refused(code)),
        }
    }

    /// The claim exists: is it ours, the same again, or something else?
    async fn judge(
        &self,
        attempt: &mut Attempt<'_>,
        row: ClaimRow,
        stroke: &Stroke,
        deadline: UnixMs,
    ) -> Result<Next, StoreError> {
        if row.owner == stroke.owner {
            return Ok(Next::End(attempt.won(stroke)));
        }
        let raw_equal = row.raw_digest == attempt.claim.raw_digest;
        let effect = if raw_equal { row.effect } else { attempt.effect_like(&row) };
        if raw_equal || (effect.is_some() && effect == row.effect) {
            if attempt.can_revive(&row) {
                attempt.revive(row);
                return Ok(Next::Again);
            }
            let (row, drift) = (Box::new(row), !raw_equal);
            return Ok(Next::End(Verdict::Replayed { row, drift, sibling_kept: false }));
        }
        let (row, kept) = (Box::new(row), effect.unwrap_or_else(|| attempt.content_effect()));
        let first = self.keep_sibling(attempt, kept, deadline).await?;
        Ok(Next::End(match effect {
            Some(effect) => Verdict::Mismatch { row, effect, first },
            None => Verdict::Replayed { row, drift: true, sibling_kept: first },
        }))
    }

    async fn look_at_entry(&self, attempt: &mut Attempt<'_>, at: usize, deadline: UnixMs) -> Result<Next, StoreError> {
        let Some(key) = attempt.entry_key(at) else { return Err(StoreError::Refused("an entry out of range".into())) };
        match self.ledger_item(key, deadline).await? {
            None => {
                attempt.vanished += 1;
                if attempt.vanished <= VANISHED_MAX { Ok(Next::Wait) } else { Ok(Next::End(Verdict::InFlight)) }
            }
            Some(item) => match cancellation::compare(at, &item, attempt.books()) {
                Held::Same => {
                    attempt.skip.entries.insert(at);
                    Ok(Next::Again)
                }
                Held::Other(movement) => self.conflict(attempt, movement.as_str(), deadline).await,
                Held::Unseen => Err(StoreError::Refused("an entry out of range".into())),
            },
        }
    }

    /// The ledger says something else about a movement: the event is kept for a person. A claim that was parked stays so.
    async fn conflict(&self, attempt: &mut Attempt<'_>, movement: &str, deadline: UnixMs) -> Result<Next, StoreError> {
        let why = format!("the ledger holds {movement} with another amount, currency or account");
        let Some(row) = &attempt.parked else { return attempt.park(ParkReason::Conflict, &why) };
        if !self.park(row, ParkReason::Conflict, &why, deadline).await? {
            return Ok(Next::Again);
        }
        attempt.write = Write::Park(Park { reason: ParkReason::Conflict, why });
        Ok(Next::End(attempt.won(&self.stroke()?)))
    }

    /// Keeps the content of this delivery beside the claim. True: it was not there before.
    async fn keep_sibling(
        &self,
        attempt: &mut Attempt<'_>,
        effect: Effect,
        deadline: UnixMs,
    ) -> Result<bool, StoreError> {
        loop {
            let stroke = self.stroke()?;
            let Transaction { actions, roles } = items::sibling(&self.tables, attempt.claim, effect, &stroke);
            let reasons = match self.send(actions, deadline).await? {
                Sent::Committed => return Ok(true),
                Sent::Invalid => return Err(StoreError::Invalid),
                Sent::Cancelled(reasons) => reasons,
            };
            let nothing = Books { settle: None, ..attempt.books() };
            match cancellation::read(&roles, &reasons, nothing) {
                // Our own, kept unheard, is new.
                Reading::ClaimHeld(item) => {
                    return Ok(item.is_some_and(|item| items::owner(&item) == Some(&stroke.owner)));
                }
                Reading::ClaimContended | Reading::Contended | Reading::Throttled(_) => {
                    attempt.conflicts += 1;
                    if !self.back_off(attempt.conflicts, deadline).await {
                        return Err(StoreError::TooLittleTime);
                    }
                }
                Reading::Invalid => return Err(StoreError::Invalid),
                _ => return Err(StoreError::Refused("a sibling that cannot be kept".into())),
            }
        }
    }

    /// Sends a transaction under one fresh token, which the SDK's own retries share.
    pub(super) async fn send(&self, actions: Vec<TransactWriteItem>, deadline: UnixMs) -> Result<Sent, StoreError> {
        let request =
            self.client.transact_write_items().set_transact_items(Some(actions)).client_request_token(self.token()?);
        let answer = self.call(deadline, || request.send()).await?;
        let error = match answer {
            Ok(_) => return Ok(Sent::Committed),
            Err(error) => error,
        };
        if let Some(service) = error.as_service_error()
            && let Some(cancelled) = as_cancelled(service)
        {
            return Ok(Sent::Cancelled(cancelled.cancellation_reasons().to_vec()));
        }
        match classify(&error) {
            StoreError::Invalid => Ok(Sent::Invalid),
            other => Err(other),
        }
    }
}

/// What came back from a transaction.
pub(super) enum Sent {
    Committed,
    Cancelled(Vec<CancellationReason>),
    Invalid,
}

fn as_cancelled(error: &TransactWriteItemsError) -> Option<&TransactionCanceledException> {
    match error {
        TransactWriteItemsError::TransactionCanceledException(cancelled) => Some(cancelled),
        _ => None,
    }
}
