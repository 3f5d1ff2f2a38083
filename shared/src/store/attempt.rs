//! A commit on its way: what is asked for now, and what was learned.

use super::cancellation::Books;
use super::commit::Verdict;
use super::{Store, StoreError};
use crate::claim::{Effect, EffectKind, MovementKey, State};
use crate::items::{self, ClaimRow, Guard, Item, NewClaim, Seen, Skip, Stroke, Transaction};
use crate::plan::{Park, ParkReason, Write};

/// A commit on its way: what is asked for now, and what was learned.
pub(super) struct Attempt<'a> {
    pub(super) claim: &'a NewClaim<'a>,
    pub(super) write: Write,
    pub(super) guard: Guard,
    pub(super) skip: Skip,
    /// The parked claim that this delivery brings back.
    pub(super) parked: Option<Box<ClaimRow>>,
    pub(super) conflicts: u32,
    pub(super) vanished: u32,
}

/// What to do after a transaction was cancelled.
pub(super) enum Next {
    Again,
    Wait,
    End(Verdict),
}

impl Attempt<'_> {
    pub(super) fn transaction(&self, store: &Store, stroke: &Stroke) -> Transaction {
        items::transaction(&store.tables, self.claim, &self.write, &self.guard, &self.skip, stroke)
    }

    pub(super) fn books(&self) -> Books<'_> {
        let settle = match &self.write {
            Write::Settle(settle) => Some(settle),
            _ => None,
        };
        Books { provider: self.claim.provider, scope: &self.claim.event.scope, settle }
    }

    pub(super) fn entry_key(&self, at: usize) -> Option<Item> {
        let entry = self.books().settle?.entries().get(at)?;
        let movement = MovementKey::new(self.claim.provider, &entry.occurrence);
        Some(items::entry_key(&movement, entry.kind))
    }

    pub(super) fn won(&self, stroke: &Stroke) -> Verdict {
        let (revived, reply) = match &self.guard {
            Guard::Absent => (false, &self.claim.reply),
            Guard::Parked(seen) => (true, &seen.reply),
        };
        Verdict::Won {
            write: self.write.clone(),
            known: self.skip.entries.len(),
            revived,
            reply: reply.clone(),
            expires_at: stroke.now.to_s().plus_s(self.claim.retention_s),
        }
    }

    /// Parks instead. What is parked already stays as it is; what cannot even be parked is an error.
    pub(super) fn park(&mut self, reason: ParkReason, why: &str) -> Result<Next, StoreError> {
        if let Some(row) = self.parked.take() {
            return Ok(Next::End(Verdict::Replayed { row, drift: false, sibling_kept: false }));
        }
        if matches!(self.write, Write::Park(_)) {
            return Err(StoreError::Invalid);
        }
        self.write = Write::Park(Park { reason, why: why.to_owned() });
        self.skip = Skip::default();
        Ok(Next::Again)
    }

    /// This delivery's effect in the kind that the claim stored, if it can be had.
    pub(super) fn effect_like(&self, row: &ClaimRow) -> Option<Effect> {
        let kind = row.effect?.kind;
        let content = if kind == EffectKind::Park { self.claim.content() } else { Vec::new() };
        Effect::in_kind(kind, &self.write, &content)
    }

    pub(super) fn content_effect(&self) -> Effect {
        Effect::of_content(&self.claim.content())
    }

    /// What parks again brings nothing but its bytes, where those were lost.
    pub(super) fn can_revive(&self, row: &ClaimRow) -> bool {
        let heals = row.state == State::Parked && row.park_reason.is_some_and(ParkReason::heals_by_redelivery);
        let brings = !matches!(self.write, Write::Park(_)) || row.park_reason == Some(ParkReason::BytesLost);
        heals && self.guard == Guard::Absent && brings
    }

    /// Whether the parked claim that this delivery brings back is still as it was: whoever stood in the way may have been
    /// turned away as well.
    pub(super) fn may_still_revive(&self, row: &ClaimRow) -> bool {
        matches!(&self.guard, Guard::Parked(seen) if row.state == State::Parked && row.owner == seen.owner)
    }

    pub(super) fn revive(&mut self, row: ClaimRow) {
        self.guard = Guard::Parked(Box::new(Seen {
            owner: row.owner.clone(),
            claimed_at: row.claimed_at,
            open_since: row.open_since.unwrap_or(row.claimed_at),
            reply: row.reply.clone(),
            payload_parts: row.payload_parts,
        }));
        self.parked = Some(Box::new(row));
    }
}
