//! A look into a running stack: the store of the product, on the stack's DynamoDB.

use std::net::{Ipv4Addr, SocketAddr};
use std::sync::Arc;

use hookledger::claim::owned_key;
use hookledger::runtime::SystemClock;
use hookledger::store::Store;
use tokio::net::TcpStream;

use super::{Failure, Ports};
use crate::{database, registry, tables};

pub(super) use crate::reads::{booked, claims, deadline, entries};

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

/// A full key as it is printed, or the provider's own id made into one.
pub(super) fn key(text: &str, provider: &str, scope: &str) -> String {
    let names_a_provider = text.split(':').next().is_some_and(|name| registry::provider(name).is_some());
    if names_a_provider && text.matches(':').count() == 2 { text.to_owned() } else { owned_key(provider, scope, text) }
}
