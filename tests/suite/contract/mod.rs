//! What holds of every provider in the registry, by its own sample events: a new one is held to it by being listed.
//!
//! What differs is in the trait, or in `data/contract.json`, a row for each provider:
//!
//! | field | says |
//! |---|---|
//! | `unsigned_headers` | which of the headers it sends no signature covers |
//! | `wrong_scheme` | a replacement in the signature that makes it another scheme, label or encoding; of nothing: put in front |
//! | `tolerance_s` | how far the time of signing may be off, where it is signed |
//! | `tells_mode_sometimes` | that only some of its events say whether they are tests |
//! | `unknown_type` | a sample, a replacement that makes its type unheard of, and what becomes of that |
//! | `retry_headers` | what only a later attempt has |
//! | `cycles` | samples that tell of one life, to be delivered in every order |
//! | `api` | what its API answers meanwhile, by path |

mod amounts;
mod bodies;
mod book;
mod deliveries;
mod golden;
mod modes;
mod orders;
mod profiles;
mod signatures;

use std::collections::BTreeMap;
use std::sync::Arc;

use hookledger::plan::{Entry, Plan};
use hookledger::provider::{Event, Mode, Provider};
use hookledger::receive::{Answer, Receiver};
use hookledger::request::{Headers, KeySet, Secret, Unverified, UnverifiedRequest, VerifiedRequest};
use hookledger::time::UnixMs;
use hookledger_tests::{NOW, World, samples};
use rustls_pki_types::CertificateDer;
use rustls_pki_types::pem::PemObject as _;
use serde::Deserialize;
use serde_json::Value;

use crate::paypal;

const ROWS: &str = include_str!("../data/contract.json");

/// A provider's row.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Row {
    #[serde(default)]
    unsigned_headers: Vec<String>,
    wrong_scheme: (String, String),
    tolerance_s: Option<u64>,
    #[serde(default)]
    tells_mode_sometimes: bool,
    unknown_type: UnknownType,
    #[serde(default)]
    retry_headers: BTreeMap<String, String>,
    #[serde(default)]
    cycles: Vec<Vec<String>>,
    #[serde(default)]
    api: BTreeMap<String, Value>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct UnknownType {
    sample: String,
    from: String,
    to: String,
    becomes: String,
}

/// A provider of the registry, as the local stack sets it, with its samples and its row.
struct Listed {
    provider: Arc<dyn Provider>,
    name: &'static str,
    samples: BTreeMap<String, Vec<u8>>,
    row: Row,
}

/// The registry.
fn all() -> Vec<Listed> {
    let mut rows: BTreeMap<String, Row> = serde_json::from_str(ROWS).expect("data/contract.json");
    let listed = |mut provider: Arc<dyn Provider>| {
        let told = Arc::get_mut(&mut provider).unwrap();
        for setting in told.settings().iter().filter(|setting| !setting.development.is_empty()) {
            told.set(setting.name, setting.development).unwrap();
        }
        let name = provider.profile().name;
        let row = rows.remove(name).unwrap_or_else(|| panic!("{name} has no row in data/contract.json"));
        let samples = samples(name);
        assert!(samples.len() >= 4, "events/{name} holds {} samples: give at least four", samples.len());
        Listed { provider, name, samples, row }
    };
    let all: Vec<_> = hookledger_worker::providers().into_iter().map(listed).collect();
    assert!(all.len() >= 17 && rows.is_empty(), "rows without a provider in functions/worker: {:?}", rows.keys());
    all
}

/// A secret of the same form that is not `secret`.
fn another(secret: &str) -> String {
    let middle = secret.len() / 2;
    let other = if secret.as_bytes()[middle] == b'1' { "2" } else { "1" };
    format!("{}{other}{}", &secret[..middle], &secret[middle + 1..])
}

impl Listed {
    fn secret(&self) -> &'static str {
        self.provider.development_secret()
    }

    /// Whether the codes stand in the body.
    fn seals(&self) -> bool {
        let body = self.samples.values().next().unwrap();
        self.provider.seal(body, &Secret::new(another(self.secret()))) != *body
    }

    /// A delivery as the provider would send it at this time.
    fn request(&self, body: &[u8], secret: &str, at: UnixMs) -> UnverifiedRequest {
        let key = Secret::new(secret);
        let body = self.provider.seal(body, &key);
        let headers = match (self.name, self.provider.cannot_sign()) {
            (_, None) => self.provider.sign(&body, &key, at),
            ("paypal", Some(_)) => paypal::headers(&body, secret, &at.rfc3339(), paypal::URL),
            (name, Some(_)) => panic!("{name} cannot sign: the suite needs keys of its own for it"),
        };
        UnverifiedRequest {
            method: "POST".to_owned(),
            path: format!("/webhooks/{}", self.name),
            query: String::new(),
            headers: Headers::new(headers),
            body: body.into(),
        }
    }

    /// As a receiver does it, with no certificate but the made-up sender's.
    fn verify(&self, request: UnverifiedRequest, secrets: &str, now: UnixMs) -> Result<VerifiedRequest, Unverified> {
        let mut signature = self.provider.signature(&request)?;
        if signature.certificate_urls().any(|url| url == paypal::URL) {
            let certificate = CertificateDer::from_pem_slice(paypal::SIGNER.as_bytes()).unwrap();
            signature = signature.certified(paypal::URL, &certificate);
        }
        request.verify(&signature, &KeySet::parse(secrets).unwrap(), now)
    }

    /// The events of a delivery that is signed here and now.
    fn events(&self, body: &[u8]) -> Vec<Event> {
        let request = self.request(body, self.secret(), NOW);
        self.provider.identify(&self.verify(request, self.secret(), NOW).unwrap())
    }

    /// What an event means where it is of the deployment's mode.
    fn plan(&self, event: &Event) -> Plan {
        event.problem.as_ref().map_or_else(|| self.provider.interpret(event), Plan::unreadable)
    }

    /// A deployment with this provider's function in it.
    async fn desk(&self, mode: Mode) -> Desk {
        let builder = World::builder().shared_provider(Arc::clone(&self.provider)).secrets(self.secret()).mode(mode);
        let world = builder.build().await;
        let mut receiver = Arc::into_inner(world.process()).unwrap();
        receiver.certificates = paypal::certificates();
        Desk { world, receiver }
    }
}

/// A world with a receiver that believes the made-up sender's certificate.
struct Desk {
    world: World,
    receiver: Receiver,
}

impl Desk {
    async fn receive(&self, request: UnverifiedRequest) -> Answer {
        self.receiver.receive(request, self.world.deadline()).await
    }

    async fn deliver(&self, listed: &Listed, body: &[u8]) -> Answer {
        self.receive(listed.request(body, listed.secret(), self.world.now())).await
    }
}

/// What a plan would book, as far as it is known.
fn entries(plan: &Plan) -> &[Entry] {
    match plan {
        Plan::Settle(settle) => settle.entries(),
        Plan::Defer(defer) => defer.known(),
        Plan::Park(_) | Plan::Ignore(_) => &[],
    }
}
