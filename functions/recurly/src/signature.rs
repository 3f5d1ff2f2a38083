//! `recurly-signature: <unix ms>,<hex>[,<hex>]` (docs.recurly.com, signature verification, and recurly-client-ruby). Signed
//! are the stamp's text, a full stop and the body; the key is the text of the secret, 64 digits that are not decoded. While a
//! secret is rotated there is a code for each.

use bytes::Bytes;
use hookledger::request::{Algorithm, Headers, Secret, Signature, Signed, Stamp, Unverified, decode_hex, encode_hex};
use hookledger::time::UnixMs;

pub(crate) const HEADER: &str = "recurly-signature";

/// Recurly's libraries tolerate 300,000 ms. A stamp counts whole seconds here, so that two moments which are 299 apart lie
/// within 300,000 ms, and two which are 300 apart may not.
const TOLERANCE_S: u64 = 299;

/// What the header says was signed, and with which codes.
pub(crate) fn read(headers: &Headers, body: &Bytes) -> Result<Signature, Unverified> {
    let malformed = |problem| Unverified::MalformedHeader(HEADER, problem);
    let header = headers.get(HEADER).ok_or(Unverified::MissingHeader(HEADER))?;
    let (stamp, codes) = header.split_once(',').ok_or(malformed("no code"))?;
    let at = milliseconds(stamp).ok_or(malformed("no count of milliseconds in front"))?;
    let codes: Vec<Vec<u8>> = codes.split(',').filter_map(|code| decode_hex(code.trim())).collect();
    if codes.is_empty() {
        return Err(malformed("no code that is hex"));
    }
    let signed = Signed::new(message(stamp, body), Algorithm::HmacSha256, codes);
    Ok(Signature { parts: vec![signed], stamp: Some(Stamp { at: at.to_s(), tolerance_s: TOLERANCE_S }) })
}

/// The header Recurly would send.
pub(crate) fn make(body: &[u8], secret: &Secret, at: UnixMs) -> (String, String) {
    let stamp = at.get().to_string();
    let code = Algorithm::HmacSha256.sign(&message(&stamp, &Bytes::copy_from_slice(body)), secret).unwrap_or_default();
    (HEADER.to_owned(), format!("{stamp},{}", encode_hex(&code)))
}

/// The stamp is signed as it stands in the header, not as the number it means.
fn message(stamp: &str, body: &Bytes) -> Vec<Bytes> {
    vec![Bytes::copy_from_slice(stamp.as_bytes()), Bytes::from_static(b"."), body.clone()]
}

fn milliseconds(stamp: &str) -> Option<UnixMs> {
    // `parse` alone would take a sign.
    let digits = !stamp.is_empty() && stamp.bytes().all(|digit| digit.is_ascii_digit());
    if digits { stamp.parse().ok().map(UnixMs::new) } else { None }
}
