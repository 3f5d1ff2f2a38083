//! `Stripe-Signature: t=<seconds>,v1=<hex>[,v1=<hex>]` (docs.stripe.com/webhooks, and the verification in stripe-node and
//! stripe-go). Signed are the stamp's text, a full stop and the body; the key is the secret as shown, `whsec_` included.
//! While a secret is rolled there is a `v1` for each. Other schemes are ignored: they are weaker or only for tests.

use bytes::Bytes;
use hookledger::request::{Algorithm, Headers, Secret, Signature, Signed, Stamp, Unverified, decode_hex, encode_hex};
use hookledger::time::{UnixMs, UnixS};

const HEADER: &str = "Stripe-Signature";

/// The default of Stripe's own libraries. Every redelivery is signed anew, so nothing late is lost by it.
const TOLERANCE_S: u64 = 300;

/// What the header says was signed, and with which codes.
pub(crate) fn read(headers: &Headers, body: &Bytes) -> Result<Signature, Unverified> {
    if headers.get(HEADER).is_none() {
        return Err(Unverified::MissingHeader(HEADER));
    }
    let (mut stamps, mut codes) = (Vec::new(), Vec::new());
    let items = headers.all(HEADER).flat_map(|value| value.split(','));
    // A gateway that joins repeated headers may put a space behind the comma.
    for (scheme, value) in items.filter_map(|item| item.trim_start().split_once('=')) {
        match scheme {
            "t" => stamps.push(value),
            "v1" => codes.push(value),
            _ => {}
        }
    }
    let malformed = |problem| Unverified::MalformedHeader(HEADER, problem);
    stamps.dedup();
    let [stamp] = stamps[..] else {
        return Err(malformed(if stamps.is_empty() { "no t=" } else { "two times" }));
    };
    let at = seconds(stamp).ok_or_else(|| malformed("t is not a count of seconds"))?;
    let candidates: Vec<Vec<u8>> = codes.into_iter().filter_map(decode_hex).collect();
    if candidates.is_empty() {
        return Err(malformed("no v1= that is hex"));
    }
    let signed = Signed::new(message(stamp, body), Algorithm::HmacSha256, candidates);
    Ok(Signature { parts: vec![signed], stamp: Some(Stamp { at, tolerance_s: TOLERANCE_S }) })
}

/// The header Stripe would send.
pub(crate) fn make(body: &[u8], secret: &Secret, at: UnixMs) -> Vec<(String, String)> {
    let stamp = at.to_s().get().to_string();
    let code = Algorithm::HmacSha256.sign(&message(&stamp, &Bytes::copy_from_slice(body)), secret).unwrap_or_default();
    vec![(HEADER.to_owned(), format!("t={stamp},v1={}", encode_hex(&code)))]
}

/// The stamp is signed as it stands in the header, not as the number it means.
fn message(stamp: &str, body: &Bytes) -> Vec<Bytes> {
    vec![Bytes::copy_from_slice(stamp.as_bytes()), Bytes::from_static(b"."), body.clone()]
}

fn seconds(stamp: &str) -> Option<UnixS> {
    // `parse` alone would take a sign.
    let digits = !stamp.is_empty() && stamp.bytes().all(|digit| digit.is_ascii_digit());
    if digits { stamp.parse().ok().map(UnixS::new) } else { None }
}
