//! The metric lines of a world.

use std::sync::{Arc, Mutex};

use hookledger::metrics::{Metric, Metrics};
use serde_json::Value;

/// Every metric line that was written, parsed.
#[derive(Clone, Debug, Default)]
pub struct MetricLog(Arc<Mutex<Vec<Value>>>);

impl MetricLog {
    /// The sink to hand to the product.
    pub fn sink(&self) -> Metrics {
        let log = self.clone();
        Metrics::new(move |line| log.0.lock().unwrap().push(serde_json::from_str(line).unwrap()))
    }

    /// Every line.
    pub fn lines(&self) -> Vec<Value> {
        self.0.lock().unwrap().clone()
    }

    /// The sum of a metric over all lines.
    pub fn total(&self, metric: Metric) -> u64 {
        self.lines().iter().filter_map(|line| line[metric.name()].as_u64()).sum()
    }

    /// How many deliveries had this result.
    pub fn results(&self, result: &str) -> u64 {
        let of_result = |line: &&Value| line["result"] == result;
        self.lines().iter().filter(of_result).filter_map(|line| line[Metric::Deliveries.name()].as_u64()).sum()
    }

    /// Forgets what was written.
    pub fn clear(&self) {
        self.0.lock().unwrap().clear();
    }
}
