//! What the environment says, for the stack and its client commands alike.

use std::collections::{BTreeMap, HashMap};
use std::ffi::OsString;
use std::sync::Arc;

use hookledger::outbox::Outbox;
use hookledger::provider::{Mode, Provider};
use hookledger::request::{KeySet, Secret};
use hookledger::runtime::{Config, WatchConfig, WorkerConfig, secrets_variable, setting_variable};
use hookledger::stuck::Limits;
use hookledger::work::{self, Api};

use crate::registry;

const PREFIX: &str = "HOOKLEDGER_";

/// The environment that counts locally. The template names the tables, so their variables are not read.
const READ: [&str; 2] = ["HOOKLEDGER_MODE", "HOOKLEDGER_GATE_BYTES"];

/// What the watch over open work takes from it: the rest is the template's as well.
const WATCHS: [&str; 2] = ["HOOKLEDGER_STUCK_AFTER_S", "HOOKLEDGER_WORKER_ATTEMPTS_MAX"];

/// How the stack receives, and how the client signs.
#[derive(Clone, Default)]
pub struct Settings {
    /// `HOOKLEDGER_MODE`.
    pub mode: Mode,
    /// `HOOKLEDGER_GATE_BYTES`.
    pub gate_bytes: usize,
    /// Every provider with its secrets.
    pub received: Vec<Received>,
    /// `HOOKLEDGER_WORKER_…`.
    pub worker: work::Settings,
    /// `HOOKLEDGER_<PROVIDER>_API_URL` and `…_API_KEY`.
    pub apis: HashMap<String, Api>,
    /// `HOOKLEDGER_SINKS`.
    pub outbox: Outbox,
    /// `HOOKLEDGER_SINK_<NAME>_SECRET`.
    pub sink_secrets: HashMap<String, Secret>,
    /// `HOOKLEDGER_STUCK_AFTER_S`, and `HOOKLEDGER_WORKER_ATTEMPTS_MAX` as the worker has it.
    pub limits: Limits,
}

/// A provider with its secrets.
#[derive(Clone)]
pub struct Received {
    /// The provider.
    pub provider: Arc<dyn Provider>,
    /// Its secrets.
    pub keys: KeySet,
    /// Whether its variable was set; else its development secret is used, which protects nothing: the stack listens on
    /// 127.0.0.1 only.
    pub configured: bool,
}

impl Settings {
    /// Reads the process's environment. Errors: a line for each problem.
    pub fn from_env() -> Result<Self, Vec<String>> {
        Self::read(std::env::vars_os())
    }

    /// Nothing configured: live mode, the development secret.
    pub fn development() -> Self {
        // With no variables there is nothing that could be wrong.
        Self::read([]).unwrap_or_default()
    }

    /// Reads these variables. Errors: a line for each problem.
    pub fn read(vars: impl IntoIterator<Item = (OsString, OsString)>) -> Result<Self, Vec<String>> {
        let mut problems = Vec::new();
        let mut ours = BTreeMap::new();
        for (name, value) in vars {
            let Some(name) = name.to_str().filter(|name| name.starts_with(PREFIX)) else { continue };
            match value.into_string() {
                Ok(value) => _ = ours.insert(name.to_owned(), value),
                Err(_) => problems.push(format!("{name} is not UTF-8: set it anew")),
            }
        }
        let secrets: Vec<_> = registry::providers().iter().map(|one| secrets_variable(one.profile().name)).collect();
        let misspelt = |name: &&String| {
            name.contains("SECRET") && !name.starts_with("HOOKLEDGER_SINK_") && !secrets.contains(name)
        };
        problems.extend(ours.keys().filter(misspelt).map(|name| {
            if name.starts_with("HOOKLEDGER_SECRET_ID") {
                return format!("{name} is for functions in an account: here set HOOKLEDGER_<PROVIDER>_SECRETS");
            }
            format!("{name} belongs to no provider: correct its name or remove it; known are {}", secrets.join(", "))
        }));
        let all = registry::providers();
        let strangers = ours.keys().filter(|name| !misspelt(name));
        problems.extend(strangers.filter_map(|name| WorkerConfig::stranger(&all, &ours, name)));
        let mut settings = Self::default();
        for provider in registry::providers() {
            match settings.add(provider, &ours) {
                Ok(()) => {}
                Err(lines) => problems.extend(lines),
            }
        }
        for added in [settings.add_worker(&ours), settings.add_watch(&ours)] {
            problems.extend(added.err().into_iter().flatten());
        }
        // What is wrong for every provider alike is said once.
        problems.sort();
        problems.dedup();
        if problems.is_empty() { Ok(settings) } else { Err(problems) }
    }

    /// The settings of one provider, by its name.
    pub fn of(&self, name: &str) -> Option<&Received> {
        self.received.iter().find(|received| received.provider.profile().name == name)
    }

    fn add_worker(&mut self, vars: &BTreeMap<String, String>) -> Result<(), Vec<String>> {
        let read = |variable: &str| if is_workers(variable) { vars.get(variable).cloned() } else { None };
        let config = WorkerConfig::read(&mut registry::providers(), read)
            .map_err(|errors| errors.lines().map(str::to_owned).collect::<Vec<_>>())?;
        (self.worker, self.apis) = (config.settings, config.apis);
        (self.outbox, self.sink_secrets) = (config.outbox, config.sink_secrets);
        Ok(())
    }

    fn add_watch(&mut self, vars: &BTreeMap<String, String>) -> Result<(), Vec<String>> {
        let read = |variable: &str| if WATCHS.contains(&variable) { vars.get(variable).cloned() } else { None };
        let config = WatchConfig::read(read).map_err(|errors| errors.lines().map(str::to_owned).collect::<Vec<_>>())?;
        self.limits = config.limits;
        Ok(())
    }

    fn add(&mut self, mut provider: Arc<dyn Provider>, vars: &BTreeMap<String, String>) -> Result<(), Vec<String>> {
        let name = provider.profile().name;
        let secrets = secrets_variable(name);
        let mut usual: BTreeMap<String, String> = development_settings(provider.as_ref()).collect();
        usual.insert(secrets.clone(), provider.development_secret().to_owned());
        let mut ours: Vec<_> = provider.settings().iter().map(|setting| setting_variable(name, setting)).collect();
        ours.extend(READ.map(str::to_owned));
        ours.push(secrets.clone());
        let set = |variable: &str| vars.get(variable).filter(|_| ours.iter().any(|name| name == variable));
        // Nobody else holds it yet.
        let Some(told) = Arc::get_mut(&mut provider) else { return Ok(()) };
        let config = Config::read(told, |variable| set(variable).or_else(|| usual.get(variable)).cloned());
        let config = config.map_err(|errors| errors.lines().map(str::to_owned).collect::<Vec<_>>())?;
        self.mode = config.mode;
        self.gate_bytes = config.gate_bytes;
        self.received.push(Received { provider, keys: config.keys, configured: vars.contains_key(&secrets) });
        Ok(())
    }
}

/// A provider's settings, as they are locally where nobody sets them.
fn development_settings(provider: &dyn Provider) -> impl Iterator<Item = (String, String)> {
    let name = provider.profile().name;
    let settings = provider.settings().iter().filter(|setting| !setting.development.is_empty());
    settings.map(move |setting| (setting_variable(name, setting), setting.development.to_owned()))
}

fn is_workers(variable: &str) -> bool {
    variable.starts_with("HOOKLEDGER_WORKER_")
        || variable.starts_with("HOOKLEDGER_SINK")
        || variable.ends_with("_API_URL")
        || variable.ends_with("_API_KEY")
}
