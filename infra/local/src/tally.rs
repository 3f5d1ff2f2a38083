//! Deliveries by outcome since the start, counted from the metric lines that a deployment writes.

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, PoisonError};

use hookledger::metrics::Metrics;
use serde::Deserialize;

/// Counts by outcome, and within it by provider.
pub(crate) type Counts = BTreeMap<String, BTreeMap<String, u64>>;

/// A running count. Clones share it.
#[derive(Clone, Default)]
pub(crate) struct Tally(Arc<Mutex<Totals>>);

/// What was counted so far.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Totals {
    /// Events of deliveries.
    pub(crate) deliveries: Counts,
    /// Runs of the worker.
    pub(crate) worked: Counts,
}

/// As much of a metric line as is counted here. Others have neither number.
#[derive(Deserialize)]
struct Line {
    provider: String,
    result: String,
    #[serde(default, rename = "Deliveries")]
    deliveries: u64,
    #[serde(default, rename = "Worked")]
    worked: u64,
}

impl Tally {
    /// Metrics that are counted here.
    pub(crate) fn metrics(&self) -> Metrics {
        let tally = self.clone();
        Metrics::new(move |line| tally.add(line))
    }

    /// The counts now.
    pub(crate) fn totals(&self) -> Totals {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }

    fn add(&self, line: &str) {
        let Ok(line) = serde_json::from_str::<Line>(line) else {
            tracing::warn!(todo = "report it: the page counts too little", "a metric line cannot be read");
            return;
        };
        let mut totals = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let Totals { deliveries, worked } = &mut *totals;
        for (counts, number) in [(deliveries, line.deliveries), (worked, line.worked)] {
            if number > 0 {
                let by_provider = counts.entry(line.result.clone()).or_default();
                *by_provider.entry(line.provider.clone()).or_default() += number;
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use hookledger::metrics::Metric;
    use hookledger::time::UnixMs;

    use super::*;

    #[test]
    fn deliveries_and_runs_are_counted_by_result_and_provider() {
        let tally = Tally::default();
        let metrics = tally.metrics();
        let record = |provider, result, metric| metrics.record(provider, result, &[(metric, 1)], UnixMs::new(0));
        for provider in ["stripe", "stripe", "adyen"] {
            record(provider, "applied", Metric::Deliveries);
        }
        record("stripe", "parked", Metric::Deliveries);
        record("stripe", "parked", Metric::Worked);
        record("all", "watched", Metric::StuckClaims);
        let Totals { deliveries, worked } = tally.totals();
        let count = |counts: &Counts, result: &str, provider: &str| counts[result][provider];
        assert_eq!((count(&deliveries, "applied", "stripe"), count(&deliveries, "applied", "adyen")), (2, 1));
        assert_eq!((count(&deliveries, "parked", "stripe"), count(&worked, "parked", "stripe")), (1, 1));
        assert_eq!((deliveries.len(), worked.len()), (2, 1));
    }
}
