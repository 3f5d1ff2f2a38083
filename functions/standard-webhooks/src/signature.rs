//! Signatures (the Standard Webhooks specification, "Signature scheme"; the verification in svix-webhooks). Signed are the id,
//! the stamp's text and the body, full stops between them. While a key is rotated there is a signature for each.
//!
//! A full stop in an id cannot make one message pass for another: behind the id stands a time that is checked, and behind that
//! a body that has to be JSON.

use bytes::Bytes;
use hookledger::request::{
    Algorithm, Headers, Secret, Signature, Signed, Stamp, Unverified, decode_base64, encode_base64,
};
use hookledger::time::{UnixMs, UnixS};

use crate::family::{Family, STANDARD, single};

/// What the specification's and Svix's libraries tolerate. Every attempt is signed anew.
const TOLERANCE_S: u64 = 300;

/// What the headers say was signed, and with which codes.
pub(crate) fn read(headers: &Headers, body: &Bytes) -> Result<Signature, Unverified> {
    let family = Family::of(headers)?;
    let (id, stamp) = (single(headers, family.id)?, single(headers, family.stamp)?);
    let at = seconds(stamp).ok_or(Unverified::MalformedHeader(family.stamp, "not a count of seconds"))?;
    let (mut shared, mut public) = (Vec::new(), Vec::new());
    let listed = headers.all(family.signature).flat_map(|value| value.split(' '));
    for (version, code) in listed.filter_map(|item| item.split_once(',')) {
        match version {
            "v1" => shared.extend(decode_base64(code)),
            "v1a" => public.extend(decode_base64(code)),
            _ => {}
        }
    }
    if shared.is_empty() && public.is_empty() {
        return Err(Unverified::MalformedHeader(family.signature, "no v1 or v1a that is base64"));
    }
    let signed =
        Signed::new(message(id, stamp, body), Algorithm::HmacSha256Base64Key, shared).or(Algorithm::Ed25519, public);
    Ok(Signature { parts: vec![signed], stamp: Some(Stamp { at, tolerance_s: TOLERANCE_S }) })
}

/// The headers a sender would send under `id`. None where the secret is a public key.
pub(crate) fn make(id: &str, body: &[u8], secret: &Secret, at: UnixMs) -> Vec<(String, String)> {
    let stamp = at.to_s().get().to_string();
    let message = message(id, &stamp, &Bytes::copy_from_slice(body));
    let Some(code) = Algorithm::HmacSha256Base64Key.sign(&message, secret) else { return Vec::new() };
    let headers = [
        (STANDARD.id, id.to_owned()),
        (STANDARD.stamp, stamp),
        (STANDARD.signature, format!("v1,{}", encode_base64(&code))),
    ];
    headers.map(|(name, value)| (name.to_owned(), value)).into()
}

/// Id and stamp are signed as they stand in the headers.
fn message(id: &str, stamp: &str, body: &Bytes) -> Vec<Bytes> {
    vec![Bytes::from(format!("{id}.{stamp}.")), body.clone()]
}

fn seconds(stamp: &str) -> Option<UnixS> {
    // `parse` alone would take a sign.
    let digits = stamp.bytes().all(|digit| digit.is_ascii_digit());
    if digits { stamp.parse().ok().map(UnixS::new) } else { None }
}
