//! `Paddle-Signature: ts=<seconds>;h1=<hex>[;h1=<hex>]` (developer.paddle.com/webhooks/signature-verification, and the
//! verifiers of Paddle's Node, PHP and Go SDKs). Signed are the stamp's text, a colon and the body; the key is the secret's
//! text as shown, `pdl_ntfset_` included. While a secret is rotated there is an `h1` for each. Other keys are ignored.

use bytes::Bytes;
use hookledger::request::{Algorithm, Headers, Secret, Signature, Signed, Stamp, Unverified, decode_hex, encode_hex};
use hookledger::time::{UnixMs, UnixS};

const HEADER: &str = "Paddle-Signature";

/// Paddle's own libraries take 5 s, which a cold start behind a gateway and a clock a little off could use up. A minute
/// costs nothing: an old delivery that is sent again is the same event, and a claim outlives this by far.
const TOLERANCE_S: u64 = 60;

/// What the header says was signed, and with which codes.
pub(crate) fn read(headers: &Headers, body: &Bytes) -> Result<Signature, Unverified> {
    if headers.get(HEADER).is_none() {
        return Err(Unverified::MissingHeader(HEADER));
    }
    let (mut stamps, mut codes) = (Vec::new(), Vec::new());
    for (key, value) in headers.all(HEADER).flat_map(|value| value.split(';')).filter_map(|item| item.split_once('=')) {
        match key.trim_start() {
            "ts" => stamps.push(value),
            "h1" => codes.push(value),
            _ => {}
        }
    }
    let malformed = |problem| Unverified::MalformedHeader(HEADER, problem);
    stamps.dedup();
    let [stamp] = stamps[..] else {
        return Err(malformed(if stamps.is_empty() { "no ts=" } else { "two times" }));
    };
    let at = seconds(stamp).ok_or_else(|| malformed("ts is not a count of seconds"))?;
    let codes: Vec<Vec<u8>> = codes.into_iter().filter_map(decode_hex).collect();
    if codes.is_empty() {
        return Err(malformed("no h1= that is hex"));
    }
    let signed = Signed::new(message(stamp, body.clone()), Algorithm::HmacSha256, codes);
    Ok(Signature { parts: vec![signed], stamp: Some(Stamp { at, tolerance_s: TOLERANCE_S }) })
}

/// The header Paddle would send.
pub(crate) fn make(body: &[u8], secret: &Secret, at: UnixMs) -> Vec<(String, String)> {
    let stamp = at.to_s().get().to_string();
    let code = Algorithm::HmacSha256.sign(&message(&stamp, Bytes::copy_from_slice(body)), secret).unwrap_or_default();
    vec![(HEADER.to_owned(), format!("ts={stamp};h1={}", encode_hex(&code)))]
}

/// The stamp is signed as it stands in the header, not as the number it means.
fn message(stamp: &str, body: Bytes) -> Vec<Bytes> {
    vec![Bytes::copy_from_slice(stamp.as_bytes()), Bytes::from_static(b":"), body]
}

fn seconds(stamp: &str) -> Option<UnixS> {
    // `parse` alone would take a sign.
    let digits = !stamp.is_empty() && stamp.bytes().all(|digit| digit.is_ascii_digit());
    if digits { stamp.parse().ok().map(UnixS::new) } else { None }
}
