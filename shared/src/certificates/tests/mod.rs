//! Which certificates are believed, and how often they are fetched.

use std::pin::Pin;
use std::sync::{Arc, Mutex};

use rustls_pki_types::CertificateDer;
use rustls_pki_types::pem::PemObject as _;

use super::{CertificateError, CertificateSource, Certificates, KEPT_MAX, KEPT_MS, is_allowed};
use crate::provider::CertificateRules;
use crate::time::UnixMs;

const SIGNER: &str = include_str!("../../../../tests/certificates/signer.pem");
const CLIENT: &str = include_str!("../../../../tests/certificates/client.pem");
const OTHER: &str = include_str!("../../../../tests/certificates/other.pem");
const SELF_SIGNED: &str = include_str!("../../../../tests/certificates/self_signed.pem");
const ROOT: &str = include_str!("../../../../tests/certificates/root.pem");

/// In the certificates, which are valid from 2026 to 2120.
const NAMES: &[&str] = &["signing.example", "signing.sandbox.example"];
const RULES: CertificateRules =
    CertificateRules { hosts: &["api.example", "api.sandbox.example"], path: "/certs/", names: NAMES };

const NOW: UnixMs = UnixMs::new(1_796_000_000_000);
const URL: &str = "https://api.example/certs/CERT-1";

/// Answers with what is set, and counts.
#[derive(Clone)]
struct Shelf(Arc<Mutex<(Result<String, CertificateError>, usize)>>);

impl CertificateSource for Shelf {
    fn read<'a>(
        &'a self,
        _url: &'a str,
    ) -> Pin<Box<dyn Future<Output = Result<Vec<u8>, CertificateError>> + Send + 'a>> {
        let mut shelf = self.0.lock().unwrap();
        shelf.1 += 1;
        let answer = shelf.0.clone().map(String::into_bytes);
        Box::pin(async { answer })
    }
}

impl Shelf {
    fn with(text: &str) -> (Self, Certificates) {
        let shelf = Self(Arc::new(Mutex::new((Ok(text.to_owned()), 0))));
        let root = CertificateDer::from_pem_slice(ROOT.as_bytes()).unwrap();
        (shelf.clone(), Certificates::new(shelf, &[root]))
    }

    fn set(&self, answer: Result<&str, CertificateError>) {
        self.0.lock().unwrap().0 = answer.map(str::to_owned);
    }

    fn read_so_far(&self) -> usize {
        self.0.lock().unwrap().1
    }
}

async fn get(certificates: &Certificates, url: &str, now: UnixMs) -> Result<CertificateDer<'static>, CertificateError> {
    certificates.get(url, &RULES, now, now.plus_ms(60_000)).await
}

/// What comes of a text at [`NOW`].
async fn judged(text: &str) -> Result<(), CertificateError> {
    get(&Shelf::with(text).1, URL, NOW).await.map(|_| ())
}

fn refused(why: &'static str) -> Result<(), CertificateError> {
    Err(CertificateError::Refused(why))
}

#[tokio::test]
async fn a_chain_to_a_trusted_root_with_the_senders_name_is_good() {
    let first = CertificateDer::from_pem_slice(SIGNER.as_bytes()).unwrap();
    assert_eq!(get(&Shelf::with(SIGNER).1, URL, NOW).await, Ok(first));
    assert_eq!(judged(CLIENT).await, Ok(()));
}

#[tokio::test]
async fn everything_else_is_refused() {
    let untrusted = refused("it does not lead to a root that is trusted here");
    assert_eq!(judged(OTHER).await, refused("it is made out to others"));
    assert_eq!(judged(SELF_SIGNED).await, untrusted);
    let alone = SIGNER.split_inclusive("-----END CERTIFICATE-----\n").next().unwrap();
    assert_eq!(judged(alone).await, untrusted);
    // The root is trusted, and is nobody's to sign deliveries with.
    assert!(judged(ROOT).await.is_err());
    for text in
        ["", "{}", "-----BEGIN CERTIFICATE-----\nAAAA\n-----END CERTIFICATE-----\n", "-----BEGIN CERTIFICATE-----"]
    {
        assert_eq!(judged(text).await, refused("it cannot be read"), "{text}");
    }
}

#[tokio::test]
async fn it_counts_only_while_it_is_valid_even_when_it_is_kept() {
    let (shelf, certificates) = Shelf::with(SIGNER);
    let at = |year: i64| UnixMs::new((year - 1970) * 31_556_952_000);
    assert!(get(&certificates, URL, at(2119)).await.is_ok());
    assert!(get(&certificates, URL, at(2119).plus_ms(1)).await.is_ok());
    assert_eq!(shelf.read_so_far(), 1);
    let expired = get(&certificates, URL, at(2121)).await.map(|_| ());
    assert_eq!(expired, refused("it or its issuer's is expired"));
    let early = get(&certificates, URL, at(2020)).await.map(|_| ());
    assert_eq!(early, refused("it or its issuer's is not valid yet"));
}

#[tokio::test]
async fn it_is_fetched_once_an_hour_and_an_old_one_serves_while_none_can_be_had() {
    let (shelf, certificates) = Shelf::with(SIGNER);
    let gone = || CertificateError::Unreachable("away".to_owned());
    for after_ms in [0, 1, KEPT_MS - 1] {
        assert!(get(&certificates, URL, NOW.plus_ms(after_ms)).await.is_ok());
    }
    assert_eq!(shelf.read_so_far(), 1);
    shelf.set(Err(gone()));
    assert!(get(&certificates, URL, NOW.plus_ms(KEPT_MS)).await.is_ok());
    assert!(get(&certificates, URL, NOW.plus_ms(KEPT_MS)).await.is_ok());
    assert_eq!(shelf.read_so_far(), 3, "what is old is asked for each time");
    shelf.set(Ok(OTHER));
    assert!(get(&certificates, URL, NOW.plus_ms(KEPT_MS)).await.is_err());
    let other = get(&certificates, "https://api.example/certs/CERT-2", NOW).await;
    assert_eq!(other, Err(CertificateError::Refused("it is made out to others")));
    shelf.set(Err(gone()));
    assert_eq!(get(&certificates, "https://api.example/certs/CERT-3", NOW).await, Err(gone()));
}

#[tokio::test]
async fn what_is_kept_is_bounded_and_what_is_refused_pushes_nothing_out() {
    let (shelf, certificates) = Shelf::with(SIGNER);
    let url = |at: usize| format!("https://api.example/certs/CERT-{at}");
    assert!(get(&certificates, &url(0), NOW).await.is_ok());
    shelf.set(Ok(SELF_SIGNED));
    for at in 1..=2 * KEPT_MAX {
        assert!(get(&certificates, &url(at), NOW).await.is_err());
    }
    let before = shelf.read_so_far();
    assert!(get(&certificates, &url(0), NOW).await.is_ok());
    assert_eq!(shelf.read_so_far(), before);
    shelf.set(Ok(SIGNER));
    for at in 1..=2 * KEPT_MAX {
        assert!(get(&certificates, &url(at), NOW).await.is_ok());
    }
    assert_eq!(certificates.kept.lock().unwrap().len(), KEPT_MAX);
}

#[tokio::test]
async fn without_time_or_roots_the_sender_comes_again() {
    struct Never;
    impl CertificateSource for Never {
        fn read<'a>(
            &'a self,
            _url: &'a str,
        ) -> Pin<Box<dyn Future<Output = Result<Vec<u8>, CertificateError>> + Send + 'a>> {
            Box::pin(std::future::pending())
        }
    }
    let root = CertificateDer::from_pem_slice(ROOT.as_bytes()).unwrap();
    let late = Certificates::new(Never, &[root]).get(URL, &RULES, NOW, NOW.plus_ms(20)).await;
    assert_eq!(late, Err(CertificateError::Unreachable("it did not come in time".to_owned())));
    let no_roots = Certificates::new(Never, &[]).get(URL, &RULES, NOW, NOW.plus_ms(20)).await;
    assert_eq!(no_roots, Err(CertificateError::Unreachable("this machine trusts no roots".to_owned())));
}

#[tokio::test]
async fn nothing_is_fetched_from_anywhere_else() {
    let good = [URL, "https://api.sandbox.example/certs/CERT-360caa42_x"];
    assert!(good.iter().all(|url| is_allowed(url, &RULES)));
    let long = format!("{URL}{}", "a".repeat(256));
    let bad = [
        "http://api.example/certs/CERT-1",
        "HTTPS://api.example/certs/CERT-1",
        "https://API.example/certs/CERT-1",
        "https://api.example.evil.example/certs/CERT-1",
        "https://evil.example/certs/CERT-1",
        "https://api.example@evil.example/certs/CERT-1",
        "https://evil@api.example/certs/CERT-1",
        "https://api.example:443/certs/CERT-1",
        "https://api.example\\evil.example/certs/CERT-1",
        "https://api.example/certs/",
        "https://api.example/certs",
        "https://api.example/certs/../CERT-1",
        "https://api.example/certs/%2e%2e/x",
        "https://api.example/certs/a/b",
        "https://api.example//certs/CERT-1",
        "https://api.example/certs/CERT-1?x=1",
        "https://api.example/certs/CERT-1#x",
        "https://api.example/certs/CERT-1 ",
        " https://api.example/certs/CERT-1",
        "https://api.example/certs/CERT-1\n",
        "https://api.example/v1/certs/CERT-1",
        "https://xn--pi-example/certs/CERT-1",
        "//api.example/certs/CERT-1",
        "",
        &long,
    ];
    let (shelf, certificates) = Shelf::with(SIGNER);
    for url in bad {
        assert!(matches!(get(&certificates, url, NOW).await, Err(CertificateError::Refused(_))), "{url}");
    }
    assert_eq!(shelf.read_so_far(), 0);
}
