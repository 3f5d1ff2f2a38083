//! The edge: the only module that knows Lambda, the environment and HTTP.

mod answer;
mod clock;
mod config;
mod envelope;
mod handler;
mod log;
mod stream;
mod watch;
mod watch_config;
mod worker_config;

#[cfg(test)]
mod tests;

use std::sync::Arc;

use lambda_runtime::{Error, service_fn};
use ring::rand::SystemRandom;

use crate::gate::Gate;
use crate::keys::Keys;
use crate::metrics::Metrics;
use crate::provider::Provider;
use crate::receive::Receiver;
use crate::store::{self, Store};
use crate::time::Clock as _;
use crate::work::{Fetcher, Worker};

pub use clock::SystemClock;
pub use config::{Config, ConfigErrors, secrets_variable};
pub use handler::Handler;
pub use stream::{Failures, StreamHandler};
pub use watch::{WatchHandler, serve_watch};
pub use watch_config::WatchConfig;
pub use worker_config::WorkerConfig;

/// For the warming read. Lambda gives 10 s to the whole of the initialisation.
const WARM_MS: u64 = 3_000;

/// Receives `provider`'s webhooks on Lambda until the process ends. Errors: a configuration that cannot be used, after
/// a log line for each of its problems; and the runtime's own.
///
/// Invocations come one by one. [`Handler`] is ready for more: on Lambda Managed Instances, `lambda_runtime`'s feature
/// `concurrency-tokio` and its `run_concurrent` in the place of `run` are all that is needed.
pub async fn serve(provider: impl Provider) -> Result<(), Error> {
    log::init();
    let config = Config::from_env(provider.profile()).map_err(told)?;
    let handler = Handler::new(Arc::new(receiver(provider, config).await));
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
    let config = WorkerConfig::from_env(&providers).map_err(told)?;
    let handler = StreamHandler::new(Arc::new(worker(providers, config).await));
    lambda_runtime::run(service_fn(move |event| {
        let handler = handler.clone();
        async move { handler.handle(event).await }
    }))
    .await
}

async fn worker(providers: Vec<Arc<dyn Provider>>, config: WorkerConfig) -> Worker {
    let WorkerConfig { tables, tuning, settings, apis } = config;
    let clock = Arc::new(SystemClock);
    let store = Store::new(store::client(tuning).await, tables, clock.clone());
    let (fetcher, metrics, random) = (Fetcher::new(apis), Metrics::new(log::write_metric), SystemRandom::new());
    Worker { providers, store, fetcher, clock, metrics, settings, random }
}

/// A log line for each problem.
fn told(errors: ConfigErrors) -> Error {
    errors.lines().for_each(|problem| tracing::error!(problem, "the configuration cannot be used"));
    Error::from(format!("the configuration cannot be used (problems: {}, a log line each)", errors.lines().len()))
}

async fn receiver(provider: impl Provider, config: Config) -> Receiver {
    let Config { mode, keys, tables, gate_bytes, tuning } = config;
    let clock = Arc::new(SystemClock);
    let store = Store::new(store::client(tuning).await, tables, clock.clone());
    // Name, connection and TLS are paid for here, outside of any delivery. Without it the first delivery pays.
    if let Err(error) = store.warm(clock.now().plus_ms(WARM_MS)).await {
        tracing::warn!(%error, todo = "nothing, unless deliveries fail as well", "the warming read failed");
    }
    let (gate, metrics) = (Gate::new(gate_bytes), Metrics::new(log::write_metric));
    Receiver { provider: Arc::new(provider), keys: Keys::fixed(keys), mode, store, gate, metrics, clock }
}
