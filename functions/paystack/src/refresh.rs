//! Which values name what happens, so that a sample event can be sent again as another fact.

use hookledger::claim::Digest;
use hookledger::json::{self, Object};

/// Names of what happens, once each. Customers, plans and cards stay who they are.
const ONCE: [&str; 6] =
    ["invoice_code", "reference", "refund_reference", "subscription_code", "transaction_reference", "transfer_code"];

/// Every such text gets `_tag`, and the number in `data.id`, which no text can follow, seven digits that are told by the tag.
pub(crate) fn refresh(body: &[u8], tag: &str) -> Vec<u8> {
    let digits: String =
        Digest::of(tag.as_bytes()).as_bytes().iter().take(7).map(|byte| char::from(b'0' + byte % 10)).collect();
    let body = match end_of_id(body) {
        Some(at) => [&body[..at], digits.as_bytes(), &body[at..]].concat(),
        None => body.to_vec(),
    };
    json::tag(&body, tag, |field, _| ONCE.contains(&field))
}

/// Where the number in `data.id` ends.
fn end_of_id(body: &[u8]) -> Option<usize> {
    let data = Object::parse(body).ok()?.object("data").ok()?;
    let number = data.raw("id").filter(|raw| raw.bytes().all(|byte| byte.is_ascii_digit()))?;
    // The text of a field is a piece of the body.
    Some(number.as_ptr().addr() - body.as_ptr().addr() + number.len())
}
