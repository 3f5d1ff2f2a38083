//! Sinks on this machine.

use std::collections::HashMap;
use std::sync::Arc;

use aws_config::{BehaviorVersion, Region, SdkConfig};
use aws_sdk_dynamodb::config::{Credentials, SharedCredentialsProvider};
use hookledger::outbox::{Outbox, Sink, Target};
use hookledger::plan::OnLost;
use hookledger::receive::Receiver;
use hookledger::request::Secret;
use hookledger::sinks::Sinks;
use hookledger::work::{Settings, Worker};

use crate::world::World;

/// The secret of every sink that takes a POST.
pub const SINK_SECRET: &str = "whsec_bWFkZSB1cCBmb3IgdGVzdHMgb25seQ==";

/// One sink, `erp`, that takes a POST at `url`.
pub fn posted_to(url: &str, on_lost: OnLost) -> Outbox {
    let target = Target::Post(format!("{url}/hooks"));
    Outbox { sinks: vec![Sink { name: "erp".to_owned(), target, on_lost }] }
}

/// One sink, `bus`, that is a bus.
pub fn put_on_bus() -> Outbox {
    let target = Target::Bus("payments".to_owned());
    Outbox { sinks: vec![Sink { name: "bus".to_owned(), target, on_lost: OnLost::Rerun }] }
}

impl World {
    /// Another process of the same deployment that tells `outbox`.
    pub fn telling(&self, outbox: &Outbox) -> Receiver {
        let process = Arc::into_inner(self.process()).unwrap();
        Receiver { outbox: outbox.clone(), ..process }
    }

    /// A worker that tells `outbox`; EventBridge is at `bus_url`.
    pub fn teller(&self, outbox: &Outbox, bus_url: &str) -> Worker {
        self.teller_with(outbox, bus_url, Settings::default())
    }

    /// The same, with these numbers.
    pub fn teller_with(&self, outbox: &Outbox, bus_url: &str, settings: Settings) -> Worker {
        let secrets: HashMap<String, Secret> =
            outbox.sinks.iter().map(|sink| (sink.name.clone(), Secret::new(SINK_SECRET))).collect();
        let credentials = Credentials::new("made-up", "made-up", None, None, "tests");
        let sdk = SdkConfig::builder()
            .behavior_version(BehaviorVersion::v2026_01_12())
            .region(Region::new("us-east-1"))
            .credentials_provider(SharedCredentialsProvider::new(credentials))
            .endpoint_url(bus_url)
            .http_client(aws_smithy_http_client::Builder::new().build_http())
            .build();
        let sinks = Sinks::new(outbox, secrets, &sdk);
        Worker { outbox: outbox.clone(), sinks, ..self.worker_with(settings, None) }
    }
}
