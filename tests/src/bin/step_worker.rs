//! A worker as a program, so that tests can kill it between any two steps.
//!
//! `step_worker <DynamoDB's address> <API's address> <clock ahead, ms> <work|redrive> <stop, or ->`: works on what is due,
//! after a run of the watch if it is to re-drive. It ends by itself, or says that it stopped and waits to be killed.

#![allow(clippy::unwrap_used, clippy::expect_used)]

use std::collections::HashMap;
use std::pin::Pin;
use std::sync::Arc;

use aws_sdk_dynamodb::Client;
use hookledger::items::{SHARDS, Shelf};
use hookledger::metrics::Metrics;
use hookledger::runtime::SystemClock;
use hookledger::store::Store;
use hookledger::stuck::{Limits, Watch};
use hookledger::time::{Clock, UnixMs};
use hookledger::work::{Api, ApiKey, Fetcher, Settings, Worker};
use hookledger_local::{database, registry, tables};
use hookledger_tests::{API_KEY, Steps};
use ring::rand::SystemRandom;

/// The system's clock, ahead: a lease ends without anybody waiting for it.
#[derive(Debug)]
struct Ahead(u64);

impl Clock for Ahead {
    fn now(&self) -> UnixMs {
        SystemClock.now().plus_ms(self.0)
    }

    fn sleep_ms(&self, ms: u64) -> Pin<Box<dyn Future<Output = ()> + Send + '_>> {
        Box::pin(async move { SystemClock.sleep_ms(ms).await })
    }
}

#[tokio::main]
async fn main() {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let [dynamodb, api, ahead_ms, mode, stop] = arguments.try_into().expect("five arguments");
    let clock: Arc<dyn Clock> = Arc::new(Ahead(ahead_ms.parse().unwrap()));
    let config = database::client(dynamodb.parse().unwrap()).config().to_builder();
    let client = Client::from_conf(config.http_client(Steps::new(stop.parse().ok())).build());
    let store = Store::new(client, tables::names().unwrap(), clock.clone());
    let deadline = clock.now().plus_ms(60_000);
    if mode == "redrive" {
        let (metrics, limits) = (Metrics::new(|_| {}), Limits::default());
        let providers = registry::providers();
        let watch = Watch { store: store.clone(), metrics, clock: clock.clone(), limits, providers };
        watch.run(deadline).await;
    }
    let apis = HashMap::from([("stripe".to_owned(), Api { url: api, key: ApiKey::new(API_KEY) })]);
    let worker = Worker {
        providers: registry::providers(),
        store: store.clone(),
        fetcher: Fetcher::new(apis),
        outbox: hookledger::outbox::Outbox::default(),
        clock: clock.clone(),
        metrics: Metrics::new(|_| {}),
        settings: Settings::default(),
        random: SystemRandom::new(),
    };
    for shard in 0..SHARDS {
        let rows = store.shard(Shelf::Open, shard, 100, deadline).await.unwrap().rows;
        for row in rows.into_iter().filter(|row| row.is_due(clock.now())) {
            worker.work(&row.key, deadline).await;
        }
    }
}
