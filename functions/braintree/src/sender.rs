//! What Braintree would send: for the local stack and the tests.

use bytes::Bytes;
use hookledger::request::{Secret, encode_base64, encode_hex};

use crate::signature::{ALGORITHM, posted};

/// As Braintree breaks base64 into lines.
const LINE: usize = 60;

/// A notification as the form that carries it.
pub(crate) fn seal(notification: &[u8], secret: &Secret) -> Vec<u8> {
    let text = encode_base64(notification);
    let lines: Vec<&[u8]> = text.as_bytes().chunks(LINE).collect();
    let payload = [lines.join(&b'\n'), b"\n".to_vec()].concat();
    let payload = String::from_utf8_lossy(&payload).into_owned();
    let code = ALGORITHM.sign(&[Bytes::from(payload.clone())], secret).unwrap_or_default();
    posted(&payload, &format!("{}|{}", secret.name().unwrap_or_default(), encode_hex(&code)))
}

/// Every id with a tag behind it. A notification without one is named by its bytes, and gets a comment.
pub(crate) fn refresh(notification: &[u8], tag: &str) -> Vec<u8> {
    let text = String::from_utf8_lossy(notification);
    let fresh = text.replace("</id>", &format!("_{tag}</id>"));
    if fresh == text { format!("{text}<!-- {tag} -->").into_bytes() } else { fresh.into_bytes() }
}
