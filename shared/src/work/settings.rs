//! The worker's numbers, and what must hold between them.

use super::MARGIN_MS;
use super::run::WRITE_MS;

/// How patient, and how long, the worker is. Times in milliseconds.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Settings {
    /// How long a run may take. Shorter than the lease, or two workers could act at once.
    pub run_ms: u64,
    /// How long a claim is held against other workers.
    pub lease_ms: u64,
    /// How long the provider's API may take for one answer.
    pub fetch_ms: u64,
    /// How often a claim is taken up before it is kept for a person.
    pub attempts_max: u32,
    /// The longest wait after the first failure; it doubles with each further one.
    pub backoff_ms: u64,
    /// The longest wait at all.
    pub backoff_max_ms: u64,
    /// How long a child waits for its parent's entry, from when it was kept.
    pub parent_wait_ms: u64,
}

impl Default for Settings {
    fn default() -> Self {
        Self {
            run_ms: 30_000,
            lease_ms: 45_000,
            fetch_ms: 10_000,
            attempts_max: 24,
            backoff_ms: 2_000,
            backoff_max_ms: 3_600_000,
            parent_wait_ms: 3_600_000,
        }
    }
}

impl Settings {
    /// What does not fit together: the field that is wrong, and why. Empty: usable.
    pub fn problems(&self) -> Vec<(&'static str, String)> {
        let Self { run_ms, lease_ms, fetch_ms, attempts_max, backoff_ms, backoff_max_ms, .. } = *self;
        let rules = [
            (fetch_ms < run_ms, "fetch_ms", format!("{fetch_ms} is not shorter than a run ({run_ms})")),
            (
                run_ms > MARGIN_MS + WRITE_MS,
                "run_ms",
                format!("{run_ms} leaves no time to ask anybody: {} are kept for writing", MARGIN_MS + WRITE_MS),
            ),
            (run_ms < lease_ms, "run_ms", format!("{run_ms} is not shorter than the lease ({lease_ms})")),
            (attempts_max > 0, "attempts_max", "0 attempts settle nothing".to_owned()),
            (
                backoff_ms > 0 && backoff_ms <= backoff_max_ms,
                "backoff_ms",
                format!("{backoff_ms} is 0 or longer than the longest wait ({backoff_max_ms})"),
            ),
        ];
        rules.into_iter().filter(|(holds, ..)| !holds).map(|(_, field, why)| (field, why)).collect()
    }

    /// The longest wait after `attempt` attempts failed, in milliseconds.
    pub(super) fn backoff_ceiling_ms(&self, attempt: u32) -> u64 {
        let doublings = attempt.saturating_sub(1).min(40);
        self.backoff_ms.saturating_mul(1 << doublings).min(self.backoff_max_ms)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_defaults_fit_together_and_every_misfit_is_told_at_once() {
        assert_eq!(Settings::default().problems(), []);
        let wrong =
            Settings { run_ms: 45_000, fetch_ms: 50_000, attempts_max: 0, backoff_ms: 0, ..Settings::default() };
        let fields = |wrong: Settings| -> Vec<_> { wrong.problems().into_iter().map(|(field, _)| field).collect() };
        assert_eq!(fields(wrong), ["fetch_ms", "run_ms", "attempts_max", "backoff_ms"]);
        assert_eq!(fields(Settings { run_ms: 2_500, fetch_ms: 2_000, ..Settings::default() }), ["run_ms"]);
    }

    #[test]
    fn waits_double_up_to_an_hour() {
        let ceilings: Vec<_> = [1, 2, 3, 11, 12, 24].map(|n| Settings::default().backoff_ceiling_ms(n)).into();
        assert_eq!(ceilings, [2_000, 4_000, 8_000, 2_048_000, 3_600_000, 3_600_000]);
        assert_eq!(Settings::default().backoff_ceiling_ms(u32::MAX), 3_600_000);
    }
}
