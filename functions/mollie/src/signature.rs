//! `X-Mollie-Signature: sha256=<hex>`: the HMAC-SHA256 of the body, keyed by the webhook's signing secret. While a secret
//! rotates there is a signature for each (docs.mollie.com/reference/webhooks-new, and `SignatureValidator` in
//! github.com/mollie/mollie-api-php). No time is signed. That library lets a request without the header pass as a classic
//! one; here it is refused, unless it is a ping and pings are taken.

use bytes::Bytes;
use hookledger::request::{Algorithm, Headers, Secret, Signature, Signed, Unverified, decode_hex, encode_hex};

pub(crate) const HEADER: &str = "X-Mollie-Signature";
const SCHEME: &str = "sha256=";

/// Two while a secret rotates. Each costs us a code over the whole body.
const CODES_MAX: usize = 8;

/// What the header says was signed, and with which codes. Repeated headers may come as one, joined by commas.
pub(crate) fn read(headers: &Headers, body: &Bytes) -> Result<Signature, Unverified> {
    let malformed = |problem| Unverified::MalformedHeader(HEADER, problem);
    let texts: Vec<&str> = headers.all(HEADER).flat_map(|value| value.split(',')).collect();
    if texts.is_empty() {
        return Err(Unverified::MissingHeader(HEADER));
    }
    if texts.len() > CODES_MAX {
        return Err(malformed("too many signatures"));
    }
    let code = |text: &&str| text.trim().strip_prefix(SCHEME).and_then(decode_hex);
    let codes: Vec<_> = texts.iter().filter_map(code).collect();
    if codes.is_empty() {
        return Err(malformed("no sha256= with hex behind it"));
    }
    Ok(Signature { parts: vec![Signed::new(vec![body.clone()], Algorithm::HmacSha256, codes)], stamp: None })
}

/// The header Mollie would send.
pub(crate) fn make(body: &[u8], secret: &Secret) -> (String, String) {
    let code = Algorithm::HmacSha256.sign(&[Bytes::copy_from_slice(body)], secret).unwrap_or_default();
    (HEADER.to_owned(), format!("{SCHEME}{}", encode_hex(&code)))
}
