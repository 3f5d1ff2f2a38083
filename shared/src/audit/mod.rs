//! The audit of the ledger: every entry has its claim, every claim its entries, and no entry ever changes.
//!
//! Both are written in one transaction, so neither is ever there without the other, but for moments: a transaction is
//! carried to its rows, and to the streams, one by one (docs.aws.amazon.com, "Amazon DynamoDB Transactions: How it works").
//! What looks wrong is therefore looked at twice.

mod action;
mod changes;
mod compare;
mod convert;
mod look;
mod report;
mod scan;

use std::sync::Arc;

use crate::metrics::Metrics;
use crate::provider::DAY_S;
use crate::store::Store;
use crate::time::{Clock, UnixS};

pub use action::{Action, AuditError, Check, Run, Scan};
pub use changes::{Change, Checked};
pub use compare::{Class, Finding, Sort};
pub use report::{Counts, Report};

/// Compares the two tables of one deployment.
#[derive(Clone)]
pub struct Audit {
    /// The tables.
    pub store: Store,
    /// Where findings are counted.
    pub metrics: Metrics,
    /// The time.
    pub clock: Arc<dyn Clock>,
    /// How much, how fast, and how far back.
    pub limits: Limits,
}

/// How much one run reads, how fast, and how far back.
///
/// A page costs half a read unit for each 4 KB of its rows, and one unit for each claim or entry that is read to compare:
/// with the defaults at most about 1,100 units a second, and only while a run lasts.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Limits {
    /// How old an entry may be that is still compared, in seconds: beyond that its claim may have expired.
    pub window_s: u64,
    /// Into how many segments the scan is cut. A run reads one.
    pub segments: u32,
    /// How often the schedule runs, in milliseconds: the time chooses the segment.
    pub run_every_ms: u64,
    /// How many rows a page holds.
    pub page_rows: i32,
    /// No page begins sooner after the one before, in milliseconds.
    pub page_every_ms: u64,
    /// After how long what looks wrong is looked at again, in milliseconds.
    pub second_look_ms: u64,
    /// How many findings a report names.
    pub named_max: usize,
}

/// Clocks differ, and a scan takes its time: what expires within a day is not compared any more.
const EXPIRY_MARGIN_S: u64 = DAY_S;

impl Limits {
    /// The usual ones, where no provider's claims are kept for less than `retention_s` seconds. In a week of hourly runs
    /// each of 84 segments comes twice, so that a run which is lost leaves none unread for longer.
    pub const fn new(retention_s: u64) -> Self {
        Self {
            window_s: retention_s.saturating_sub(EXPIRY_MARGIN_S),
            segments: 84,
            run_every_ms: 3_600_000,
            page_rows: 100,
            page_every_ms: 100,
            second_look_ms: 2_000,
            named_max: 100,
        }
    }

    /// Whether an entry that was booked then must still have its claim.
    fn is_young(&self, recorded_at: UnixS, now: UnixS) -> bool {
        recorded_at.plus_s(self.window_s) > now
    }
}
