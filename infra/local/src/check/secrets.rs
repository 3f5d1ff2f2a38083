//! The secrets of a provider, read as its functions read them.

use std::collections::BTreeMap;
use std::sync::Arc;

use hookledger::provider::Provider;
use hookledger::request::KeySet;
use hookledger::runtime::{Config, WorkerConfig, secret_variables};

use super::Finding;

const WHY: &str = "its function refuses to start, and the gateway answers 5xx";

/// A provider that was told its settings, and its secrets.
pub(super) struct Opened {
    pub(super) provider: Arc<dyn Provider>,
    pub(super) keys: Option<KeySet>,
}

/// Reads `kept`, the JSON of the secret `id`, as receiver and worker of `provider` would. Findings: what they would refuse.
pub(super) fn open(mut provider: Arc<dyn Provider>, id: &str, kept: &str) -> (Opened, Vec<Finding>) {
    let name = provider.profile().name;
    let mend = format!("aws secretsmanager put-secret-value --secret-id {id}");
    let found = |line: String| Finding::new(format!("secret {id}: {line}"), WHY, mend.clone());
    let variables = match secret_variables(name, id, kept) {
        Ok(variables) => variables,
        Err(line) => return (Opened { provider, keys: None }, vec![found(line)]),
    };
    let read = |variable: &str| variables.get(variable).cloned();
    let mut findings: Vec<Finding> = Vec::new();
    let mut opened = None;
    if let Some(told) = Arc::get_mut(&mut provider) {
        match Config::read(told, read) {
            Ok(Config { keys, .. }) => opened = Some(keys),
            Err(errors) => findings.extend(errors.lines().map(|line| found(line.to_owned()))),
        }
    }
    let workers = WorkerConfig::read(&mut [], read);
    findings.extend(workers.err().iter().flat_map(|errors| errors.lines().map(|line| found(line.to_owned()))));
    findings.extend(api_key(provider.as_ref(), &variables).map(|line| {
        let why = "events that must be read at the API wait until it is there";
        Finding::new(format!("secret {id}: {line}"), why, mend.clone())
    }));
    (Opened { provider, keys: opened }, findings)
}

/// What is missing for asking the provider's API, where it has one.
fn api_key(provider: &dyn Provider, variables: &BTreeMap<String, String>) -> Option<String> {
    let has_key = variables.keys().any(|name| name.ends_with("_API_KEY"));
    (provider.api_url().is_some() && !has_key).then(|| format!("holds no `api_key` for {}", provider.profile().name))
}
