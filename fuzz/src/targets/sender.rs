//! A provider, with a secret that signs and another that is ours.

use std::sync::Arc;

use bytes::Bytes;
use hookledger::provider::{Provider, Reply};
use hookledger::request::{Headers, KeySet, Secret, UnverifiedRequest, VerifiedRequest, encode_base64};
use ring::rand::SystemRandom;
use ring::signature::{RSA_PKCS1_SHA256, RsaKeyPair};
use rustls_pki_types::pem::PemObject as _;
use rustls_pki_types::{CertificateDer, PrivatePkcs8KeyDer};

use super::{NOW, cut, keys, request};

const CERTIFICATE_URL: &str = "https://api.paypal.com/v1/notifications/certs/CERT-1";

/// A provider as the local stack sets it.
pub(super) struct Sender {
    pub(super) provider: Arc<dyn Provider>,
    secret: &'static str,
    /// Holds a secret of the same form that signed nothing here.
    ours: KeySet,
    theirs: KeySet,
    certificate: CertificateDer<'static>,
    key: RsaKeyPair,
}

impl Sender {
    pub(super) fn new(mut provider: Arc<dyn Provider>) -> Self {
        if let Some(told) = Arc::get_mut(&mut provider) {
            for setting in told.settings() {
                let on = if setting.development.is_empty() { "on" } else { setting.development };
                told.set(setting.name, on).ok();
            }
        }
        let secret = provider.development_secret();
        let middle = secret.len() / 2;
        let other = if secret.as_bytes()[middle] == b'1' { "2" } else { "1" };
        let ours = format!("{}{other}{}", &secret[..middle], &secret[middle + 1..]);
        let key = PrivatePkcs8KeyDer::from_pem_slice(include_bytes!("../../../tests/certificates/signer.key"));
        let key = RsaKeyPair::from_pkcs8(key.expect("a key").secret_pkcs8_der()).expect("an RSA key");
        let certificate = CertificateDer::from_pem_slice(include_bytes!("../../../tests/certificates/signer.pem"));
        let (ours, theirs) = (keys(&ours).expect("a secret"), keys(secret).expect("a secret"));
        Self { provider, secret, ours, theirs, certificate: certificate.expect("a certificate"), key }
    }

    /// What somebody signed who does not hold our secret, as an input of [`refuses`](Self::refuses).
    pub(super) fn forged(&self, body: &[u8]) -> Vec<u8> {
        let (headers, body) = self.signed(body);
        let line = |(name, value): &(String, String)| format!("{name}: {value}\n");
        let head: String = headers.iter().map(line).collect();
        [head.as_bytes(), b"\n", &body[..]].concat()
    }

    /// Nothing that is not signed with our secret is believed, whatever its headers say.
    pub(super) fn refuses(&self, input: &[u8]) {
        let (headers, body) = cut(input);
        let request = request(&self.provider, headers, body.to_vec());
        let again = self.provider.signature(&request).map(|_| ());
        assert_eq!(self.provider.signature(&request).map(|_| ()), again, "read twice, read alike");
        self.provider.is_ping(&request);
        assert!(self.verify(request, &self.ours).is_none(), "believed without our secret");
    }

    /// A delivery that is signed as it has to be, with these headers as well where they do not stand in the way.
    pub(super) fn delivery(&self, more: Vec<(String, String)>, body: &[u8]) -> Option<VerifiedRequest> {
        let (headers, body) = self.signed(body);
        let with_more = more.into_iter().chain(headers.clone()).collect();
        let verified = self.verify(request(&self.provider, with_more, body.clone()), &self.theirs);
        verified.or_else(|| self.verify(request(&self.provider, headers, body), &self.theirs))
    }

    /// The answer to a challenge fits where answers are kept, and is none to what is signed in another way.
    pub(super) fn challenge(&self, text: &[u8]) {
        let plain = String::from_utf8_lossy(text).into_owned();
        for (method, query) in [("POST", ""), ("GET", plain.as_str())] {
            let request = UnverifiedRequest {
                method: method.to_owned(),
                path: "/".to_owned(),
                query: query.to_owned(),
                headers: Headers::new([("content-type", "application/json")]),
                body: Bytes::copy_from_slice(text),
            };
            if let Some(reply) = self.provider.handshake(&request, &self.theirs) {
                assert!(reply.body.len() <= Reply::BODY_BYTES_MAX && reply.status < 500, "an answer that fits");
            }
        }
    }

    fn verify(&self, request: UnverifiedRequest, keys: &KeySet) -> Option<VerifiedRequest> {
        let signature = self.provider.signature(&request).ok()?;
        let signature = signature.certified(CERTIFICATE_URL, &self.certificate);
        request.verify(&signature, keys, NOW).ok()
    }

    fn signed(&self, body: &[u8]) -> (Vec<(String, String)>, Vec<u8>) {
        let secret = Secret::new(self.secret);
        let body = self.provider.seal(body, &secret);
        if self.provider.cannot_sign().is_none() {
            return (self.provider.sign(&body, &secret, NOW), body);
        }
        let (id, time) = ("69cd13f0-d67a-11e5-baa3-778b53f4ae55", "2026-11-30T10:00:01Z");
        let message = format!("{id}|{time}|{}|{}", self.secret, crc32fast::hash(&body));
        let mut code = vec![0; self.key.public().modulus_len()];
        self.key.sign(&RSA_PKCS1_SHA256, &SystemRandom::new(), message.as_bytes(), &mut code).expect("a signature");
        let headers = [
            ("PAYPAL-TRANSMISSION-ID", id),
            ("PAYPAL-TRANSMISSION-TIME", time),
            ("PAYPAL-TRANSMISSION-SIG", &encode_base64(&code)),
            ("PAYPAL-CERT-URL", CERTIFICATE_URL),
            ("PAYPAL-AUTH-ALGO", "SHA256withRSA"),
        ];
        (headers.map(|(name, value)| (name.to_owned(), value.to_owned())).into(), body)
    }
}
