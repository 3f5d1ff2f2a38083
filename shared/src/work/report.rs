//! One log line and one metric line per claim that was taken up.

use tracing::{debug, error, info, warn};

use super::{Worked, Worker};
use crate::claim::ClaimKey;
use crate::metrics::Metric;
use crate::plan::ParkReason;

impl Worker {
    pub(super) fn report(&self, key: &ClaimKey, worked: &Worked, took_ms: u64) {
        log(key.as_str(), worked, took_ms);
        if *worked == Worked::NotOurs {
            return;
        }
        let mut values = vec![(Metric::Worked, 1), (Metric::WorkLatency, took_ms)];
        values.extend(signals(worked).map(|metric| (metric, 1)));
        // A key begins with its provider's name, which needs no escape in any part of it.
        let provider = key.as_str().split(':').next().unwrap_or_default();
        self.metrics.record(provider, worked.name(), &values, self.clock.now());
    }
}

/// What, beside its count, a result tells.
fn signals(worked: &Worked) -> impl Iterator<Item = Metric> {
    let signal = match worked {
        Worked::Settled { account_unknown: true, .. } => Some(Metric::AccountUnknown),
        Worked::Parked { .. } => Some(Metric::Parked),
        Worked::Unavailable(error) if error.alarms() => Some(Metric::StoreFaults),
        _ => None,
    };
    let conflict = matches!(worked, Worked::Parked { reason: ParkReason::Conflict, .. });
    signal.into_iter().chain(conflict.then_some(Metric::MovementConflicts))
}

fn log(claim: &str, worked: &Worked, took_ms: u64) {
    let outcome = worked.name();
    match worked {
        Worked::NotOurs => debug!(claim, outcome, "a claim is not to be worked on now"),
        Worked::Settled { known, account_unknown } => {
            info!(claim, outcome, known, account_unknown, took_ms, "a claim was settled");
        }
        Worked::Later { due_at, why } => {
            warn!(claim, outcome, due_at = due_at.rfc3339(), reason = why, took_ms, "a claim will be tried again");
        }
        Worked::Overtaken => {
            warn!(claim, outcome, took_ms, todo = "nothing: another worker has it", "a claim was taken over");
        }
        Worked::Parked { reason, why } => {
            error!(
                claim,
                outcome,
                park_reason = reason.name(),
                reason = why,
                took_ms,
                todo = "show the claim, mend the cause, retry or resolve it",
                "a claim was parked"
            );
        }
        Worked::Unavailable(why) if why.alarms() => {
            error!(claim, outcome, reason = %why, took_ms, todo = "mend the function's access, tables or version", "a claim could not be worked on");
        }
        Worked::Unavailable(why) => {
            warn!(claim, outcome, reason = %why, took_ms, todo = "nothing: it is taken up again", "a claim could not be worked on");
        }
    }
}
