//! `X-Shopify-Hmac-Sha256: <base64>`, or `Shopify-Hmac-Sha256` with the newer events: HMAC-SHA256 of the body, keyed by the
//! app's client secret as it is shown (shopify.dev/docs/apps/build/webhooks, and the validation in shopify-app-js). Nothing else
//! is signed, and no time.

use bytes::Bytes;
use hookledger::request::{Algorithm, Headers, Secret, Signature, Signed, Unverified, decode_base64, encode_base64};

pub(crate) const WEBHOOK: &str = "X-Shopify-Hmac-Sha256";
pub(crate) const EVENT: &str = "Shopify-Hmac-Sha256";

/// The two kinds of deliveries.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Family {
    /// Headers that begin with `X-Shopify-`.
    Webhook,
    /// Headers that begin with `Shopify-`.
    Event,
}

/// Which kind a delivery is, by the signature it has. Like Shopify's library, the newer one first.
pub(crate) fn family(headers: &Headers) -> Option<Family> {
    if headers.get(EVENT).is_some() {
        return Some(Family::Event);
    }
    headers.get(WEBHOOK).map(|_| Family::Webhook)
}

/// What the header says was signed, and with which code.
pub(crate) fn read(headers: &Headers, body: &Bytes) -> Result<Signature, Unverified> {
    let name = match family(headers) {
        Some(Family::Event) => EVENT,
        Some(Family::Webhook) | None => WEBHOOK,
    };
    let header = headers.get(name).ok_or(Unverified::MissingHeader(name))?;
    let code = decode_base64(header.trim()).ok_or(Unverified::MalformedHeader(name, "not base64"))?;
    let signed = Signed::new(vec![body.clone()], Algorithm::HmacSha256, vec![code]);
    Ok(Signature { parts: vec![signed], stamp: None })
}

/// The header Shopify would send.
pub(crate) fn make(body: &[u8], secret: &Secret) -> (String, String) {
    let code = Algorithm::HmacSha256.sign(&[Bytes::copy_from_slice(body)], secret).unwrap_or_default();
    (WEBHOOK.to_owned(), encode_base64(&code))
}
