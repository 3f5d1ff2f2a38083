//! `X-CC-Webhook-Signature: <hex>`: HMAC-SHA256 of the body, keyed by the endpoint's shared secret as it is shown
//! (docs.cdp.coinbase.com/commerce, and the verification in coinbase-commerce-python). No time is signed.

use bytes::Bytes;
use hookledger::request::{Algorithm, Headers, Secret, Signature, Signed, Unverified, decode_hex, encode_hex};

pub(crate) const HEADER: &str = "X-CC-Webhook-Signature";

/// What the header says was signed, and with which code.
pub(crate) fn read(headers: &Headers, body: &Bytes) -> Result<Signature, Unverified> {
    let header = headers.get(HEADER).ok_or(Unverified::MissingHeader(HEADER))?;
    let code = decode_hex(header.trim()).ok_or(Unverified::MalformedHeader(HEADER, "not hex"))?;
    let signed = Signed::new(vec![body.clone()], Algorithm::HmacSha256, vec![code]);
    Ok(Signature { parts: vec![signed], stamp: None })
}

/// The header Coinbase Commerce would send.
pub(crate) fn make(body: &[u8], secret: &Secret) -> (String, String) {
    let code = Algorithm::HmacSha256.sign(&[Bytes::copy_from_slice(body)], secret).unwrap_or_default();
    (HEADER.to_owned(), encode_hex(&code))
}
