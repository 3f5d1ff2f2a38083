//! `PAYPAL-TRANSMISSION-SIG` is the base64 of an RSA signature (PKCS #1 v1.5, SHA-256) over
//! `transmission id|transmission time|webhook id|CRC-32 of the body`, the last as an unsigned decimal. The webhook id is that
//! of our own subscription and stands in no header, so here it is the secret, though it opens nothing
//! (developer.paypal.com/api/rest/webhooks/rest). No tolerance for the time is documented, and a retry may carry the first
//! one's: it is not looked at.

use bytes::Bytes;
use hookledger::provider::CertificateRules;
use hookledger::request::{Algorithm, Headers, Piece, Signature, Signed, Unverified, decode_base64};

const ID: &str = "PAYPAL-TRANSMISSION-ID";
const TIME: &str = "PAYPAL-TRANSMISSION-TIME";
const CODE: &str = "PAYPAL-TRANSMISSION-SIG";
const CERTIFICATE: &str = "PAYPAL-CERT-URL";
const ALGORITHM: &str = "PAYPAL-AUTH-ALGO";

/// The hosts are those of the API, live and sandbox. The names are those that PayPal's own SDK for Java looks for
/// (`SSLUtil` in github.com/paypal/PayPal-Java-SDK); they are in no documentation, so should PayPal take others, deliveries
/// are refused until they are added here.
pub(crate) static CERTIFICATES: CertificateRules = CertificateRules {
    hosts: &["api.paypal.com", "api-m.paypal.com", "api.sandbox.paypal.com", "api-m.sandbox.paypal.com"],
    path: "/v1/notifications/certs/",
    names: &["messageverificationcerts.paypal.com", "messageverificationcerts.sandbox.paypal.com"],
};

/// What the headers say was signed, by which certificate, and with which code.
pub(crate) fn read(headers: &Headers, body: &Bytes) -> Result<Signature, Unverified> {
    let header = |name| headers.get(name).ok_or(Unverified::MissingHeader(name));
    let (id, time, url) = (header(ID)?, header(TIME)?, header(CERTIFICATE)?);
    if header(ALGORITHM)? != "SHA256withRSA" {
        return Err(Unverified::MalformedHeader(ALGORITHM, "not SHA256withRSA"));
    }
    let code = decode_base64(header(CODE)?).ok_or(Unverified::MalformedHeader(CODE, "not base64"))?;
    for (name, text) in [(ID, id), (TIME, time)] {
        // What separates the parts must not stand in one of them.
        if text.contains('|') {
            return Err(Unverified::MalformedHeader(name, "it holds a |"));
        }
    }
    let [before, after] = [format!("{id}|{time}|"), format!("|{}", crc32fast::hash(body))].map(Bytes::from);
    let message = vec![Piece::Bytes(before), Piece::Secret, Piece::Bytes(after)];
    let signed = Signed::new(message, Algorithm::RsaSha256Certified, vec![code]).by_certificate_at(url);
    Ok(Signature { parts: vec![signed], stamp: None })
}
