//! One run over a message: send it, and write what came of it. Neither holds up the claim, which is settled or not for itself.

use std::time::Duration;

use super::run::WRITE_MS;
use super::{MARGIN_MS, Worked, Worker};
use crate::items::{IndexRow, MessageRow};
use crate::plan::{OnLost, ParkReason};
use crate::provider::DAY_S;
use crate::sinks::{Outgoing, SendError};
use crate::store::StoreError;
use crate::time::UnixMs;

/// How long a message that was sent is kept where this version does not know its provider, in seconds. No event may outlive
/// it, or it would be told again under a key that nobody remembers.
const RETENTION_S: u64 = 120 * DAY_S;

impl Worker {
    /// Takes a message up, if it is due and nobody holds it, and sends it.
    pub(super) async fn tell(&self, row: &IndexRow, ends: UnixMs) -> Worked {
        let began = self.clock.now();
        let ends = ends.min(began.plus_ms(self.settings.run_ms));
        let deadline = UnixMs::new(ends.get().saturating_sub_unsigned(MARGIN_MS));
        let lease_ends = began.plus_ms(self.settings.lease_ms);
        // Who cannot wait for an answer would not know whether it was taken.
        if began.plus_ms(WRITE_MS) >= deadline {
            return Worked::Unavailable(StoreError::TooLittleTime);
        }
        let worked = match self.store.lease_message(row, lease_ends, self.settings.attempts_max, deadline).await {
            Ok(Some(message)) => self.tell_leased(&message, deadline).await.unwrap_or_else(Worked::Unavailable),
            Ok(None) => Worked::NotOurs,
            Err(error) => Worked::Unavailable(error),
        };
        self.report_message(row, &worked, began.ms_until(self.clock.now()));
        worked
    }

    async fn tell_leased(&self, message: &MessageRow, deadline: UnixMs) -> Result<Worked, StoreError> {
        let now = self.clock.now();
        let left_ms = now.ms_until(deadline).saturating_sub(WRITE_MS).min(self.settings.fetch_ms);
        let key = message.idempotency_key();
        let outgoing = Outgoing { key: &key, name: message.name(), body: &message.body };
        let left = Duration::from_millis(left_ms);
        match self.sinks.send(message.sink(), outgoing, left, now).await {
            Ok(()) => {
                let provider = self.provider(&message.provider);
                let retention_s = provider.map_or(RETENTION_S, |one| one.profile().lifetime.retention_s);
                let ours = self.store.sent(message, retention_s, deadline).await?;
                Ok(if ours { Worked::Sent } else { Worked::Overtaken })
            }
            Err(SendError::Permanent(why)) => self.park_message(message, ParkReason::Unreadable, why, deadline).await,
            Err(SendError::Unknown(why)) if message.on_lost == OnLost::Hold => {
                self.park_message(message, ParkReason::Held, why, deadline).await
            }
            Err(SendError::Unknown(why)) => self.again_later(message, why, None, deadline).await,
            Err(SendError::Refused { why, retry_after }) => {
                let not_before = retry_after.map(|after| after.moment(self.clock.now()));
                self.again_later(message, why, not_before, deadline).await
            }
        }
    }

    async fn again_later(
        &self,
        message: &MessageRow,
        why: String,
        not_before: Option<UnixMs>,
        deadline: UnixMs,
    ) -> Result<Worked, StoreError> {
        if message.attempt >= self.settings.attempts_max {
            return self.park_message(message, ParkReason::Spent, why, deadline).await;
        }
        let due_at = self.again_at(message.attempt, not_before);
        let ours = self.store.release(message, (due_at, None), &why, deadline).await?;
        Ok(if ours { Worked::Later { due_at, why } } else { Worked::Overtaken })
    }

    async fn park_message(
        &self,
        message: &MessageRow,
        reason: ParkReason,
        why: String,
        deadline: UnixMs,
    ) -> Result<Worked, StoreError> {
        let ours = self.store.park(message, reason, &why, deadline).await?;
        Ok(if ours { Worked::Parked { reason, why } } else { Worked::Overtaken })
    }
}
