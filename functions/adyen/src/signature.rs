//! Each item is signed by itself, in `additionalData.hmacSignature`: the base64 HMAC-SHA256 of eight of its fields, joined by
//! colons and escaped in no way; the key is the secret in hex (docs.adyen.com/development-resources/webhooks, "Verify HMAC
//! signatures", and `hmacValidator` in github.com/Adyen/adyen-node-api-library).

use bytes::Bytes;
use hookledger::json::{FieldError, Object};
use hookledger::request::{
    Algorithm, Secret, Signature, Signed, Unverified, UnverifiedRequest, decode_base64, encode_base64,
};

use crate::item::{SEPARATOR, signed, texts};

pub(crate) const ALGORITHM: Algorithm = Algorithm::HmacSha256HexKey;

/// Where platform and management webhooks carry a signature of their whole body.
const PLATFORM_HEADER: &str = "HmacSignature";

const CODE: &str = "hmacSignature";

/// What each item says was signed, and with which code. A delivery of which one item does not fit is refused.
pub(crate) fn read(request: &UnverifiedRequest) -> Result<Signature, Unverified> {
    if request.headers.get(PLATFORM_HEADER).is_some() {
        return Err(Unverified::Unsigned("it is a platform webhook, and only standard ones are taken here"));
    }
    let unsigned = |problem: FieldError| Unverified::Unsigned(problem.problem);
    let items = texts(&request.body).map_err(unsigned)?;
    if items.is_empty() {
        return Err(Unverified::Unsigned("notificationItems is empty"));
    }
    let parts = items.into_iter().map(part).collect::<Result<_, _>>().map_err(unsigned)?;
    Ok(Signature { parts, stamp: None })
}

fn part(text: &str) -> Result<Signed, FieldError> {
    let item = Object::parse(text.as_bytes())?;
    let data = item.object_opt("additionalData")?;
    let code = data.map_or(Ok(None), |data| data.text_opt(CODE))?;
    let code = code.ok_or_else(|| item.error(CODE, "an item has no hmacSignature"))?;
    let code = decode_base64(&code).ok_or_else(|| item.error(CODE, "an hmacSignature is not base64"))?;
    Ok(Signed::new(vec![message(&item)], ALGORITHM, vec![code]))
}

/// The fields in the order in which they are signed.
fn message(item: &Object<'_>) -> Bytes {
    let amount = item.object_opt("amount").unwrap_or_default();
    let in_amount = |name: &str| amount.as_ref().map(|amount| signed(amount, name)).unwrap_or_default();
    let fields = [
        signed(item, "pspReference"),
        signed(item, "originalReference"),
        signed(item, "merchantAccountCode"),
        signed(item, "merchantReference"),
        in_amount("value"),
        in_amount("currency"),
        signed(item, "eventCode"),
        signed(item, "success"),
    ];
    Bytes::from(fields.join(SEPARATOR))
}

/// The body with every item's code replaced by the one that Adyen would put there. What cannot be read stays.
pub(crate) fn seal(body: &[u8], secret: &Secret) -> Vec<u8> {
    let mut sealed = body.to_vec();
    // From the last to the first, so that the places of those before stay.
    for (text, code) in codes(body, secret).into_iter().rev() {
        let begin = text.as_ptr().addr() - body.as_ptr().addr();
        sealed.splice(begin..begin + text.len(), code.into_bytes());
    }
    sealed
}

/// Where each item's code stands in `body`, quotes included, and what should stand there.
fn codes<'a>(body: &'a [u8], secret: &Secret) -> Vec<(&'a str, String)> {
    let code = |text: &'a str| {
        let item = Object::parse(text.as_bytes()).ok()?;
        let place = item.object_opt("additionalData").ok()??.raw(CODE)?;
        Some((place, format!("\"{}\"", encode_base64(&ALGORITHM.sign(&[message(&item)], secret)?))))
    };
    texts(body).unwrap_or_default().into_iter().filter_map(code).collect()
}
