//! What an audit looked at and found, as plain data.

use super::compare::{Class, Finding};
use crate::store::Segment;
use crate::time::UnixMs;

/// What an audit looked at and found.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Report {
    /// When it began.
    pub at: UnixMs,
    /// What was scanned; `None`: single rows, or what the stream told.
    pub segment: Option<Segment>,
    /// Entries that were compared with their claims.
    pub entries: u64,
    /// Entries so old that their claims may have expired: passed over.
    pub old_entries: u64,
    /// Claims that were compared with the ledger: done, and not expired.
    pub claims: u64,
    /// Entries that these claims list.
    pub listed: u64,
    /// All that was found.
    pub counts: Counts,
    /// What was found: as much as a report names.
    pub findings: Vec<Finding>,
    /// Why not everything was looked at.
    pub unfinished: Option<String>,
}

/// Findings by their class.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Counts {
    /// Entries and claims that contradict each other.
    pub drift: u64,
    /// Entries that were changed or removed.
    pub changed: u64,
    /// Rows and records that could not be read.
    pub unreadable: u64,
}

impl Counts {
    /// All together.
    pub const fn all(&self) -> u64 {
        self.drift + self.changed + self.unreadable
    }
}

impl Report {
    pub(super) fn new(at: UnixMs, segment: Option<Segment>) -> Self {
        Self { at, segment, ..Self::default() }
    }

    pub(super) fn add(&mut self, findings: impl IntoIterator<Item = Finding>, named_max: usize) {
        for finding in findings {
            match finding.sort.class() {
                Class::Drift => self.counts.drift += 1,
                Class::Changed => self.counts.changed += 1,
                Class::Unreadable => self.counts.unreadable += 1,
            }
            if self.findings.len() < named_max {
                self.findings.push(finding);
            }
        }
    }

    /// One line for people; `None` where nothing is wrong.
    pub fn line(&self) -> Option<String> {
        let Counts { drift, changed, unreadable } = self.counts;
        let said = [
            (drift, "contradictions between ledger and claims"),
            (changed, "entries changed or removed"),
            (unreadable, "rows or records that cannot be read"),
        ];
        let said = said.iter().filter(|(number, _)| *number > 0).map(|(number, what)| format!("{what}: {number}"));
        let said: Vec<_> = said.chain(self.unfinished.as_ref().map(|why| format!("not finished ({why})"))).collect();
        (!said.is_empty()).then(|| said.join(", "))
    }
}
