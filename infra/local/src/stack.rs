//! The stack: database, tables, a handler for each provider, and the HTTP front before them.

use std::net::SocketAddr;
use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

use aws_config::SdkConfig;
use hookledger::audit::{self, Audit};
use hookledger::certificates::Certificates;
use hookledger::gate::Gate;
use hookledger::items::Tables;
use hookledger::keys::Keys;
use hookledger::metrics::Metrics;
use hookledger::outbox::Target;
use hookledger::receive::Receiver;
use hookledger::runtime::{AuditHandler, Handler, StreamHandler, SystemClock};
use hookledger::sinks::Sinks;
use hookledger::store::{self, Store};
use hookledger::stuck::{Limits, Watch};
use hookledger::work::{Fetcher, Worker};
use ring::rand::SystemRandom;
use tokio::sync::watch;
use tokio::task::JoinHandle;
use tokio::time::timeout;

use crate::commands::Commands;
use crate::database::{self, Database, listen, until};
use crate::front::Front;
use crate::page::Page;
use crate::schedule;
use crate::settings::{Received, Settings};
use crate::tally::Tally;
use crate::{owed, registry, tables};

/// How long running requests are waited for at the end.
const STOP_WITHIN: Duration = Duration::from_secs(5);

/// As the schedule of a deployment, only that here a person is watching.
const SCHEDULE_EVERY: Duration = Duration::from_secs(15);

/// Into how many segments the scan of the audit is cut: a deployment's would take an hour each.
const AUDIT_SEGMENTS: u32 = 4;

/// What to start.
#[derive(Clone)]
pub struct Options {
    /// HTTP on 127.0.0.1; 0 picks a free port.
    pub port: u16,
    /// DynamoDB on 127.0.0.1; 0 picks a free port.
    pub dynamodb_port: u16,
    /// Where the tables are kept; `None`: in memory.
    pub data: Option<PathBuf>,
    /// Secrets and mode.
    pub settings: Settings,
    /// How often the watch over open work runs.
    pub schedule_every: Duration,
}

impl Options {
    /// In memory, on ports that are free, without a schedule.
    pub fn on_free_ports(settings: Settings) -> Self {
        Self { port: 0, dynamodb_port: 0, data: None, settings, schedule_every: SCHEDULE_EVERY }
    }
}

/// A running stack.
pub struct Stack {
    http_address: SocketAddr,
    tables: Tables,
    database: Database,
    commands: Commands,
    stop: watch::Sender<bool>,
    server: JoinHandle<()>,
    owed: Vec<JoinHandle<()>>,
}

/// Why the stack did not start.
#[derive(Debug, thiserror::Error)]
pub enum StartError {
    /// A port cannot be had.
    #[error("127.0.0.1:{port} cannot be used ({error}): choose another port with {flag}")]
    Port {
        /// The port.
        port: u16,
        /// The flag that chooses another one.
        flag: &'static str,
        /// What the system said.
        error: std::io::Error,
    },
    /// The data directory cannot be used.
    #[error("data directory {} cannot be used: {problem}", directory.display())]
    Data {
        /// The directory.
        directory: PathBuf,
        /// What is wrong with it.
        problem: String,
    },
    /// The embedded database did not open.
    #[error("the embedded database does not open: {0}")]
    Database(String),
    /// The tables could not be created.
    #[error(transparent)]
    Tables(#[from] tables::TablesError),
}

impl Stack {
    /// Starts everything; when it returns, requests are answered.
    pub async fn start(options: Options) -> Result<Self, StartError> {
        let Options { port, dynamodb_port, data, settings, schedule_every } = options;
        let listener = listen(port, "--port").await?;
        let http_address = listener.local_addr().map_err(|error| StartError::Port { port, flag: "--port", error })?;
        let database = Database::start(data.as_deref(), dynamodb_port).await?;
        let client = database::client(database.address());
        let tables = tables::create(&client).await?;
        let store = Store::new(client, tables.clone(), Arc::new(SystemClock));
        let tally = Tally::default();
        let handlers = settings.received.iter().map(|received| {
            let handler = Handler::new(Arc::new(receiver(received, &settings, store.clone(), tally.metrics())));
            (received.provider.profile().name, handler)
        });
        let watch_over = watch_over(store.clone(), settings.limits);
        let commands = Commands::new(http_address.port(), database.address().port());
        let page = Page::new(http_address, watch_over.clone(), tally.clone(), commands.clone());
        let front = Front::new(handlers.collect(), database.address(), page);
        let (stop, stopped) = watch::channel(false);
        let audit = audit(store.clone(), schedule_every);
        let auditor = AuditHandler::new(Arc::new(audit.clone()));
        let worker = StreamHandler::new(Arc::new(worker(&settings, store, tally.metrics()).await));
        let pump = owed::pump(database.inside(), tables.claims.clone(), worker, stopped.clone());
        let schedule = schedule::run(watch_over, schedule_every, stopped.clone());
        let audit_pump = owed::pump(database.inside(), tables.ledger.clone(), auditor, stopped.clone());
        let audit_schedule = schedule::run(audit, schedule_every, stopped.clone());
        let owed =
            vec![tokio::spawn(pump), tokio::spawn(schedule), tokio::spawn(audit_pump), tokio::spawn(audit_schedule)];
        let server = tokio::spawn(front.serve(listener, until(stopped)));
        Ok(Self { http_address, tables, database, commands, stop, server, owed })
    }

    /// Where webhooks are received, under `/webhooks/<provider>`.
    pub fn http_address(&self) -> SocketAddr {
        self.http_address
    }

    /// Where DynamoDB answers.
    pub fn dynamodb_address(&self) -> SocketAddr {
        self.database.address()
    }

    /// The names of the tables.
    pub fn tables(&self) -> &Tables {
        &self.tables
    }

    /// How commands find it.
    pub(crate) fn commands(&self) -> &Commands {
        &self.commands
    }

    /// Ends it: first what receives, then what it writes to.
    pub async fn stop(self) {
        self.stop.send_replace(true);
        if timeout(STOP_WITHIN, self.server).await.is_err() {
            tracing::warn!("a request is still running and is left alone");
        }
        for task in self.owed {
            // What a run leaves unfinished is taken up again.
            if task.await.is_err() {
                tracing::warn!("the worker did not stop as it should");
            }
        }
        if timeout(STOP_WITHIN, self.database.stop()).await.is_err() {
            tracing::warn!("a DynamoDB request is still running and is left alone");
        }
    }
}

async fn worker(settings: &Settings, store: Store, metrics: Metrics) -> Worker {
    let Settings { outbox, sink_secrets, .. } = settings;
    // Only a bus is AWS's. Where it is, `AWS_ENDPOINT_URL_EVENTBRIDGE` may say.
    let has_bus = outbox.sinks.iter().any(|sink| matches!(sink.target, Target::Bus(_)));
    let sdk = if has_bus { store::sdk().await } else { SdkConfig::builder().build() };
    Worker {
        sinks: Sinks::new(outbox, sink_secrets.clone(), &sdk),
        // As they were told their settings.
        providers: settings.received.iter().map(|received| received.provider.clone()).collect(),
        store,
        fetcher: Fetcher::new(settings.apis.clone()),
        outbox: outbox.clone(),
        clock: Arc::new(SystemClock),
        metrics,
        settings: settings.worker,
        random: SystemRandom::new(),
    }
}

/// The watch over open work, as its function has it.
pub(crate) fn watch_over(store: Store, limits: Limits) -> Watch {
    let (metrics, clock) = (Metrics::new(|_| {}), Arc::new(SystemClock));
    Watch { store, metrics, clock, limits, providers: registry::providers() }
}

/// The audit of the ledger, as its function has it.
pub(crate) fn audit(store: Store, run_every: Duration) -> Audit {
    let run_every_ms = u64::try_from(run_every.as_millis()).unwrap_or(u64::MAX);
    let usual = audit::Limits::new(registry::retention_s_min());
    let limits = audit::Limits { segments: AUDIT_SEGMENTS, run_every_ms, ..usual };
    Audit { store, metrics: Metrics::new(|_| {}), clock: Arc::new(SystemClock), limits }
}

fn receiver(received: &Received, settings: &Settings, store: Store, metrics: Metrics) -> Receiver {
    Receiver {
        outbox: settings.outbox.clone(),
        provider: received.provider.clone(),
        keys: Keys::fixed(received.keys.clone()),
        certificates: Certificates::default(),
        mode: settings.mode,
        store,
        gate: Gate::new(settings.gate_bytes),
        metrics,
        clock: Arc::new(SystemClock),
    }
}
