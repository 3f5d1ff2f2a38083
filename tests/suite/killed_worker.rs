//! A worker's process killed between every two steps, and again while it is re-driven; the next one finishes.

use std::process::Stdio;
use std::sync::Arc;
use std::time::Duration;

use hookledger::claim::{ClaimKey, State};
use hookledger::gate::Gate;
use hookledger::items::{SHARDS, Shelf};
use hookledger::metrics::Metrics;
use hookledger::provider::{Mode, Provider as _};
use hookledger::receive::Receiver;
use hookledger::request::{Headers, KeySet, UnverifiedRequest};
use hookledger::runtime::SystemClock;
use hookledger::store::Store;
use hookledger::time::{Clock as _, UnixMs};
use hookledger_local::{database, tables};
use hookledger_stripe::Stripe;
use hookledger_tests::{ApiAnswer, SECRET, STOPPED, TestApi, sample};
use serde_json::Value;
use tokio::io::{AsyncBufReadExt as _, BufReader};
use tokio::process::{Child, Command};
use tokio::time::timeout;

/// Longer than a lease.
const LEASE_OVER_MS: u64 = 60_000;

/// An event that a worker has to settle.
struct Owed {
    /// What is delivered, the owed event last.
    samples: &'static [&'static str],
    event_id: &'static str,
    /// Kinds and amounts of the whole ledger in the end.
    booked: &'static [(&'static str, i64)],
}

const BY_ITS_PARENT: Owed = Owed {
    samples: &["charge_succeeded", "refund_updated_succeeded_1"],
    event_id: "evt_3ThBackGone00001",
    booked: &[("payment", 4_200), ("refund", -1_500)],
};
const BY_THE_API: Owed =
    Owed { samples: &["thin_refund_updated"], event_id: "evt_65ThThinRefund01", booked: &[("refund", -1_500)] };

/// A database in this process, with the owed event in it, and the API.
struct Deployment {
    owed: &'static Owed,
    database: database::Database,
    store: Store,
    receiver: Receiver,
    api: TestApi,
}

/// How a worker's process ended.
#[derive(Debug, PartialEq)]
enum Ended {
    ByItself,
    /// Killed, where it said it was.
    Killed(String),
}

fn deadline() -> UnixMs {
    SystemClock.now().plus_ms(60_000)
}

impl Deployment {
    async fn start(owed: &'static Owed) -> Self {
        let database = database::Database::start(None, 0).await.unwrap();
        let client = database::client(database.address());
        let tables = tables::create(&client).await.unwrap();
        let store = Store::new(client, tables, Arc::new(SystemClock));
        let receiver = Receiver {
            provider: Arc::new(Stripe),
            keys: hookledger::keys::Keys::fixed(KeySet::parse(SECRET).unwrap()),
            certificates: hookledger::certificates::Certificates::default(),
            mode: Mode::Live,
            store: store.clone(),
            gate: Gate::new(0),
            metrics: Metrics::new(|_| {}),
            outbox: hookledger::outbox::Outbox::default(),
            clock: Arc::new(SystemClock),
        };
        let api = TestApi::start().await;
        let object = |name| {
            let event: Value = serde_json::from_slice(&sample("stripe", name)).unwrap();
            event["data"]["object"].clone()
        };
        let mut refund = object("refund_updated_succeeded_1");
        refund["charge"] = object("charge_succeeded");
        api.answer_with(&refund);
        let deployment = Self { owed, database, store, receiver, api };
        deployment.deliver().await;
        assert_eq!(deployment.claim().await.state, State::Received);
        deployment
    }

    /// Everything once more.
    async fn deliver(&self) {
        for name in self.owed.samples {
            let body = sample("stripe", name);
            let headers = Stripe.sign(&body, self.receiver.keys.held().first().unwrap(), SystemClock.now());
            let request = UnverifiedRequest {
                method: "POST".to_owned(),
                path: "/webhooks/stripe".to_owned(),
                query: String::new(),
                headers: Headers::new(headers),
                body: body.into(),
            };
            assert_eq!(self.receiver.receive(request, deadline()).await.reply.status, 200, "{name}");
        }
    }

    fn key(&self) -> ClaimKey {
        ClaimKey::new("stripe", "", self.owed.event_id)
    }

    async fn claim(&self) -> hookledger::items::ClaimRow {
        self.store.claim(&self.key(), deadline()).await.unwrap().unwrap()
    }

    /// Starts a worker's process.
    fn spawn(&self, ahead_ms: u64, mode: &str, stop: Option<usize>) -> Child {
        Command::new(env!("CARGO_BIN_EXE_step_worker"))
            .args([&self.database.address().to_string(), self.api.url(), &ahead_ms.to_string(), mode])
            .arg(stop.map_or("-".to_owned(), |stop| stop.to_string()))
            .env("RUST_LOG", "error")
            .stdout(Stdio::piped())
            .stderr(Stdio::inherit())
            .kill_on_drop(true)
            .spawn()
            .unwrap()
    }

    /// Runs one until it ends by itself, or stands at its point and is killed there.
    async fn run(&self, ahead_ms: u64, mode: &str, stop: Option<usize>) -> Ended {
        let mut child = self.spawn(ahead_ms, mode, stop);
        let mut lines = BufReader::new(child.stdout.take().unwrap()).lines();
        let line = timeout(Duration::from_secs(120), lines.next_line()).await.expect("it neither ends nor stops");
        match line.unwrap() {
            Some(line) => {
                kill(&mut child).await;
                Ended::Killed(line.strip_prefix(STOPPED).unwrap().trim().to_owned())
            }
            None => {
                assert!(child.wait().await.unwrap().success());
                Ended::ByItself
            }
        }
    }

    /// All that is to hold once nothing is owed any more.
    async fn check(&self, what: &str) {
        let story = self.store.story(&self.key(), deadline()).await.unwrap();
        let claim = story.claim.unwrap();
        assert_eq!((claim.state, claim.entries.len(), story.kept), (State::Done, 1, None), "{what}");
        let page = self.store.entries(None, deadline()).await.unwrap();
        let mut booked: Vec<_> = page.rows.iter().map(|row| (row.kind.name(), row.held.amount_minor)).collect();
        booked.sort_unstable();
        assert_eq!(booked, self.owed.booked, "{what}");
        assert!(page.rows.iter().all(|row| row.account_id.as_deref() == Some("cus_TkMiraHolt001")), "{what}");
        for shelf in [Shelf::Open, Shelf::Parked] {
            for shard in 0..SHARDS {
                let rows = self.store.shard(shelf, shard, 1, deadline()).await.unwrap().rows;
                assert_eq!(rows, [], "{what}");
            }
        }
        // These events tell nobody. Of one that does: each of its messages at least once, always under the same key.
        assert_eq!(story.messages, Vec::<String>::new(), "{what}");
        self.deliver().await;
        assert_eq!(self.run(10 * LEASE_OVER_MS, "redrive", None).await, Ended::ByItself, "{what}");
        assert_eq!(self.claim().await, claim, "{what}: done does not change");
        assert_eq!(self.store.entries(None, deadline()).await.unwrap().rows, page.rows, "{what}");
    }
}

/// SIGKILL.
async fn kill(child: &mut Child) {
    child.start_kill().unwrap();
    assert!(!child.wait().await.unwrap().success());
}

/// Kills the first worker at every point. Says where that was.
async fn killed_at_every_point(owed: &'static Owed) -> Vec<String> {
    let mut points = Vec::new();
    loop {
        let deployment = Deployment::start(owed).await;
        let ended = deployment.run(0, "work", Some(points.len())).await;
        if ended == Ended::ByItself {
            deployment.check("it was not killed").await;
            return points;
        }
        let what = format!("{ended:?}, point {}", points.len());
        assert_eq!(deployment.run(LEASE_OVER_MS, "redrive", None).await, Ended::ByItself, "{what}");
        deployment.check(&what).await;
        let Ended::Killed(point) = ended else { unreachable!("it was killed") };
        points.push(point);
    }
}

/// Both points of each of these calls.
fn around(calls: &[&str]) -> Vec<String> {
    calls.iter().flat_map(|call| ["before", "after"].map(|when| format!("{when} {call}"))).collect()
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_refund_by_its_parent() {
    let points = killed_at_every_point(&BY_ITS_PARENT).await;
    assert_eq!(points, around(&["UpdateItem", "Query", "GetItem", "TransactWriteItems"]));
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_refund_by_the_api() {
    let points = killed_at_every_point(&BY_THE_API).await;
    // Before the last one the API has answered; after the one before it has not been asked.
    assert_eq!(points, around(&["UpdateItem", "Query", "TransactWriteItems"]));
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn while_the_api_is_asked() {
    let deployment = Deployment::start(&BY_THE_API).await;
    let again = deployment.api.answering();
    deployment.api.answer(ApiAnswer::Silence);
    let mut child = deployment.spawn(0, "work", None);
    timeout(Duration::from_secs(120), deployment.api.came()).await.expect("it asks the API");
    kill(&mut child).await;
    assert_eq!(deployment.claim().await.state, State::Processing);
    deployment.api.answer(again);
    assert_eq!(deployment.run(0, "redrive", None).await, Ended::ByItself);
    assert_eq!(deployment.claim().await.attempt, 1, "the lease is not over");
    assert_eq!(deployment.run(LEASE_OVER_MS, "redrive", None).await, Ended::ByItself);
    deployment.check("killed while the API was asked").await;
}

/// The first worker dies after its lease; the one that re-drives dies at every point as well, its kick included.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn and_again_while_it_is_redriven() {
    let mut points = Vec::new();
    loop {
        let deployment = Deployment::start(&BY_THE_API).await;
        let first = deployment.run(0, "work", Some(1)).await;
        assert_eq!(first, Ended::Killed("after UpdateItem".to_owned()));
        let ended = deployment.run(LEASE_OVER_MS, "redrive", Some(points.len())).await;
        let what = format!("re-driven: {ended:?}");
        let Ended::Killed(point) = ended else {
            deployment.check(&what).await;
            break;
        };
        assert_eq!(deployment.run(2 * LEASE_OVER_MS, "redrive", None).await, Ended::ByItself, "{what}");
        deployment.check(&what).await;
        points.push(point);
    }
    assert_eq!(points, around(&["TransactWriteItems", "UpdateItem", "Query", "TransactWriteItems"]));
}
