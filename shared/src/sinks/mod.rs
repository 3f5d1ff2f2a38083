//! Tells the sinks. A message goes out under one key in every attempt, so that whoever is told twice can see it.

mod bus;
mod post;

use std::collections::HashMap;
use std::sync::Arc;
use std::time::Duration;

use aws_config::SdkConfig;
use aws_smithy_runtime_api::client::result::ConnectorError;

use self::bus::Bus;
use self::post::Post;
use crate::outbox::{Outbox, Target};
use crate::outside;
use crate::request::Secret;
use crate::time::{RetryAfter, UnixMs};

const CONNECT: Duration = Duration::from_secs(3);

/// Every sink of a deployment.
#[derive(Default)]
pub struct Sinks(HashMap<String, Way>);

enum Way {
    Post(Post),
    Bus(Bus),
}

/// What goes out.
#[derive(Clone, Copy, Debug)]
pub struct Outgoing<'a> {
    /// The same in every attempt: its `Idempotency-Key`.
    pub key: &'a str,
    /// What it says, e.g. `payment.recorded`.
    pub name: &'a str,
    /// JSON, an object.
    pub body: &'a str,
}

/// Why a message is not known to be taken.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum SendError {
    /// It was not taken, and may be later: their trouble, or our configuration.
    #[error("{why}")]
    Refused {
        /// What stands in the way.
        why: String,
        /// When the sink wants to be asked again, where it says so.
        retry_after: Option<RetryAfter>,
    },
    /// Nobody knows whether it was taken.
    #[error("{0}")]
    Unknown(String),
    /// It was not taken, and will not be: the message itself is at fault.
    #[error("{0}")]
    Permanent(String),
}

impl SendError {
    fn refused(why: impl Into<String>) -> Self {
        Self::Refused { why: why.into(), retry_after: None }
    }
}

impl Sinks {
    /// The sinks of `outbox`. `secrets` sign what is posted, by sink; `sdk` reaches the buses.
    pub fn new(outbox: &Outbox, mut secrets: HashMap<String, Secret>, sdk: &SdkConfig) -> Self {
        let connector = Arc::new(outside::connector(CONNECT));
        let way = |sink: &crate::outbox::Sink| {
            let way = match &sink.target {
                Target::Post(url) => Way::Post(Post::new(Arc::clone(&connector), url, secrets.remove(&sink.name)?)),
                Target::Bus(name) => Way::Bus(Bus::new(sdk, name)),
            };
            Some((sink.name.clone(), way))
        };
        Self(outbox.sinks.iter().filter_map(way).collect())
    }

    /// Sends a message to `sink`, within `left`.
    pub async fn send(&self, sink: &str, outgoing: Outgoing<'_>, left: Duration, now: UnixMs) -> Result<(), SendError> {
        let sending = async {
            match self.0.get(sink) {
                Some(Way::Post(post)) => post.send(outgoing, now).await,
                Some(Way::Bus(bus)) => bus.send(outgoing).await,
                None => Err(SendError::refused(format!("this version knows no sink {sink}"))),
            }
        };
        let sent = tokio::time::timeout(left, sending).await;
        sent.unwrap_or_else(|_| Err(SendError::Unknown("the sink did not answer in time".to_owned())))
    }
}

/// Whether nothing can have been sent, because there was no connection.
fn never_connected(error: &ConnectorError) -> bool {
    by_client(error).is_some_and(hyper_util::client::legacy::Error::is_connect)
}

/// What the HTTP client says itself. `None`: it was never asked, or the error is not its own.
fn by_client(error: &ConnectorError) -> Option<&hyper_util::client::legacy::Error> {
    let mut next: Option<&(dyn std::error::Error + 'static)> = std::error::Error::source(error);
    while let Some(error) = next {
        if let Some(error) = error.downcast_ref() {
            return Some(error);
        }
        next = error.source();
    }
    None
}
