//! What the worker is told by its environment.

use std::collections::{BTreeMap, HashMap};
use std::sync::Arc;

use http::Uri;

use super::config::{
    self, ATTEMPT_MS, ATTEMPTS, CLAIMS_TABLE, CONNECT_MS, ConfigErrors, Environment, LEDGER_TABLE, Reader,
    setting_variables, variable,
};
use super::sinks_config::{SINKS, sink_variables};
use super::watch_config::STUCK_AFTER_S;
use crate::items::Tables;
use crate::outbox::Outbox;
use crate::provider::{ApiAuth, Provider};
use crate::request::Secret;
use crate::store::Tuning;
use crate::work::{Api, ApiKey, Settings};

const RUN_MS: &str = "HOOKLEDGER_WORKER_RUN_MS";
const LEASE_MS: &str = "HOOKLEDGER_WORKER_LEASE_MS";
const FETCH_MS: &str = "HOOKLEDGER_WORKER_FETCH_MS";
pub(super) const ATTEMPTS_MAX: &str = "HOOKLEDGER_WORKER_ATTEMPTS_MAX";
const BACKOFF_MS: &str = "HOOKLEDGER_WORKER_BACKOFF_MS";
const BACKOFF_MAX_MS: &str = "HOOKLEDGER_WORKER_BACKOFF_MAX_MS";
const PARENT_WAIT_MS: &str = "HOOKLEDGER_WORKER_PARENT_WAIT_MS";
const KNOWN: [&str; 13] = [
    SINKS,
    CLAIMS_TABLE,
    LEDGER_TABLE,
    CONNECT_MS,
    ATTEMPT_MS,
    ATTEMPTS,
    RUN_MS,
    LEASE_MS,
    FETCH_MS,
    ATTEMPTS_MAX,
    BACKOFF_MS,
    BACKOFF_MAX_MS,
    PARENT_WAIT_MS,
];

const API_URL: &str = "_API_URL";
const API_KEY: &str = "_API_KEY";

const DAY_MS: u64 = 86_400_000;

/// What the worker is told by its environment.
#[derive(Clone, Debug)]
pub struct WorkerConfig {
    /// `HOOKLEDGER_CLAIMS_TABLE` and `HOOKLEDGER_LEDGER_TABLE`.
    pub tables: Tables,
    /// `HOOKLEDGER_DYNAMODB_CONNECT_MS`, `…_ATTEMPT_MS`, `…_ATTEMPTS`.
    pub tuning: Tuning,
    /// `HOOKLEDGER_WORKER_…`, named as the fields are.
    pub settings: Settings,
    /// `HOOKLEDGER_<PROVIDER>_API_URL` and `…_API_KEY`, of providers that have an API.
    pub apis: HashMap<String, Api>,
    /// `HOOKLEDGER_SINKS`, as the receiving functions have it.
    pub outbox: Outbox,
    /// `HOOKLEDGER_SINK_<NAME>_SECRET`, of sinks that take a POST.
    pub sink_secrets: HashMap<String, Secret>,
}

impl WorkerConfig {
    /// Reads the variables by name, and tells the providers, which nobody else may hold yet, those of their settings that are
    /// there. Errors: every problem, a line each.
    pub fn read(
        providers: &mut [Arc<dyn Provider>],
        var: impl Fn(&str) -> Option<String>,
    ) -> Result<Self, ConfigErrors> {
        let mut reader = Reader { var, deadline_ms: u64::MAX, problems: Vec::new() };
        let config = reader.worker(providers);
        reader.end(Some(config))
    }

    /// The problem with a variable that begins like ours and that neither a receiving function nor the worker knows, if it
    /// is that.
    pub fn stranger(providers: &[Arc<dyn Provider>], vars: &BTreeMap<String, String>, name: &str) -> Option<String> {
        let of_providers = [variables_of(providers), sink_variables(vars)].concat();
        let mut known: Vec<&str> = config::KNOWN.into_iter().chain(KNOWN).chain([STUCK_AFTER_S]).collect();
        known.extend(of_providers.iter().map(String::as_str));
        known.sort_unstable();
        known.dedup();
        config::stranger(name, &known)
    }

    /// Reads the worker's environment, and refuses names that no version of it knows.
    pub(super) fn of(providers: &mut [Arc<dyn Provider>], environment: &Environment) -> Result<Self, ConfigErrors> {
        let read = |name: &str| environment.vars.get(name).cloned();
        let mut reader = Reader { var: read, deadline_ms: u64::MAX, problems: Vec::new() };
        reader.check_environment(environment);
        let more = [variables_of(providers), sink_variables(&environment.vars)].concat();
        let known: Vec<&str> = KNOWN.into_iter().chain(more.iter().map(String::as_str)).collect();
        environment.vars.keys().for_each(|name| reader.check_name(name, &known));
        let config = reader.worker(providers);
        reader.end(Some(config))
    }
}

/// The variables with addresses and keys of APIs, and with settings.
fn variables_of(providers: &[Arc<dyn Provider>]) -> Vec<String> {
    let apis = with_api(providers).flat_map(|(name, _)| [variable(name, API_URL), variable(name, API_KEY)]);
    apis.chain(providers.iter().flat_map(|provider| setting_variables(provider.as_ref()))).collect()
}

/// Names and usual addresses of the providers that have an API.
fn with_api(providers: &[Arc<dyn Provider>]) -> impl Iterator<Item = (&'static str, &'static str)> {
    providers.iter().filter_map(|provider| Some((provider.profile().name, provider.api_url()?)))
}

impl<F: Fn(&str) -> Option<String>> Reader<F> {
    fn worker(&mut self, providers: &mut [Arc<dyn Provider>]) -> WorkerConfig {
        providers.iter_mut().filter_map(Arc::get_mut).for_each(|provider| self.tell(provider, false));
        let tables = self.tables();
        let tuning = self.tuning();
        let settings = self.settings();
        let apis = providers.iter().filter_map(|provider| {
            let name = provider.profile().name;
            Some((name.to_owned(), self.api(name, provider.api_url()?, provider.api_auth())))
        });
        let apis = apis.collect();
        let outbox = self.outbox();
        let sink_secrets = self.sink_secrets(&outbox);
        WorkerConfig { tables, tuning, settings, apis, outbox, sink_secrets }
    }

    fn settings(&mut self) -> Settings {
        let default = Settings::default();
        let settings = Settings {
            run_ms: self.number(RUN_MS, default.run_ms, 1_000..=900_000),
            lease_ms: self.number(LEASE_MS, default.lease_ms, 1_000..=DAY_MS),
            fetch_ms: self.number(FETCH_MS, default.fetch_ms, 100..=900_000),
            attempts_max: u32::try_from(self.number(ATTEMPTS_MAX, default.attempts_max.into(), 1..=1_000))
                .unwrap_or(default.attempts_max),
            backoff_ms: self.number(BACKOFF_MS, default.backoff_ms, 1..=DAY_MS),
            backoff_max_ms: self.number(BACKOFF_MAX_MS, default.backoff_max_ms, 1..=DAY_MS),
            parent_wait_ms: self.number(PARENT_WAIT_MS, default.parent_wait_ms, 0..=30 * DAY_MS),
        };
        for (field, why) in settings.problems() {
            let name = format!("HOOKLEDGER_WORKER_{}", field.to_ascii_uppercase());
            self.problem(&name, &why, "change one of the two");
        }
        settings
    }

    fn api(&mut self, provider: &str, usual_url: &str, auth: ApiAuth) -> Api {
        let (url_name, key_name) = (variable(provider, API_URL), variable(provider, API_KEY));
        let url = self.text(&url_name).unwrap_or_else(|| usual_url.to_owned());
        if !is_base(&url) {
            let todo = "give scheme and host alone, e.g. https://api.example.com; http only for 127.0.0.1";
            self.problem(&url_name, "is not where an API can be", todo);
        }
        let key = self.text(&key_name).and_then(|text| {
            let key = ApiKey::new(&text);
            if key.is_none() {
                self.problem(&key_name, "cannot be sent in a header", "set the key alone, on one line");
            }
            let needs_pair = auth != ApiAuth::Bearer;
            if key.as_ref().is_some_and(|key: &ApiKey| needs_pair && !key.is_pair()) {
                self.problem(
                    &key_name,
                    "is not of the form id:secret",
                    "set the client's id and its secret, with a colon between",
                );
            }
            key
        });
        Api { url: url.trim_end_matches('/').to_owned(), key }
    }
}

/// Scheme and host, nothing else. The key goes there, so only to the machine itself without TLS.
fn is_base(url: &str) -> bool {
    let Ok(uri) = url.parse::<Uri>() else { return false };
    let bare = uri.path() == "/" && uri.query().is_none() && !url.contains('@');
    match (uri.scheme_str(), uri.host()) {
        (Some("https"), Some(_)) => bare,
        (Some("http"), Some("127.0.0.1" | "localhost")) => bare,
        _ => false,
    }
}
