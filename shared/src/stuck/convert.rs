//! A report or an answer as log lines, metrics and JSON.

use serde_json::{Value, json};

use super::perform::{Answer, Changes, Listing};
use super::report::Report;
use crate::items::{Booked, ClaimRow, OpenRow, Resolution, RowKind};
use crate::metrics::{Metric, Metrics};
use crate::provider::Kept;
use crate::store::Story;
use crate::time::UnixMs;

/// An answer of Lambda is 6 MB at most (docs.aws.amazon.com, "Lambda quotas"): of bytes that were kept this much is shown.
const SHOWN_BYTES_MAX: usize = 200_000;

/// A line for each row that is named, and one for the run.
pub(super) fn log(report: &Report) {
    log_rows(report);
    let (counts, acted) = (&report.counts, &report.acted);
    tracing::info!(
        open = counts.open,
        waiting = counts.waiting,
        stuck_claims = counts.stuck_claims,
        stuck_messages = counts.stuck_messages,
        parked_claims = counts.parked_claims,
        held_claims = counts.held_claims,
        parked_messages = counts.parked_messages,
        mismatches = counts.mismatches,
        oldest_open_s = report.oldest_open_s,
        redriven = acted.redriven,
        parked_spent = acted.parked_spent,
        parked_held = acted.parked_held,
        overtaken = acted.overtaken,
        failed = acted.failed,
        left = acted.left,
        more = report.more,
        unread_shards = report.unread_shards,
        "the watch over open work"
    );
}

/// A line for each row that is named: which event, its state, age and reason, and what to do.
pub fn log_rows(report: &Report) {
    for row in &report.stuck {
        let (claim, part, state, attempt) = (&row.key, &row.part, state(row), row.attempt);
        let (age_s, reason) = (row.age_ms(report.at) / 1_000, row.last_error.as_deref());
        let todo = "show it, mend what its reason says; it runs again by itself";
        tracing::warn!(%claim, part, state, age_s, attempt, reason, todo, "stuck");
    }
    for row in &report.parked {
        let (claim, part, state, attempt) = (&row.key, &row.part, state(row), row.attempt);
        let (age_s, reason) = (row.age_ms(report.at) / 1_000, row.last_error.as_deref());
        let park_reason = row.park_reason.map_or("unknown", |reason| reason.name());
        let todo = match row.kind() {
            RowKind::Mismatch => "show it, see which content is right, then resolve it",
            _ => "show it, mend the cause, then retry or resolve it",
        };
        tracing::warn!(%claim, part, state, age_s, attempt, park_reason, reason, todo, "waits for a person");
    }
}

/// The metrics of a run, zeros included: alarms take silence for a fault. A run that did not see everything is silent.
pub(super) fn record(report: &Report, metrics: &Metrics) {
    if report.unread_shards > 0 {
        return;
    }
    let counts = &report.counts;
    let values = [
        (Metric::StuckClaims, counts.stuck_claims),
        (Metric::StuckMessages, counts.stuck_messages),
        (Metric::ParkedClaims, counts.parked_claims + counts.held_claims),
        (Metric::ParkedMessages, counts.parked_messages),
        (Metric::OpenMismatches, counts.mismatches),
        (Metric::OldestOpenAgeSeconds, report.oldest_open_s),
        (Metric::Redriven, report.acted.redriven),
    ];
    metrics.record("all", "watched", &values, report.at);
}

impl Report {
    /// For machines.
    pub fn json(&self) -> Value {
        let (counts, acted) = (&self.counts, &self.acted);
        json!({
            "at": self.at.rfc3339(),
            "counts": {
                "open": counts.open,
                "waiting": counts.waiting,
                "stuck_claims": counts.stuck_claims,
                "stuck_messages": counts.stuck_messages,
                "parked_claims": counts.parked_claims,
                "held_claims": counts.held_claims,
                "parked_messages": counts.parked_messages,
                "mismatches": counts.mismatches,
            },
            "oldest_open_s": self.oldest_open_s,
            "acted": {
                "redriven": acted.redriven,
                "parked_spent": acted.parked_spent,
                "parked_held": acted.parked_held,
                "overtaken": acted.overtaken,
                "failed": acted.failed,
                "left": acted.left,
            },
            "more": self.more,
            "unread_shards": self.unread_shards,
            "stuck": rows_json(&self.stuck, self.at),
            "parked": rows_json(&self.parked, self.at),
        })
    }
}

impl Answer {
    /// For machines.
    pub fn json(&self) -> Value {
        match self {
            Self::Report(report) => report.json(),
            Self::Retention(retention) => retention.json(),
            Self::Listing(Listing { at, rows, more }) => {
                json!({"at": at.rfc3339(), "rows": rows_json(rows, *at), "more": more})
            }
            Self::Story(_, story) => story_json(story),
            Self::Changes(changes) => changes_json(changes),
        }
    }
}

fn changes_json(changes: &Changes) -> Value {
    let row = |change: &super::RowChange| {
        let mut value = json!({
            "claim": change.row.key.as_str(),
            "part": change.row.part,
            "was": state(&change.row),
        });
        match &change.result {
            Ok(state) => value["state"] = state.name().into(),
            Err(refusal) => value["refused"] = refusal.to_string().into(),
        }
        value
    };
    json!({
        "action": changes.action,
        "dry_run": changes.dry_run,
        "changed": changes.changed(),
        "refused": changes.rows.len() - changes.changed(),
        "more": changes.more,
        "rows": changes.rows.iter().map(row).collect::<Vec<_>>(),
    })
}

fn state(row: &OpenRow) -> &'static str {
    row.state.map_or("unknown", |state| state.name())
}

fn rows_json(rows: &[OpenRow], at: UnixMs) -> Vec<Value> {
    let row = |row: &OpenRow| {
        json!({
            "claim": row.key.as_str(),
            "part": row.part,
            "kind": row.kind().name(),
            "state": state(row),
            "provider": row.provider,
            "event_type": row.event_type,
            "age_s": row.age_ms(at) / 1_000,
            "attempt": row.attempt,
            "due_at": row.due_at.map(UnixMs::rfc3339),
            "waits_until": row.waits_until.map(UnixMs::rfc3339),
            "park_reason": row.park_reason.map(|reason| reason.name()),
            "last_error": row.last_error,
        })
    };
    rows.iter().map(row).collect()
}

/// The story of one event.
pub fn story_json(story: &Story) -> Value {
    let siblings = story.siblings.iter().map(|sibling| {
        json!({
            "part": sibling.part,
            "kept_at": sibling.kept_at.rfc3339(),
            "kept": kept_json(&sibling.kept),
            "resolution": sibling.resolution.as_ref().map(resolution_json),
        })
    });
    json!({
        "claim": story.claim.as_ref().map(claim_json),
        "kept": story.kept.as_ref().map(kept_json),
        "messages": story.messages,
        "mismatches": siblings.collect::<Vec<_>>(),
    })
}

fn claim_json(claim: &ClaimRow) -> Value {
    json!({
        "claim": claim.key.as_str(),
        "provider": claim.provider,
        "scope": claim.scope,
        "event_id": claim.event_id,
        "event_type": claim.event_type,
        "state": claim.state.name(),
        "claimed_at": claim.claimed_at.rfc3339(),
        "completed_at": claim.completed_at.map(UnixMs::rfc3339),
        "open_since": claim.open_since.map(UnixMs::rfc3339),
        "due_at": claim.due_at.map(UnixMs::rfc3339),
        "expires": claim.expires_at.map(|at| at.to_ms().rfc3339()),
        "attempt": claim.attempt,
        "park_reason": claim.park_reason.map(|reason| reason.name()),
        "last_error": claim.last_error,
        "reply": {"status": claim.reply.status, "body": String::from_utf8_lossy(&claim.reply.body)},
        "entries": claim.entries.iter().map(booked_json).collect::<Vec<_>>(),
        "resolution": claim.resolution.as_ref().map(resolution_json),
    })
}

/// An entry of a claim, for machines. `event_says`, in minor units: where the ledger holds something else.
pub fn booked_json(booked: &Booked) -> Value {
    json!({
        "movement": booked.movement.as_str(),
        "kind": booked.kind.name(),
        "existed": booked.existed,
        "event_says": booked.differs.as_ref().map(|said| json!({
            "minor": said.amount_minor,
            "linked_minor": said.linked_minor,
            "currency": said.currency,
            "account": said.account,
        })),
    })
}

/// What a person decided, for machines.
pub fn resolution_json(resolution: &Resolution) -> Value {
    json!({
        "by": resolution.by,
        "note": resolution.note,
        "book": resolution.book.name(),
        "at": resolution.at.rfc3339(),
    })
}

fn kept_json(kept: &Kept) -> Value {
    let body = String::from_utf8_lossy(&kept.body);
    let shown = &body[..body.floor_char_boundary(SHOWN_BYTES_MAX)];
    let headers: serde_json::Map<_, _> =
        kept.headers.iter().map(|(name, value)| (name.clone(), value.clone().into())).collect();
    json!({"body": shown, "body_bytes": kept.body.len(), "headers": headers})
}
