//! What the ledger's stream tells: every new entry is compared with its claim, every other change is one too many.

use super::compare::{Finding, Sort};
use super::report::Report;
use super::{Audit, convert};
use crate::items::{AuditedEntry, EntryKey};
use crate::time::UnixMs;

/// As many records as one request compares.
const AT_ONCE: usize = 100;

/// A change of the ledger, as its stream tells it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Change {
    /// An entry was booked.
    Inserted(AuditedEntry),
    /// An entry was changed; its key, if it can be read.
    Modified(Option<EntryKey>),
    /// An entry was removed; its key, if it can be read.
    Removed(Option<EntryKey>),
    /// Something else; the key it is about, if it can be read.
    Unreadable(Option<EntryKey>),
}

/// How far a batch of changes was checked.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Checked {
    /// What was found.
    pub report: Report,
    /// The first change that was not checked and must come again. It and what follows it are in no report yet.
    pub failed_at: Option<usize>,
}

impl Audit {
    /// Checks changes in their order, with log lines and metrics.
    ///
    /// An entry of the stream is at most some days old, so its claim cannot have expired. A change that cannot be read is
    /// reported and passed over: it must not stand in the way of all that follow, and the scan comes to its entry.
    pub async fn fed(&self, changes: &[Change], deadline: UnixMs) -> Checked {
        let mut report = Report::new(self.clock.now(), None);
        let mut failed_at = None;
        for (at, chunk) in changes.chunks(AT_ONCE).enumerate() {
            let entries: Vec<_> = chunk.iter().filter_map(Change::entry).collect();
            match self.check_entries(&entries, deadline).await {
                Ok(findings) => {
                    report.entries += entries.len() as u64;
                    let told = chunk.iter().filter_map(Change::finding);
                    report.add(told.chain(findings), self.limits.named_max);
                }
                Err(error) => {
                    failed_at = Some(at * AT_ONCE);
                    report.unfinished = Some(error.to_string());
                    break;
                }
            }
        }
        convert::log(&report);
        convert::record(&report, &self.metrics);
        Checked { report, failed_at }
    }
}

impl Change {
    const fn entry(&self) -> Option<&AuditedEntry> {
        match self {
            Self::Inserted(entry) => Some(entry),
            Self::Modified(_) | Self::Removed(_) | Self::Unreadable(_) => None,
        }
    }

    fn finding(&self) -> Option<Finding> {
        let (sort, entry) = match self {
            Self::Inserted(_) => return None,
            Self::Modified(key) => (Sort::EntryChanged, key),
            Self::Removed(key) => (Sort::EntryRemoved, key),
            Self::Unreadable(key) => (Sort::RecordUnreadable, key),
        };
        Some(Finding { sort, entry: entry.clone(), claim: None })
    }
}
