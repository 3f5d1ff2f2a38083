//! From a batch of the ledger's stream, the scheduler's event, or what a person sends, to the audit and back. Source:
//! docs.aws.amazon.com, "Configuring partial batch response with DynamoDB and Lambda" and "DynamoDB Streams Record".

use std::collections::HashMap;
use std::sync::Arc;

use lambda_runtime::{Error, LambdaEvent, service_fn};
use serde::Deserialize;
use serde_json::value::RawValue;
use serde_json::{Value, json};

use super::stream::{Attribute, Batch, Failures};
use super::{AuditConfig, SystemClock, log};
use crate::audit::{Action, Audit, AuditError, Change, Checked, Limits};
use crate::items::{AuditedEntry, EntryKey, Item};
use crate::metrics::Metrics;
use crate::store::{self, Store};
use crate::time::{Clock as _, UnixMs};

/// Left of an invocation for its answer.
const MARGIN_MS: i64 = 1_000;

/// Handles the invocations of the function that audits the ledger.
#[derive(Clone)]
pub struct AuditHandler {
    audit: Arc<Audit>,
}

#[derive(Deserialize)]
struct Record {
    #[serde(rename = "eventName")]
    event_name: String,
    dynamodb: Images,
}

#[derive(Deserialize)]
#[serde(rename_all = "PascalCase")]
struct Images {
    #[serde(default)]
    keys: HashMap<String, Attribute>,
    new_image: Option<HashMap<String, Attribute>>,
}

impl AuditHandler {
    /// A handler in front of `audit`.
    pub fn new(audit: Arc<Audit>) -> Self {
        Self { audit }
    }

    /// A batch of the stream is answered with the record from which it must come again, if the store was away; anything
    /// else with a report, or with `error`. Errors: a batch that is none, or no answer of the store to a person's question.
    pub async fn handle(&self, event: LambdaEvent<Box<RawValue>>) -> Result<Value, Error> {
        let LambdaEvent { payload, context, .. } = event;
        let ends = match context.deadline {
            0 => UnixMs::new(i64::MAX),
            ms => UnixMs::new(i64::try_from(ms).unwrap_or(i64::MAX).saturating_sub(MARGIN_MS)),
        };
        let input: Value = serde_json::from_str(payload.get())?;
        if input.get("Records").is_some() {
            let batch: Batch = serde_json::from_str(payload.get()).map_err(|_| "the event is no batch of a stream")?;
            return Ok(serde_json::to_value(self.fed(&batch, ends).await)?);
        }
        let answered = match Action::read(input) {
            Ok(action) => self.audit.perform(action, ends).await,
            Err(error) => Err(error),
        };
        match answered {
            Ok(report) => Ok(report.json()),
            Err(AuditError::Store(error)) => Err(error.into()),
            Err(error) => {
                tracing::warn!(reason = %error, "an action was not done");
                Ok(json!({"error": error.to_string()}))
            }
        }
    }

    async fn fed(&self, batch: &Batch, ends: UnixMs) -> Failures {
        let changes: Vec<_> = batch.records.iter().map(|record| change(record)).collect();
        let Checked { failed_at, .. } = self.audit.fed(&changes, ends).await;
        failed_at.and_then(|at| batch.records.get(at)).map_or_else(Failures::default, |record| Failures::from(record))
    }
}

/// What a record says. One without an image still says which entry it is about.
fn change(record: &RawValue) -> Change {
    let Ok(Record { event_name, dynamodb: Images { keys, new_image } }) = serde_json::from_str(record.get()) else {
        return Change::Unreadable(None);
    };
    let mut item = item(keys);
    let has_image = new_image.is_some();
    item.extend(new_image.map(self::item).unwrap_or_default());
    match event_name.as_str() {
        "INSERT" if has_image => match AuditedEntry::decode(&item) {
            Ok(entry) => Change::Inserted(entry),
            Err(_) => Change::Unreadable(None),
        },
        "MODIFY" => Change::Modified(EntryKey::decode(&item).ok()),
        "REMOVE" => Change::Removed(EntryKey::decode(&item).ok()),
        _ => Change::Unreadable(EntryKey::decode(&item).ok()),
    }
}

fn item(image: HashMap<String, Attribute>) -> Item {
    image.into_iter().filter_map(|(name, value)| Some((name, value.known()?))).collect()
}

/// Audits on Lambda until the process ends, where no provider's claims are kept for less than `retention_s` seconds. Errors
/// as [`serve`](super::serve)'s.
pub async fn serve_audit(retention_s: u64) -> Result<(), Error> {
    log::init();
    let AuditConfig { tables, tuning } = AuditConfig::from_env().map_err(super::told)?;
    let clock = Arc::new(SystemClock);
    let store = Store::new(tuning.client(&store::sdk().await), tables, clock.clone());
    if let Err(error) = store.warm(clock.now().plus_ms(super::WARM_MS)).await {
        tracing::warn!(%error, todo = "nothing, unless runs fail as well", "the warming read failed");
    }
    let (metrics, limits) = (Metrics::new(log::write_metric), Limits::new(retention_s));
    let handler = AuditHandler::new(Arc::new(Audit { store, metrics, clock, limits }));
    lambda_runtime::run(service_fn(move |event| {
        let handler = handler.clone();
        async move { handler.handle(event).await }
    }))
    .await
}
