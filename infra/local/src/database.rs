//! The embedded DynamoDB, served over HTTP so that any SDK or the AWS CLI can look inside.

use std::fs::{File, TryLockError};
use std::net::{Ipv4Addr, SocketAddr};
use std::path::Path;
use std::time::Duration;

use aws_config::{BehaviorVersion, Region, SdkConfig};
use aws_sdk_dynamodb::Client;
use aws_sdk_dynamodb::config::{Credentials, SharedCredentialsProvider};
use hookledger::store::Tuning;
use tokio::net::TcpListener;
use tokio::sync::watch;
use tokio::task::JoinHandle;
use tokio::time::{MissedTickBehavior, interval};

use crate::stack::StartError;

/// DynamoDB takes hours to days over it; here a person is watching.
const SWEEP_EVERY: Duration = Duration::from_secs(30);

/// A running database.
pub struct Database {
    address: SocketAddr,
    stop: watch::Sender<bool>,
    server: JoinHandle<Result<(), String>>,
    inside: dynoxide::Database,
    // Held until the end; the system lets go of it when the process dies.
    _lock: Option<File>,
}

impl Database {
    /// Opens `data`, or memory, and serves it on 127.0.0.1; port 0 picks a free one.
    pub async fn start(data: Option<&Path>, port: u16) -> Result<Self, StartError> {
        let lock = data.map(claim_directory).transpose()?;
        let database = open(data)?;
        let listener = listen(port, "--dynamodb-port").await?;
        let address =
            listener.local_addr().map_err(|error| StartError::Port { port, flag: "--dynamodb-port", error })?;
        let (stop, stopped) = watch::channel(false);
        tokio::spawn(sweep(database.clone(), stopped.clone()));
        let server = tokio::spawn(dynoxide::server::serve_with_shutdown(listener, database.clone(), until(stopped)));
        Ok(Self { address, stop, server, inside: database, _lock: lock })
    }

    /// Where it answers.
    pub fn address(&self) -> SocketAddr {
        self.address
    }

    /// The database itself, for its streams.
    pub(crate) fn inside(&self) -> dynoxide::Database {
        self.inside.clone()
    }

    /// Ends it after the requests that are running.
    pub async fn stop(self) {
        self.stop.send_replace(true);
        if let Ok(Err(error)) = self.server.await {
            tracing::error!(error, "the database did not stop as it should");
        }
    }
}

/// Makes the directory ours alone: two stacks on one file would each believe they hold all of it.
fn claim_directory(directory: &Path) -> Result<File, StartError> {
    let io = |error: std::io::Error| unusable(directory, error.to_string());
    std::fs::create_dir_all(directory).map_err(io)?;
    let file = File::create(directory.join("lock")).map_err(io)?;
    match file.try_lock() {
        Ok(()) => Ok(file),
        Err(TryLockError::WouldBlock) => Err(unusable(directory, "another stack uses it".to_owned())),
        Err(TryLockError::Error(error)) => Err(io(error)),
    }
}

fn open(data: Option<&Path>) -> Result<dynoxide::Database, StartError> {
    let Some(directory) = data else {
        return dynoxide::Database::memory().map_err(|error| StartError::Database(error.to_string()));
    };
    let file = directory.join("dynamodb.sqlite");
    let file = file.to_str().ok_or_else(|| unusable(directory, "its name is not UTF-8".to_owned()))?;
    dynoxide::Database::new(file).map_err(|error| unusable(directory, error.to_string()))
}

fn unusable(directory: &Path, problem: String) -> StartError {
    StartError::Data { directory: directory.to_owned(), problem }
}

/// Binds 127.0.0.1, or says which flag picks another port.
pub(crate) async fn listen(port: u16, flag: &'static str) -> Result<TcpListener, StartError> {
    let bound = TcpListener::bind((Ipv4Addr::LOCALHOST, port)).await;
    bound.map_err(|error| StartError::Port { port, flag, error })
}

/// Ends when `true` is sent, or its sender is gone.
pub(crate) async fn until(mut stopped: watch::Receiver<bool>) {
    while !*stopped.borrow_and_update() && stopped.changed().await.is_ok() {}
}

async fn sweep(database: dynoxide::Database, stopped: watch::Receiver<bool>) {
    let mut ticks = interval(SWEEP_EVERY);
    ticks.set_missed_tick_behavior(MissedTickBehavior::Delay);
    let sweeping = async {
        loop {
            ticks.tick().await;
            let database = database.clone();
            if let Ok(Err(error)) = tokio::task::spawn_blocking(move || database.sweep_ttl()).await {
                tracing::warn!(%error, "expired rows could not be deleted");
            }
        }
    };
    tokio::select! {
        () = sweeping => {}
        () = until(stopped) => {}
    }
}

/// A client for the database at this address.
pub fn client(address: SocketAddr) -> Client {
    let credentials = Credentials::new("local", "local", None, None, "hookledger-local");
    let sdk = SdkConfig::builder()
        .behavior_version(BehaviorVersion::v2026_01_12())
        .region(Region::from_static("us-east-1"))
        .credentials_provider(SharedCredentialsProvider::new(credentials))
        .endpoint_url(format!("http://{address}"))
        .http_client(aws_smithy_http_client::Builder::new().build_http())
        .build();
    // Requests wait for each other in the emulator, so a storm needs more patience here than at AWS.
    Tuning { attempt_ms: 8_000, ..Tuning::default() }.client(&sdk)
}
