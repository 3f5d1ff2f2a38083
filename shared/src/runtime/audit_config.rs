//! The environment of the function that audits the ledger.

use std::collections::BTreeMap;

use super::config::{ATTEMPT_MS, ATTEMPTS, CLAIMS_TABLE, CONNECT_MS, ConfigErrors, LEDGER_TABLE, Reader, environment};
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
        let (vars, not_unicode) = environment();
        Self::of(&vars, not_unicode)
    }

    pub(super) fn of(vars: &BTreeMap<String, String>, not_unicode: Vec<String>) -> Result<Self, ConfigErrors> {
        let read = |name: &str| vars.get(name).cloned();
        let mut reader = Reader { var: read, deadline_ms: u64::MAX, problems: Vec::new() };
        reader.check_environment(vars, not_unicode);
        vars.keys().for_each(|name| reader.check_name(name, &KNOWN));
        let config = Self { tables: reader.tables(), tuning: reader.tuning() };
        reader.end(Some(config))
    }
}
