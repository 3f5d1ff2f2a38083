//! What a person can ask for, as typed JSON.

use serde::Deserialize;
use serde_json::Value;

use super::compare::Finding;
use super::look::Listed;
use super::report::Report;
use super::{Audit, convert};
use crate::claim::{ClaimKey, State};
use crate::items::EntryKey;
use crate::store::{Segment, StoreError};
use crate::stuck;
use crate::time::UnixMs;

/// Everything the function can be asked for.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
#[serde(tag = "action", rename_all = "snake_case")]
pub enum Action {
    /// The scheduled run, now: the segment whose turn it is.
    Run(Run),
    /// One segment, or everything.
    Scan(Scan),
    /// One entry, or one claim.
    Check(Check),
}

/// A run has no fields.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Run {}

/// What to scan.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct Scan {
    /// This segment, counted from 0; everything if not said.
    pub segment: Option<u32>,
}

/// What to check: an entry by `movement` and `kind`, or what a claim lists by the claim's key.
#[derive(Clone, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct Check {
    /// A movement's key as it is printed.
    pub movement: Option<String>,
    /// The entry's kind.
    pub kind: Option<String>,
    /// A claim's key as it is printed.
    pub key: Option<String>,
}

/// Why an action was not done.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum AuditError {
    /// It is not one that can be asked for; says which can.
    #[error("{0}")]
    NotUnderstood(String),
    /// The ledger holds no such entry.
    #[error("there is no entry {0}")]
    NoSuchEntry(EntryKey),
    /// There is no such claim.
    #[error("there is no claim {0}")]
    NoSuchClaim(ClaimKey),
    /// The store.
    #[error(transparent)]
    Store(#[from] StoreError),
}

fn wrong<T>(why: impl Into<String>) -> Result<T, AuditError> {
    Err(AuditError::NotUnderstood(why.into()))
}

impl Action {
    /// Reads an action, or the scheduler's event. Errors name what is allowed.
    pub fn read(input: Value) -> Result<Self, AuditError> {
        if stuck::is_schedule(&input) {
            return Ok(Self::Run(Run {}));
        }
        serde_json::from_value(input).map_err(|error| AuditError::NotUnderstood(error.to_string()))
    }
}

impl Audit {
    /// Does it. A run and a scan leave log lines and metrics; a check leaves log lines.
    pub async fn perform(&self, action: Action, deadline: UnixMs) -> Result<Report, AuditError> {
        match action {
            Action::Run(_) => Ok(self.reported_scan(self.segment_now(), deadline).await),
            Action::Scan(Scan { segment: None }) => Ok(self.reported_scan(Segment::ALL, deadline).await),
            Action::Scan(Scan { segment: Some(number) }) => {
                let total = self.limits.segments;
                if number >= total {
                    return wrong(format!("`segment` goes from 0 to {}", total.saturating_sub(1)));
                }
                Ok(self.reported_scan(Segment { number, total }, deadline).await)
            }
            Action::Check(check) => {
                let report = self.check(&check, deadline).await?;
                convert::log(&report);
                Ok(report)
            }
        }
    }

    async fn check(&self, check: &Check, deadline: UnixMs) -> Result<Report, AuditError> {
        match (&check.movement, &check.kind, &check.key) {
            (Some(movement), Some(kind), None) => match EntryKey::new(movement, kind) {
                Some(key) => self.check_entry(key, deadline).await,
                None => wrong("`movement` or `kind` is empty or too long"),
            },
            (None, None, Some(key)) if key.split(':').count() != 3 => wrong(format!(
                "{key} is not a claim's key: it is provider:scope:event id, with an empty scope for none"
            )),
            (None, None, Some(key)) => self.check_claim(ClaimKey::from_text(key), deadline).await,
            _ => wrong("check needs `movement` and `kind`, or a claim's `key`"),
        }
    }

    async fn check_entry(&self, key: EntryKey, deadline: UnixMs) -> Result<Report, AuditError> {
        let now = self.clock.now();
        let mut report = Report::new(now, None);
        let found = self.store.audited_entries([&key].into(), deadline).await?.remove(&key);
        let entry = found.ok_or(AuditError::NoSuchEntry(key))?;
        if entry.recorded_at.is_none_or(|at| self.limits.is_young(at.to_s(), now.to_s())) {
            report.entries = 1;
            report.add(self.check_entries(&[&entry], deadline).await?, self.limits.named_max);
        } else {
            report.old_entries = 1;
        }
        Ok(report)
    }

    /// A claim that is not done lists nothing yet.
    async fn check_claim(&self, key: ClaimKey, deadline: UnixMs) -> Result<Report, AuditError> {
        let mut report = Report::new(self.clock.now(), None);
        let found = self.store.audited_claims([&key].into(), deadline).await?.remove(&key);
        let claim = found.ok_or(AuditError::NoSuchClaim(key))?;
        let listed = claim.entries.iter().flatten().map(|entry| Listed { claim: &claim.key, entry });
        let listed: Vec<_> = listed.collect();
        report.claims = u64::from(claim.state == Some(State::Done));
        report.listed = listed.len() as u64;
        let unreadable = claim.entries.is_none().then(|| Finding::unreadable(&claim.key));
        let findings = self.check_listed(&listed, deadline).await?;
        report.add(unreadable.into_iter().chain(findings), self.limits.named_max);
        Ok(report)
    }
}
