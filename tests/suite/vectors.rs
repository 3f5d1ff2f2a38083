//! Signatures that the providers publish or that their own libraries made, and such as they refuse: `vectors/<provider>.json`.
//!
//! | field | says |
//! |---|---|
//! | `provider` | the provider, or whose dialect of its signatures it is |
//! | `source`, `kind`, `note` | where it is from, whether it was `published` or `derived`, and what it shows |
//! | `secret`, `headers`, `body` | as the library takes them |
//! | `url` | the configured URL, where that is signed |
//! | `now` | when it comes, in seconds; without, the moment of signing |
//! | `expect` | `valid` or `invalid`: what the provider's library says |
//! | `here` | what is said here, where that differs |

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;
use std::sync::Arc;

use hookledger::provider::Provider;
use hookledger::request::{Headers, KeySet, Unverified, UnverifiedRequest};
use hookledger::time::{UnixMs, UnixS};
use rustls_pki_types::CertificateDer;
use rustls_pki_types::pem::PemObject as _;
use serde::Deserialize;

use crate::paypal;

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Vector {
    provider: String,
    source: String,
    kind: Kind,
    note: String,
    secret: String,
    headers: BTreeMap<String, String>,
    body: String,
    url: Option<String>,
    now: Option<i64>,
    expect: Expect,
    here: Option<Expect>,
}

#[derive(Debug, Clone, Copy, Deserialize, PartialEq, Eq)]
#[serde(rename_all = "lowercase")]
enum Expect {
    Valid,
    Invalid,
}

#[derive(Deserialize, PartialEq, Eq)]
#[serde(rename_all = "lowercase")]
enum Kind {
    Published,
    Derived,
}

/// By file name without extension.
fn files() -> BTreeMap<String, Vec<Vector>> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("vectors");
    let file = |path: std::path::PathBuf| {
        let name = path.file_stem().unwrap().to_str().unwrap().to_owned();
        let vectors = serde_json::from_slice(&std::fs::read(&path).unwrap());
        (name, vectors.unwrap_or_else(|error| panic!("{}: {error}", path.display())))
    };
    std::fs::read_dir(folder).unwrap().map(|entry| file(entry.unwrap().path())).collect()
}

fn verify(vector: &Vector, mut provider: Arc<dyn Provider>) -> Result<(), Unverified> {
    let told = Arc::get_mut(&mut provider).unwrap();
    for setting in told.settings().iter().filter(|setting| !setting.development.is_empty()) {
        let url = vector.url.as_deref().filter(|_| setting.name == "URL");
        told.set(setting.name, url.unwrap_or(setting.development)).unwrap();
    }
    let request = UnverifiedRequest {
        method: "POST".to_owned(),
        path: format!("/webhooks/{}", provider.profile().name),
        query: String::new(),
        headers: Headers::new(vector.headers.iter().map(|(name, value)| (name.as_str(), value.as_str()))),
        body: vector.body.clone().into(),
    };
    let mut signature = provider.signature(&request)?;
    if signature.certificate_urls().any(|url| url == paypal::URL) {
        let certificate = CertificateDer::from_pem_slice(paypal::SIGNER.as_bytes()).unwrap();
        signature = signature.certified(paypal::URL, &certificate);
    }
    let signed_at = signature.stamp.map(|stamp| stamp.at.to_ms());
    let now = vector.now.map(|now_s| UnixS::new(now_s).to_ms()).or(signed_at).unwrap_or(UnixMs::new(0));
    request.verify(&signature, &KeySet::parse(&vector.secret).unwrap(), now).map(|_| ())
}

#[test]
fn every_vector_is_accepted_or_refused_as_by_the_provider() {
    for (name, vectors) in files() {
        for vector in &vectors {
            let provider = hookledger_worker::provider(&name).unwrap_or_else(|| panic!("{name}: no such provider"));
            let verified = verify(vector, provider);
            let expected = vector.here.unwrap_or(vector.expect) == Expect::Valid;
            assert_eq!(verified.is_ok(), expected, "{name}: {} ({}): {verified:?}", vector.note, vector.source);
        }
    }
}

#[test]
fn every_provider_has_vectors_of_both_kinds_and_every_vector_a_provider() {
    let files = files();
    let named: BTreeSet<&str> = files.keys().map(String::as_str).collect();
    let registered = hookledger_worker::providers();
    let registered: BTreeSet<&str> = registered.iter().map(|provider| provider.profile().name).collect();
    let unpaired: Vec<_> = named.symmetric_difference(&registered).collect();
    assert!(unpaired.is_empty(), "a provider without tests/vectors/NAME.json, or the other way round: {unpaired:?}");
    for (name, vectors) in &files {
        for expect in [Expect::Valid, Expect::Invalid] {
            let has = vectors.iter().any(|vector| vector.expect == expect);
            assert!(has, "tests/vectors/{name}.json has no vector that is {expect:?}");
        }
    }
}

#[test]
fn every_vector_says_where_it_is_from() {
    let mut published = 0;
    for (name, vectors) in files() {
        let mut seen = BTreeSet::new();
        for vector in &vectors {
            assert!(!vector.source.is_empty() && !vector.provider.is_empty(), "{name}: {}", vector.note);
            // A difference from the provider is refused more, never less.
            assert!(vector.here.is_none_or(|here| here == Expect::Invalid && vector.expect == Expect::Valid), "{name}");
            let facts = (&vector.secret, &vector.headers, &vector.body, &vector.url, vector.now);
            assert!(seen.insert(facts), "{name}: {} stands twice", vector.note);
            published += usize::from(vector.kind == Kind::Published);
        }
    }
    assert!(published >= 50, "{published}");
}
