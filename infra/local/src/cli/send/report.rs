//! What came back, counted.

use std::collections::{BTreeMap, BTreeSet};
use std::time::Duration;

use hookledger::claim::{ClaimKey, State};
use hookledger::runtime::secrets_variable;
use hookledger::store::Store;
use serde_json::{Value, json};

use super::job::{Answered, Job};
use crate::cli::{inside, output};

/// So many claims are looked up after a run, to tell what became of them.
const LOOKED_UP_MAX: usize = 200;

/// Answers that are alike.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
struct Alike {
    job: usize,
    status: Option<u16>,
    outcome: Option<String>,
    claim: Option<String>,
}

/// The counts of one run.
pub(super) struct Report {
    files: Vec<String>,
    rows: BTreeMap<Alike, Vec<u64>>,
    took: Duration,
}

impl Report {
    pub(super) fn new(jobs: &[Job], answers: Vec<Answered>, took: Duration) -> Self {
        let mut rows: BTreeMap<_, Vec<_>> = BTreeMap::new();
        for Answered { job, status, outcome, claim, took_us } in answers {
            rows.entry(Alike { job, status, outcome, claim }).or_default().push(took_us);
        }
        rows.values_mut().for_each(|times| times.sort_unstable());
        Self { files: jobs.iter().map(|job| job.file.clone()).collect(), rows, took }
    }

    pub(super) fn all_succeeded(&self) -> bool {
        self.rows.keys().all(|alike| alike.status.is_some_and(|status| (200..300).contains(&status)))
    }

    /// Names what became of events that were answered for the first time.
    pub(super) async fn look_up(&mut self, store: &Store) {
        let new = self.rows.keys().filter(|alike| alike.outcome.is_none()).filter_map(|alike| alike.claim.clone());
        let mut found = BTreeMap::new();
        for claim in new.take(LOOKED_UP_MAX).collect::<BTreeSet<_>>() {
            let row = store.claim(&ClaimKey::from_text(&claim), inside::deadline()).await;
            let outcome = match row.map(|row| row.map(|row| row.state)) {
                Ok(None) => "ignored",
                Ok(Some(State::Done)) => "applied",
                Ok(Some(State::Received | State::Processing)) => "accepted",
                Ok(Some(State::Parked)) => "parked",
                Err(_) => continue,
            };
            found.insert(claim, outcome);
        }
        let name = |(mut alike, times): (Alike, Vec<u64>)| {
            let outcome = alike.claim.as_ref().and_then(|claim| found.get(claim));
            alike.outcome = alike.outcome.or(outcome.map(|outcome| (*outcome).to_owned()));
            (alike, times)
        };
        self.rows = std::mem::take(&mut self.rows).into_iter().map(name).collect();
    }

    pub(super) fn print(&self) {
        let header = ["file", "status", "outcome", "claim", "count", "p50 ms", "p99 ms", "max ms"];
        let rows = self.rows.iter().map(|(alike, times)| {
            let [p50, p99, max] = [50, 99, 100].map(|percent| shown_ms(percentile(times, percent)));
            vec![
                self.file(alike.job).to_owned(),
                alike.status.map_or_else(|| "-".to_owned(), |status| status.to_string()),
                alike.outcome.clone().unwrap_or_else(|| "answered".to_owned()),
                alike.claim.clone().unwrap_or_else(|| "-".to_owned()),
                times.len().to_string(),
                p50,
                p99,
                max,
            ]
        });
        output::print_table(&header, &[4, 5, 6, 7], rows);
        let total = self.total();
        if total > 1 {
            output::print(&format!("\n{total} answers in {} ms", self.took.as_millis()));
        }
    }

    pub(super) fn json(&self) -> Value {
        let rows = self.rows.iter().map(|(alike, times)| {
            json!({
                "file": self.file(alike.job),
                "status": alike.status,
                "outcome": alike.outcome,
                "claim": alike.claim,
                "count": times.len(),
                "p50_us": percentile(times, 50),
                "p99_us": percentile(times, 99),
                "max_us": percentile(times, 100),
            })
        });
        json!({"answers": rows.collect::<Vec<_>>(), "total": self.total(), "took_ms": shown_number(self.took.as_millis())})
    }

    /// What to do about answers that are no success.
    pub(super) fn hints(&self, jobs: &[Job]) -> BTreeSet<String> {
        let hint = |alike: &Alike| match alike.status {
            Some(401) => {
                let variable = secrets_variable(jobs.get(alike.job)?.provider.profile().name);
                Some(format!("401: the stack holds another secret; give both the same {variable}, or neither"))
            }
            None => Some("no answer: the stack was stopped, or is not what listens there".to_owned()),
            Some(_) if alike.outcome.as_deref() == Some("mismatch") => Some(
                "mismatch: the content is kept beside the claim, `cargo run -- show PROVIDER EVENT_ID` shows both"
                    .to_owned(),
            ),
            Some(_) => None,
        };
        self.rows.keys().filter_map(hint).collect()
    }

    fn file(&self, job: usize) -> &str {
        self.files.get(job).map_or("-", String::as_str)
    }

    fn total(&self) -> usize {
        self.rows.values().map(Vec::len).sum()
    }
}

fn shown_number(number: u128) -> u64 {
    number.try_into().unwrap_or(u64::MAX)
}

/// By nearest rank, of times in order.
fn percentile(sorted: &[u64], percent: usize) -> u64 {
    let rank = (sorted.len() * percent).div_ceil(100);
    sorted.get(rank.saturating_sub(1)).copied().unwrap_or_default()
}

/// Microseconds as milliseconds with one decimal.
fn shown_ms(us: u64) -> String {
    format!("{}.{}", us / 1_000, us % 1_000 / 100)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn percentiles_are_times_that_were_measured() {
        let times: Vec<u64> = (1..=100).collect();
        assert_eq!([50, 99, 100].map(|percent| percentile(&times, percent)), [50, 99, 100]);
        assert_eq!([50, 99, 100].map(|percent| percentile(&[7], percent)), [7, 7, 7]);
        assert_eq!(percentile(&[1, 2, 3], 50), 2);
    }

    #[test]
    fn milliseconds_keep_one_decimal() {
        assert_eq!(["0.0", "0.9", "12.3"], [99, 999, 12_345].map(shown_ms));
    }
}
