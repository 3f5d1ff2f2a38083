//! The environment, read once and wholly: every problem is told at once, and no value is ever repeated.

use std::collections::BTreeMap;
use std::fmt;
use std::ops::RangeInclusive;

use super::sinks_config::{SINKS, sink_variables};
use crate::items::Tables;
use crate::outbox::Outbox;
use crate::provider::{Mode, Provider, Setting};
use crate::request::{Algorithm, KeySet};
use crate::store::Tuning;

pub(super) const PREFIX: &str = "HOOKLEDGER_";
pub(super) const SECRETS: &str = "_SECRETS";
const MODE: &str = "HOOKLEDGER_MODE";
pub(super) const CLAIMS_TABLE: &str = "HOOKLEDGER_CLAIMS_TABLE";
pub(super) const LEDGER_TABLE: &str = "HOOKLEDGER_LEDGER_TABLE";
const GATE_BYTES: &str = "HOOKLEDGER_GATE_BYTES";
pub(super) const CONNECT_MS: &str = "HOOKLEDGER_DYNAMODB_CONNECT_MS";
pub(super) const ATTEMPT_MS: &str = "HOOKLEDGER_DYNAMODB_ATTEMPT_MS";
pub(super) const ATTEMPTS: &str = "HOOKLEDGER_DYNAMODB_ATTEMPTS";
pub(super) const KNOWN: [&str; 8] =
    [MODE, CLAIMS_TABLE, LEDGER_TABLE, GATE_BYTES, CONNECT_MS, ATTEMPT_MS, ATTEMPTS, SINKS];

const GATE_BYTES_DEFAULT: u64 = 8 << 20;
const GATE_BYTES_MAX: u64 = 1 << 30;

/// Lambda sets these; `lambda_runtime` panics without them.
const LAMBDA: [&str; 4] = [
    "AWS_LAMBDA_RUNTIME_API",
    "AWS_LAMBDA_FUNCTION_NAME",
    "AWS_LAMBDA_FUNCTION_MEMORY_SIZE",
    "AWS_LAMBDA_FUNCTION_VERSION",
];

/// What one receiving function is told by its environment.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Config {
    /// `HOOKLEDGER_MODE`: `live` (default) or `test`.
    pub mode: Mode,
    /// `HOOKLEDGER_<PROVIDER>_SECRETS`: a comma-separated list of `secret` or `label@secret`.
    pub keys: KeySet,
    /// `HOOKLEDGER_CLAIMS_TABLE` and `HOOKLEDGER_LEDGER_TABLE`.
    pub tables: Tables,
    /// `HOOKLEDGER_GATE_BYTES`: memory for done claims, 8 MiB by default; 0 turns it off.
    pub gate_bytes: usize,
    /// `HOOKLEDGER_DYNAMODB_CONNECT_MS`, `…_ATTEMPT_MS`, `…_ATTEMPTS`.
    pub tuning: Tuning,
    /// `HOOKLEDGER_SINKS`, and for each sink `HOOKLEDGER_SINK_<NAME>_ON_LOST`.
    pub outbox: Outbox,
}

/// Everything that is wrong with the environment, a line each: which variable, what is wrong, what to do.
#[derive(Clone, PartialEq, Eq)]
pub struct ConfigErrors(Vec<String>);

/// The variable with a provider's secrets: `HOOKLEDGER_<PROVIDER>_SECRETS`, upper case, `_` for `-`.
pub fn secrets_variable(provider: &str) -> String {
    variable(provider, SECRETS)
}

/// The variable with one of a provider's settings: `HOOKLEDGER_<PROVIDER>_<NAME>`.
pub fn setting_variable(provider: &str, setting: &Setting) -> String {
    variable(provider, &format!("_{}", setting.name))
}

/// The variables with a provider's settings.
pub(super) fn setting_variables(provider: &dyn Provider) -> Vec<String> {
    provider.settings().iter().map(|setting| setting_variable(provider.profile().name, setting)).collect()
}

/// A provider's own variable.
pub(super) fn variable(provider: &str, suffix: &str) -> String {
    format!("{PREFIX}{}{suffix}", provider.to_ascii_uppercase().replace('-', "_"))
}

/// The variables that are ours or Lambda's.
#[derive(Clone, Debug, Default)]
pub(super) struct Environment {
    pub(super) vars: BTreeMap<String, String>,
    /// The names of those whose values are not UTF-8.
    pub(super) not_unicode: Vec<String>,
}

impl Environment {
    pub(super) fn of_process() -> Self {
        let is_ours = |name: &str| name.starts_with(PREFIX) || LAMBDA.contains(&name);
        let all = std::env::vars_os().map(|(name, value)| (name.to_string_lossy().into_owned(), value));
        let mut environment = Self::default();
        for (name, value) in all.filter(|(name, _)| is_ours(name)) {
            match value.into_string() {
                Ok(value) => _ = environment.vars.insert(name, value),
                Err(_) => environment.not_unicode.push(name),
            }
        }
        environment
    }

    /// The tables and times it names. What is wrong with them is told when the whole is read.
    pub(super) fn store(&self) -> (Tables, Tuning) {
        let read = |name: &str| self.vars.get(name).cloned();
        let mut reader = Reader { var: read, deadline_ms: u64::MAX, problems: Vec::new() };
        (reader.tables(), reader.tuning())
    }
}

/// The problem with a variable that begins like ours and is none, if it is that: a misspelt name is not a default.
pub(super) fn stranger(name: &str, known: &[&str]) -> Option<String> {
    let is_known = !name.starts_with(PREFIX) || name.ends_with(SECRETS) || known.contains(&name);
    (!is_known).then(|| format!("{name} is unknown: correct its name or remove it; known are {}", known.join(", ")))
}

impl Config {
    /// Reads the variables of `provider`'s function by name, and tells the provider its settings. What depends on the
    /// provider's deadline is checked where a function starts.
    pub fn read(provider: &mut dyn Provider, var: impl Fn(&str) -> Option<String>) -> Result<Self, ConfigErrors> {
        let mut reader = Reader { var, deadline_ms: u64::MAX, problems: Vec::new() };
        let config = reader.config(provider);
        reader.end(config)
    }

    /// Reads a function's environment, and refuses names that no version of it knows: a misspelt variable is not a default.
    /// Secrets of other providers are ignored.
    pub(super) fn of(provider: &mut dyn Provider, environment: &Environment) -> Result<Self, ConfigErrors> {
        let deadline_ms = provider.profile().transport.deadline_ms;
        let read = |name: &str| environment.vars.get(name).cloned();
        let mut reader = Reader { var: read, deadline_ms, problems: Vec::new() };
        reader.check_environment(environment);
        let more = [setting_variables(provider), sink_variables(&environment.vars)].concat();
        let known: Vec<&str> = KNOWN.into_iter().chain(more.iter().map(String::as_str)).collect();
        environment.vars.keys().for_each(|name| reader.check_name(name, &known));
        let config = reader.config(provider);
        reader.end(config)
    }
}

/// Reads variables and collects what is wrong with them.
pub(super) struct Reader<F> {
    pub(super) var: F,
    /// How long the sender waits for an answer.
    pub(super) deadline_ms: u64,
    pub(super) problems: Vec<String>,
}

impl<F: Fn(&str) -> Option<String>> Reader<F> {
    pub(super) fn problem(&mut self, name: &str, what: &str, todo: &str) {
        self.problems.push(format!("{name} {what}: {todo}"));
    }

    pub(super) fn end<T>(self, config: Option<T>) -> Result<T, ConfigErrors> {
        config.filter(|_| self.problems.is_empty()).ok_or(ConfigErrors(self.problems))
    }

    fn config(&mut self, provider: &mut dyn Provider) -> Option<Config> {
        let keys = self.keys(&secrets_variable(provider.profile().name), provider.algorithms());
        self.tell(provider, true);
        let mode = self.mode();
        let tables = self.tables();
        let outbox = self.outbox();
        let gate_bytes = self.number(GATE_BYTES, GATE_BYTES_DEFAULT, 0..=GATE_BYTES_MAX);
        let tuning = self.tuning();
        let gate_bytes = usize::try_from(gate_bytes).unwrap_or(usize::MAX);
        Some(Config { mode, keys: keys?, tables, gate_bytes, tuning, outbox })
    }

    /// A value; `None` where there is none, or an empty one, which is a problem and never the default.
    pub(super) fn text(&mut self, name: &str) -> Option<String> {
        let value = (self.var)(name)?;
        if value.trim().is_empty() {
            self.problem(name, "is empty", "give it a value, or remove it for the default");
            return None;
        }
        Some(value)
    }

    fn keys(&mut self, name: &str, algorithms: &[Algorithm]) -> Option<KeySet> {
        let todo = "list the endpoint's signing secrets, separated by commas, each as `secret` or `label@secret`";
        let keys = match (self.var)(name).map(|list| KeySet::parse(&list)) {
            None => {
                self.problem(name, "is not set", todo);
                return None;
            }
            Some(Err(error)) => {
                self.problem(name, &format!("cannot be used, {error}"), todo);
                return None;
            }
            Some(Ok(keys)) => keys,
        };
        if let Some((at, what)) = keys.problem(algorithms) {
            let todo = "copy it whole, as the provider shows it";
            self.problem(name, &format!("cannot be used, secret {at} {what}"), todo);
        }
        Some(keys)
    }

    /// Tells a provider its settings. `all`: those it cannot do without must be there.
    pub(super) fn tell(&mut self, provider: &mut dyn Provider, all: bool) {
        let name = provider.profile().name;
        for setting in provider.settings() {
            let variable = setting_variable(name, setting);
            match (self.text(&variable), (self.var)(&variable)) {
                (Some(value), _) => {
                    if let Err(what) = provider.set(setting.name, &value) {
                        self.problem(&variable, what, setting.todo);
                    }
                }
                (None, None) if setting.required && all => self.problem(&variable, "is not set", setting.todo),
                (None, _) => {}
            }
        }
    }

    fn mode(&mut self) -> Mode {
        match self.text(MODE).as_deref() {
            None | Some("live") => return Mode::Live,
            Some("test") => return Mode::Test,
            Some(_) => self.problem(MODE, "is neither", "set it to `live` or `test`"),
        }
        Mode::default()
    }

    pub(super) fn tables(&mut self) -> Tables {
        let claims = self.table(CLAIMS_TABLE, "hookledger-claims");
        let ledger = self.table(LEDGER_TABLE, "hookledger-ledger");
        if claims == ledger {
            self.problem(LEDGER_TABLE, &format!("names the same table as {CLAIMS_TABLE}"), "give each its own");
        }
        Tables { claims, ledger }
    }

    /// DynamoDB's naming rule: 3 to 255 of `a-z A-Z 0-9 _ - .` (docs.aws.amazon.com, "Supported data types and naming
    /// rules in Amazon DynamoDB").
    fn table(&mut self, name: &str, default: &str) -> String {
        let Some(table) = self.text(name) else { return default.to_owned() };
        let fits = |byte: u8| byte.is_ascii_alphanumeric() || b"_-.".contains(&byte);
        if !(3..=255).contains(&table.len()) || !table.bytes().all(fits) {
            self.problem(name, "is not the name of a table", "use 3 to 255 letters, digits, `_`, `-` and `.`");
        }
        table
    }

    pub(super) fn tuning(&mut self) -> Tuning {
        let default = Tuning::default();
        let connect_ms = self.number(CONNECT_MS, default.connect_ms, 1..=60_000);
        let attempt_ms = self.number(ATTEMPT_MS, default.attempt_ms, 1..=60_000);
        let attempts = self.number(ATTEMPTS, default.attempts.into(), 1..=10);
        if connect_ms > attempt_ms {
            let what = format!("({connect_ms}) is longer than {ATTEMPT_MS} ({attempt_ms})");
            self.problem(CONNECT_MS, &what, "connecting is a part of an attempt, give it less");
        }
        if attempt_ms >= self.deadline_ms {
            let what =
                format!("({attempt_ms}) is not shorter than the sender waits for an answer ({})", self.deadline_ms);
            self.problem(ATTEMPT_MS, &what, "give it less, or only the first attempt is ever made");
        }
        Tuning { connect_ms, attempt_ms, attempts: u32::try_from(attempts).unwrap_or(default.attempts), ..default }
    }

    pub(super) fn number(&mut self, name: &str, default: u64, range: RangeInclusive<u64>) -> u64 {
        let Some(text) = self.text(name) else { return default };
        match text.trim().parse() {
            Ok(number) if range.contains(&number) => number,
            _ => {
                let todo = format!("give a whole number from {} to {}", range.start(), range.end());
                self.problem(name, "is out of range or not a number", &todo);
                default
            }
        }
    }

    /// Whether Lambda started this program, and every value can be read.
    pub(super) fn check_environment(&mut self, environment: &Environment) {
        for name in &environment.not_unicode {
            self.problem(name, "is not UTF-8", "set it anew");
        }
        if let Some(name) = LAMBDA.iter().find(|name| !environment.vars.contains_key(**name)) {
            self.problem(
                name,
                "is not set",
                "let AWS Lambda start this program; on your own machine `cargo run` is the whole stack",
            );
        }
    }

    /// Refuses a name of ours that is not among `known`. Secrets of any provider may be there.
    pub(super) fn check_name(&mut self, name: &str, known: &[&str]) {
        self.problems.extend(stranger(name, known));
    }
}

impl ConfigErrors {
    pub(super) fn one(problem: String) -> Self {
        Self(vec![problem])
    }

    /// A line for each problem.
    pub fn lines(&self) -> impl ExactSizeIterator<Item = &str> {
        self.0.iter().map(String::as_str)
    }
}

impl fmt::Display for ConfigErrors {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0.join("\n"))
    }
}

impl fmt::Debug for ConfigErrors {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}

impl std::error::Error for ConfigErrors {}
