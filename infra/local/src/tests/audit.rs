//! What the stack's streams carry, and what the command says of the ledger.

use std::net::SocketAddr;
use std::process::ExitCode;
use std::time::Duration;

use aws_sdk_dynamodb::types::AttributeValue;
use hookledger::runtime::SystemClock;
use hookledger::time::Clock as _;
use lambda_runtime::LambdaEvent;
use serde_json::Value;
use serde_json::value::RawValue;
use tokio::sync::{mpsc, watch};

use crate::database::{Database, client};
use crate::{Options, Settings, Stack, owed, tables};

const PATIENCE: Duration = Duration::from_secs(20);

async fn plant(dynamodb: SocketAddr, ledger: &str, movement: &str) {
    let s = |text: &str| AttributeValue::S(text.to_owned());
    let now = AttributeValue::N(SystemClock.now().get().to_string());
    let put = client(dynamodb).put_item().table_name(ledger).item("movement", s(movement)).item("kind", s("payment"));
    put.item("claim", s("stripe::evt_nobody")).item("recorded_at_ms", now).send().await.unwrap();
}

/// The command on a thread of its own, as a process would run it.
async fn audit(dynamodb: SocketAddr) -> ExitCode {
    let line = format!("x audit --json --dynamodb-port {}", dynamodb.port());
    let words: Vec<_> = line.split_whitespace().map(Into::into).collect();
    tokio::task::spawn_blocking(move || crate::run(words)).await.unwrap()
}

#[tokio::test]
async fn the_command_ends_with_one_where_something_is_wrong() {
    let stack = Stack::start(Options::on_free_ports(Settings::development())).await.unwrap();
    let code = |code: ExitCode| format!("{code:?}");
    assert_eq!(code(audit(stack.dynamodb_address()).await), code(ExitCode::SUCCESS));
    plant(stack.dynamodb_address(), &stack.tables().ledger, "stripe::ch_nobody").await;
    assert_eq!(code(audit(stack.dynamodb_address()).await), code(ExitCode::from(1)));
    stack.stop().await;
}

/// Hands on what it is given.
struct Recorder(mpsc::UnboundedSender<Value>);

impl owed::Fed for Recorder {
    fn wants(&self, record: &Value) -> bool {
        record["dynamodb"]["Keys"]["movement"]["S"] != "stripe::ch_unwanted"
    }

    async fn take(&self, batch: LambdaEvent<Box<RawValue>>) -> bool {
        self.0.send(serde_json::from_str(batch.payload.get()).unwrap()).is_ok() && batch.context.deadline > 0
    }
}

#[tokio::test]
async fn a_stream_carries_what_its_function_wants() {
    let database = Database::start(None, 0).await.unwrap();
    let ledger = tables::create(&client(database.address())).await.unwrap().ledger;
    let (send, mut batches) = mpsc::unbounded_channel();
    let (stop, stopped) = watch::channel(false);
    let pump = tokio::spawn(owed::pump(database.inside(), ledger.clone(), Recorder(send), stopped));
    // The pump carries what comes after it looked for the end of the stream: the first that arrives says it has.
    let arrived = async {
        for at in 0.. {
            plant(database.address(), &ledger, "stripe::ch_unwanted").await;
            plant(database.address(), &ledger, &format!("stripe::ch_{at}")).await;
            if let Ok(batch) = tokio::time::timeout(Duration::from_millis(300), batches.recv()).await {
                return batch;
            }
        }
        None
    };
    let batch = tokio::time::timeout(PATIENCE, arrived).await.unwrap().unwrap();
    for record in batch["Records"].as_array().unwrap() {
        assert_eq!(
            (&record["eventName"], &record["dynamodb"]["StreamViewType"]),
            (&"INSERT".into(), &"NEW_IMAGE".into())
        );
        assert_eq!(record["dynamodb"]["NewImage"]["claim"]["S"], "stripe::evt_nobody");
    }
    stop.send_replace(true);
    pump.await.unwrap();
    database.stop().await;
}
