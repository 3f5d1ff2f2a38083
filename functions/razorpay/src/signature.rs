//! `X-Razorpay-Signature: <hex>` (razorpay.com/docs/webhooks/validate-test, and the helper in Razorpay's Node and Python
//! SDKs). Signed is the body; the key is the secret's text. Nothing is stamped.

use bytes::Bytes;
use hookledger::request::{Algorithm, Headers, Secret, Signature, Signed, Unverified, decode_hex, encode_hex};

const HEADER: &str = "X-Razorpay-Signature";

/// What the header says was signed, and with which codes.
pub(crate) fn read(headers: &Headers, body: &Bytes) -> Result<Signature, Unverified> {
    if headers.get(HEADER).is_none() {
        return Err(Unverified::MissingHeader(HEADER));
    }
    let codes: Vec<Vec<u8>> = headers.all(HEADER).filter_map(decode_hex).collect();
    if codes.is_empty() {
        return Err(Unverified::MalformedHeader(HEADER, "not hex"));
    }
    let signed = Signed::new(vec![body.clone()], Algorithm::HmacSha256, codes);
    Ok(Signature { parts: vec![signed], stamp: None })
}

/// The header Razorpay would send.
pub(crate) fn make(body: &[u8], secret: &Secret) -> Vec<(String, String)> {
    let code = Algorithm::HmacSha256.sign(&[Bytes::copy_from_slice(body)], secret).unwrap_or_default();
    vec![(HEADER.to_owned(), encode_hex(&code))]
}
