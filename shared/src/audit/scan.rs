//! The scan both ways: entries and their claims, claims and their entries. A segment a run, page by page.

use super::compare::Finding;
use super::look::Listed;
use super::report::Report;
use super::{Audit, convert};
use crate::store::{Segment, StoreError};
use crate::time::UnixMs;

impl Audit {
    /// The segment whose turn it is: the number of the run since the epoch goes round all segments.
    pub fn segment_now(&self) -> Segment {
        let (total, every_ms) = (self.limits.segments.max(1), self.limits.run_every_ms.max(1));
        let run = self.clock.now().get().unsigned_abs() / every_ms;
        Segment { number: u32::try_from(run % u64::from(total)).unwrap_or_default(), total }
    }

    /// A scan with its log lines and metrics.
    pub async fn reported_scan(&self, segment: Segment, deadline: UnixMs) -> Report {
        let report = self.scan(segment, deadline).await;
        convert::log(&report);
        convert::record(&report, &self.metrics);
        report
    }

    /// Compares what lies in one segment of each table. Of what is not done before the deadline the report says so.
    pub async fn scan(&self, segment: Segment, deadline: UnixMs) -> Report {
        let mut report = Report::new(self.clock.now(), Some(segment));
        let ledger = self.scan_ledger(segment, &mut report, deadline).await;
        let claims = self.scan_claims(segment, &mut report, deadline).await;
        let missed = [("ledger", ledger), ("claims", claims)].into_iter().filter_map(|(table, result)| {
            let error = result.err()?;
            Some(format!("{table}: {error}"))
        });
        let missed: Vec<_> = missed.collect();
        report.unfinished = (!missed.is_empty()).then(|| missed.join("; "));
        report
    }

    async fn scan_ledger(&self, segment: Segment, report: &mut Report, deadline: UnixMs) -> Result<(), StoreError> {
        let mut from = None;
        loop {
            let began = self.clock.now();
            let page = self.store.entries_of_segment(segment, self.limits.page_rows, from, deadline).await?;
            // What does not say its age is compared: the product always says it.
            let is_young = |at: UnixMs| self.limits.is_young(at.to_s(), began.to_s());
            let young: Vec<_> = page.rows.iter().filter(|entry| entry.recorded_at.is_none_or(is_young)).collect();
            let findings = self.check_entries(&young, deadline).await?;
            report.entries += young.len() as u64;
            report.old_entries += (page.rows.len() - young.len()) as u64;
            report.add(findings, self.limits.named_max);
            from = page.next;
            if from.is_none() {
                return Ok(());
            }
            self.pace(began).await;
        }
    }

    async fn scan_claims(&self, segment: Segment, report: &mut Report, deadline: UnixMs) -> Result<(), StoreError> {
        let mut from = None;
        loop {
            let began = self.clock.now();
            let page = self.store.done_claims_of_segment(segment, self.limits.page_rows, from, deadline).await?;
            let claims: Vec<_> = page.rows.iter().filter(|claim| !claim.expired(began.to_s())).collect();
            let listed: Vec<_> = claims
                .iter()
                .flat_map(|claim| claim.entries.iter().flatten().map(|entry| Listed { claim: &claim.key, entry }))
                .collect();
            let unreadable = claims.iter().filter(|claim| claim.entries.is_none());
            let unreadable = unreadable.map(|claim| Finding::unreadable(&claim.key));
            let findings = self.check_listed(&listed, deadline).await?;
            report.claims += claims.len() as u64;
            report.listed += listed.len() as u64;
            report.add(unreadable.chain(findings), self.limits.named_max);
            from = page.next;
            if from.is_none() {
                return Ok(());
            }
            self.pace(began).await;
        }
    }

    /// Waits until the next page may begin.
    async fn pace(&self, began: UnixMs) {
        let wait_ms = self.clock.now().ms_until(began.plus_ms(self.limits.page_every_ms));
        if wait_ms > 0 {
            self.clock.sleep_ms(wait_ms).await;
        }
    }
}
