//! The environment, read once and wholly: every problem is told at once, and no value is ever repeated.

use std::collections::BTreeMap;
use std::fmt;
use std::ops::RangeInclusive;

use crate::items::Tables;
use crate::provider::{Mode, Profile};
use crate::request::KeySet;
use crate::store::Tuning;
use crate::stuck::Limits;

const PREFIX: &str = "HOOKLEDGER_";
const SECRETS: &str = "_SECRETS";
const MODE: &str = "HOOKLEDGER_MODE";
const CLAIMS_TABLE: &str = "HOOKLEDGER_CLAIMS_TABLE";
const LEDGER_TABLE: &str = "HOOKLEDGER_LEDGER_TABLE";
const GATE_BYTES: &str = "HOOKLEDGER_GATE_BYTES";
const CONNECT_MS: &str = "HOOKLEDGER_DYNAMODB_CONNECT_MS";
const ATTEMPT_MS: &str = "HOOKLEDGER_DYNAMODB_ATTEMPT_MS";
const ATTEMPTS: &str = "HOOKLEDGER_DYNAMODB_ATTEMPTS";
const STUCK_AFTER_S: &str = "HOOKLEDGER_STUCK_AFTER_S";
const WORKER_ATTEMPTS: &str = "HOOKLEDGER_WORKER_ATTEMPTS";
const KNOWN: [&str; 9] =
    [MODE, CLAIMS_TABLE, LEDGER_TABLE, GATE_BYTES, CONNECT_MS, ATTEMPT_MS, ATTEMPTS, STUCK_AFTER_S, WORKER_ATTEMPTS];

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
}

/// What the function that watches over open work is told by its environment.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct WatchConfig {
    /// `HOOKLEDGER_CLAIMS_TABLE` and `HOOKLEDGER_LEDGER_TABLE`.
    pub tables: Tables,
    /// `HOOKLEDGER_DYNAMODB_CONNECT_MS`, `…_ATTEMPT_MS`, `…_ATTEMPTS`.
    pub tuning: Tuning,
    /// `HOOKLEDGER_STUCK_AFTER_S`, 300 by default, and `HOOKLEDGER_WORKER_ATTEMPTS`, 24 by default: the worker's own number.
    pub limits: Limits,
}

/// Everything that is wrong with the environment, a line each: which variable, what is wrong, what to do.
#[derive(Clone, PartialEq, Eq)]
pub struct ConfigErrors(Vec<String>);

/// The variable with a provider's secrets: `HOOKLEDGER_STRIPE_SECRETS`.
pub fn secrets_variable(provider: &str) -> String {
    format!("{PREFIX}{}{SECRETS}", provider.to_ascii_uppercase().replace('-', "_"))
}

impl Config {
    /// Reads the variables of `provider`'s function by name. Values that depend on the provider's deadline are checked by
    /// [`from_env`](Self::from_env).
    pub fn read(provider: &'static str, var: impl Fn(&str) -> Option<String>) -> Result<Self, ConfigErrors> {
        let mut reader = Reader { var, deadline_ms: u64::MAX, problems: Vec::new() };
        let config = reader.config(provider);
        reader.end(config)
    }

    /// Reads the process's environment, and refuses names that no version of this function knows: a misspelt variable
    /// is not a default. Secrets of other providers are ignored.
    pub fn from_env(profile: &Profile) -> Result<Self, ConfigErrors> {
        let (vars, names) = environment();
        Self::of(profile, &vars, names)
    }

    pub(super) fn of(
        profile: &Profile,
        vars: &BTreeMap<String, String>,
        not_unicode: Vec<String>,
    ) -> Result<Self, ConfigErrors> {
        let deadline_ms = profile.transport.deadline_ms;
        let mut reader = Reader { var: |name: &str| vars.get(name).cloned(), deadline_ms, problems: Vec::new() };
        reader.check(vars, not_unicode);
        let config = reader.config(profile.name);
        reader.end(config)
    }
}

impl WatchConfig {
    /// Reads the process's environment, as strictly as that of a receiving function.
    pub fn from_env() -> Result<Self, ConfigErrors> {
        let (vars, names) = environment();
        Self::of(&vars, names)
    }

    pub(super) fn of(vars: &BTreeMap<String, String>, not_unicode: Vec<String>) -> Result<Self, ConfigErrors> {
        let read = |name: &str| vars.get(name).cloned();
        let mut reader = Reader { var: read, deadline_ms: u64::MAX, problems: Vec::new() };
        reader.check(vars, not_unicode);
        let (tables, tuning) = (reader.tables(), reader.tuning());
        let default = Limits::default();
        let grace_ms = reader.number(STUCK_AFTER_S, default.grace_ms / 1_000, 1..=86_400) * 1_000;
        let attempts = reader.number(WORKER_ATTEMPTS, default.attempts_max.into(), 1..=1_000);
        let attempts_max = u32::try_from(attempts).unwrap_or(default.attempts_max);
        reader.end(Some(Self { tables, tuning, limits: Limits { grace_ms, attempts_max, ..default } }))
    }
}

/// The variables that are ours or Lambda's, and the names of those that are not UTF-8.
fn environment() -> (BTreeMap<String, String>, Vec<String>) {
    let is_ours = |name: &str| name.starts_with(PREFIX) || LAMBDA.contains(&name);
    let all = std::env::vars_os().map(|(name, value)| (name.to_string_lossy().into_owned(), value));
    let (read, unreadable): (Vec<_>, Vec<_>) = all
        .filter(|(name, _)| is_ours(name))
        .map(|(name, value)| (value.into_string(), name))
        .partition(|(value, _)| value.is_ok());
    let names = unreadable.into_iter().map(|(_, name)| name).collect();
    (read.into_iter().filter_map(|(value, name)| Some((name, value.ok()?))).collect(), names)
}

struct Reader<F> {
    var: F,
    /// How long the sender waits for an answer.
    deadline_ms: u64,
    problems: Vec<String>,
}

impl<F: Fn(&str) -> Option<String>> Reader<F> {
    fn problem(&mut self, name: &str, what: &str, todo: &str) {
        self.problems.push(format!("{name} {what}: {todo}"));
    }

    /// What must be there, and what must not.
    fn check(&mut self, vars: &BTreeMap<String, String>, not_unicode: Vec<String>) {
        for name in not_unicode {
            self.problem(&name, "is not UTF-8", "set it anew");
        }
        if let Some(name) = LAMBDA.iter().find(|name| !vars.contains_key(**name)) {
            self.problem(
                name,
                "is not set",
                "let AWS Lambda start this program; on your own machine `cargo run` is the whole stack",
            );
        }
        vars.keys().for_each(|name| self.check_name(name));
    }

    fn end<T>(self, config: Option<T>) -> Result<T, ConfigErrors> {
        config.filter(|_| self.problems.is_empty()).ok_or(ConfigErrors(self.problems))
    }

    fn config(&mut self, provider: &str) -> Option<Config> {
        let keys = self.keys(&secrets_variable(provider));
        let mode = self.mode();
        let tables = self.tables();
        let gate_bytes = self.number(GATE_BYTES, GATE_BYTES_DEFAULT, 0..=GATE_BYTES_MAX);
        let tuning = self.tuning();
        let gate_bytes = usize::try_from(gate_bytes).unwrap_or(usize::MAX);
        Some(Config { mode, keys: keys?, tables, gate_bytes, tuning })
    }

    /// A value; `None` where there is none, or an empty one, which is a problem and never the default.
    fn text(&mut self, name: &str) -> Option<String> {
        let value = (self.var)(name)?;
        if value.trim().is_empty() {
            self.problem(name, "is empty", "give it a value, or remove it for the default");
            return None;
        }
        Some(value)
    }

    fn keys(&mut self, name: &str) -> Option<KeySet> {
        let todo = "list the endpoint's signing secrets, separated by commas, each as `secret` or `label@secret`";
        match (self.var)(name).map(|list| KeySet::parse(&list)) {
            None => self.problem(name, "is not set", todo),
            Some(Err(error)) => self.problem(name, &format!("cannot be used, {error}"), todo),
            Some(Ok(keys)) => return Some(keys),
        }
        None
    }

    fn mode(&mut self) -> Mode {
        match self.text(MODE).as_deref() {
            None | Some("live") => return Mode::Live,
            Some("test") => return Mode::Test,
            Some(_) => self.problem(MODE, "is neither", "set it to `live` or `test`"),
        }
        Mode::default()
    }

    fn tables(&mut self) -> Tables {
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

    fn tuning(&mut self) -> Tuning {
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

    fn number(&mut self, name: &str, default: u64, range: RangeInclusive<u64>) -> u64 {
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

    fn check_name(&mut self, name: &str) {
        if name.starts_with(PREFIX) && !name.ends_with(SECRETS) && !KNOWN.contains(&name) {
            self.problem(name, "is unknown", &format!("correct its name or remove it; known are {}", KNOWN.join(", ")));
        }
    }
}

impl ConfigErrors {
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
