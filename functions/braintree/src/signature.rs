//! `bt_signature` is a list of pairs, `public key|hex`, joined by `&`. The code is the HMAC-SHA1 of `bt_payload` as it
//! stands, line breaks and all; the key is the SHA-1 of the private key that belongs to the public one. A line break at the
//! end may have been lost on the way, so the code may also be that of the payload with one more
//! (`webhook_notification_gateway.py` in github.com/braintree/braintree_python). No time is signed.

use bytes::Bytes;
use hookledger::provider::Reply;
use hookledger::request::{
    Algorithm, Candidate, KeySet, Signature, Signed, Unverified, UnverifiedRequest, decode_hex, encode_hex, form,
};

pub(crate) const ALGORITHM: Algorithm = Algorithm::HmacSha1HashedKey;

const SIGNATURE: &str = "bt_signature";
const PAYLOAD: &str = "bt_payload";
const CHALLENGE: &str = "bt_challenge";

/// Braintree signs with each of a merchant's keys, and a merchant has a few. Anybody can send many, and each costs us a code
/// over the whole payload.
const PAIRS_MAX: usize = 16;

/// What the form says was signed, and with which codes.
pub(crate) fn read(request: &UnverifiedRequest) -> Result<Signature, Unverified> {
    if request.method != "POST" {
        return Err(Unverified::Unsigned("a notification is posted"));
    }
    let payload = payload(&request.body).ok_or(Unverified::Unsigned("not a form with one bt_payload"))?;
    if !payload.bytes().all(|byte| byte.is_ascii_alphanumeric() || b"+/=\n".contains(&byte)) {
        return Err(Unverified::Unsigned("bt_payload is not base64"));
    }
    // We sign those for whoever asks, so our code on one proves nothing.
    if is_challenge(&payload) {
        return Err(Unverified::Unsigned("bt_payload is a challenge"));
    }
    let pairs = field(&request.body, SIGNATURE).ok_or(Unverified::Unsigned("not a form with one bt_signature"))?;
    let codes: Vec<_> = pairs.split('&').filter_map(code).collect();
    if codes.is_empty() || codes.len() > PAIRS_MAX {
        return Err(Unverified::Unsigned("bt_signature is not a short list of key|code"));
    }
    let signed = Signed::new(vec![Bytes::from(payload)], ALGORITHM, Vec::new());
    let signed = codes.into_iter().fold(signed, |signed, (name, code)| {
        let candidate = Candidate::new(ALGORITHM, code).of_key(name);
        signed.or_candidate(candidate.clone().with_tail(b"\n")).or_candidate(candidate)
    });
    Ok(Signature { parts: vec![signed], stamp: None })
}

/// The notification, still in base64.
pub(crate) fn payload(body: &[u8]) -> Option<String> {
    field(body, PAYLOAD)
}

/// The form that Braintree would post.
pub(crate) fn posted(payload: &str, pairs: &str) -> Vec<u8> {
    format!("{SIGNATURE}={}&{PAYLOAD}={}", escaped(pairs), escaped(payload)).into_bytes()
}

/// The answer to a challenge: the first secret's public key, and its code on the challenge
/// (developers.braintreepayments.com/guides/webhooks/create).
pub(crate) fn challenged(request: &UnverifiedRequest, keys: &KeySet) -> Option<Reply> {
    let challenge =
        field(request.query.as_bytes(), CHALLENGE).filter(|text| request.method == "GET" && is_challenge(text))?;
    let secret = keys.first()?;
    let code = ALGORITHM.sign(&[Bytes::from(challenge)], secret)?;
    let body = format!("{}|{}", secret.name()?, encode_hex(&code));
    Some(Reply { status: 200, body: Bytes::from(body), content_type: "text/plain".to_owned() })
}

/// Hex of 20 to 32 digits, as Braintree's SDKs check it before they sign.
fn is_challenge(text: &str) -> bool {
    (20..=32).contains(&text.len()) && text.bytes().all(|byte| byte.is_ascii_digit() || (b'a'..=b'f').contains(&byte))
}

/// The value under a name that stands once.
fn field(text: &[u8], name: &str) -> Option<String> {
    let mut values = form(text)?.into_iter().filter(|(key, _)| key == name).map(|(_, value)| value);
    values.next().filter(|_| values.next().is_none())
}

fn code(pair: &str) -> Option<(&str, Vec<u8>)> {
    let (name, code) = pair.split_once('|')?;
    Some((name, decode_hex(code)?))
}

fn escaped(text: &str) -> String {
    let byte = |byte: u8| match byte {
        byte if byte.is_ascii_alphanumeric() || byte == b'_' => char::from(byte).to_string(),
        byte => format!("%{byte:02X}"),
    };
    text.bytes().map(byte).collect()
}
