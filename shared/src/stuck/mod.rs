//! The watch over what is not finished: the scheduled run, and what the person on call does about it.

mod action;
mod convert;
mod decide;
mod perform;
mod report;
mod run;

use std::sync::Arc;

use crate::metrics::Metrics;
use crate::store::Store;
use crate::time::Clock;

pub(crate) use action::is_schedule;
pub use action::{Action, ActionError, Filter, List, OpenState, Order, Run, Show, Target};
pub use convert::{log, story_json};
pub use perform::{Answer, Changes, Listing, Refusal, RowChange};
pub use report::{Acted, Counts, Report};

/// Watches over the open rows of one deployment.
#[derive(Clone)]
pub struct Watch {
    /// The tables.
    pub store: Store,
    /// Where the counts of a scheduled run go.
    pub metrics: Metrics,
    /// The time.
    pub clock: Arc<dyn Clock>,
    /// How much, and from when on.
    pub limits: Limits,
}

/// How much one run reads and writes, and from when on a row is stuck.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Limits {
    /// A row that is open for longer is stuck, in milliseconds.
    pub grace_ms: u64,
    /// How often a worker takes a row up before it is parked: the worker's own number.
    pub attempts_max: u32,
    /// How many owed rows of a shard one run reads, due first.
    pub open_per_shard: usize,
    /// How many parked rows of a shard one run counts.
    pub parked_per_shard: usize,
    /// How many rows of a shard a list, or an action on many, looks through.
    pub listed_per_shard: usize,
    /// How many rows one run re-drives or parks.
    pub changes_max: usize,
    /// How many rows of each sort a report names.
    pub named_max: usize,
    /// How long a row is kept after a person closed it, in seconds. Longer than any provider can send an event again.
    pub retention_s: u64,
}

impl Default for Limits {
    fn default() -> Self {
        Self {
            grace_ms: 5 * 60_000,
            attempts_max: 24,
            open_per_shard: 1_000,
            parked_per_shard: 200,
            listed_per_shard: 2_000,
            changes_max: 1_000,
            named_max: 50,
            retention_s: 400 * 86_400,
        }
    }
}

/// Shards read, and rows written, side by side.
const AT_ONCE: usize = 16;
