//! One log line and one metric line per outcome: the event, what became of it, why, and what to do.

use tracing::{error, info, warn};

use super::{Handled, Outcome, Receiver};
use crate::metrics::Metric;
use crate::plan::ParkReason;

impl Receiver {
    /// Reports a delivery that got no further than the request.
    pub(super) fn report_request(&self, outcome: &Outcome) {
        let profile = self.provider.profile();
        let (provider, name) = (profile.name, outcome.name());
        let mut values = vec![(Metric::Deliveries, 1)];
        match outcome {
            Outcome::Unverified(why) => {
                warn!(provider, outcome = name, reason = %why, todo = "compare the endpoint's secret with the configured ones", "a delivery was not verified");
            }
            Outcome::MalformedEnvelope(reason) | Outcome::Malformed(reason) => {
                warn!(provider, outcome = name, reason, todo = "look at who sends it", "a delivery cannot be read");
            }
            Outcome::TooLarge => {
                values.push((Metric::TooLarge, 1));
                error!(
                    provider,
                    outcome = name,
                    todo = "fetch this event from the provider's API and book it by hand",
                    "a delivery is too large to be kept"
                );
            }
            Outcome::NoCertificate(why) => warn!(
                provider,
                outcome = name,
                reason = %why,
                todo = "nothing, unless it lasts: see whether this function reaches the provider's API",
                "a signature cannot be verified now"
            ),
            Outcome::Unavailable(error) => warn!(
                provider,
                outcome = name,
                reason = %error,
                todo = "see whether this function reaches its tables",
                "a probe was verified, and the store not reached"
            ),
            Outcome::Panicked => {
                values.push((Metric::StoreFaults, 1));
                error!(
                    provider,
                    outcome = name,
                    todo = "the provider sends it again; mend the fault named above",
                    "handling a delivery failed"
                );
            }
            _ => info!(provider, outcome = name, "a delivery was answered without an event"),
        }
        self.metrics.record(provider, name, &values, self.clock.now());
    }

    /// Reports one event of a delivery.
    pub(super) fn report_event(&self, handled: &Handled) {
        let provider = self.provider.profile().name;
        self.log_event(provider, handled);
        let Handled { outcome, conflicts, took_ms, .. } = handled;
        let mut values = vec![
            (Metric::Deliveries, 1),
            (Metric::CommitLatency, *took_ms),
            (Metric::ConflictRetries, u64::from(*conflicts)),
        ];
        values.extend(self.signals(outcome).map(|metric| (metric, 1)));
        self.metrics.record(provider, outcome.name(), &values, self.clock.now());
    }

    /// What, beside its count, an outcome tells.
    fn signals(&self, outcome: &Outcome) -> impl Iterator<Item = Metric> {
        let signal = match outcome {
            Outcome::ReplayedFromMemory(_) => Some(Metric::GateHits),
            Outcome::Mismatch { first: true, .. } | Outcome::Replayed { sibling_kept: true, .. } => {
                Some(Metric::Mismatches)
            }
            Outcome::Replayed { drift: true, .. } => Some(Metric::Drift),
            Outcome::Applied { known, .. } if self.alarms_known(*known) => Some(Metric::KnownMovements),
            Outcome::Unavailable(error) if error.alarms() => Some(Metric::StoreFaults),
            Outcome::Parked { .. } => Some(Metric::Parked),
            _ => None,
        };
        let conflict = matches!(outcome, Outcome::Parked { park, .. } if park.reason == ParkReason::Conflict);
        signal.into_iter().chain(conflict.then_some(Metric::MovementConflicts))
    }

    /// A movement under a second event is by design only where event types overlap, or after the claim expired.
    fn alarms_known(&self, known: usize) -> bool {
        known > 0 && !self.provider.profile().identity.overlapping_families
    }

    fn log_event(&self, provider: &str, handled: &Handled) {
        let Handled { key, event_type, outcome, conflicts, took_ms } = handled;
        let (claim, name) = (key.as_str(), outcome.name());
        match outcome {
            Outcome::Ignored(why) => {
                info!(provider, claim, event_type, outcome = name, reason = why.name(), "an event has no effect");
            }
            Outcome::ReplayedFromMemory(_) => {
                info!(provider, claim, event_type, outcome = name, reason = "in memory", "an event came again");
            }
            Outcome::Replayed { row, sibling_kept: true, .. } => {
                warn!(
                    provider,
                    claim,
                    event_type,
                    outcome = name,
                    state = row.state.name(),
                    reason = "its effect cannot be compared with the claim's",
                    todo = "show the claim, compare the content that was kept beside it, then resolve that",
                    "an event came again in another form"
                );
            }
            Outcome::Replayed { row, drift, .. } => {
                info!(
                    provider,
                    claim,
                    event_type,
                    outcome = name,
                    state = row.state.name(),
                    drift,
                    conflicts,
                    took_ms,
                    "an event came again"
                );
            }
            Outcome::Mismatch { row, effect, first } => {
                let claimed_effect = row.effect.map_or_else(String::new, |effect| effect.digest.to_hex());
                warn!(
                    provider,
                    claim,
                    event_type,
                    outcome = name,
                    first,
                    claimed_at = row.claimed_at.rfc3339(),
                    reply_status = row.reply.status,
                    claimed_effect,
                    effect = effect.digest.to_hex(),
                    todo = "show the claim, ask the provider which content is right, then resolve the other",
                    "an id came again with another effect"
                );
            }
            Outcome::Applied { known, .. } if self.alarms_known(*known) => {
                warn!(
                    provider,
                    claim,
                    event_type,
                    outcome = name,
                    known,
                    reason = "the ledger held movements of it, booked by another event",
                    todo = "show the claim; compare the event that booked them",
                    "an event names movements that were booked before"
                );
            }
            Outcome::Applied { known, revived, .. } => {
                info!(
                    provider,
                    claim,
                    event_type,
                    outcome = name,
                    known,
                    revived,
                    conflicts,
                    took_ms,
                    "an event was booked"
                );
            }
            Outcome::Accepted { revived, .. } => {
                info!(
                    provider,
                    claim,
                    event_type,
                    outcome = name,
                    revived,
                    conflicts,
                    took_ms,
                    "an event was kept for the worker"
                );
            }
            Outcome::Parked { park, .. } => {
                error!(
                    provider,
                    claim,
                    event_type,
                    outcome = name,
                    park_reason = park.reason.name(),
                    reason = park.why,
                    took_ms,
                    todo = after_parking(park.reason),
                    "an event was parked"
                );
            }
            Outcome::InFlight => {
                warn!(
                    provider,
                    claim,
                    event_type,
                    outcome = name,
                    conflicts,
                    took_ms,
                    reason = "another delivery of it is being written",
                    todo = "nothing: the provider sends it again",
                    "an event was not acknowledged"
                );
            }
            Outcome::Unavailable(why) if why.alarms() => {
                error!(provider, claim, event_type, outcome = name, reason = %why, took_ms, todo = "mend the function's access, tables or version: nothing is acknowledged until then", "an event was not acknowledged");
            }
            Outcome::Unavailable(why) => {
                warn!(provider, claim, event_type, outcome = name, reason = %why, conflicts, took_ms, todo = "nothing: the provider sends it again", "an event was not acknowledged");
            }
            _ => info!(provider, claim, event_type, outcome = name, "an event was answered"),
        }
    }
}

/// What brings a parked event on: a deploy that can read it, or a look at what the ledger holds.
const fn after_parking(reason: ParkReason) -> &'static str {
    if reason.heals_by_redelivery() {
        "show the claim; mend the mapping and deploy it, then retry it or have the provider send the event again"
    } else {
        "show the claim and compare the ledger's entry with the provider's, then resolve it, with book missing if the rest is to be booked"
    }
}
