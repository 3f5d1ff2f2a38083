//! What comes from the gateway, and from where certificates are.

use std::pin::Pin;
use std::sync::{Arc, Mutex, PoisonError};

use aws_sdk_dynamodb::config::BehaviorVersion;
use hookledger::certificates::{CertificateError, CertificateSource, Certificates};
use hookledger::gate::Gate;
use hookledger::items::Tables;
use hookledger::keys::Keys;
use hookledger::metrics::Metrics;
use hookledger::outbox::Outbox;
use hookledger::provider::{CertificateRules, Mode};
use hookledger::receive::Receiver;
use hookledger::runtime::{Handler, SystemClock};
use hookledger::store::Store;
use lambda_runtime::{Context, LambdaEvent};
use rustls_pki_types::CertificateDer;
use rustls_pki_types::pem::PemObject as _;
use serde_json::value::RawValue;
use tokio::runtime::Runtime;

use super::{NOW, keys};

/// Nothing that comes in here is signed, so nothing reaches the tables, and none are there.
const PROVIDER: &str = "stripe";

static RULES: CertificateRules = CertificateRules {
    hosts: &["api.paypal.com"],
    path: "/v1/notifications/certs/",
    names: &["messageverificationcerts.paypal.com"],
};

pub(super) struct Edge {
    runtime: Runtime,
    handler: Handler,
    root: CertificateDer<'static>,
    good: Vec<CertificateDer<'static>>,
}

/// A server that answers with one text.
struct Text(Mutex<Vec<u8>>);

impl CertificateSource for Text {
    fn read<'a>(
        &'a self,
        _url: &'a str,
    ) -> Pin<Box<dyn Future<Output = Result<Vec<u8>, CertificateError>> + Send + 'a>> {
        let text = self.0.lock().unwrap_or_else(PoisonError::into_inner).clone();
        Box::pin(async { Ok(text) })
    }
}

impl Edge {
    pub(super) fn new() -> Self {
        let runtime = tokio::runtime::Builder::new_current_thread().enable_time().build().expect("a runtime");
        let read = |text: &[u8]| CertificateDer::from_pem_slice(text).expect("a certificate");
        let good = [
            read(include_bytes!("../../../tests/certificates/signer.pem")),
            read(include_bytes!("../../../tests/certificates/client.pem")),
        ];
        let root = read(include_bytes!("../../../tests/certificates/root.pem"));
        Self { runtime, handler: Handler::new(Arc::new(receiver())), root, good: good.into() }
    }

    /// Whatever the gateway hands over gets an answer, and it is a refusal.
    pub(super) fn envelope(&self, input: &[u8]) {
        let Ok(text) = std::str::from_utf8(input) else { return };
        let Ok(payload) = RawValue::from_string(text.to_owned()) else { return };
        let event = LambdaEvent::new(payload, Context::default());
        let answer = self.runtime.block_on(self.handler.handle(event)).expect("an answer");
        let status = answer["statusCode"].as_u64();
        assert!(status.is_some_and(|status| (400..500).contains(&status)), "an answer that is no refusal: {answer}");
    }

    /// No certificate is believed but those that the root signed for the sender.
    pub(super) fn certificate(&self, input: &[u8]) {
        let certificates = Certificates::new(Text(Mutex::new(input.to_vec())), std::slice::from_ref(&self.root));
        let url = "https://api.paypal.com/v1/notifications/certs/CERT-1";
        let got = self.runtime.block_on(certificates.get(url, &RULES, NOW, NOW.plus_ms(1_000)));
        assert!(got.is_err() || got.is_ok_and(|it| self.good.contains(&it)), "a certificate of nobody's is believed");
    }
}

fn receiver() -> Receiver {
    let config = aws_sdk_dynamodb::Config::builder().behavior_version(BehaviorVersion::latest()).build();
    let tables = Tables { claims: "claims".to_owned(), ledger: "ledger".to_owned() };
    let clock = Arc::new(SystemClock);
    Receiver {
        provider: hookledger_worker::provider(PROVIDER).expect("a provider"),
        keys: Keys::fixed(keys("whsec_made_up_for_fuzzing").expect("a secret")),
        certificates: Certificates::default(),
        mode: Mode::Live,
        store: Store::new(aws_sdk_dynamodb::Client::from_conf(config), tables, clock.clone()),
        gate: Gate::new(0),
        metrics: Metrics::new(|_| {}),
        outbox: Outbox::default(),
        clock,
    }
}
