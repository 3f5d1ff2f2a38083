//! `X-Hub-Signature-256: sha256=<hex>`: HMAC-SHA256 of the body, keyed by the webhook's secret
//! (docs.github.com/webhooks/using-webhooks/validating-webhook-deliveries). Nothing else is signed, and no time. The older
//! `X-Hub-Signature` is not read. A webhook without a secret is not signed, and refused.

use bytes::Bytes;
use hookledger::request::{Algorithm, Headers, Secret, Signature, Signed, Unverified, decode_hex, encode_hex};

const HEADER: &str = "X-Hub-Signature-256";
const SCHEME: &str = "sha256=";

/// What the header says was signed, and with which code.
pub(crate) fn read(headers: &Headers, body: &Bytes) -> Result<Signature, Unverified> {
    let malformed = |problem| Unverified::MalformedHeader(HEADER, problem);
    let header = headers.get(HEADER).ok_or(Unverified::MissingHeader(HEADER))?;
    let code = header.trim().strip_prefix(SCHEME).ok_or(malformed("no sha256="))?;
    let code = decode_hex(code).ok_or(malformed("not hex"))?;
    let signed = Signed::new(vec![body.clone()], Algorithm::HmacSha256, vec![code]);
    Ok(Signature { parts: vec![signed], stamp: None })
}

/// The header GitHub would send.
pub(crate) fn make(body: &[u8], secret: &Secret) -> (String, String) {
    let code = Algorithm::HmacSha256.sign(&[Bytes::copy_from_slice(body)], secret).unwrap_or_default();
    (HEADER.to_owned(), format!("{SCHEME}{}", encode_hex(&code)))
}
