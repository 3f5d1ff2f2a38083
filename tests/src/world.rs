//! One deployment in this process.

use std::collections::BTreeMap;
use std::sync::Arc;

use aws_config::{BehaviorVersion, Region, SdkConfig};
use aws_sdk_dynamodb::Client;
use aws_sdk_dynamodb::config::retry::RetryPartition;
use aws_sdk_dynamodb::config::{Credentials, SharedCredentialsProvider};
use dynoxide::Database;
use hookledger::certificates::Certificates;
use hookledger::claim::ClaimKey;
use hookledger::gate::Gate;
use hookledger::items::{ClaimRow, EntryRow, Tables};
use hookledger::keys::Keys;
use hookledger::provider::{Mode, Provider};
use hookledger::receive::{Answer, Receiver};
use hookledger::request::{Headers, KeySet, UnverifiedRequest};
use hookledger::store::{Store, Story, Tuning};
use hookledger::time::{Clock as _, UnixMs};
use tokio::net::TcpListener;
use tokio::task::JoinHandle;

use crate::clock::ManualClock;
use crate::metrics::MetricLog;
use crate::provider::{TestProvider, profile};
use crate::wire::Wire;

/// The secret a world's provider signs with, unless others are given.
pub const SECRET: &str = "whsec_made_up_for_tests";

/// The time in a new world: the signature vectors' and sample events' day.
pub const NOW: UnixMs = UnixMs::new(1_796_065_558_000);

/// How long an invocation lasts.
const INVOCATION_MS: u64 = 30_000;

/// What a world is made of.
pub struct Builder {
    provider: Arc<dyn Provider>,
    mode: Mode,
    gate_bytes: usize,
    secrets: String,
    tuning: Tuning,
    contention: bool,
}

/// A deployment: database, tables, one receiver, and the wire between them.
pub struct World {
    /// Receives the deliveries. Its store is behind the wire.
    pub receiver: Arc<Receiver>,
    /// Between the receiver's store and the database.
    pub wire: Wire,
    /// The time.
    pub clock: ManualClock,
    /// What was measured.
    pub metrics: MetricLog,
    /// Sees the database directly: no faults, not counted.
    pub eyes: Store,
    /// A client that sees the database directly, for what the product never asks.
    pub client: Client,
    /// The tables.
    pub tables: Tables,
    parts: Parts,
    database: Database,
    server: JoinHandle<()>,
}

/// What further receivers are made of.
struct Parts {
    mode: Mode,
    gate_bytes: usize,
    keys: KeySet,
}

impl Default for Builder {
    fn default() -> Self {
        Self {
            provider: Arc::new(TestProvider::new(profile())),
            mode: Mode::Live,
            gate_bytes: 0,
            secrets: SECRET.to_owned(),
            tuning: Tuning { connect_ms: 1_000, attempt_ms: 5_000, attempts: 3, backoff_ms: 1 },
            contention: false,
        }
    }
}

impl Builder {
    /// The provider; a [`TestProvider`] if not given.
    pub fn provider(self, provider: impl Provider) -> Self {
        self.shared_provider(Arc::new(provider))
    }

    /// The provider, of which the test keeps a handle.
    pub fn shared_provider(self, provider: Arc<dyn Provider>) -> Self {
        Self { provider, ..self }
    }

    /// Live if not given.
    pub fn mode(self, mode: Mode) -> Self {
        Self { mode, ..self }
    }

    /// The gate's size; off if not given, so that every delivery asks the store.
    pub fn gate_bytes(self, gate_bytes: usize) -> Self {
        Self { gate_bytes, ..self }
    }

    /// A list as in the configuration. The first one signs.
    pub fn secrets(self, secrets: &str) -> Self {
        Self { secrets: secrets.to_owned(), ..self }
    }

    /// Patience of the SDK. Hanging calls need a short attempt.
    pub fn tuning(self, tuning: Tuning) -> Self {
        Self { tuning, ..self }
    }

    /// A single attempt for each call, so that a fault is the answer.
    pub fn no_retries(self) -> Self {
        let tuning = Tuning { attempts: 1, ..self.tuning };
        self.tuning(tuning)
    }

    /// Overlapping transactions conflict, as in the real service.
    pub fn contention(self) -> Self {
        Self { contention: true, ..self }
    }

    /// Makes it.
    pub async fn build(self) -> World {
        let clock = ManualClock::new(NOW);
        let database = Database::memory_with_clock(clock.of_database()).unwrap();
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let endpoint = format!("http://{}", listener.local_addr().unwrap());
        let server = tokio::spawn(dynoxide::server::serve_on(listener, database.clone()));
        let wire = Wire::new(self.contention);
        let client = direct(&endpoint);
        let tables = hookledger_local::tables::create(&client).await.unwrap();
        let store = Store::new(wired(&endpoint, &wire, self.tuning), tables.clone(), Arc::new(clock.clone()));
        let eyes = Store::new(client.clone(), tables.clone(), Arc::new(clock.clone()));
        let metrics = MetricLog::default();
        let keys = KeySet::parse(&self.secrets).unwrap();
        let parts = Parts { mode: self.mode, gate_bytes: self.gate_bytes, keys };
        let receiver = Arc::new(parts.receiver(self.provider, store, &metrics, &clock));
        World { receiver, wire, clock, metrics, eyes, client, tables, parts, database, server }
    }
}

impl Parts {
    fn receiver(
        &self,
        provider: Arc<dyn Provider>,
        store: Store,
        metrics: &MetricLog,
        clock: &ManualClock,
    ) -> Receiver {
        Receiver {
            provider,
            keys: Keys::fixed(self.keys.clone()),
            certificates: Certificates::default(),
            mode: self.mode,
            store,
            gate: Gate::new(self.gate_bytes),
            metrics: metrics.sink(),
            outbox: hookledger::outbox::Outbox::default(),
            clock: Arc::new(clock.clone()),
        }
    }
}

/// The product's own client configuration, on the wire. Its bucket of retries is its own: the default one is shared by
/// the whole process, and other tests would empty it.
fn wired(endpoint: &str, wire: &Wire, tuning: Tuning) -> Client {
    let client = tuning.client(&sdk(endpoint).into_builder().http_client(wire.clone()).build());
    let own = RetryPartition::custom("world").build();
    Client::from_conf(client.config().to_builder().retry_partition(own).build())
}

fn direct(endpoint: &str) -> Client {
    let http = aws_smithy_http_client::Builder::new().build_http();
    Client::new(&sdk(endpoint).into_builder().http_client(http).build())
}

fn sdk(endpoint: &str) -> SdkConfig {
    let credentials = Credentials::new("made-up", "made-up", None, None, "tests");
    SdkConfig::builder()
        .behavior_version(BehaviorVersion::v2026_01_12())
        .region(Region::from_static("eu-central-1"))
        .endpoint_url(endpoint)
        .credentials_provider(SharedCredentialsProvider::new(credentials))
        .build()
}

impl World {
    /// A world of the [`TestProvider`], gate off, no contention.
    pub async fn new() -> Self {
        Builder::default().build().await
    }

    /// The same with Stripe.
    pub async fn stripe() -> Self {
        Builder::default().provider(hookledger_stripe::Stripe).build().await
    }

    /// The same with GoCardless.
    pub async fn gocardless() -> Self {
        Builder::default().provider(hookledger_gocardless::GoCardless).build().await
    }

    /// The same with GitHub.
    pub async fn github() -> Self {
        Builder::default().provider(hookledger_github::GitHub).build().await
    }

    /// To make another one.
    pub fn builder() -> Builder {
        Builder::default()
    }

    /// Another process of the same deployment: its own memory, the same tables, wire, metrics and time.
    pub fn process(&self) -> Arc<Receiver> {
        let Receiver { provider, store, .. } = self.receiver.as_ref();
        Arc::new(self.parts.receiver(Arc::clone(provider), store.clone(), &self.metrics, &self.clock))
    }

    /// A request with this body as the provider would send it now.
    pub fn request(&self, body: impl AsRef<[u8]>) -> UnverifiedRequest {
        self.request_signed_at(body, self.now())
    }

    /// The same, signed at another time.
    pub fn request_signed_at(&self, body: impl AsRef<[u8]>, at: UnixMs) -> UnverifiedRequest {
        let provider = &self.receiver.provider;
        let keys = self.receiver.keys.held();
        let secret = keys.first().unwrap();
        let body = provider.seal(body.as_ref(), secret);
        UnverifiedRequest {
            method: "POST".to_owned(),
            path: format!("/webhooks/{}", provider.profile().name),
            query: String::new(),
            headers: Headers::new(provider.sign(&body, secret, at)),
            body: body.into(),
        }
    }

    /// Delivers a body, signed now.
    pub async fn deliver(&self, body: impl AsRef<[u8]>) -> Answer {
        self.receive(self.request(body)).await
    }

    /// Delivers a body that was signed at another time.
    pub async fn deliver_signed_at(&self, body: impl AsRef<[u8]>, at: UnixMs) -> Answer {
        self.receive(self.request_signed_at(body, at)).await
    }

    /// Delivers a request as it stands.
    pub async fn receive(&self, request: UnverifiedRequest) -> Answer {
        self.receiver.receive(request, self.now().plus_ms(INVOCATION_MS)).await
    }

    /// The claim's key of an event without scope.
    pub fn key(&self, event_id: &str) -> ClaimKey {
        ClaimKey::new(self.receiver.provider.profile().name, "", event_id)
    }

    /// Every entry, by movement and kind.
    pub async fn ledger(&self) -> Vec<EntryRow> {
        let mut rows = Vec::new();
        let mut from = None;
        loop {
            let page = self.eyes.entries(from, self.deadline()).await.unwrap();
            rows.extend(page.rows);
            from = page.next;
            if from.is_none() {
                rows.sort_by(|a, b| (&a.movement, a.kind).cmp(&(&b.movement, b.kind)));
                return rows;
            }
        }
    }

    /// The ledger in short: movement, kind and amount.
    pub async fn booked(&self) -> Vec<(String, &'static str, i64)> {
        let short = |row: EntryRow| (row.movement.as_str().to_owned(), row.kind.name(), row.held.amount_minor);
        self.ledger().await.into_iter().map(short).collect()
    }

    /// Every claim, by key.
    pub async fn claims(&self) -> Vec<ClaimRow> {
        let mut rows = Vec::new();
        let mut from = None;
        loop {
            let page = self.eyes.claims(from, self.deadline()).await.unwrap();
            rows.extend(page.rows);
            from = page.next;
            if from.is_none() {
                rows.sort_by(|a, b| a.key.cmp(&b.key));
                return rows;
            }
        }
    }

    /// The claim of an event without scope.
    pub async fn claim(&self, event_id: &str) -> Option<ClaimRow> {
        self.eyes.claim(&self.key(event_id), self.deadline()).await.unwrap()
    }

    /// Everything about an event.
    pub async fn story(&self, key: &ClaimKey) -> Story {
        self.eyes.story(key, self.deadline()).await.unwrap()
    }

    /// How many calls the product made.
    pub fn calls(&self) -> usize {
        self.wire.count()
    }

    /// The time.
    pub fn now(&self) -> UnixMs {
        self.clock.now()
    }

    /// Sets the time.
    pub fn set_now(&self, now: UnixMs) {
        self.clock.set(now);
    }

    /// Moves the time on.
    pub fn advance_s(&self, s: u64) {
        self.clock.advance_ms(s * 1_000);
    }

    /// The database itself, for rows in bulk and for its streams.
    pub fn database(&self) -> &Database {
        &self.database
    }

    /// Deletes what is past its TTL, and says how many rows that were.
    pub fn sweep_ttl(&self) -> usize {
        self.database.sweep_ttl().unwrap()
    }

    /// A deadline that is far off.
    pub fn deadline(&self) -> UnixMs {
        self.now().plus_ms(INVOCATION_MS)
    }
}

impl Drop for World {
    fn drop(&mut self) {
        self.server.abort();
    }
}

/// The value of a header of an answer.
pub fn header<'a>(answer: &'a Answer, name: &str) -> Option<&'a str> {
    answer.headers.iter().find(|(key, _)| *key == name).map(|(_, value)| value.as_str())
}

/// A sample event by provider and file name without extension.
pub fn sample(provider: &str, name: &str) -> Vec<u8> {
    let path = format!("{}/../events/{provider}/{name}.json", env!("CARGO_MANIFEST_DIR"));
    std::fs::read(&path).unwrap_or_else(|error| panic!("{path}: {error}"))
}

/// Every sample event of a provider, by file name without extension.
pub fn samples(provider: &str) -> BTreeMap<String, Vec<u8>> {
    let folder = format!("{}/../events/{provider}", env!("CARGO_MANIFEST_DIR"));
    let read = |path: std::path::PathBuf| {
        let name = path.file_stem().unwrap().to_str().unwrap().to_owned();
        (name, std::fs::read(path).unwrap())
    };
    let files = std::fs::read_dir(folder);
    let files = files.unwrap_or_else(|error| panic!("events/{provider}: {error}: give at least four samples"));
    files.map(|file| read(file.unwrap().path())).collect()
}
