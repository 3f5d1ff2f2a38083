//! Whether what is done is kept long enough, and forgotten in the end: looked at from a random sample, once a day.

use serde_json::{Value, json};

use super::Watch;
use crate::items::DoneRow;
use crate::metrics::{Metric, Metrics};
use crate::store::StoreError;
use crate::time::{UnixMs, UnixS};

const MINUTE_MS: i64 = 60_000;
const MINUTES_A_DAY: i64 = 1_440;

/// In the runs of the day's first minutes: three, so that one or two that fail lose nothing. Checking thrice is harmless.
const DAILY_MINUTES: i64 = 3;

/// DynamoDB deletes within days of the expiry (docs.aws.amazon.com, "Using time to live (TTL) in DynamoDB").
const OVERDUE_S: u64 = 7 * 86_400;

/// What a sample of the claims that are done says.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Retention {
    /// When.
    pub at: UnixMs,
    /// Whether DynamoDB deletes what has expired.
    pub ttl_on: bool,
    /// How many claims were looked at.
    pub sampled: u64,
    /// The shortest time that one of them is kept after it was done, in seconds. `None`: there was none.
    pub shortest_s: Option<u64>,
    /// Of those, kept for less than their provider can send an event again.
    pub too_short: u64,
    /// The first of them.
    pub too_short_row: Option<DoneRow>,
    /// Of those, expired for more than 7 days and still there.
    pub stalled: u64,
}

/// Whether the scheduled run of this moment looks at the retention. Time alone decides: there is no state to lose.
pub(super) fn is_daily(now: UnixMs) -> bool {
    (now.get() / MINUTE_MS).rem_euclid(MINUTES_A_DAY) < DAILY_MINUTES
}

impl Watch {
    /// Looks at a sample of what is done, with log lines and metrics.
    pub async fn check_retention(&self, deadline: UnixMs) -> Result<Retention, StoreError> {
        let at = self.clock.now();
        let ttl_on = self.store.ttl_is_on(deadline).await?;
        let rows = self.store.sample_done(self.limits.sampled, deadline).await?;
        let retention = Retention::of(&rows, |provider| self.resend_s(provider), ttl_on, at);
        retention.log();
        retention.record(&self.metrics);
        Ok(retention)
    }

    /// How long after an event its provider may still send it again. `None`: this version does not know the provider.
    fn resend_s(&self, provider: &str) -> Option<u64> {
        let profile = self.providers.iter().map(|known| known.profile()).find(|profile| profile.name == provider)?;
        Some(profile.lifetime.resend_s.max(profile.lifetime.horizon_s))
    }
}

impl Retention {
    fn of(rows: &[DoneRow], resend_s: impl Fn(&str) -> Option<u64>, ttl_on: bool, at: UnixMs) -> Self {
        let mut retention = Self { at, ttl_on, sampled: rows.len() as u64, ..Self::default() };
        for row in rows {
            let kept_s = row.retention_s();
            retention.shortest_s = Some(retention.shortest_s.map_or(kept_s, |shortest| shortest.min(kept_s)));
            if resend_s(&row.provider).is_some_and(|resend_s| kept_s < resend_s) {
                retention.too_short += 1;
                retention.too_short_row.get_or_insert_with(|| row.clone());
            }
            if is_overdue(row.expires_at, at) {
                retention.stalled += 1;
            }
        }
        retention
    }

    fn log(&self) {
        if !self.ttl_on {
            tracing::error!(
                todo = "enable TTL on the claims table's expires_at",
                "TTL is off: what is done is kept for ever"
            );
        }
        if let Some(row) = &self.too_short_row {
            tracing::error!(claim = %row.key, kept_s = row.retention_s(), too_short = self.too_short, todo = "mend the provider's retention: a resend after it would be taken for a new event", "a claim expires too early");
        }
        if self.stalled > 0 {
            tracing::error!(
                stalled = self.stalled,
                todo = "see whether TTL is enabled on the claims table's expires_at",
                "claims are there a week after they expired"
            );
        }
        let (sampled, shortest_s) = (self.sampled, self.shortest_s);
        tracing::info!(sampled, shortest_s, "the retention of what is done");
    }

    /// Zeros included. Without a sample there is no shortest.
    fn record(&self, metrics: &Metrics) {
        let mut values = vec![
            (Metric::RetentionTooShort, self.too_short),
            (Metric::TtlStalled, self.stalled),
            (Metric::TtlOff, u64::from(!self.ttl_on)),
        ];
        values.extend(self.shortest_s.map(|shortest_s| (Metric::ShortestRetentionSeconds, shortest_s)));
        metrics.record("all", "retention", &values, self.at);
    }

    /// For machines.
    pub fn json(&self) -> Value {
        json!({
            "at": self.at.rfc3339(),
            "ttl_on": self.ttl_on,
            "sampled": self.sampled,
            "shortest_s": self.shortest_s,
            "too_short": self.too_short,
            "too_short_claim": self.too_short_row.as_ref().map(|row| row.key.as_str()),
            "stalled": self.stalled,
        })
    }
}

fn is_overdue(expires_at: UnixS, now: UnixMs) -> bool {
    expires_at.plus_s(OVERDUE_S) < now.to_s()
}
