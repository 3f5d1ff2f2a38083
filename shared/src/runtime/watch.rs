//! From the scheduler's event, or what a person on call sends, to the watch and back.

use std::sync::Arc;

use lambda_runtime::{Error, LambdaEvent, service_fn};
use serde_json::{Value, json};

use super::{SystemClock, WatchConfig, log};
use crate::metrics::Metrics;
use crate::store::{self, Store};
use crate::stuck::{Action, ActionError, Watch};
use crate::time::{Clock as _, UnixMs};

/// Left of an invocation for its answer.
const MARGIN_MS: i64 = 1_000;

/// Handles the invocations of the function that watches.
#[derive(Clone)]
pub struct WatchHandler {
    watch: Arc<Watch>,
}

impl WatchHandler {
    /// A handler in front of `watch`.
    pub fn new(watch: Arc<Watch>) -> Self {
        Self { watch }
    }

    /// Does what the event asks. What was not understood, or names no row, is answered with `error`; only where the
    /// store gave no answer does the invocation itself fail.
    pub async fn handle(&self, event: LambdaEvent<Value>) -> Result<Value, Error> {
        let LambdaEvent { payload, context, .. } = event;
        let ends = match context.deadline {
            0 => UnixMs::new(i64::MAX),
            ms => UnixMs::new(i64::try_from(ms).unwrap_or(i64::MAX).saturating_sub(MARGIN_MS)),
        };
        let answered = match Action::read(payload) {
            Ok(action) => self.watch.perform(action, ends).await,
            Err(error) => Err(error),
        };
        match answered {
            Ok(answer) => Ok(answer.json()),
            Err(ActionError::Store(error)) => Err(error.into()),
            Err(error) => {
                tracing::warn!(reason = %error, "an action was not done");
                Ok(json!({"error": error.to_string()}))
            }
        }
    }
}

/// Watches on Lambda until the process ends. Errors: a configuration that cannot be used, after a log line for each of its
/// problems; and the runtime's own.
pub async fn serve_watch() -> Result<(), Error> {
    log::init();
    let WatchConfig { tables, tuning, limits } = WatchConfig::from_env().map_err(super::told)?;
    let clock = Arc::new(SystemClock);
    let store = Store::new(tuning.client(&store::sdk().await), tables, clock.clone());
    if let Err(error) = store.warm(clock.now().plus_ms(super::WARM_MS)).await {
        tracing::warn!(%error, todo = "nothing, unless runs fail as well", "the warming read failed");
    }
    let handler = WatchHandler::new(Arc::new(Watch { store, metrics: Metrics::new(log::write_metric), clock, limits }));
    lambda_runtime::run(service_fn(move |event| {
        let handler = handler.clone();
        async move { handler.handle(event).await }
    }))
    .await
}
