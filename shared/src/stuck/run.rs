//! The scheduled run: re-drive what is due, park what is spent or on hold, report what is old.

use futures_util::{FutureExt as _, StreamExt as _, stream};

use super::decide::step;
use super::report::{Acted, Report};
use super::retention::is_daily;
use super::{AT_ONCE, Watch, convert};
use crate::items::{Change, OpenRow, SHARDS, Shelf};
use crate::plan::ParkReason;
use crate::store::StoreError;
use crate::time::UnixMs;

/// The rows of one shelf.
#[derive(Debug, Default)]
pub(super) struct Read {
    pub(super) rows: Vec<OpenRow>,
    pub(super) more: bool,
    pub(super) unread: usize,
    pub(super) error: Option<StoreError>,
}

impl Watch {
    /// A run with its log lines and metrics, as the schedule wants it; early in the day the retention is looked at as well.
    pub async fn scheduled(&self, deadline: UnixMs) -> Report {
        let report = self.run(deadline).await;
        convert::log(&report);
        convert::record(&report, &self.metrics);
        if is_daily(report.at)
            && let Err(error) = self.check_retention(deadline).await
        {
            tracing::error!(%error, todo = "mend the function's access (Scan, DescribeTimeToLive), tables or time", "the retention could not be looked at");
        }
        report
    }

    /// One run. It costs what is open, however much is done or parked; running it twice at once is harmless.
    pub async fn run(&self, deadline: UnixMs) -> Report {
        let now = self.clock.now();
        let (open, parked) = futures_util::join!(
            self.read(Shelf::Open, self.limits.open_per_shard, deadline),
            self.read(Shelf::Parked, self.limits.parked_per_shard, deadline)
        );
        if let Some(error) = open.error.as_ref().or(parked.error.as_ref()) {
            tracing::error!(%error, todo = "mend the function's access, tables or time", "open work could not be read");
        }
        let acted = self.act(&open.rows, now, deadline).await;
        let (more, unread_shards) = (open.more || parked.more, open.unread + parked.unread);
        Report { acted, more, unread_shards, ..Report::of(open.rows, parked.rows, &self.limits, now) }
    }

    /// Every shard of a shelf. One that cannot be read hides none of the others.
    pub(super) async fn read(&self, shelf: Shelf, rows_max: usize, deadline: UnixMs) -> Read {
        // In boxes, so that the whole can be sent between threads.
        let shards: Vec<_> =
            (0..SHARDS).map(|shard| self.store.shard(shelf, shard, rows_max, deadline).boxed()).collect();
        let answers: Vec<_> = stream::iter(shards).buffered(AT_ONCE).collect().await;
        let mut read = Read::default();
        for answer in answers {
            match answer {
                Ok(shard) => {
                    read.rows.extend(shard.rows);
                    read.more |= shard.more;
                }
                Err(error) => {
                    read.unread += 1;
                    read.error = Some(error);
                }
            }
        }
        read
    }

    /// The longest due first, so that nothing is overtaken for ever by what came later.
    async fn act(&self, rows: &[OpenRow], now: UnixMs, deadline: UnixMs) -> Acted {
        let due = rows.iter().filter_map(|row| Some((row, step(row, &self.limits, now)?)));
        let mut due: Vec<(&OpenRow, Change)> = due.collect();
        due.sort_by_key(|(row, _)| row.due_at);
        let left = due.len().saturating_sub(self.limits.changes_max);
        due.truncate(self.limits.changes_max);
        let changes = due.into_iter().map(|(row, change)| {
            let changing = async move {
                let result = self.store.change(row, &change, deadline).await;
                (row, change, result)
            };
            changing.boxed()
        });
        let changes: Vec<_> = changes.collect();
        let mut acted = Acted { left: left as u64, ..Acted::default() };
        let mut changes = stream::iter(changes).buffer_unordered(AT_ONCE);
        while let Some((row, change, result)) = changes.next().await {
            match (result, change) {
                (Ok(false), _) => acted.overtaken += 1,
                (Ok(true), Change::Park { reason: ParkReason::Held, .. }) => acted.parked_held += 1,
                (Ok(true), Change::Park { .. }) => acted.parked_spent += 1,
                (Ok(true), _) => acted.redriven += 1,
                (Err(error), _) => {
                    tracing::warn!(claim = %row.key, part = row.part, %error, "an open row could not be written");
                    acted.failed += 1;
                }
            }
        }
        acted
    }
}
