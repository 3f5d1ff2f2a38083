//! Metrics in CloudWatch's embedded metric format: one JSON object a line, read by Lambda from stdout.
//! Source: docs.aws.amazon.com, "CloudWatch embedded metric format specification".

use std::sync::Arc;

use serde_json::{Map, Value, json};

use crate::time::UnixMs;

const NAMESPACE: &str = "hookledger";

/// What is counted or measured.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Metric {
    /// One per event of a delivery, by result.
    Deliveries,
    /// From the first to the last store call of an event, in milliseconds.
    CommitLatency,
    /// How often a commit met another one and was tried again.
    ConflictRetries,
    /// Duplicates that memory answered.
    GateHits,
    /// Same effect, other bytes.
    Drift,
    /// A known id with another effect, kept for a person. Alarm.
    Mismatches,
    /// Events parked. Alarm.
    Parked,
    /// A movement the ledger held already, from a provider whose event types do not overlap. Alarm.
    KnownMovements,
    /// The ledger holds the same movement with other content. Alarm.
    MovementConflicts,
    /// A body too large to be kept. Alarm.
    TooLarge,
    /// One per claim a worker took up, by result.
    Worked,
    /// One per message a worker took up, by result.
    Messages,
    /// From lease to result, in milliseconds.
    WorkLatency,
    /// A child that was booked without an account, because nothing could say whose it is.
    AccountUnknown,
    /// The store refused in a way a retry will not mend: access, table, an unknown code. Alarm.
    StoreFaults,
    /// Claims that are open for longer than the grace. Alarm, also where it is missing.
    StuckClaims,
    /// Messages that are. Alarm.
    StuckMessages,
    /// Claims that wait for a person, those on hold among them. Alarm.
    ParkedClaims,
    /// Messages that do. Alarm.
    ParkedMessages,
    /// Contents under a known id with another effect, until a person closes them. Alarm.
    OpenMismatches,
    /// The age of the oldest row that is owed.
    OldestOpenAgeSeconds,
    /// Rows that were due and were kicked again.
    Redriven,
    /// Entries and claims that contradict each other. Alarm at 1, also where it is missing.
    LedgerDrift,
    /// Entries that were changed or removed. Alarm at 1.
    LedgerChanged,
    /// What the audit could not read, and so could not compare. Alarm.
    AuditUnreadable,
    /// A scan that did not come to its end. Alarm, also where it is missing.
    AuditIncomplete,
    /// Sampled claims that are kept for less than their provider can send again. Alarm.
    RetentionTooShort,
    /// The shortest time that a sampled claim is kept after it was done.
    ShortestRetentionSeconds,
    /// Sampled claims that are there a week after they expired. Alarm.
    TtlStalled,
    /// 1 while TTL is not enabled on the claims table. Alarm.
    TtlOff,
}

impl Metric {
    /// As CloudWatch shows it.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Deliveries => "Deliveries",
            Self::CommitLatency => "CommitLatency",
            Self::ConflictRetries => "ConflictRetries",
            Self::GateHits => "GateHits",
            Self::Drift => "Drift",
            Self::Mismatches => "Mismatches",
            Self::Parked => "Parked",
            Self::KnownMovements => "KnownMovements",
            Self::MovementConflicts => "MovementConflicts",
            Self::TooLarge => "TooLarge",
            Self::Worked => "Worked",
            Self::Messages => "Messages",
            Self::WorkLatency => "WorkLatency",
            Self::AccountUnknown => "AccountUnknown",
            Self::StoreFaults => "StoreFaults",
            Self::StuckClaims => "StuckClaims",
            Self::StuckMessages => "StuckMessages",
            Self::ParkedClaims => "ParkedClaims",
            Self::ParkedMessages => "ParkedMessages",
            Self::OpenMismatches => "OpenMismatches",
            Self::OldestOpenAgeSeconds => "OldestOpenAgeSeconds",
            Self::Redriven => "Redriven",
            Self::LedgerDrift => "LedgerDrift",
            Self::LedgerChanged => "LedgerChanged",
            Self::AuditUnreadable => "AuditUnreadable",
            Self::AuditIncomplete => "AuditIncomplete",
            Self::RetentionTooShort => "RetentionTooShort",
            Self::ShortestRetentionSeconds => "ShortestRetentionSeconds",
            Self::TtlStalled => "TtlStalled",
            Self::TtlOff => "TtlOff",
        }
    }

    const fn unit(self) -> &'static str {
        match self {
            Self::CommitLatency | Self::WorkLatency => "Milliseconds",
            Self::OldestOpenAgeSeconds | Self::ShortestRetentionSeconds => "Seconds",
            _ => "Count",
        }
    }
}

/// Where metric lines go.
#[derive(Clone)]
pub struct Metrics(Arc<dyn Fn(&str) + Send + Sync>);

impl Metrics {
    /// Sends each line to `sink`.
    pub fn new(sink: impl Fn(&str) + Send + Sync + 'static) -> Self {
        Self(Arc::new(sink))
    }

    /// Writes one line. Dimensions are the provider, and the provider with the result: each combination is paid for.
    pub fn record(&self, provider: &str, result: &str, values: &[(Metric, u64)], now: UnixMs) {
        (self.0)(&line(provider, result, values, now));
    }
}

fn line(provider: &str, result: &str, values: &[(Metric, u64)], now: UnixMs) -> String {
    let metrics: Vec<Value> =
        values.iter().map(|(metric, _)| json!({"Name": metric.name(), "Unit": metric.unit()})).collect();
    let directive = json!({
        "Namespace": NAMESPACE,
        "Dimensions": [["provider", "result"], ["provider"]],
        "Metrics": metrics,
    });
    let mut root = Map::new();
    root.insert("_aws".into(), json!({"Timestamp": now.get(), "CloudWatchMetrics": [directive]}));
    // Without these two, Lambda takes the line for one below its log level and drops it.
    root.insert("level".into(), json!("INFO"));
    root.insert("timestamp".into(), json!(now.rfc3339()));
    root.insert("provider".into(), json!(provider));
    root.insert("result".into(), json!(result));
    for (metric, value) in values {
        root.insert(metric.name().into(), json!(value));
    }
    Value::Object(root).to_string()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_line_is_what_cloudwatch_reads() {
        let values = [(Metric::Deliveries, 1), (Metric::CommitLatency, 7)];
        let line = line("stripe", "applied", &values, UnixMs::new(1_796_065_558_123));
        let expected = r#"{"_aws":{"CloudWatchMetrics":[{"Dimensions":[["provider","result"],["provider"]],"Metrics":[{"Name":"Deliveries","Unit":"Count"},{"Name":"CommitLatency","Unit":"Milliseconds"}],"Namespace":"hookledger"}],"Timestamp":1796065558123},"CommitLatency":7,"Deliveries":1,"level":"INFO","provider":"stripe","result":"applied","timestamp":"2026-11-30T19:05:58.123Z"}"#;
        let parse = |text: &str| serde_json::from_str::<Value>(text).unwrap();
        assert_eq!(parse(&line), parse(expected));
    }
}
