//! The whole process killed in the middle of a storm, and started again on the same data: exactly once, nothing that
//! was acknowledged is missing.

use std::collections::BTreeSet;
use std::net::SocketAddr;
use std::path::PathBuf;
use std::process::Stdio;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};

use futures_util::future::join_all;
use hookledger::claim::{ClaimKey, State};
use hookledger::provider::Provider as _;
use hookledger::request::Secret;
use hookledger::runtime::SystemClock;
use hookledger::store::Store;
use hookledger::time::Clock as _;
use hookledger_local::{database, tables};
use hookledger_stripe::Stripe;
use hookledger_tests::sample;
use tokio::io::{AsyncBufReadExt as _, AsyncReadExt as _, AsyncWriteExt as _, BufReader};
use tokio::net::TcpStream;
use tokio::process::{Child, Command};
use tokio::sync::Notify;

const EVENTS: usize = 200;
const SENDERS: usize = 8;
const ROUNDS: u64 = 4;

/// A running stack. It is killed when this is dropped.
struct Running {
    child: Child,
    http: SocketAddr,
    store: Store,
}

impl Running {
    async fn start(data: &PathBuf) -> Self {
        let mut child = Command::new(env!("CARGO_BIN_EXE_stack"))
            .args(["--port", "0", "--dynamodb-port", "0", "--data"])
            .arg(data)
            .env_clear()
            .envs(std::env::vars().filter(|(name, _)| !name.starts_with("HOOKLEDGER_")))
            .env("RUST_LOG", "error")
            .stdout(Stdio::piped())
            .stderr(Stdio::inherit())
            .kill_on_drop(true)
            .spawn()
            .unwrap();
        let mut lines = BufReader::new(child.stdout.take().unwrap()).lines();
        let (mut http, mut dynamodb) = (None, None);
        while http.is_none() || dynamodb.is_none() {
            let line = lines.next_line().await.unwrap().expect("the stack did not start");
            let address = |line: &str| {
                let (_, rest) = line.split_once("http://").unwrap();
                rest.split(['/', ' ']).next().unwrap().parse::<SocketAddr>().unwrap()
            };
            match line.trim_start() {
                line if line.starts_with("webhooks") => http = Some(address(line)),
                line if line.starts_with("DynamoDB") => dynamodb = Some(address(line)),
                _ => {}
            }
        }
        // Nobody may block on a pipe that is not read.
        tokio::spawn(async move { while let Ok(Some(_)) = lines.next_line().await {} });
        let client = database::client(dynamodb.unwrap());
        let store = Store::new(client, tables::names().unwrap(), Arc::new(SystemClock));
        Self { child, http: http.unwrap(), store }
    }

    /// SIGKILL.
    async fn kill(&mut self) {
        self.child.start_kill().unwrap();
        let status = self.child.wait().await.unwrap();
        assert!(!status.success());
    }
}

/// Sends one signed body; `None`: no whole answer came.
async fn send(http: SocketAddr, body: &[u8]) -> Option<u16> {
    let headers = Stripe.sign(body, &Secret::new(Stripe.development_secret()), SystemClock.now());
    let mut stream = TcpStream::connect(http).await.ok()?;
    let head = format!(
        "POST /webhooks/stripe HTTP/1.1\r\nhost: {http}\r\nconnection: close\r\ncontent-type: application/json\r\n\
         content-length: {}\r\n{}: {}\r\n\r\n",
        body.len(),
        headers[0].0,
        headers[0].1
    );
    stream.write_all(head.as_bytes()).await.ok()?;
    stream.write_all(body).await.ok()?;
    let mut answer = String::new();
    stream.read_to_string(&mut answer).await.ok()?;
    answer.strip_prefix("HTTP/1.1 ")?.get(..3)?.parse().ok()
}

/// The events of a round: id and body.
fn events(round: u64) -> Vec<(String, Vec<u8>)> {
    let charge = sample("stripe", "charge_succeeded");
    let fresh = |at| {
        let tag = format!("r{round}e{at}");
        (format!("evt_3ThGuitarPaid001_{tag}"), Stripe.refresh(&charge, &tag))
    };
    (0..EVENTS).map(fresh).collect()
}

/// Eight senders, each event thrice over all; kills the stack once `kill_after` answers were counted.
async fn storm(stack: &mut Running, events: &[(String, Vec<u8>)], kill_after: usize) -> BTreeSet<String> {
    let (answers, enough) = (Arc::new(AtomicUsize::new(0)), Arc::new(Notify::new()));
    let acknowledged = Arc::new(Mutex::new(BTreeSet::new()));
    let events: Arc<Vec<_>> = Arc::new(events.to_vec());
    let senders: Vec<_> = (0..SENDERS)
        .map(|sender| {
            let (events, answers, enough) = (events.clone(), answers.clone(), enough.clone());
            let (acknowledged, http) = (acknowledged.clone(), stack.http);
            tokio::spawn(async move {
                // Neighbours send the same events at about the same time.
                let mine = (0..EVENTS * 3 / SENDERS).map(|step| (step * 3 + sender / 3 * 25 + sender % 3) % EVENTS);
                for at in mine {
                    let (id, body) = &events[at];
                    if send(http, body).await.is_some_and(|status| status == 200) {
                        acknowledged.lock().unwrap().insert(id.clone());
                    }
                    if answers.fetch_add(1, Ordering::SeqCst) + 1 == kill_after {
                        enough.notify_one();
                    }
                }
            })
        })
        .collect();
    enough.notified().await;
    stack.kill().await;
    join_all(senders).await;
    Arc::into_inner(acknowledged).unwrap().into_inner().unwrap()
}

async fn is_booked(store: &Store, event_id: &str) -> bool {
    let deadline = SystemClock.now().plus_ms(20_000);
    let claim = store.claim(&ClaimKey::new("stripe", "", event_id), deadline).await.unwrap();
    match claim {
        Some(row) => {
            assert_eq!((row.state, row.entries.len()), (State::Done, 1));
            let booked = &row.entries[0];
            store.entry(&booked.movement, booked.kind, deadline).await.unwrap().is_some()
        }
        None => false,
    }
}

async fn ledger_rows(store: &Store) -> usize {
    let (mut rows, mut from) = (0, None);
    loop {
        let page = store.entries(from, SystemClock.now().plus_ms(20_000)).await.unwrap();
        rows += page.rows.len();
        from = page.next;
        if from.is_none() {
            return rows;
        }
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_stack_killed_in_a_storm_has_lost_nothing_and_books_nothing_twice() {
    let data = std::env::temp_dir().join(format!("hookledger-killed-{}", std::process::id()));
    let mut seed: u64 = 20_261_130;
    let mut acknowledged_at_all = 0;
    for round in 0..ROUNDS {
        seed = seed.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        let kill_after = 20 + usize::try_from(seed >> 40).unwrap() % (EVENTS * 2);
        let events = events(round);
        let mut stack = Running::start(&data).await;
        let acknowledged = storm(&mut stack, &events, kill_after).await;
        acknowledged_at_all += acknowledged.len();
        let mut stack = Running::start(&data).await;
        for id in &acknowledged {
            assert!(is_booked(&stack.store, id).await, "round {round}: {id} was acknowledged and is gone");
        }
        for (_, body) in &events {
            assert_eq!(send(stack.http, body).await, Some(200));
        }
        for (id, _) in &events {
            assert!(is_booked(&stack.store, id).await, "round {round}: {id}");
        }
        assert_eq!(ledger_rows(&stack.store).await, EVENTS * usize::try_from(round + 1).unwrap());
        // Waited for: its data directory is free then.
        stack.kill().await;
    }
    assert!(acknowledged_at_all > 50, "{acknowledged_at_all}");
    std::fs::remove_dir_all(data).unwrap();
}
