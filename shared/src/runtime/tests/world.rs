//! A provider that echoes, and a receiver whose database cannot be reached.

use std::sync::Arc;

use aws_config::{BehaviorVersion, Region, SdkConfig};
use aws_sdk_dynamodb::config::{Credentials, SharedCredentialsProvider};
use aws_smithy_runtime_api::client::http::{HttpConnector, HttpConnectorFuture, SharedHttpConnector, http_client_fn};
use aws_smithy_runtime_api::client::orchestrator::HttpRequest;
use aws_smithy_runtime_api::client::result::ConnectorError;
use bytes::Bytes;

use super::super::{Handler, SystemClock};
use crate::certificates::Certificates;
use crate::gate::Gate;
use crate::items::Tables;
use crate::keys::Keys;
use crate::metrics::Metrics;
use crate::plan::{Plan, Read};
use crate::provider::{DAY_S, Event, EventMode, Identity, Kept, Lifetime, Mode, Profile, Provider, Reply, Transport};
use crate::receive::Receiver;
use crate::request::{
    Algorithm, KeySet, Secret, Signature, Signed, Unverified, UnverifiedRequest, VerifiedRequest, decode_hex,
    encode_hex,
};
use crate::store::{Store, Tuning};
use crate::time::UnixMs;

pub(super) static PROFILE: Profile = Profile {
    name: "echo-pay",
    transport: Transport {
        methods: &["POST"],
        success: Reply::fixed(200, "ok"),
        in_flight_status: 409,
        mismatch_status: 422,
        deadline_ms: 10_000,
    },
    identity: Identity { kept_headers: &[], volatile_fields: &[], overlapping_families: false },
    lifetime: Lifetime::new(DAY_S, DAY_S, 30 * DAY_S),
};

/// Answers a request with an `x-echo` header by the request's own body, under that content type.
pub(super) struct Echo;

impl Provider for Echo {
    fn profile(&self) -> &'static Profile {
        &PROFILE
    }

    fn handshake(&self, request: &UnverifiedRequest, _keys: &KeySet) -> Option<Reply> {
        let content_type = request.headers.get("x-echo")?.to_owned();
        assert_ne!(content_type, "panic", "asked to");
        Some(Reply { status: 200, body: request.body.clone(), content_type })
    }

    fn signature(&self, request: &UnverifiedRequest) -> Result<Signature, Unverified> {
        let code = request.headers.get("x-code").ok_or(Unverified::MissingHeader("x-code"))?;
        let candidates = decode_hex(code).into_iter().collect();
        let signed = Signed::new(vec![request.body.clone()], Algorithm::HmacSha256, candidates);
        Ok(Signature { parts: vec![signed], stamp: None })
    }

    fn identify(&self, request: &VerifiedRequest) -> Vec<Event> {
        vec![Event {
            id: "e1".to_owned(),
            scope: String::new(),
            event_type: "paid".to_owned(),
            mode: EventMode::Ours,
            kept: Kept { body: request.body().clone(), headers: Vec::new() },
            problem: None,
        }]
    }

    fn interpret(&self, _event: &Event) -> Plan {
        Plan::unreadable("it only echoes")
    }

    fn resume(&self, _event: &Event, _read: &[Read]) -> Plan {
        Plan::unreadable("it only echoes")
    }

    fn api_url(&self) -> Option<&'static str> {
        Some("https://api.echo.example")
    }

    fn sign(&self, body: &[u8], secret: &Secret, _at: UnixMs) -> Vec<(String, String)> {
        let code = Algorithm::HmacSha256.sign(&[Bytes::copy_from_slice(body)], secret).unwrap();
        vec![("x-code".to_owned(), encode_hex(&code))]
    }

    fn refresh(&self, body: &[u8], _tag: &str) -> Vec<u8> {
        body.to_vec()
    }
}

#[derive(Clone, Debug)]
struct Unreachable;

impl HttpConnector for Unreachable {
    fn call(&self, _request: HttpRequest) -> HttpConnectorFuture {
        let refused = std::io::Error::from(std::io::ErrorKind::ConnectionRefused);
        HttpConnectorFuture::ready(Err(ConnectorError::io(refused.into())))
    }
}

pub(super) const SECRET: &str = "sesame";

/// A handler of [`Echo`]'s deliveries that sends metric lines to `metrics`.
pub(super) fn handler(metrics: impl Fn(&str) + Send + Sync + 'static) -> Handler {
    let sdk = SdkConfig::builder()
        .behavior_version(BehaviorVersion::v2026_01_12())
        .region(Region::new("eu-central-1"))
        .credentials_provider(SharedCredentialsProvider::new(Credentials::new("id", "key", None, None, "tests")))
        .http_client(http_client_fn(|_, _| SharedHttpConnector::new(Unreachable)))
        .build();
    let clock = Arc::new(SystemClock);
    let client = Tuning { attempts: 1, ..Tuning::default() }.client(&sdk);
    let tables = Tables { claims: "claims".into(), ledger: "ledger".into() };
    Handler::new(Arc::new(Receiver {
        provider: Arc::new(Echo),
        keys: Keys::fixed(KeySet::parse(SECRET).unwrap()),
        certificates: Certificates::default(),
        mode: Mode::Live,
        store: Store::new(client, tables, clock.clone()),
        gate: Gate::new(0),
        metrics: Metrics::new(metrics),
        outbox: crate::outbox::Outbox::default(),
        clock,
    }))
}
