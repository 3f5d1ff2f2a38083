//! The edge: the only module that knows Lambda, the environment and HTTP.

mod answer;
mod audit;
mod audit_config;
mod clock;
mod config;
mod envelope;
mod handler;
mod log;
mod sinks_config;
mod stream;
mod vault;
mod watch;
mod watch_config;
mod worker_config;

#[cfg(test)]
mod tests;

use std::sync::Arc;

use lambda_runtime::{Error, service_fn};
use ring::rand::SystemRandom;

use self::config::Environment;
use self::vault::{Vault, VaultKeys};
use crate::certificates::Certificates;
use crate::gate::Gate;
use crate::keys::{Keys, Refresh};
use crate::metrics::Metrics;
use crate::provider::Provider;
use crate::receive::Receiver;
use crate::sinks::Sinks;
use crate::store::{self, Store};
use crate::time::Clock as _;
use crate::work::{Fetcher, Worker};

pub use audit::{AuditHandler, serve_audit};
pub use audit_config::AuditConfig;
pub use clock::SystemClock;
pub use config::{Config, ConfigErrors, secrets_variable, setting_variable};
pub use handler::Handler;
pub use stream::{Failures, StreamHandler};
pub use vault::secret_variables;
pub use watch::{WatchHandler, serve_watch};
pub use watch_config::WatchConfig;
pub use worker_config::WorkerConfig;

/// For the warming read. Lambda gives 10 s to the whole of the initialisation.
const WARM_MS: u64 = 3_000;

/// Receives `provider`'s webhooks on Lambda until the process ends. Errors: a configuration that cannot be used, or secrets
/// that cannot be had, after a log line for each problem; and the runtime's own.
///
/// Invocations come one by one. [`Handler`] is ready for more: on Lambda Managed Instances, `lambda_runtime`'s feature
/// `concurrency-tokio` and its `run_concurrent` in the place of `run` are all that is needed.
pub async fn serve(provider: impl Provider) -> Result<(), Error> {
    log::init();
    let handler = Handler::new(Arc::new(receiver(provider).await.map_err(told)?));
    lambda_runtime::run(service_fn(move |event| {
        let handler = handler.clone();
        async move { handler.handle(event).await }
    }))
    .await
}

/// Settles what `providers` left to be done, fed by the claims table's stream, on Lambda until the process ends. Errors as
/// [`serve`]'s.
pub async fn serve_worker(providers: Vec<Arc<dyn Provider>>) -> Result<(), Error> {
    log::init();
    let handler = StreamHandler::new(Arc::new(worker(providers).await.map_err(told)?));
    lambda_runtime::run(service_fn(move |event| {
        let handler = handler.clone();
        async move { handler.handle(event).await }
    }))
    .await
}

/// A log line for each problem.
fn told(errors: ConfigErrors) -> Error {
    errors.lines().for_each(|problem| tracing::error!(problem, "the configuration cannot be used"));
    Error::from(format!("the configuration cannot be used (problems: {}, a log line each)", errors.lines().len()))
}

async fn receiver(mut provider: impl Provider) -> Result<Receiver, ConfigErrors> {
    let mut environment = Environment::of_process();
    let name = provider.profile().name;
    let (sdk, clock) = (store::sdk().await, Arc::new(SystemClock));
    let (tables, tuning) = environment.store();
    let store = Store::new(tuning.client(&sdk), tables, clock.clone());
    // Name, connection and TLS are paid for here, outside of any delivery, and while the secret is fetched.
    let id = environment.vars.remove(vault::SECRET_ID);
    let (vault, warm) = (Vault::new(&sdk), store.warm(clock.now().plus_ms(WARM_MS)));
    let unlock = async {
        match &id {
            Some(id) => vault.unlock(&mut environment, id, name, false).await,
            None => Ok(()),
        }
    };
    let (unlocked, warmed) = futures_util::join!(unlock, warm);
    if let Err(error) = warmed {
        tracing::warn!(%error, todo = "nothing, unless deliveries fail as well", "the warming read failed");
    }
    unlocked.map_err(ConfigErrors::one)?;
    let Config { mode, keys, gate_bytes, outbox, .. } = Config::of(&mut provider, &environment)?;
    let keys = match id {
        Some(id) => {
            let source = VaultKeys { vault, id, provider: name };
            Keys::from_source(keys, Box::new(source), Refresh::default(), clock.now())
        }
        None => Keys::fixed(keys),
    };
    let (gate, metrics) = (Gate::new(gate_bytes), Metrics::new(log::write_metric));
    let certificates = Certificates::default();
    Ok(Receiver { provider: Arc::new(provider), keys, certificates, mode, store, gate, metrics, clock, outbox })
}

async fn worker(mut providers: Vec<Arc<dyn Provider>>) -> Result<Worker, ConfigErrors> {
    let mut environment = Environment::of_process();
    let sdk = store::sdk().await;
    let vault = Vault::new(&sdk);
    if let Some(id) = environment.vars.remove(vault::SINK_SECRETS_ID) {
        vault.unlock_sinks(&mut environment, &id).await.map_err(ConfigErrors::one)?;
    }
    for id in vault::take_ids(&mut environment) {
        vault.unlock(&mut environment, &id, vault::provider_of(&id), true).await.map_err(ConfigErrors::one)?;
    }
    let WorkerConfig { tables, tuning, settings, apis, outbox, sink_secrets } =
        WorkerConfig::of(&mut providers, &environment)?;
    let clock = Arc::new(SystemClock);
    let store = Store::new(tuning.client(&sdk), tables, clock.clone());
    let sinks = Sinks::new(&outbox, sink_secrets, &sdk);
    let (fetcher, metrics, random) = (Fetcher::new(apis), Metrics::new(log::write_metric), SystemRandom::new());
    Ok(Worker { providers, store, fetcher, outbox, sinks, clock, metrics, settings, random })
}
