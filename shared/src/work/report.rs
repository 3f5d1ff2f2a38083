//! One log line and one metric line per claim or message that was taken up.

use tracing::{debug, error, info, warn};

use super::{Worked, Worker};
use crate::claim::ClaimKey;
use crate::items::{CLAIM_PART, IndexRow};
use crate::metrics::Metric;
use crate::plan::ParkReason;

impl Worker {
    pub(super) fn report(&self, key: &ClaimKey, worked: &Worked, took_ms: u64) {
        log(key.as_str(), CLAIM_PART, worked, took_ms);
        let signal = match worked {
            Worked::Settled { account_unknown: true, .. } => Some(Metric::AccountUnknown),
            Worked::Parked { .. } => Some(Metric::Parked),
            _ => None,
        };
        let conflict = matches!(worked, Worked::Parked { reason: ParkReason::Conflict, .. });
        let signals = signal.into_iter().chain(conflict.then_some(Metric::MovementConflicts));
        self.count(key, worked, took_ms, signals.chain([Metric::Worked]));
    }

    pub(super) fn report_message(&self, row: &IndexRow, worked: &Worked, took_ms: u64) {
        log(row.key.as_str(), &row.part, worked, took_ms);
        self.count(&row.key, worked, took_ms, [Metric::Messages]);
    }

    fn count(&self, key: &ClaimKey, worked: &Worked, took_ms: u64, signals: impl IntoIterator<Item = Metric>) {
        if *worked == Worked::NotOurs {
            return;
        }
        let mut values = vec![(Metric::WorkLatency, took_ms)];
        values.extend(signals.into_iter().map(|metric| (metric, 1)));
        if matches!(worked, Worked::Unavailable(error) if error.alarms()) {
            values.push((Metric::StoreFaults, 1));
        }
        // A key begins with its provider's name, which needs no escape in any part of it.
        let provider = key.as_str().split(':').next().unwrap_or_default();
        self.metrics.record(provider, worked.name(), &values, self.clock.now());
    }
}

/// `part` is the claim's own row, or a message: its name, its entry and its sink.
fn log(claim: &str, part: &str, worked: &Worked, took_ms: u64) {
    let outcome = worked.name();
    match worked {
        Worked::NotOurs => debug!(claim, part, outcome, "not to be worked on now"),
        Worked::Settled { known, account_unknown } => {
            info!(claim, outcome, known, account_unknown, took_ms, "a claim was settled");
        }
        Worked::Sent => info!(claim, part, outcome, took_ms, "a message was sent"),
        Worked::Later { due_at, why } => {
            let due_at = due_at.rfc3339();
            warn!(claim, part, outcome, due_at, reason = why, took_ms, "it will be tried again");
        }
        Worked::Overtaken => {
            warn!(claim, part, outcome, took_ms, todo = "nothing: another worker has it", "it was taken over");
        }
        Worked::Parked { reason, why } => {
            error!(
                claim,
                part,
                outcome,
                park_reason = reason.name(),
                reason = why,
                took_ms,
                todo = "show the claim, mend the cause, retry or resolve it",
                "it was parked"
            );
        }
        Worked::Unavailable(why) if why.alarms() => {
            error!(claim, part, outcome, reason = %why, took_ms, todo = "mend the function's access, tables or version", "it could not be worked on");
        }
        Worked::Unavailable(why) => {
            warn!(claim, part, outcome, reason = %why, took_ms, todo = "nothing: it is taken up again", "it could not be worked on");
        }
    }
}
