//! One run over a claim that is leased: read, interpret, write once.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::time::Duration;

use ring::rand::SecureRandom as _;

use super::{FetchError, Worked, Worker};
use crate::claim::MovementKey;
use crate::items::ClaimRow;
use crate::plan::{Fetch, Fetched, Kind, Occurrence, ParkReason, Plan, Read, Settle};
use crate::provider::{Event, Kept, Provider};
use crate::store::{Completed, StoreError};
use crate::time::UnixMs;

/// Reads in one lease. A mapping that asks on and on is a fault of ours.
const FETCHES_MAX: usize = 5;

/// What remains of a run after reading, to write what came of it.
pub(super) const WRITE_MS: u64 = 2_000;

/// Why reading ended without an answer.
enum Stop {
    Waits { due_at: UnixMs, until: UnixMs, why: String },
    Transient { why: String, not_before: Option<UnixMs> },
    Permanent(String),
    Store(StoreError),
}

impl From<StoreError> for Stop {
    fn from(error: StoreError) -> Self {
        Self::Store(error)
    }
}

/// What is to be written, and whether nothing could say whose it is.
struct Decided {
    plan: Plan,
    account_unknown: bool,
}

impl Worker {
    pub(super) async fn run(&self, row: &ClaimRow, deadline: UnixMs) -> Result<Worked, StoreError> {
        let Some(provider) = self.provider(&row.provider) else {
            let why = format!("this version knows no provider {}", row.provider);
            return self.again(row, why, None, deadline).await;
        };
        let Some(kept) = self.kept(row, deadline).await? else {
            let why = "its kept bytes are gone; the next equal delivery writes them again".to_owned();
            return self.park(row, ParkReason::BytesLost, why, deadline).await;
        };
        let event = row.event(kept);
        let Decided { plan, account_unknown } = match self.decide(provider, &event, row, deadline).await {
            Ok(decided) => decided,
            Err(Stop::Waits { due_at, until, why }) => {
                return self.give_back(row, (due_at, Some(until)), why, deadline).await;
            }
            Err(Stop::Transient { why, not_before }) => return self.again(row, why, not_before, deadline).await,
            Err(Stop::Permanent(why)) => return self.park(row, ParkReason::Unreadable, why, deadline).await,
            Err(Stop::Store(error)) => return Err(error),
        };
        let settle = match self.outbox.fill(&row.provider, &event, plan) {
            Plan::Settle(settle) => settle,
            Plan::Ignore(_) => Settle::nothing(),
            Plan::Park(park) => return self.park(row, park.reason, park.why, deadline).await,
            Plan::Defer(_) => {
                let why = format!("it asks for the same again, or for more than {FETCHES_MAX} objects");
                return self.park(row, ParkReason::Unreadable, why, deadline).await;
            }
        };
        let retention_s = provider.profile().lifetime.retention_s;
        self.complete(row, &settle, retention_s, account_unknown, deadline).await
    }

    /// The event's bytes. `None`: some of them are gone.
    async fn kept(&self, row: &ClaimRow, deadline: UnixMs) -> Result<Option<Kept>, StoreError> {
        match self.store.story(&row.key, deadline).await {
            Ok(story) => Ok(story.kept),
            Err(StoreError::Unreadable(what)) if what.in_payload() => Ok(None),
            Err(error) => Err(error),
        }
    }

    /// Reads and interprets until nothing more is asked. A plan that still defers asks for too much.
    async fn decide(
        &self,
        provider: &dyn Provider,
        event: &Event,
        row: &ClaimRow,
        deadline: UnixMs,
    ) -> Result<Decided, Stop> {
        let mut read: Vec<Read> = Vec::new();
        let mut plan = caught(|| provider.interpret(event));
        while let Plan::Defer(defer) = &plan {
            let fetch = defer.fetch().clone();
            if read.len() == FETCHES_MAX || read.iter().any(|read| read.fetch == fetch) {
                break;
            }
            let fetched = match &fetch {
                Fetch::ParentEntry(parent) => self.parent(parent, row, deadline).await?,
                Fetch::Object(path) => Fetched::Object(self.object(provider, event, path, deadline).await?),
                Fetch::ObjectIfThere(path) => match self.object(provider, event, path, deadline).await {
                    Err(Stop::Permanent(_)) => Fetched::NoObject,
                    object => Fetched::Object(object?),
                },
                Fetch::ObjectIfKeyed(path) => self.object_if_keyed(provider, event, path, row, deadline).await?,
            };
            read.push(Read { fetch, fetched });
            plan = caught(|| provider.resume(event, &read));
        }
        let account_unknown = account_unknown(&plan, &read);
        Ok(Decided { plan, account_unknown })
    }

    /// The parent's entry, waited for until its time is over. An event is never parked for want of it.
    async fn parent(&self, parent: &Occurrence, row: &ClaimRow, deadline: UnixMs) -> Result<Fetched, Stop> {
        let movement = MovementKey::new(&row.provider, parent);
        let found = self.store.parent_entry(&movement, Kind::Payment, deadline).await?;
        let waits_until = row.open_since.unwrap_or(row.claimed_at).plus_ms(self.settings.parent_wait_ms);
        if found.is_some() || self.clock.now() >= waits_until || row.attempt >= self.settings.attempts_max {
            return Ok(Fetched::ParentEntry(found));
        }
        let why = format!("the entry of {movement}, which knows the account, is not there yet");
        Err(Stop::Waits { due_at: self.retry_at(row.attempt).min(waits_until), until: waits_until, why })
    }

    async fn object(
        &self,
        provider: &dyn Provider,
        event: &Event,
        path: &str,
        deadline: UnixMs,
    ) -> Result<Vec<u8>, Stop> {
        let left_ms = self.clock.now().ms_until(deadline).saturating_sub(WRITE_MS).min(self.settings.fetch_ms);
        let read = self.fetcher.get(provider, event, path, self.clock.now(), Duration::from_millis(left_ms)).await;
        read.map_err(|error| match error {
            FetchError::Transient { why, retry_after } => {
                Stop::Transient { why, not_before: retry_after.map(|after| after.moment(self.clock.now())) }
            }
            FetchError::Permanent(why) => Stop::Permanent(why),
        })
    }

    /// An object that is not worth a person's time: where it cannot be had, the event is settled without it.
    async fn object_if_keyed(
        &self,
        provider: &dyn Provider,
        event: &Event,
        path: &str,
        row: &ClaimRow,
        deadline: UnixMs,
    ) -> Result<Fetched, Stop> {
        if !self.fetcher.has_key(provider.profile().name) {
            return Ok(Fetched::NoObject);
        }
        match self.object(provider, event, path, deadline).await {
            Ok(object) => Ok(Fetched::Object(object)),
            Err(Stop::Permanent(_)) => Ok(Fetched::NoObject),
            Err(Stop::Transient { .. }) if row.attempt >= self.settings.attempts_max => Ok(Fetched::NoObject),
            Err(stop) => Err(stop),
        }
    }

    async fn complete(
        &self,
        row: &ClaimRow,
        settle: &Settle,
        retention_s: u64,
        account_unknown: bool,
        deadline: UnixMs,
    ) -> Result<Worked, StoreError> {
        match self.store.complete(row, settle, retention_s, deadline).await {
            Ok(Completed::Done { known }) => Ok(Worked::Settled { known, account_unknown }),
            Ok(Completed::Conflict) => {
                let why = "the ledger holds the same movement with other content".to_owned();
                Ok(Worked::Parked { reason: ParkReason::Conflict, why })
            }
            Ok(Completed::Overtaken) => Ok(Worked::Overtaken),
            Err(StoreError::Invalid) => {
                let why = "DynamoDB finds the item invalid".to_owned();
                self.park(row, ParkReason::Unreadable, why, deadline).await
            }
            Err(error) => Err(error),
        }
    }

    /// After a failure that a retry may mend: later, or for a person once the attempts are used up. A provider's wish to be
    /// left alone is obeyed as far as our own longest wait.
    async fn again(
        &self,
        row: &ClaimRow,
        why: String,
        not_before: Option<UnixMs>,
        deadline: UnixMs,
    ) -> Result<Worked, StoreError> {
        if row.attempt >= self.settings.attempts_max {
            return self.park(row, ParkReason::Spent, why, deadline).await;
        }
        self.give_back(row, (self.again_at(row.attempt, not_before), None), why, deadline).await
    }

    async fn give_back(
        &self,
        row: &ClaimRow,
        due: (UnixMs, Option<UnixMs>),
        why: String,
        deadline: UnixMs,
    ) -> Result<Worked, StoreError> {
        let ours = self.store.release(row, due, &why, deadline).await?;
        Ok(if ours { Worked::Later { due_at: due.0, why } } else { Worked::Overtaken })
    }

    async fn park(
        &self,
        row: &ClaimRow,
        reason: ParkReason,
        why: String,
        deadline: UnixMs,
    ) -> Result<Worked, StoreError> {
        let decided = if row.books_missing() { "what is missing could not be booked: " } else { "" };
        let why = format!("{decided}{why}");
        let ours = self.store.park(row, reason, &why, deadline).await?;
        Ok(if ours { Worked::Parked { reason, why } } else { Worked::Overtaken })
    }

    /// When to try again after this many attempts; a wish to be left alone is obeyed as far as our own longest wait.
    pub(super) fn again_at(&self, attempt: u32, not_before: Option<UnixMs>) -> UnixMs {
        let latest = self.clock.now().plus_ms(self.settings.backoff_max_ms);
        self.retry_at(attempt).max(not_before.unwrap_or_default()).min(latest)
    }

    /// A random moment up to the longest wait after this many attempts, so that what failed together comes back apart.
    fn retry_at(&self, attempt: u32) -> UnixMs {
        let ceiling_ms = self.settings.backoff_ceiling_ms(attempt);
        let mut bytes = [0; 8];
        let wait_ms = match self.random.fill(&mut bytes) {
            Ok(()) => u64::from_be_bytes(bytes) % ceiling_ms.saturating_add(1),
            Err(_) => ceiling_ms,
        };
        self.clock.now().plus_ms(wait_ms)
    }
}

/// Whether what was read last was to say whose it is, and did not come. What came and names nobody says that it is
/// nobody's.
fn account_unknown(plan: &Plan, read: &[Read]) -> bool {
    let last = read.last().map(|read| &read.fetched);
    matches!(plan, Plan::Settle(_)) && matches!(last, Some(Fetched::ParentEntry(None) | Fetched::NoObject))
}

/// A provider's panic is one of the things a retry cannot change.
fn caught(interpret: impl FnOnce() -> Plan) -> Plan {
    let plan = catch_unwind(AssertUnwindSafe(interpret));
    plan.unwrap_or_else(|_| Plan::unreadable("interpreting it failed by a fault of ours"))
}
