//! What is done to a row, as pure functions of what it says.

use super::Limits;
use crate::claim::State;
use crate::items::{Book, Change, OpenRow, Resolution, RowKind};
use crate::plan::ParkReason;
use crate::time::UnixMs;

/// What a scheduled run does to a row; `None`: leaves it alone.
pub(super) fn step(row: &OpenRow, limits: &Limits, now: UnixMs) -> Option<Change> {
    let is_owed = matches!(row.kind(), RowKind::Claim | RowKind::Message);
    if !is_owed || !row.is_due(now) {
        return None;
    }
    match row.state? {
        State::Received | State::Processing if row.attempt >= limits.attempts_max => {
            let last = row.last_error.as_deref().unwrap_or("no run came to an end");
            Some(Change::Park { reason: ParkReason::Spent, why: format!("{} attempts: {last}", row.attempt) })
        }
        State::Processing if !row.reruns => {
            let why = "a run was lost, and it may have taken effect: it does not run again by itself";
            Some(Change::Park { reason: ParkReason::Held, why: why.to_owned() })
        }
        State::Received | State::Processing => Some(Change::Redrive),
        State::Parked | State::Done => None,
    }
}

/// What a person wants to be done to a row.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Wish {
    Retry,
    Park(String),
    Resolve(Resolution),
}

const OTHER: &str = "only a claim, a message or a mismatch can be changed";
const UNKNOWN: &str = "its state is of another version: update this function first";
const DONE: &str =
    "it is done, and what is done does not change; a message or a mismatch beside it is named by its part";
const HELD_BY_WORKER: &str = "a worker holds it until the time it is due; park it first to take it away";
const MISMATCH: &str = "a mismatch is closed by resolve with book nothing, and by that alone";
const CLAIMS_ONLY: &str = "book missing is for claims: a message is sent by retry";

/// The change that fulfils a wish, or why it cannot be.
pub(super) fn fulfil(wish: &Wish, row: &OpenRow, limits: &Limits) -> Result<Change, &'static str> {
    let kind = row.kind();
    if kind == RowKind::Other {
        return Err(OTHER);
    }
    let state = row.state.ok_or(UNKNOWN)?;
    match (wish, state) {
        (_, State::Done) => Err(DONE),
        (Wish::Retry | Wish::Park(_), _) if kind == RowKind::Mismatch => Err(MISMATCH),
        (Wish::Park(_), State::Parked) => Err("it is parked already"),
        (Wish::Park(why), State::Received | State::Processing) => {
            Ok(Change::Park { reason: ParkReason::Person, why: why.clone() })
        }
        (Wish::Retry | Wish::Resolve(_), State::Processing) => Err(HELD_BY_WORKER),
        (Wish::Retry, State::Received | State::Parked) => Ok(Change::BringBack(None)),
        (Wish::Resolve(resolution), State::Received | State::Parked) => match (resolution.book, kind) {
            (Book::Nothing, _) => Ok(Change::Close { resolution: resolution.clone(), retention_s: limits.retention_s }),
            (Book::Missing, RowKind::Claim) => Ok(Change::BringBack(Some(resolution.clone()))),
            (Book::Missing, RowKind::Mismatch) => Err(MISMATCH),
            (Book::Missing, _) => Err(CLAIMS_ONLY),
        },
    }
}

/// Where a change leaves a row.
pub(super) const fn state_after(change: &Change) -> State {
    match change {
        Change::Redrive | Change::BringBack(_) => State::Received,
        Change::Park { .. } => State::Parked,
        Change::Close { .. } => State::Done,
    }
}
