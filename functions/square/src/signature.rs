//! `x-square-hmacsha256-signature: <base64>` (developer.squareup.com/docs/webhooks/step3validate, and the helper in Square's
//! Node and Python SDKs). Signed are the notification URL and the body with nothing between them; the key is the signature
//! key's text as shown. The URL is the one entered at Square, not the one the request came to: a stage, a custom domain or
//! a slash at the end would differ. Nothing is stamped: a retry is the same bytes under the same signature.

use bytes::Bytes;
use hookledger::request::{Algorithm, Headers, Secret, Signature, Signed, Unverified, decode_base64, encode_base64};

const HEADER: &str = "x-square-hmacsha256-signature";

/// What the header says was signed, and with which codes.
pub(crate) fn read(headers: &Headers, body: &Bytes, url: &str) -> Result<Signature, Unverified> {
    if headers.get(HEADER).is_none() {
        return Err(Unverified::MissingHeader(HEADER));
    }
    let codes: Vec<Vec<u8>> = headers.all(HEADER).filter_map(decode_base64).collect();
    if codes.is_empty() {
        return Err(Unverified::MalformedHeader(HEADER, "not base64"));
    }
    let signed = Signed::new(message(url, body.clone()), Algorithm::HmacSha256, codes);
    Ok(Signature { parts: vec![signed], stamp: None })
}

/// The header Square would send.
pub(crate) fn make(body: &[u8], secret: &Secret, url: &str) -> Vec<(String, String)> {
    let code = Algorithm::HmacSha256.sign(&message(url, Bytes::copy_from_slice(body)), secret).unwrap_or_default();
    vec![(HEADER.to_owned(), encode_base64(&code))]
}

/// Whether this can be the URL entered at Square. It is signed as it stands, so nothing in it is made alike.
pub(crate) fn is_url(text: &str) -> bool {
    let rest = text.strip_prefix("https://").or(text.strip_prefix("http://")).unwrap_or_default();
    let host = rest.split(['/', '?', '#']).next().unwrap_or_default();
    !host.is_empty() && text.bytes().all(|byte| byte.is_ascii_graphic())
}

fn message(url: &str, body: Bytes) -> Vec<Bytes> {
    vec![Bytes::copy_from_slice(url.as_bytes()), body]
}
