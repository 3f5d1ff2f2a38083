//! `Cko-Signature: <hex>`: the HMAC-SHA256 of the raw body; the key is the signature key as it was entered for the webhook
//! (www.checkout.com/docs/developer-resources/event-notifications/receive-webhooks/configure-your-webhook-server). No time
//! is signed. The `Authorization` header that may come as well proves less and is not looked at.

use bytes::Bytes;
use hookledger::request::{Algorithm, Headers, Secret, Signature, Signed, Unverified, decode_hex, encode_hex};

const HEADER: &str = "Cko-Signature";

/// What the header says was signed, and with which code.
pub(crate) fn read(headers: &Headers, body: &Bytes) -> Result<Signature, Unverified> {
    let code = headers.get(HEADER).ok_or(Unverified::MissingHeader(HEADER))?;
    if headers.all(HEADER).count() > 1 {
        return Err(Unverified::MalformedHeader(HEADER, "it stands twice"));
    }
    let code = decode_hex(code).ok_or(Unverified::MalformedHeader(HEADER, "not hex"))?;
    Ok(Signature { parts: vec![Signed::new(vec![body.clone()], Algorithm::HmacSha256, vec![code])], stamp: None })
}

/// The header Checkout.com would send.
pub(crate) fn make(body: &[u8], secret: &Secret) -> Vec<(String, String)> {
    let code = Algorithm::HmacSha256.sign(&[Bytes::copy_from_slice(body)], secret).unwrap_or_default();
    vec![(HEADER.to_owned(), encode_hex(&code))]
}
