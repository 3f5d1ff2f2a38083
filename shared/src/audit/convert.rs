//! A report as log lines, metrics and JSON.

use serde_json::{Value, json};

use super::compare::{Class, Finding};
use super::report::Report;
use crate::metrics::{Metric, Metrics};
use crate::store::Segment;

/// A line for each finding that is named, and one for a scan.
pub(super) fn log(report: &Report) {
    for finding in &report.findings {
        let (movement, kind, claim) = names(finding);
        let sort = finding.sort;
        tracing::error!(movement, kind, claim, sort = sort.name(), todo = sort.todo(), "{}", sort.sentence());
    }
    if let Some(why) = &report.unfinished {
        let todo = match report.segment {
            Some(_) => "mend the function's access, tables or time, then scan this segment again by hand",
            None => "nothing, unless it happens again and again: the stream brings these records again",
        };
        let segment = report.segment.map(segment_text);
        tracing::error!(segment, why, todo, "the audit did not come to its end");
    }
    if report.segment.is_some() {
        log_scan(report);
    }
}

fn log_scan(report: &Report) {
    tracing::info!(
        segment = report.segment.map(segment_text),
        entries = report.entries,
        old_entries = report.old_entries,
        claims = report.claims,
        listed = report.listed,
        drift = report.counts.drift,
        changed = report.counts.changed,
        unreadable = report.counts.unreadable,
        "the audit of the ledger"
    );
}

/// The metrics of an audit, zeros included: alarms take silence for a fault. One that did not look at everything does not
/// say that nothing is wrong.
pub(super) fn record(report: &Report, metrics: &Metrics) {
    let counts = &report.counts;
    let unfinished = report.unfinished.is_some();
    let mut values = vec![
        (Metric::LedgerDrift, counts.drift),
        (Metric::LedgerChanged, counts.changed),
        (Metric::AuditUnreadable, counts.unreadable),
    ];
    values.retain(|(_, value)| *value > 0 || !unfinished);
    if report.segment.is_some() {
        values.push((Metric::AuditIncomplete, u64::from(unfinished)));
    }
    if !values.is_empty() {
        metrics.record("all", "audited", &values, report.at);
    }
}

impl Report {
    /// For machines.
    pub fn json(&self) -> Value {
        json!({
            "at": self.at.rfc3339(),
            "segment": self.segment.map(|segment| json!({"number": segment.number, "of": segment.total})),
            "looked_at": {
                "entries": self.entries,
                "old_entries": self.old_entries,
                "claims": self.claims,
                "listed": self.listed,
            },
            "counts": {
                "drift": self.counts.drift,
                "changed": self.counts.changed,
                "unreadable": self.counts.unreadable,
            },
            "findings": self.findings.iter().map(finding_json).collect::<Vec<_>>(),
            "more": self.counts.all() > self.findings.len() as u64,
            "unfinished": self.unfinished,
        })
    }
}

impl Class {
    /// As machines read it.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Drift => "drift",
            Self::Changed => "changed",
            Self::Unreadable => "unreadable",
        }
    }
}

fn finding_json(finding: &Finding) -> Value {
    let (movement, kind, claim) = names(finding);
    json!({
        "class": finding.sort.class().name(),
        "sort": finding.sort.name(),
        "movement": movement,
        "kind": kind,
        "claim": claim,
        "what": finding.sort.sentence(),
        "todo": finding.sort.todo(),
    })
}

fn names(finding: &Finding) -> (Option<&str>, Option<&str>, Option<&str>) {
    let (entry, claim) = (finding.entry.as_ref(), finding.claim.as_ref());
    let movement = entry.map(|entry| entry.movement.as_str());
    (movement, entry.map(|entry| entry.kind.as_str()), claim.map(|claim| claim.as_str()))
}

/// `3 of 84`, counted from 0.
fn segment_text(segment: Segment) -> String {
    format!("{} of {}", segment.number, segment.total)
}
