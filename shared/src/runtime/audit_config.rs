//! The environment of the function that audits the ledger.

use super::config::{ATTEMPT_MS, ATTEMPTS, CLAIMS_TABLE, CONNECT_MS, ConfigErrors, Environment, LEDGER_TABLE, Reader};
use crate::items::Tables;
use crate::store::Tuning;

const KNOWN: [&str; 5] = [CLAIMS_TABLE, LEDGER_TABLE, CONNECT_MS, ATTEMPT_MS, ATTEMPTS];

/// What the function that audits the ledger is told by its environment.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct AuditConfig {
    /// `HOOKLEDGER_CLAIMS_TABLE` and `HOOKLEDGER_LEDGER_TABLE`.
    pub tables: Tables,
    /// `HOOKLEDGER_DYNAMODB_CONNECT_MS`, `…_ATTEMPT_MS`, `…_ATTEMPTS`.
    pub tuning: Tuning,
}

impl AuditConfig {
    /// Reads the process's environment, and refuses names that no version of the function knows. Errors: every problem, a
    /// line each.
    pub fn from_env() -> Result<Self, ConfigErrors> {
        Self::of(&Environment::of_process())
    }

    pub(super) fn of(environment: &Environment) -> Result<Self, ConfigErrors> {
        let read = |name: &str| environment.vars.get(name).cloned();
        let mut reader = Reader { var: read, deadline_ms: u64::MAX, problems: Vec::new() };
        reader.check_environment(environment);
        environment.vars.keys().for_each(|name| reader.check_name(name, &KNOWN));
        let config = Self { tables: reader.tables(), tuning: reader.tuning() };
        reader.end(Some(config))
    }
}
