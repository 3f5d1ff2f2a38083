//! The environment of the function that watches over open work.

use super::config::{ATTEMPT_MS, ATTEMPTS, CLAIMS_TABLE, CONNECT_MS, ConfigErrors, Environment, LEDGER_TABLE, Reader};
use super::worker_config::ATTEMPTS_MAX;
use crate::items::Tables;
use crate::store::Tuning;
use crate::stuck::Limits;

pub(super) const STUCK_AFTER_S: &str = "HOOKLEDGER_STUCK_AFTER_S";
const KNOWN: [&str; 7] = [CLAIMS_TABLE, LEDGER_TABLE, CONNECT_MS, ATTEMPT_MS, ATTEMPTS, ATTEMPTS_MAX, STUCK_AFTER_S];

/// What the function that watches over open work is told by its environment.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct WatchConfig {
    /// `HOOKLEDGER_CLAIMS_TABLE` and `HOOKLEDGER_LEDGER_TABLE`.
    pub tables: Tables,
    /// `HOOKLEDGER_DYNAMODB_CONNECT_MS`, `…_ATTEMPT_MS`, `…_ATTEMPTS`.
    pub tuning: Tuning,
    /// `HOOKLEDGER_STUCK_AFTER_S`, 300 by default, and `HOOKLEDGER_WORKER_ATTEMPTS_MAX`: the worker's own number.
    pub limits: Limits,
}

impl WatchConfig {
    /// Reads the variables by name. Errors: every problem, a line each.
    pub fn read(var: impl Fn(&str) -> Option<String>) -> Result<Self, ConfigErrors> {
        let mut reader = Reader { var, deadline_ms: u64::MAX, problems: Vec::new() };
        let config = reader.watch();
        reader.end(Some(config))
    }

    /// Reads the process's environment, and refuses names that no version of the function knows.
    pub fn from_env() -> Result<Self, ConfigErrors> {
        Self::of(&Environment::of_process())
    }

    pub(super) fn of(environment: &Environment) -> Result<Self, ConfigErrors> {
        let read = |name: &str| environment.vars.get(name).cloned();
        let mut reader = Reader { var: read, deadline_ms: u64::MAX, problems: Vec::new() };
        reader.check_environment(environment);
        environment.vars.keys().for_each(|name| reader.check_name(name, &KNOWN));
        let config = reader.watch();
        reader.end(Some(config))
    }
}

impl<F: Fn(&str) -> Option<String>> Reader<F> {
    fn watch(&mut self) -> WatchConfig {
        let (tables, tuning) = (self.tables(), self.tuning());
        let default = Limits::default();
        let grace_ms = self.number(STUCK_AFTER_S, default.grace_ms / 1_000, 1..=86_400) * 1_000;
        let attempts = self.number(ATTEMPTS_MAX, default.attempts_max.into(), 1..=1_000);
        let attempts_max = u32::try_from(attempts).unwrap_or(default.attempts_max);
        WatchConfig { tables, tuning, limits: Limits { grace_ms, attempts_max, ..default } }
    }
}
