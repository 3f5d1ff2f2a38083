//! `Webhook-Signature: <hex>`: HMAC-SHA256 of the body, keyed by the endpoint's secret as shown (the verification in
//! gocardless-pro-python and gocardless-nodejs). Nothing tells the time of signing.

use bytes::Bytes;
use hookledger::request::{Algorithm, Headers, Secret, Signature, Signed, Unverified, decode_hex, encode_hex};

const HEADER: &str = "Webhook-Signature";

/// What the header says was signed, and with which code.
pub(crate) fn read(headers: &Headers, body: &Bytes) -> Result<Signature, Unverified> {
    let code = headers.get(HEADER).ok_or(Unverified::MissingHeader(HEADER))?;
    let code = decode_hex(code.trim()).ok_or(Unverified::MalformedHeader(HEADER, "not hex"))?;
    let signed = Signed::new(vec![body.clone()], Algorithm::HmacSha256, vec![code]);
    Ok(Signature { parts: vec![signed], stamp: None })
}

/// The header GoCardless would send.
pub(crate) fn make(body: &[u8], secret: &Secret) -> Vec<(String, String)> {
    let code = Algorithm::HmacSha256.sign(&[Bytes::copy_from_slice(body)], secret).unwrap_or_default();
    vec![(HEADER.to_owned(), encode_hex(&code))]
}
