//! The store against any DynamoDB: the embedded one, or the endpoint in `TEST_DYNAMODB`.

mod basics;
mod limits;
mod owed;

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use aws_config::{BehaviorVersion, Region, SdkConfig};
use aws_sdk_dynamodb::Client;
use aws_sdk_dynamodb::config::{Credentials, SharedCredentialsProvider};
use aws_sdk_dynamodb::types::TimeToLiveSpecification;
use bytes::Bytes;
use hookledger::certificates::Certificates;
use hookledger::claim::ClaimKey;
use hookledger::gate::Gate;
use hookledger::items::{ClaimRow, EntryRow, Tables};
use hookledger::keys::Keys;
use hookledger::provider::{Mode, Provider as _};
use hookledger::receive::{Answer, Receiver};
use hookledger::request::{Headers, KeySet, UnverifiedRequest};
use hookledger::store::{Store, Story, Tuning};
use hookledger::time::{Clock as _, UnixMs};
use hookledger_local::database::{self, Database};
use hookledger_local::tables::definition;
use hookledger_tests::{Fact, ManualClock, MetricLog, NOW, SECRET, TestProvider, profile};

const ENDPOINT: &str = "TEST_DYNAMODB";

/// Tables of a test's own, and a receiver on them.
struct Place {
    client: Client,
    tables: Tables,
    provider: Arc<TestProvider>,
    receiver: Receiver,
    clock: ManualClock,
    metrics: MetricLog,
    /// Kept running, where it is ours.
    _database: Option<Database>,
}

impl Place {
    async fn new() -> Self {
        let (client, database) = match std::env::var(ENDPOINT) {
            Ok(endpoint) => (client(&endpoint), None),
            Err(_) => {
                let database = Database::start(None, 0).await.unwrap();
                (database::client(database.address()), Some(database))
            }
        };
        let tables = create(&client).await;
        let (provider, clock) = (Arc::new(TestProvider::new(profile())), ManualClock::new(NOW));
        let metrics = MetricLog::default();
        let receiver = Receiver {
            provider: provider.clone(),
            keys: Keys::fixed(KeySet::parse(SECRET).unwrap()),
            certificates: Certificates::default(),
            mode: Mode::Live,
            store: Store::new(client.clone(), tables.clone(), Arc::new(clock.clone())),
            gate: Gate::new(0),
            metrics: metrics.sink(),
            outbox: hookledger::outbox::Outbox::default(),
            clock: Arc::new(clock.clone()),
        };
        Self { client, tables, provider, receiver, clock, metrics, _database: database }
    }

    async fn deliver(&self, fact: &Fact) -> Answer {
        self.deliver_bytes(&fact.body()).await
    }

    async fn deliver_bytes(&self, body: &[u8]) -> Answer {
        let request = UnverifiedRequest {
            method: "POST".to_owned(),
            path: "/webhooks/test".to_owned(),
            query: String::new(),
            headers: Headers::new(self.provider.sign(body, self.receiver.keys.held().first().unwrap(), NOW)),
            body: Bytes::copy_from_slice(body),
        };
        self.receiver.receive(request, self.deadline()).await
    }

    fn store(&self) -> &Store {
        &self.receiver.store
    }

    fn deadline(&self) -> UnixMs {
        self.clock.now().plus_ms(30_000)
    }

    async fn claim(&self, event_id: &str) -> Option<ClaimRow> {
        self.store().claim(&key(event_id), self.deadline()).await.unwrap()
    }

    async fn story(&self, event_id: &str) -> Story {
        self.store().story(&key(event_id), self.deadline()).await.unwrap()
    }

    /// Movement, kind and amount of every entry.
    async fn booked(&self) -> Vec<(String, &'static str, i64)> {
        let page = self.store().entries(None, self.deadline()).await.unwrap();
        let short = |row: &EntryRow| (row.movement.as_str().to_owned(), row.kind.name(), row.held.amount_minor);
        let mut booked: Vec<_> = page.rows.iter().map(short).collect();
        booked.sort();
        booked
    }
}

fn key(event_id: &str) -> ClaimKey {
    ClaimKey::new("test", "", event_id)
}

fn client(endpoint: &str) -> Client {
    let credentials = Credentials::new("test", "test", None, None, "tests");
    let sdk = SdkConfig::builder()
        .behavior_version(BehaviorVersion::v2026_01_12())
        .region(Region::from_static("us-east-1"))
        .credentials_provider(SharedCredentialsProvider::new(credentials))
        .endpoint_url(endpoint)
        .http_client(aws_smithy_http_client::Builder::new().build_http())
        .build();
    Tuning { attempt_ms: 20_000, ..Tuning::default() }.client(&sdk)
}

/// The template's tables under names that no other test has.
async fn create(client: &Client) -> Tables {
    static COUNT: AtomicUsize = AtomicUsize::new(0);
    let tag = format!("{}-{}", std::process::id(), COUNT.fetch_add(1, Ordering::SeqCst));
    let mut names = Vec::new();
    for logical_id in ["ClaimsTable", "LedgerTable"] {
        let definition = definition(logical_id).unwrap();
        let name = format!("{}-{tag}", definition.table_name);
        definition.create.clone().table_name(&name).send_with(client).await.unwrap();
        if let Some(attribute) = &definition.ttl_attribute {
            let ttl = TimeToLiveSpecification::builder().enabled(true).attribute_name(attribute).build().unwrap();
            client.update_time_to_live().table_name(&name).time_to_live_specification(ttl).send().await.unwrap();
        }
        names.push(name);
    }
    let ledger = names.pop().unwrap();
    Tables { claims: names.pop().unwrap(), ledger }
}
