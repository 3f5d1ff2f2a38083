//! `X-Slack-Signature: v0=<hex>` and `X-Slack-Request-Timestamp: <seconds>` (docs.slack.dev, verifying requests from Slack, and
//! python-slack-sdk). Signed are `v0`, the stamp's text and the body, colons between them; the key is the signing secret as it
//! is shown.

use bytes::Bytes;
use hookledger::request::{Algorithm, Headers, Secret, Signature, Signed, Stamp, Unverified, decode_hex, encode_hex};
use hookledger::time::{UnixMs, UnixS};

pub(crate) const HEADER: &str = "X-Slack-Signature";
pub(crate) const STAMP: &str = "X-Slack-Request-Timestamp";

/// What Slack recommends, both ways as in its libraries. Every attempt is signed anew.
const TOLERANCE_S: u64 = 300;

/// What the headers say was signed, and with which code.
pub(crate) fn read(headers: &Headers, body: &Bytes) -> Result<Signature, Unverified> {
    let malformed = |problem| Unverified::MalformedHeader(HEADER, problem);
    let header = headers.get(HEADER).ok_or(Unverified::MissingHeader(HEADER))?;
    let stamp = headers.get(STAMP).ok_or(Unverified::MissingHeader(STAMP))?;
    let at = seconds(stamp).ok_or(Unverified::MalformedHeader(STAMP, "not a count of seconds"))?;
    let code = header.strip_prefix("v0=").ok_or(malformed("no v0="))?;
    let code = decode_hex(code).ok_or(malformed("not hex"))?;
    let signed = Signed::new(message(stamp, body), Algorithm::HmacSha256, vec![code]);
    Ok(Signature { parts: vec![signed], stamp: Some(Stamp { at, tolerance_s: TOLERANCE_S }) })
}

/// The headers Slack would send.
pub(crate) fn make(body: &[u8], secret: &Secret, at: UnixMs) -> Vec<(String, String)> {
    let stamp = at.to_s().get().to_string();
    let code = Algorithm::HmacSha256.sign(&message(&stamp, &Bytes::copy_from_slice(body)), secret).unwrap_or_default();
    vec![(HEADER.to_owned(), format!("v0={}", encode_hex(&code))), (STAMP.to_owned(), stamp)]
}

/// The stamp is signed as it stands in the header, not as the number it means.
fn message(stamp: &str, body: &Bytes) -> Vec<Bytes> {
    vec![Bytes::copy_from_slice(format!("v0:{stamp}:").as_bytes()), body.clone()]
}

fn seconds(stamp: &str) -> Option<UnixS> {
    // `parse` alone would take a sign.
    let digits = !stamp.is_empty() && stamp.bytes().all(|digit| digit.is_ascii_digit());
    if digits { stamp.parse().ok().map(UnixS::new) } else { None }
}
