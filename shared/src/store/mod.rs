//! The only module that talks to DynamoDB: one call decides a delivery, and what it answers is read exactly.

mod attempt;
mod audit;
mod cancellation;
mod client;
mod commit;
mod complete;
mod open;
mod read;

use std::sync::Arc;
use std::time::Duration;

use aws_sdk_dynamodb::Client;
use ring::rand::{SecureRandom as _, SystemRandom};
use tokio::sync::Semaphore;

use crate::items::{Stroke, Tables};
use crate::request::encode_hex;
use crate::time::{Clock, UnixMs};

pub use audit::Segment;
pub use client::{Tuning, sdk};
pub use commit::{Commit, Verdict};
pub use complete::{Completed, Lease};
pub use open::Shard;
pub use read::{Page, Sibling, Story};

/// With less time left than this a call is not begun: an answer could not be given any more.
pub const CALL_MS_MIN: u64 = 150;

/// How many calls of one process are under way at once.
const CALLS_AT_ONCE: usize = 256;

/// The store of one deployment.
#[derive(Clone)]
pub struct Store {
    client: Client,
    tables: Tables,
    clock: Arc<dyn Clock>,
    random: SystemRandom,
    turns: Arc<Semaphore>,
}

/// Why the store gave no answer. Holds codes and names; SDK errors are not kept, their `Debug` prints items.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum StoreError {
    /// Nothing was sent, or it could not be finished in time.
    #[error("no time left for a call to DynamoDB")]
    TooLittleTime,
    /// No answer: connection, timeout. The write may or may not have happened.
    #[error("DynamoDB did not answer ({0})")]
    NoAnswer(&'static str),
    /// Too many requests.
    #[error("DynamoDB throttles ({0})")]
    Throttled(String),
    /// Refused in a way that a retry will not mend: access, table, credentials, an unknown code.
    #[error("DynamoDB refused with {0}")]
    Refused(String),
    /// DynamoDB says the request itself is invalid.
    #[error("DynamoDB finds the request invalid")]
    Invalid,
    /// Nothing was sent: a write that cannot be told from another's must not be made.
    #[error("this system gives no random bytes")]
    NoRandomBytes,
    /// A row that this version cannot read.
    #[error(transparent)]
    Unreadable(#[from] crate::items::DecodeError),
}

impl StoreError {
    /// Whether a person must look: a retry alone will not mend it.
    pub fn alarms(&self) -> bool {
        matches!(self, Self::Refused(_) | Self::Invalid | Self::NoRandomBytes | Self::Unreadable(_))
    }
}

impl Store {
    /// A store on these tables.
    pub fn new(client: Client, tables: Tables, clock: Arc<dyn Clock>) -> Self {
        let turns = Arc::new(Semaphore::new(CALLS_AT_ONCE));
        Self { client, tables, clock, random: SystemRandom::new(), turns }
    }

    /// A fresh owner and the time now, for one distinct request.
    fn stroke(&self) -> Result<Stroke, StoreError> {
        Ok(Stroke { owner: self.token()?, now: self.clock.now() })
    }

    /// 32 random hex digits: within the 36 that DynamoDB takes as a request token. Never anything weaker: two writers with
    /// one token would each take the other's write for its own.
    fn token(&self) -> Result<String, StoreError> {
        let mut bytes = [0; 16];
        match self.random.fill(&mut bytes) {
            Ok(()) => Ok(encode_hex(&bytes)),
            Err(_) => Err(StoreError::NoRandomBytes),
        }
    }

    /// Makes one call within the deadline. In a storm the others wait their turn before they are made: a waiting call costs
    /// a fraction of one that is under way.
    async fn call<F: Future>(&self, deadline: UnixMs, make: impl FnOnce() -> F) -> Result<F::Output, StoreError> {
        let left = self.time_left(deadline)?;
        let call = async {
            let _turn = self.turns.acquire().await;
            Box::pin(make()).await
        };
        tokio::time::timeout(left, call).await.map_err(|_| StoreError::NoAnswer("timeout"))
    }

    /// The time left for a call, if it is worth beginning one.
    fn time_left(&self, deadline: UnixMs) -> Result<Duration, StoreError> {
        let left_ms = self.clock.now().ms_until(deadline);
        if left_ms < CALL_MS_MIN { Err(StoreError::TooLittleTime) } else { Ok(Duration::from_millis(left_ms)) }
    }

    /// Waits a random share of a time that doubles with each retry, within the deadline. False: no time for another.
    async fn back_off(&self, retry: u32, deadline: UnixMs) -> bool {
        const BASE_MS: u64 = 20;
        const CAP_MS: u64 = 400;
        let ceiling_ms = BASE_MS.saturating_mul(1 << retry.min(8)).min(CAP_MS);
        let wait_ms = self.random_below(ceiling_ms);
        if self.clock.now().ms_until(deadline) < wait_ms + CALL_MS_MIN {
            return false;
        }
        self.clock.sleep_ms(wait_ms).await;
        true
    }

    fn random_below(&self, ceiling: u64) -> u64 {
        let mut bytes = [0; 8];
        match self.random.fill(&mut bytes) {
            Ok(()) => u64::from_be_bytes(bytes) % ceiling.max(1),
            Err(_) => ceiling / 2,
        }
    }
}
