//! A look into a running stack: the store of the product, on the stack's DynamoDB.

use std::net::{Ipv4Addr, SocketAddr};
use std::sync::Arc;

use hookledger::claim::owned_key;
use hookledger::items::{ClaimRow, EntryRow};
use hookledger::runtime::SystemClock;
use hookledger::store::Store;
use hookledger::time::{Clock as _, UnixMs};
use tokio::net::TcpStream;

use super::{Failure, Ports};
use crate::{database, registry, tables};

/// Patience of a person.
const PATIENCE_MS: u64 = 30_000;

/// Refuses where nothing listens.
pub(super) async fn reach(port: u16) -> Result<SocketAddr, Failure> {
    let address = SocketAddr::from((Ipv4Addr::LOCALHOST, port));
    match TcpStream::connect(address).await {
        Ok(_) => Ok(address),
        Err(_) => Err(Failure::Unasked(format!("no stack answers on {address}: start it with `cargo run`"))),
    }
}

/// The store of the running stack.
pub(super) async fn store(ports: Ports) -> Result<Store, Failure> {
    store_at(reach(ports.dynamodb_port).await?)
}

/// The store on this DynamoDB.
pub(super) fn store_at(address: SocketAddr) -> Result<Store, Failure> {
    let tables = tables::names().map_err(|error| Failure::No(error.to_string()))?;
    Ok(Store::new(database::client(address), tables, Arc::new(SystemClock)))
}

/// When a person stops waiting for a call that begins now.
pub(super) fn deadline() -> UnixMs {
    SystemClock.now().plus_ms(PATIENCE_MS)
}

/// Every claim, in the order they were claimed.
pub(super) async fn claims(store: &Store) -> Result<Vec<ClaimRow>, Failure> {
    let (mut rows, mut from) = (Vec::new(), None);
    loop {
        let page = store.claims(from, deadline()).await?;
        rows.extend(page.rows);
        from = page.next;
        if from.is_none() {
            rows.sort_by(|a, b| (a.claimed_at, &a.key).cmp(&(b.claimed_at, &b.key)));
            return Ok(rows);
        }
    }
}

/// Every entry, or those of an account, in the order they occurred.
pub(super) async fn entries(store: &Store, account: Option<&str>) -> Result<Vec<EntryRow>, Failure> {
    let (mut rows, mut from) = (Vec::new(), None);
    loop {
        let page = match account {
            Some(account) => store.entries_of_account(account, from, deadline()).await?,
            None => store.entries(from, deadline()).await?,
        };
        rows.extend(page.rows);
        from = page.next;
        if from.is_none() {
            rows.sort_by(|a, b| (a.occurred_at, &a.movement, a.kind).cmp(&(b.occurred_at, &b.movement, b.kind)));
            return Ok(rows);
        }
    }
}

/// A full key as it is printed, or the provider's own id made into one.
pub(super) fn key(text: &str, provider: &str, scope: &str) -> String {
    let names_a_provider = text.split(':').next().is_some_and(|name| registry::provider(name).is_some());
    if names_a_provider && text.matches(':').count() == 2 { text.to_owned() } else { owned_key(provider, scope, text) }
}
