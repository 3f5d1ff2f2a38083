//! What was signed, and the codes that came with it.

use bytes::Bytes;
use rustls_pki_types::CertificateDer;

use super::{Algorithm, Secret};

/// Bytes that were signed, and the codes of which one must match under one of the active secrets.
#[derive(Clone)]
pub struct Signed {
    message: Vec<Piece>,
    candidates: Vec<Candidate>,
    certificate: Option<Certificate>,
}

/// A piece of a message. In pieces a body need not be copied behind its time stamp.
#[derive(Clone)]
pub enum Piece {
    /// These bytes.
    Bytes(Bytes),
    /// The text of the secret that is tried.
    Secret,
}

/// A signature as it came.
#[derive(Clone)]
pub struct Candidate {
    algorithm: Algorithm,
    code: Vec<u8>,
    key_name: Option<String>,
    tail: &'static [u8],
}

/// The certificate whose key made the codes.
#[derive(Clone)]
struct Certificate {
    url: String,
    /// Once somebody fetched it and found it good.
    der: Option<CertificateDer<'static>>,
}

impl From<Bytes> for Piece {
    fn from(bytes: Bytes) -> Self {
        Self::Bytes(bytes)
    }
}

impl Candidate {
    /// A code made by this algorithm.
    pub fn new(algorithm: Algorithm, code: Vec<u8>) -> Self {
        Self { algorithm, code, key_name: None, tail: b"" }
    }

    /// Only of the secret that has this [`name`](Secret::name).
    pub fn of_key(mut self, name: impl Into<String>) -> Self {
        self.key_name = Some(name.into());
        self
    }

    /// Of the message with `tail` behind it, which is lost on some ways.
    pub fn with_tail(mut self, tail: &'static [u8]) -> Self {
        self.tail = tail;
        self
    }
}

impl Signed {
    /// `message` under `codes`, made by one algorithm.
    pub fn new(message: Vec<impl Into<Piece>>, algorithm: Algorithm, codes: Vec<Vec<u8>>) -> Self {
        let message = message.into_iter().map(Into::into).collect();
        Self { message, candidates: Vec::new(), certificate: None }.or(algorithm, codes)
    }

    /// Also under these `codes`, made by another algorithm.
    pub fn or(mut self, algorithm: Algorithm, codes: Vec<Vec<u8>>) -> Self {
        self.candidates.extend(codes.into_iter().map(|code| Candidate::new(algorithm, code)));
        self
    }

    /// Also under this code.
    pub fn or_candidate(mut self, candidate: Candidate) -> Self {
        self.candidates.push(candidate);
        self
    }

    /// By the key of the certificate at `url`. Who verifies fetches it first, and sees whether it is the sender's.
    pub fn by_certificate_at(mut self, url: impl Into<String>) -> Self {
        self.certificate = Some(Certificate { url: url.into(), der: None });
        self
    }

    pub(super) fn certificate_url(&self) -> Option<&str> {
        let certificate = self.certificate.as_ref().filter(|certificate| certificate.der.is_none());
        certificate.map(|certificate| certificate.url.as_str())
    }

    pub(super) fn certify(&mut self, url: &str, der: &CertificateDer<'static>) {
        if let Some(certificate) = self.certificate.as_mut().filter(|certificate| certificate.url == url) {
            certificate.der = Some(der.clone());
        }
    }

    pub(super) fn made_by(&self, secret: &Secret) -> bool {
        let bytes = |piece: &Piece| match piece {
            Piece::Bytes(bytes) => bytes.clone(),
            Piece::Secret => Bytes::copy_from_slice(secret.text.as_bytes()),
        };
        let message: Vec<Bytes> = self.message.iter().map(bytes).collect();
        let certificate = self.certificate.as_ref().and_then(|certificate| certificate.der.as_ref());
        self.candidates.iter().any(|candidate| {
            let is_of_key = candidate.key_name.as_deref().is_none_or(|name| secret.name() == Some(name));
            let tail = Bytes::from_static(candidate.tail);
            let message: Vec<Bytes> = message.iter().cloned().chain([tail]).collect();
            is_of_key && candidate.algorithm.made(&candidate.code, &message, secret, certificate)
        })
    }
}
