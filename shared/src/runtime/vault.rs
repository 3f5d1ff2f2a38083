//! What a deployment keeps in AWS Secrets Manager: one secret for each provider, as JSON.
//!
//! `{"secrets": ["whsec_…", "label@whsec_…"], "api_key": "rk_…", "settings": {"NAME": "…"}}`: every active signing secret,
//! and where the provider has them, the key of its API and its settings. They mean what the variables mean that carry them on
//! a developer's machine, and are read as those variables.

use std::collections::BTreeMap;
use std::pin::Pin;
use std::time::Duration;

use aws_config::SdkConfig;
use aws_sdk_secretsmanager::Client;
use aws_sdk_secretsmanager::error::ProvideErrorMetadata as _;
use serde::Deserialize;

use super::config::{Environment, SECRETS, variable};
use super::sinks_config::{secret_variable, sink_variables};
use crate::keys::KeySource;
use crate::request::KeySet;

/// Names the secret of a receiving function's provider.
pub(super) const SECRET_ID: &str = "HOOKLEDGER_SECRET_ID";
/// Names the secrets of all providers of a deployment, separated by commas; each ends with its provider's name.
const SECRET_IDS: &str = "HOOKLEDGER_SECRET_IDS";

const API_KEY: &str = "_API_KEY";

/// Names the secret with the secrets of the sinks.
pub(super) const SINK_SECRETS_ID: &str = "HOOKLEDGER_SINK_SECRETS_ID";

/// Lambda gives 10 s to the whole of the initialisation; a delivery that waits for a refresh has less to spare.
const ANSWER_WITHIN: Duration = Duration::from_millis(1_500);

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Kept {
    secrets: Vec<String>,
    api_key: Option<String>,
    #[serde(default)]
    settings: BTreeMap<String, String>,
}

impl Kept {
    /// Errors: what is wrong with it, and what to do.
    fn read(text: &str) -> Result<Self, String> {
        let kept: Self = serde_json::from_str(text).map_err(|_| {
            r#"is not of the form {"secrets": ["…"], "api_key": "…", "settings": {}}: write it anew"#.to_owned()
        })?;
        // In a variable it would be two secrets, of which either could be guessed the sooner.
        match kept.secrets.iter().position(|secret| secret.contains(',')) {
            Some(at) => Err(format!("holds a comma in its secret {}: give each secret an item of its own", at + 1)),
            None => Ok(kept),
        }
    }

    fn variables(self, provider: &str) -> BTreeMap<String, String> {
        let mut variables = BTreeMap::from([(variable(provider, SECRETS), self.secrets.join(","))]);
        variables.extend(self.api_key.map(|key| (variable(provider, API_KEY), key)));
        let settings = self.settings.into_iter();
        variables.extend(settings.map(|(name, value)| (variable(provider, &format!("_{name}")), value)));
        variables
    }
}

/// The secrets of a deployment.
#[derive(Clone)]
pub(super) struct Vault(Client);

impl Vault {
    pub(super) fn new(sdk: &SdkConfig) -> Self {
        Self(Client::new(sdk))
    }

    /// Adds to `environment` what the secret `id` of `provider` holds, the key of its API only for who asks it. Errors: a line
    /// about the secret.
    pub(super) async fn unlock(
        &self,
        environment: &mut Environment,
        id: &str,
        provider: &str,
        asks_api: bool,
    ) -> Result<(), String> {
        let variables = self.variables(id, provider).await?;
        let api_key = variable(provider, API_KEY);
        for (name, value) in variables.into_iter().filter(|(name, _)| asks_api || *name != api_key) {
            if environment.vars.insert(name.clone(), value).is_some() {
                return Err(format!("{name} is set, and the secret {id} holds it too: say it in one place"));
            }
        }
        Ok(())
    }

    /// Adds to `environment` the secrets of the sinks it names, out of `{"erp": "whsec_…"}`. Others are left: a sink's secret is
    /// there before the sink is, and after it.
    pub(super) async fn unlock_sinks(&self, environment: &mut Environment, id: &str) -> Result<(), String> {
        let kept: BTreeMap<String, String> = serde_json::from_str(&self.text(id).await?)
            .map_err(|_| format!(r#"the secret {id} is not of the form {{"sink": "whsec_…"}}: write it anew"#))?;
        add_sinks(environment, kept);
        Ok(())
    }

    async fn variables(&self, id: &str, provider: &str) -> Result<BTreeMap<String, String>, String> {
        secret_variables(provider, id, &self.text(id).await?)
    }

    async fn text(&self, id: &str) -> Result<String, String> {
        let asking = self.0.get_secret_value().secret_id(id).send();
        let answer = tokio::time::timeout(ANSWER_WITHIN, asking).await;
        let answer = answer.map_err(|_| format!("Secrets Manager did not answer in time about {id}"))?;
        let answer = answer.map_err(|error| {
            let code = error.code().unwrap_or("no answer").to_owned();
            format!(
                "the secret {id} cannot be read ({code}): see that it exists and that the function's role may read it"
            )
        })?;
        answer.secret_string.ok_or_else(|| format!("the secret {id} is binary: write it as text"))
    }
}

/// The variables that `kept`, the JSON in the secret `id` of `provider`, stands for. Errors: a line about the secret.
pub fn secret_variables(provider: &str, id: &str, kept: &str) -> Result<BTreeMap<String, String>, String> {
    Kept::read(kept).map(|kept| kept.variables(provider)).map_err(|what| format!("the secret {id} {what}"))
}

fn add_sinks(environment: &mut Environment, kept: BTreeMap<String, String>) {
    let wanted = sink_variables(&environment.vars);
    for (sink, secret) in kept {
        let name = secret_variable(&sink);
        if wanted.contains(&name) {
            environment.vars.entry(name).or_insert(secret);
        } else {
            tracing::warn!(
                sink,
                todo = "nothing while a sink is added or taken away",
                "the secret of an unknown sink is left"
            );
        }
    }
}

/// The signing secrets of one provider, in the vault.
pub(super) struct VaultKeys {
    pub(super) vault: Vault,
    pub(super) id: String,
    pub(super) provider: &'static str,
}

impl KeySource for VaultKeys {
    fn load(&self) -> Pin<Box<dyn Future<Output = Result<KeySet, String>> + Send + '_>> {
        Box::pin(async {
            let variables = self.vault.variables(&self.id, self.provider).await?;
            let list = variables.get(&variable(self.provider, SECRETS)).map(String::as_str).unwrap_or_default();
            KeySet::parse(list).map_err(|error| format!("the secret {}: {error}", self.id))
        })
    }
}

/// The provider whose secret this is, by the last part of its name.
pub(super) fn provider_of(id: &str) -> &str {
    id.rsplit('/').next().unwrap_or(id)
}

/// The ids that the environment lists, taken out of it.
pub(super) fn take_ids(environment: &mut Environment) -> Vec<String> {
    let list = environment.vars.remove(SECRET_IDS).unwrap_or_default();
    list.split(',').map(str::trim).filter(|id| !id.is_empty()).map(str::to_owned).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_secret_with_a_comma_is_not_taken_for_two() {
        let good = Kept::read(r#"{"secrets": ["shop@one", "two"], "api_key": "k", "settings": {"URL": "u"}}"#).unwrap();
        let variables = good.variables("echo-pay");
        assert_eq!(variables["HOOKLEDGER_ECHO_PAY_SECRETS"], "shop@one,two");
        assert_eq!(variables["HOOKLEDGER_ECHO_PAY_API_KEY"], "k");
        assert_eq!(variables["HOOKLEDGER_ECHO_PAY_URL"], "u");
        let problem = Kept::read(r#"{"secrets": ["one", "hush,a"]}"#).err().unwrap();
        assert!(problem.starts_with("holds a comma in its secret 2: ") && !problem.contains("hush"), "{problem}");
        assert!(Kept::read(r#"{"secrets": ["one"], "apikey": "k"}"#).err().unwrap().starts_with("is not of the form"));
    }

    #[test]
    fn a_sinks_secret_may_be_there_before_the_sink() {
        let vars = BTreeMap::from([("HOOKLEDGER_SINKS".to_owned(), "erp=https://erp.example/hooks".to_owned())]);
        let mut environment = Environment { vars, not_unicode: Vec::new() };
        let secret = |name: &str| (name.to_owned(), "whsec_made_up".to_owned());
        add_sinks(&mut environment, BTreeMap::from([secret("erp"), secret("shop")]));
        assert!(environment.vars.contains_key("HOOKLEDGER_SINK_ERP_SECRET"));
        assert_eq!(environment.vars.len(), 2, "a variable that nobody knows keeps the worker from starting");
    }
}
