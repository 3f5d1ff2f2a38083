//! What a scheduled run found and did, as plain data.

use super::Limits;
use crate::items::{OpenRow, RowKind};
use crate::plan::ParkReason;
use crate::time::UnixMs;

/// What a scheduled run found and did.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Report {
    /// When.
    pub at: UnixMs,
    /// Open for longer than the grace, oldest first: as many as a report names.
    pub stuck: Vec<OpenRow>,
    /// Waiting for a person, oldest first: as many as a report names.
    pub parked: Vec<OpenRow>,
    /// All that was read.
    pub counts: Counts,
    /// The age of the oldest row that is owed and waits for nothing, in seconds; 0 where nothing is.
    pub oldest_open_s: u64,
    /// What the run did.
    pub acted: Acted,
    /// Whether a shard held more rows than one run reads: the counts are lower bounds.
    pub more: bool,
    /// Shards that could not be read: the counts mean nothing.
    pub unread_shards: usize,
}

/// Rows by what they are. What is parked is counted up to a bound for each shard.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Counts {
    /// Owed, however young: claims, messages, and what a newer version knows.
    pub open: u64,
    /// Of those, claims that wait for what may still come: not stuck, however old.
    pub waiting: u64,
    /// Claims that are open for longer than the grace, or wait for longer than they may.
    pub stuck_claims: u64,
    /// Messages, and parts that a newer version knows, that are.
    pub stuck_messages: u64,
    /// Claims that wait for a person, those on hold aside.
    pub parked_claims: u64,
    /// Claims whose run was lost and that do not run again by themselves.
    pub held_claims: u64,
    /// Messages that wait for a person.
    pub parked_messages: u64,
    /// Contents that came under a known id with another effect.
    pub mismatches: u64,
}

/// What a scheduled run did.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Acted {
    /// Rows that were due and were kicked again.
    pub redriven: u64,
    /// Rows parked because their attempts are used up.
    pub parked_spent: u64,
    /// Rows parked because their run was lost and they must not run again by themselves.
    pub parked_held: u64,
    /// Rows that somebody else changed first.
    pub overtaken: u64,
    /// Rows that could not be written; the next run tries again.
    pub failed: u64,
    /// Rows left for the next run: more were due than one run writes.
    pub left: u64,
}

impl Report {
    /// The report on these rows of the two shelves. Age is counted from `open_since` alone: neither a re-drive nor a
    /// worker makes a row young.
    pub(super) fn of(mut open: Vec<OpenRow>, mut parked: Vec<OpenRow>, limits: &Limits, at: UnixMs) -> Self {
        let mut report = Self { at, ..Self::default() };
        report.counts.open = open.len() as u64;
        for row in &open {
            if row.waits(limits.grace_ms, at) {
                report.counts.waiting += 1;
                continue;
            }
            report.oldest_open_s = report.oldest_open_s.max(row.age_ms(at) / 1_000);
            if row.age_ms(at) > limits.grace_ms {
                match row.kind() {
                    RowKind::Claim => report.counts.stuck_claims += 1,
                    _ => report.counts.stuck_messages += 1,
                }
            }
        }
        for row in &parked {
            match row.kind() {
                RowKind::Claim if row.park_reason == Some(ParkReason::Held) => report.counts.held_claims += 1,
                RowKind::Claim => report.counts.parked_claims += 1,
                RowKind::Mismatch => report.counts.mismatches += 1,
                RowKind::Message | RowKind::Other => report.counts.parked_messages += 1,
            }
        }
        open.retain(|row| row.age_ms(at) > limits.grace_ms && !row.waits(limits.grace_ms, at));
        for rows in [&mut open, &mut parked] {
            oldest_first(rows);
            rows.truncate(limits.named_max);
        }
        Self { stuck: open, parked, ..report }
    }

    /// One line for people; `None` where there is nothing to say. The same findings give the same line.
    pub fn line(&self) -> Option<String> {
        let Counts { stuck_claims, stuck_messages, parked_claims, held_claims, parked_messages, mismatches, .. } =
            self.counts;
        let Acted { redriven, parked_spent, parked_held, failed, left, .. } = self.acted;
        let said = [
            (stuck_claims, "claims are stuck"),
            (stuck_messages, "messages are stuck"),
            (parked_claims, "claims are parked"),
            (held_claims, "claims are on hold"),
            (parked_messages, "messages are parked"),
            (mismatches, "mismatches are open"),
            (redriven, "rows were re-driven"),
            (parked_spent, "rows were parked as spent"),
            (parked_held, "rows were put on hold"),
            (failed, "rows could not be written"),
            (left, "due rows were left for the next run"),
            (self.unread_shards as u64, "shards could not be read"),
        ];
        let said: Vec<_> =
            said.iter().filter(|(number, _)| *number > 0).map(|(number, what)| format!("{number} {what}")).collect();
        (!said.is_empty()).then(|| said.join(", "))
    }
}

/// Rows without an age come last: only another version writes them.
pub(super) fn oldest_first(rows: &mut [OpenRow]) {
    rows.sort_by(|a, b| {
        let age = |row: &OpenRow| row.open_since.map_or(i64::MAX, UnixMs::get);
        (age(a), &a.key, &a.part).cmp(&(age(b), &b.key, &b.part))
    });
}
