//! From a batch of the claims table's stream to the worker, and which of it must come again. Source: docs.aws.amazon.com,
//! "Using AWS Lambda with Amazon DynamoDB" and "Configuring partial batch response with DynamoDB and Lambda".

use std::collections::HashMap;
use std::panic::AssertUnwindSafe;
use std::sync::Arc;

use aws_sdk_dynamodb::types::AttributeValue;
use futures_util::{FutureExt as _, StreamExt as _, stream};
use lambda_runtime::{Error, LambdaEvent};
use serde::{Deserialize, Serialize};
use serde_json::value::RawValue;
use tracing::{debug, error};

use crate::items::{Item, StreamRow};
use crate::time::UnixMs;
use crate::work::{Worked, Worker};

/// Records that are worked on side by side. Each waits most of its time.
const SIDE_BY_SIDE: usize = 8;

/// Handles the invocations of the worker. Cheap to clone; clones may run side by side.
#[derive(Clone)]
pub struct StreamHandler {
    worker: Arc<Worker>,
}

#[derive(Deserialize)]
#[serde(rename_all = "PascalCase")]
pub(super) struct Batch {
    pub(super) records: Vec<Box<RawValue>>,
}

#[derive(Deserialize)]
struct Record {
    dynamodb: Change,
}

#[derive(Deserialize)]
#[serde(rename_all = "PascalCase")]
struct Change {
    new_image: Option<HashMap<String, Attribute>>,
}

/// The types of attributes that are looked at; all others are passed over.
#[derive(Deserialize)]
pub(super) struct Attribute {
    #[serde(rename = "S")]
    text: Option<String>,
    #[serde(rename = "N")]
    number: Option<String>,
}

#[derive(Deserialize)]
struct Numbered {
    dynamodb: Sequence,
}

#[derive(Deserialize)]
#[serde(rename_all = "PascalCase")]
struct Sequence {
    sequence_number: String,
}

/// Which records must come again. Lambda goes on from the first of them.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Failures {
    batch_item_failures: Vec<Failure>,
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
struct Failure {
    /// A sequence number; empty: the whole batch.
    item_identifier: String,
}

impl Failures {
    /// The first record that must come again: its sequence number, or empty for the whole batch.
    pub fn first(&self) -> Option<&str> {
        self.batch_item_failures.first().map(|failure| failure.item_identifier.as_str())
    }

    /// From this record on.
    pub(super) fn from(record: &RawValue) -> Self {
        let numbered = serde_json::from_str::<Numbered>(record.get());
        let item_identifier = numbered.map(|record| record.dynamodb.sequence_number).unwrap_or_default();
        Self { batch_item_failures: vec![Failure { item_identifier }] }
    }
}

impl StreamHandler {
    /// A handler in front of `worker`.
    pub fn new(worker: Arc<Worker>) -> Self {
        Self { worker }
    }

    /// Works on the records of a batch, in their order as far as they wait for each other. The first that cannot be read,
    /// or finds the store away, is answered as failed; what comes after it was not looked at, or does no harm twice. Errors:
    /// the event is no batch of a stream.
    pub async fn handle(&self, event: LambdaEvent<Box<RawValue>>) -> Result<Failures, Error> {
        let LambdaEvent { payload, context, .. } = event;
        let ends = UnixMs::new(match context.deadline {
            0 => i64::MAX,
            ms => i64::try_from(ms).unwrap_or(i64::MAX),
        });
        let batch: Batch = serde_json::from_str(payload.get()).map_err(|_| "the event is no batch of a stream")?;
        let working = batch.records.into_iter().map(|record| {
            let handler = self.clone();
            async move {
                let worked = AssertUnwindSafe(handler.record(&record, ends)).catch_unwind().await;
                (record, worked.unwrap_or(false))
            }
        });
        let mut done = stream::iter(working).buffered(SIDE_BY_SIDE);
        while let Some((record, done)) = done.next().await {
            if !done {
                return Ok(Failures::from(&record));
            }
        }
        Ok(Failures::default())
    }

    /// False: the record must come again.
    async fn record(&self, record: &RawValue, ends: UnixMs) -> bool {
        let Some(row) = row(record) else {
            error!(todo = "look at the failure destination of the stream", "a record of the stream cannot be read");
            return false;
        };
        let Some(StreamRow { row, received, due_at }) = row else { return true };
        let now = self.worker.clock.now();
        let ours = row.is_claim() || row.is_message();
        if !received || !ours || due_at.is_some_and(|due_at| due_at > now) {
            debug!(claim = row.key.as_str(), part = row.part, "a record of the stream is dropped");
            return true;
        }
        match self.worker.work_row(&row, ends).await {
            // What a retry will not mend must not stand in the way of others; the schedule comes back to it.
            Worked::Unavailable(error) => error.alarms(),
            _ => true,
        }
    }
}

/// The row a record is about; inside, `None`: the row was deleted.
fn row(record: &RawValue) -> Option<Option<StreamRow>> {
    let record: Record = serde_json::from_str(record.get()).ok()?;
    let Some(image) = record.dynamodb.new_image else { return Some(None) };
    let item: Item = image.into_iter().filter_map(|(name, value)| Some((name, value.known()?))).collect();
    StreamRow::decode(&item).ok().map(Some)
}

impl Attribute {
    pub(super) fn known(self) -> Option<AttributeValue> {
        self.text.map(AttributeValue::S).or(self.number.map(AttributeValue::N))
    }
}
