//! A request before and after verification. [`UnverifiedRequest::verify`] is the only comparison of signatures, and the
//! only way to a [`VerifiedRequest`].

mod algorithm;
mod encoding;
mod form;
mod headers;
mod secret;
mod signed;

use std::fmt;

use bytes::Bytes;
use rustls_pki_types::CertificateDer;

use crate::time::{UnixMs, UnixS};

pub use algorithm::Algorithm;
pub use encoding::{decode_base64, decode_hex, encode_base64, encode_hex};
pub use form::form;
pub use headers::Headers;
pub use secret::{KeySet, KeySetError, Secret};
pub use signed::{Candidate, Piece, Signed};

/// The header under which the runtime puts the gateway's id of a request. What comes under it from outside is dropped.
pub const REQUEST_ID: &str = "hookledger-request-id";

/// What came in. Nothing in it may be believed yet; only [`verify`](Self::verify) leads on.
#[derive(Clone)]
pub struct UnverifiedRequest {
    /// Upper case.
    pub method: String,
    /// Without the query.
    pub path: String,
    /// After the `?`, still encoded; empty when there is none.
    pub query: String,
    /// As received.
    pub headers: Headers,
    /// The exact bytes that were sent.
    pub body: Bytes,
}

/// A request whose sender holds one of our secrets, or a ping: of that nothing is believed.
#[derive(Clone)]
pub struct VerifiedRequest {
    request: UnverifiedRequest,
    label: Option<String>,
    is_ping: bool,
}

/// That one of our secrets made a signature. Only [`Signature::check`] gives it.
pub(crate) struct Proof {
    label: Option<String>,
}

/// What a provider says about a request's signature: data, no decision.
#[derive(Clone)]
pub struct Signature {
    /// Each must be verified; one for most providers, one per item where items are signed one by one.
    pub parts: Vec<Signed>,
    /// When the sender signed, and the provider's tolerance; `None` where nothing of the kind is signed.
    pub stamp: Option<Stamp>,
}

/// A signed point in time.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Stamp {
    /// When the sender signed.
    pub at: UnixS,
    /// How far `at` may lie in the past or in the future, inclusive.
    pub tolerance_s: u64,
}

/// Why a request is not from who it says.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum Unverified {
    /// A header the signature needs is not there.
    #[error("header {0} is missing")]
    MissingHeader(&'static str),
    /// A header is there and cannot be read.
    #[error("header {0} cannot be read: {1}")]
    MalformedHeader(&'static str, &'static str),
    /// The provider signs inside the body, and there is no such signature in it.
    #[error("the body holds no signature that can be read: {0}")]
    Unsigned(&'static str),
    /// The certificate with whose key it was signed proves nothing.
    #[error("its certificate is not the sender's: {0}")]
    Uncertified(&'static str),
    /// Nobody signed it, and it is more than a ping.
    #[error("it is not signed")]
    NotSigned,
    /// Signed too long ago: a replay, or a wrong clock.
    #[error("signed {age_s} s ago, tolerated are {tolerance_s} s")]
    Stale {
        /// Seconds since the stamp.
        age_s: u64,
        /// Seconds tolerated.
        tolerance_s: u64,
    },
    /// Signed in the future: a wrong clock.
    #[error("signed {ahead_s} s in the future, tolerated are {tolerance_s} s")]
    FromTheFuture {
        /// Seconds until the stamp.
        ahead_s: u64,
        /// Seconds tolerated.
        tolerance_s: u64,
    },
    /// No active secret made any of the signatures.
    #[error("no active secret fits: wrong secret, or the body was changed on the way")]
    NoMatch,
}

impl UnverifiedRequest {
    /// Compares what the provider says was signed with every active secret, in constant time per comparison. The label
    /// of the secret that fitted goes on with the request.
    pub fn verify(self, signature: &Signature, keys: &KeySet, now: UnixMs) -> Result<VerifiedRequest, Unverified> {
        signature.check(keys, now).map(|proof| self.proven(proof))
    }

    /// Goes on with a request whose signature was found to be one of ours.
    pub(crate) fn proven(self, Proof { label }: Proof) -> VerifiedRequest {
        VerifiedRequest { request: self, label, is_ping: false }
    }

    /// Goes on with a request that nobody signed. Whoever does so takes care that it leads to no more than a look at what it
    /// names.
    pub(crate) fn into_ping(self) -> VerifiedRequest {
        VerifiedRequest { request: self, label: None, is_ping: true }
    }
}

impl VerifiedRequest {
    /// The exact bytes that were sent.
    pub fn body(&self) -> &Bytes {
        &self.request.body
    }

    /// As received. Signed only where the provider's profile says so.
    pub fn headers(&self) -> &Headers {
        &self.request.headers
    }

    /// Whether nobody signed it.
    pub fn is_ping(&self) -> bool {
        self.is_ping
    }

    /// The gateway's id of this very request, where it gave one.
    pub fn id(&self) -> Option<&str> {
        self.request.headers.get(REQUEST_ID).filter(|id| !id.is_empty())
    }

    /// The label of the secret that made the signature, where it has one.
    pub fn label(&self) -> Option<&str> {
        self.label.as_deref()
    }
}

impl Stamp {
    fn check(self, now: UnixS) -> Result<(), Unverified> {
        let tolerance_s = self.tolerance_s;
        let age_s = now.get().saturating_sub(self.at.get());
        let distance_s = age_s.unsigned_abs();
        if distance_s <= tolerance_s {
            Ok(())
        } else if age_s > 0 {
            Err(Unverified::Stale { age_s: distance_s, tolerance_s })
        } else {
            Err(Unverified::FromTheFuture { ahead_s: distance_s, tolerance_s })
        }
    }
}

impl Signature {
    /// Which of the active secrets made it.
    pub(crate) fn check(&self, keys: &KeySet, now: UnixMs) -> Result<Proof, Unverified> {
        if let Some(stamp) = self.stamp {
            stamp.check(now.to_s())?;
        }
        let fits = |secret: &&Secret| self.parts.iter().all(|part| part.made_by(secret));
        if self.parts.is_empty() {
            return Err(Unverified::NoMatch);
        }
        let secret = keys.secrets.iter().find(fits).ok_or(Unverified::NoMatch)?;
        Ok(Proof { label: secret.label.clone() })
    }

    /// Where the certificates are that it names, of which none is known yet.
    pub fn certificate_urls(&self) -> impl Iterator<Item = &str> {
        self.parts.iter().filter_map(Signed::certificate_url)
    }

    /// With the certificate that is at `url`, and that the caller found to be the sender's.
    pub fn certified(mut self, url: &str, certificate: &CertificateDer<'static>) -> Self {
        self.parts.iter_mut().for_each(|part| part.certify(url, certificate));
        self
    }
}

impl fmt::Debug for UnverifiedRequest {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "UnverifiedRequest({} {}, {} bytes)", self.method, self.path, self.body.len())
    }
}

impl fmt::Debug for VerifiedRequest {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "VerifiedRequest({} {}, {} bytes)", self.request.method, self.request.path, self.request.body.len())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn request(body: &str) -> UnverifiedRequest {
        UnverifiedRequest {
            method: "POST".into(),
            path: "/webhooks/p".into(),
            query: String::new(),
            headers: Headers::new([("X-A", "1"), ("x-a", "2")]),
            body: Bytes::copy_from_slice(body.as_bytes()),
        }
    }

    fn signature(request: &UnverifiedRequest, secrets: &[&str], stamp: Option<Stamp>) -> Signature {
        let message = vec![request.body.clone()];
        let sign = |text: &&str| Algorithm::HmacSha256.sign(&message, &Secret::new(*text));
        let codes = secrets.iter().filter_map(sign).collect();
        Signature { parts: vec![Signed::new(message, Algorithm::HmacSha256, codes)], stamp }
    }

    #[test]
    fn any_signature_under_any_active_secret_is_enough() {
        let keys = KeySet::parse("old, shop@new").unwrap();
        let now = UnixMs::new(0);
        for (made_with, label) in [("old", None), ("new", Some("shop"))] {
            let request = request("x");
            let signature = signature(&request, &["unknown", made_with], None);
            assert_eq!(request.verify(&signature, &keys, now).unwrap().label(), label);
        }
        let unknown = request("x");
        let by_unknown = signature(&unknown, &["unknown"], None);
        assert_eq!(unknown.verify(&by_unknown, &keys, now).unwrap_err(), Unverified::NoMatch);
    }

    #[test]
    fn every_part_must_fit_and_no_part_is_no_proof() {
        let keys = KeySet::parse("a").unwrap();
        let request = request("x");
        let mut two = signature(&request, &["a"], None);
        two.parts.extend(signature(&request, &["b"], None).parts);
        assert_eq!(request.clone().verify(&two, &keys, UnixMs::new(0)).unwrap_err(), Unverified::NoMatch);
        let none = Signature { parts: vec![], stamp: None };
        assert_eq!(request.verify(&none, &keys, UnixMs::new(0)).unwrap_err(), Unverified::NoMatch);
    }

    #[test]
    fn the_tolerance_holds_both_ways_and_includes_its_edge() {
        let keys = KeySet::parse("a").unwrap();
        let verify = |now_s: i64| {
            let request = request("x");
            let stamp = Stamp { at: UnixS::new(1_000), tolerance_s: 300 };
            let signature = signature(&request, &["a"], Some(stamp));
            request.verify(&signature, &keys, UnixS::new(now_s).to_ms()).map(|_| ())
        };
        assert_eq!(verify(1_300), Ok(()));
        assert_eq!(verify(700), Ok(()));
        assert_eq!(verify(1_301), Err(Unverified::Stale { age_s: 301, tolerance_s: 300 }));
        assert_eq!(verify(699), Err(Unverified::FromTheFuture { ahead_s: 301, tolerance_s: 300 }));
    }

    #[test]
    fn blank_secrets_are_refused_and_none_is_printed() {
        assert_eq!(KeySet::parse("  "), Err(KeySetError::Empty));
        assert_eq!(KeySet::parse("a,,b"), Err(KeySetError::Blank(2)));
        assert_eq!(KeySet::parse("a,shop@ "), Err(KeySetError::Blank(2)));
        assert_eq!(KeySet::parse("@b"), Err(KeySetError::BlankLabel(1)));
        let printed = format!("{:?}", KeySet::parse("shop@hush").unwrap());
        assert!(printed.contains("shop") && !printed.contains("hush"), "{printed}");
    }

    #[test]
    fn headers_have_no_case() {
        let headers = request("").headers;
        assert_eq!(headers.get("X-a"), Some("1"));
        assert_eq!(headers.all("X-A").collect::<Vec<_>>(), ["1", "2"]);
    }

    #[test]
    fn hex_goes_both_ways() {
        assert_eq!(decode_hex("00fFa1"), Some(vec![0, 255, 161]));
        assert_eq!(encode_hex(&[0, 255, 161]), "00ffa1");
        assert_eq!(decode_hex("0"), None);
        assert_eq!(decode_hex("0g"), None);
    }
}
