//! Settles what could not be settled at once: takes a claim up, reads what its event asks for, completes it.
//!
//! `received → processing → done`; back to `received` with a later due time where a retry may help, to `parked` where it
//! cannot. Every write expects the claim as this worker left it, so whoever was overtaken writes nothing.

mod auth;
mod fetch;
mod report;
mod run;
mod settings;
mod tell;

use std::sync::Arc;

use ring::rand::SystemRandom;

use crate::claim::ClaimKey;
use crate::items::IndexRow;
use crate::metrics::Metrics;
use crate::outbox::Outbox;
use crate::plan::ParkReason;
use crate::provider::Provider;
use crate::sinks::Sinks;
use crate::store::{Lease, Store, StoreError};
use crate::time::{Clock, UnixMs};

pub use auth::ApiKey;
pub use fetch::{Api, FetchError, Fetcher};
pub use settings::Settings;

/// Kept for giving a claim back, and for the way home.
const MARGIN_MS: u64 = 500;

/// Settles owed claims, of every provider.
pub struct Worker {
    /// Every provider whose claims may lie in the table.
    pub providers: Vec<Arc<dyn Provider>>,
    /// The tables.
    pub store: Store,
    /// Reads from the providers' APIs.
    pub fetcher: Fetcher,
    /// Who is told.
    pub outbox: Outbox,
    /// How they are told.
    pub sinks: Sinks,
    /// The time.
    pub clock: Arc<dyn Clock>,
    /// Where is counted.
    pub metrics: Metrics,
    /// The numbers, without [`problems`](Settings::problems).
    pub settings: Settings,
    /// Spreads retries.
    pub random: SystemRandom,
}

/// What became of a claim that was to be worked on.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Worked {
    /// Done. `known`: this many of its entries the ledger held already. `account_unknown`: booked without an account,
    /// because nothing that was asked could say whose it is.
    Settled {
        /// Entries that existed.
        known: usize,
        /// Nothing could say whose it is.
        account_unknown: bool,
    },
    /// A message was taken by its sink.
    Sent,
    /// Not due, held by another worker, settled, parked, spent or unknown: nothing was written.
    NotOurs,
    /// Given back: a retry may help.
    Later {
        /// When.
        due_at: UnixMs,
        /// What stood in the way.
        why: String,
    },
    /// Kept for a person.
    Parked {
        /// The machine's word for it.
        reason: ParkReason,
        /// One sentence.
        why: String,
    },
    /// Somebody else took it up meanwhile: nothing was written.
    Overtaken,
    /// The store gave no answer that can be relied on. What is leased is due again when the lease ends.
    Unavailable(StoreError),
}

impl Worked {
    /// As logs and metrics spell it.
    pub const fn name(&self) -> &'static str {
        match self {
            Self::Settled { .. } => "settled",
            Self::Sent => "sent",
            Self::NotOurs => "not_ours",
            Self::Later { .. } => "later",
            Self::Parked { .. } => "parked",
            Self::Overtaken => "overtaken",
            Self::Unavailable(_) => "unavailable",
        }
    }
}

impl Worker {
    /// Takes a row up, a claim or a message, if it is due and nobody holds it, and does what it owes. Other rows are left
    /// alone. `ends`: when the invocation ends.
    pub async fn work_row(&self, row: &IndexRow, ends: UnixMs) -> Worked {
        if row.is_claim() {
            self.work(&row.key, ends).await
        } else if row.is_message() {
            self.tell(row, ends).await
        } else {
            Worked::NotOurs
        }
    }

    /// Takes a claim up, if it is due and nobody holds it, and does what it owes. `ends`: when the invocation ends.
    pub async fn work(&self, key: &ClaimKey, ends: UnixMs) -> Worked {
        let began = self.clock.now();
        let ends = ends.min(began.plus_ms(self.settings.run_ms));
        let deadline = UnixMs::new(ends.get().saturating_sub_unsigned(MARGIN_MS));
        let lease_ends = began.plus_ms(self.settings.lease_ms);
        let worked = match self.store.lease(key, lease_ends, self.settings.attempts_max, deadline).await {
            Ok(Lease::Ours(row)) => self.run(&row, deadline).await.unwrap_or_else(Worked::Unavailable),
            Ok(Lease::NotOurs) => Worked::NotOurs,
            Err(error) => Worked::Unavailable(error),
        };
        self.report(key, &worked, began.ms_until(self.clock.now()));
        worked
    }

    fn provider(&self, name: &str) -> Option<&dyn Provider> {
        self.providers.iter().map(Arc::as_ref).find(|provider| provider.profile().name == name)
    }
}
