//! Whose signatures count.

use hookledger::provider::Provider as _;
use hookledger::request::{KeySet, Unverified};
use hookledger::time::UnixMs;
use rustls_pki_types::CertificateDer;

use super::{URL, WEBHOOK, certificate, files, headers, request, rsa};
use crate::PayPal;

const BODY: &[u8] = br#"{"id":"WH-1","event_type":"A"}"#;

fn verify(
    headers: Vec<(&str, String)>,
    body: &[u8],
    secrets: &str,
    certificate: Option<(&str, &CertificateDer<'static>)>,
) -> Result<Option<String>, Unverified> {
    let request = request(headers, body);
    let mut signature = PayPal.signature(&request)?;
    if let Some((url, certificate)) = certificate {
        signature = signature.certified(url, certificate);
    }
    let verified = request.verify(&signature, &KeySet::parse(secrets).unwrap(), UnixMs::new(0))?;
    Ok(verified.label().map(str::to_owned))
}

fn good() -> Vec<(&'static str, String)> {
    headers(crc32fast::hash(BODY))
}

/// The good headers with one changed, or left out.
fn with(name: &str, value: Option<&str>) -> Vec<(&'static str, String)> {
    let changed = |(key, was): (&'static str, String)| match value {
        _ if key != name => Some((key, was)),
        Some(value) => Some((key, value.to_owned())),
        None => None,
    };
    good().into_iter().filter_map(changed).collect()
}

/// With the right certificate.
fn read(headers: Vec<(&str, String)>, body: &[u8]) -> Result<Option<String>, Unverified> {
    verify(headers, body, WEBHOOK, Some((URL, &certificate())))
}

#[test]
fn only_the_key_of_the_certificate_over_our_webhook_counts() {
    assert_eq!(read(good(), BODY), Ok(None));
    let certificate = certificate();
    let known = Some((URL, &certificate));
    assert_eq!(verify(good(), BODY, &format!("a, shop@{WEBHOOK}"), known), Ok(Some("shop".to_owned())));
    assert_eq!(verify(good(), BODY, "OTHERWEBHOOK", known), Err(Unverified::NoMatch));
    assert_eq!(verify(good(), BODY, WEBHOOK, None), Err(Unverified::NoMatch), "nothing is proven without it");
    assert_eq!(verify(good(), BODY, WEBHOOK, Some(("https://elsewhere", &certificate))), Err(Unverified::NoMatch));
    let garbage = CertificateDer::from(vec![0; 10]);
    assert_eq!(verify(good(), BODY, WEBHOOK, Some((URL, &garbage))), Err(Unverified::NoMatch));
    let asked = PayPal.signature(&request(good(), BODY)).unwrap();
    assert_eq!(asked.certificate_urls().collect::<Vec<_>>(), [URL]);
    assert_eq!(asked.certified(URL, &certificate).certificate_urls().count(), 0);
}

#[test]
fn the_code_covers_the_ids_the_time_and_the_crc_of_the_body() {
    assert_eq!(read(good(), b"{}"), Err(Unverified::NoMatch));
    assert_eq!(read(with("paypal-transmission-id", Some("other")), BODY), Err(Unverified::NoMatch));
    assert_eq!(read(with("paypal-transmission-time", Some("2026-11-30T10:00:02Z")), BODY), Err(Unverified::NoMatch));
    assert_eq!(read(with("paypal-transmission-sig", Some(&rsa("other"))), BODY), Err(Unverified::NoMatch));
    assert_eq!(read(with("paypal-transmission-sig", Some("")), BODY), Err(Unverified::NoMatch));
    for bit in 0..8 {
        let mut changed = BODY.to_vec();
        changed[7] ^= 1 << bit;
        assert_eq!(read(good(), &changed), Err(Unverified::NoMatch));
    }
    // CRC-32's own check value, as an unsigned decimal.
    assert_eq!(crc32fast::hash(b"123456789"), 3_421_780_262);
    assert_eq!(read(headers(3_421_780_262), b"123456789"), Ok(None));
}

#[test]
fn every_header_is_needed_and_read_strictly() {
    let names = [
        ("paypal-transmission-id", "PAYPAL-TRANSMISSION-ID"),
        ("paypal-transmission-time", "PAYPAL-TRANSMISSION-TIME"),
        ("paypal-transmission-sig", "PAYPAL-TRANSMISSION-SIG"),
        ("paypal-cert-url", "PAYPAL-CERT-URL"),
        ("paypal-auth-algo", "PAYPAL-AUTH-ALGO"),
    ];
    for (name, shown) in names {
        assert_eq!(read(with(name, None), BODY), Err(Unverified::MissingHeader(shown)));
    }
    let malformed = |name, value| read(with(name, Some(value)), BODY).unwrap_err();
    for other in ["SHA1withRSA", "sha256withrsa", "none", ""] {
        let refused = Unverified::MalformedHeader("PAYPAL-AUTH-ALGO", "not SHA256withRSA");
        assert_eq!(malformed("paypal-auth-algo", other), refused);
    }
    let not_base64 = Unverified::MalformedHeader("PAYPAL-TRANSMISSION-SIG", "not base64");
    assert_eq!(malformed("paypal-transmission-sig", "*"), not_base64);
    let split = Unverified::MalformedHeader("PAYPAL-TRANSMISSION-ID", "it holds a |");
    assert_eq!(malformed("paypal-transmission-id", "a|b"), split);
}

#[test]
fn nobody_else_can_sign() {
    let secret = KeySet::parse(WEBHOOK).unwrap();
    for body in files().into_values() {
        assert!(PayPal.sign(&body, secret.first().unwrap(), UnixMs::new(0)).is_empty());
        assert_eq!(PayPal.seal(&body, secret.first().unwrap()), body);
    }
    assert!(PayPal.cannot_sign().is_some() && secret.problem(PayPal.algorithms()).is_none());
}

#[test]
fn certificates_are_taken_from_paypal_alone() {
    let rules = PayPal.certificates().unwrap();
    assert!(rules.hosts.iter().chain(rules.names).all(|name| name.ends_with(".paypal.com")));
    assert_eq!((rules.hosts.len(), rules.path), (4, "/v1/notifications/certs/"));
}
