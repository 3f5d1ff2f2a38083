//! The streams of the tables are carried to the functions they feed, as Lambda does it. What a stream lost is found by the
//! schedule.

use std::time::Duration;

use dynoxide::actions::describe_stream::DescribeStreamRequest;
use dynoxide::actions::get_records::{GetRecordsRequest, GetRecordsResponse};
use dynoxide::actions::get_shard_iterator::GetShardIteratorRequest;
use dynoxide::actions::list_streams::ListStreamsRequest;
use hookledger::runtime::{AuditHandler, StreamHandler, SystemClock};
use hookledger::time::Clock as _;
use lambda_runtime::{Context, LambdaEvent};
use serde_json::value::{RawValue, to_raw_value};
use serde_json::{Value, json};
use tokio::sync::watch;
use tokio::time::{MissedTickBehavior, interval};

use crate::database::until;

const POLL_EVERY: Duration = Duration::from_millis(100);

/// How long a function may run; a worker's own settings say less.
const FUNCTION_MS: u64 = 60_000;

/// A function that a stream feeds.
pub(crate) trait Fed: Send + Sync {
    /// Whether the event source mapping's filter lets a record through.
    fn wants(&self, record: &Value) -> bool;

    /// Takes a batch. False: it was not finished.
    fn take(&self, batch: LambdaEvent<Box<RawValue>>) -> impl Future<Output = bool> + Send;
}

impl Fed for StreamHandler {
    fn wants(&self, record: &Value) -> bool {
        record["dynamodb"]["NewImage"]["state"]["S"] == "received"
    }

    async fn take(&self, batch: LambdaEvent<Box<RawValue>>) -> bool {
        self.handle(batch).await.is_ok_and(|failures| failures.first().is_none())
    }
}

impl Fed for AuditHandler {
    fn wants(&self, _record: &Value) -> bool {
        true
    }

    async fn take(&self, batch: LambdaEvent<Box<RawValue>>) -> bool {
        self.handle(batch).await.is_ok_and(|answer| answer["batchItemFailures"] == json!([]))
    }
}

/// Carries what happens in `table` from now on to a function, until `stopped`.
pub(crate) async fn pump(
    database: dynoxide::Database,
    table: String,
    function: impl Fed,
    stopped: watch::Receiver<bool>,
) {
    let carrying = async {
        let mut place = None;
        let mut ticks = interval(POLL_EVERY);
        ticks.set_missed_tick_behavior(MissedTickBehavior::Delay);
        loop {
            ticks.tick().await;
            place = match read(&database, &table, place.take()).await {
                Ok((records, next)) => {
                    carry(&function, records).await;
                    next
                }
                Err(problem) => {
                    tracing::warn!(problem, todo = "nothing: the schedule comes back to it", "a stream broke off");
                    None
                }
            };
        }
    };
    tokio::select! {
        () = carrying => {}
        () = until(stopped) => {}
    }
}

/// What came since `place`, and the next place. Without one: nothing, and where the stream ends now.
async fn read(
    database: &dynoxide::Database,
    table: &str,
    place: Option<String>,
) -> Result<(Vec<Value>, Option<String>), String> {
    let (database, table) = (database.clone(), table.to_owned());
    let reading = tokio::task::spawn_blocking(move || match place {
        None => Ok((Vec::new(), end_of_stream(&database, table)?)),
        Some(shard_iterator) => {
            let request = GetRecordsRequest { shard_iterator, limit: Some(100) };
            let GetRecordsResponse { records, next_shard_iterator } =
                database.get_records(request).map_err(|error| error.to_string())?;
            let records: Result<Vec<Value>, _> = records.iter().map(serde_json::to_value).collect();
            Ok((records.map_err(|error| error.to_string())?, next_shard_iterator))
        }
    });
    reading.await.map_err(|error| error.to_string())?
}

fn end_of_stream(database: &dynoxide::Database, table: String) -> Result<Option<String>, String> {
    let text = |error: dynoxide::DynoxideError| error.to_string();
    let request = ListStreamsRequest { table_name: Some(table), ..ListStreamsRequest::default() };
    let streams = database.list_streams(request).map_err(text)?.streams;
    let stream_arn = streams.into_iter().next().ok_or("the table has no stream")?.stream_arn;
    let request = DescribeStreamRequest { stream_arn: stream_arn.clone(), ..DescribeStreamRequest::default() };
    let shards = database.describe_stream(request).map_err(text)?.stream_description.shards;
    let shard_id = shards.into_iter().next_back().ok_or("the stream has no shard")?.shard_id;
    let shard_iterator_type = "LATEST".to_owned();
    let request = GetShardIteratorRequest { stream_arn, shard_id, shard_iterator_type, sequence_number: None };
    Ok(database.get_shard_iterator(request).map_err(text)?.shard_iterator)
}

async fn carry(function: &impl Fed, records: Vec<Value>) {
    let records: Vec<Value> = records.into_iter().filter(|record| function.wants(record)).collect();
    if records.is_empty() {
        return;
    }
    let Ok(event) = to_raw_value(&json!({"Records": records})) else { return };
    if !function.take(invocation(event)).await {
        tracing::warn!(todo = "nothing: the schedule comes back to it", "a batch of a stream was not finished");
    }
}

fn invocation(event: Box<RawValue>) -> LambdaEvent<Box<RawValue>> {
    let mut context = Context::default();
    context.deadline = u64::try_from(SystemClock.now().plus_ms(FUNCTION_MS).get()).unwrap_or_default();
    LambdaEvent::new(event, context)
}
