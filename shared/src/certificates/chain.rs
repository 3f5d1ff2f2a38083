//! A certificate with those that lead from it to a root.

use std::time::Duration;

use rustls_pki_types::pem::PemObject as _;
use rustls_pki_types::{CertificateDer, ServerName, TrustAnchor, UnixTime};
use webpki::{ALL_VERIFICATION_ALGS, EndEntityCert, Error, KeyUsage, anchor_from_trusted_cert};

use super::CertificateError;
use crate::time::UnixMs;

/// A root is rarely further away than three.
const LENGTH_MAX: usize = 8;

/// The sender's certificate first.
pub(super) struct Chain(Vec<CertificateDer<'static>>);

impl Chain {
    /// Reads PEM (RFC 7468).
    pub(super) fn parse(text: &[u8]) -> Result<Self, CertificateError> {
        let certificates: Result<Vec<_>, _> = CertificateDer::pem_slice_iter(text).take(LENGTH_MAX).collect();
        match certificates {
            Ok(certificates) if !certificates.is_empty() => Ok(Self(certificates)),
            _ => Err(CertificateError::Refused("it cannot be read")),
        }
    }

    /// The sender's certificate, if this chain ends at one of `roots`, all of it is valid now, and it is made out to one of
    /// `names`.
    pub(super) fn check(
        &self,
        roots: &[TrustAnchor<'_>],
        names: &[&str],
        now: UnixMs,
    ) -> Result<CertificateDer<'static>, CertificateError> {
        let refused = CertificateError::Refused;
        let (first, others) = self.0.split_first().ok_or(refused("it cannot be read"))?;
        let certificate = EndEntityCert::try_from(first).map_err(|_| refused("it cannot be read"))?;
        let now = UnixTime::since_unix_epoch(Duration::from_secs(now.to_s().get().try_into().unwrap_or_default()));
        // It is used for neither end of a connection; which of the two it is made for is the sender's affair.
        let checked =
            [KeyUsage::server_auth(), KeyUsage::client_auth()].into_iter().find_map(|usage| {
                match certificate.verify_for_usage(ALL_VERIFICATION_ALGS, roots, others, now, usage, None, None) {
                    Err(Error::RequiredEkuNotFoundContext(_)) => None,
                    path => Some(path.map(|_| ())),
                }
            });
        checked.unwrap_or(Err(Error::UnknownIssuer)).map_err(|error| refused(problem(&error)))?;
        let is_for = |name: &&str| {
            ServerName::try_from(*name).is_ok_and(|name| certificate.verify_is_valid_for_subject_name(&name).is_ok())
        };
        if names.iter().any(is_for) { Ok(first.clone()) } else { Err(refused("it is made out to others")) }
    }
}

fn problem(error: &Error) -> &'static str {
    match error {
        Error::CertExpired { .. } => "it or its issuer's is expired",
        Error::CertNotValidYet { .. } => "it or its issuer's is not valid yet",
        _ => "it does not lead to a root that is trusted here",
    }
}

/// The roots that this machine trusts.
pub(super) fn platform_roots() -> Vec<TrustAnchor<'static>> {
    anchors(&rustls_native_certs::load_native_certs().certs)
}

/// Those of `roots` that can be read.
pub(super) fn anchors(roots: &[CertificateDer<'_>]) -> Vec<TrustAnchor<'static>> {
    roots.iter().filter_map(|root| anchor_from_trusted_cert(root).ok().map(|anchor| anchor.to_owned())).collect()
}
