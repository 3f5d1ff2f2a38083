//! Makes a body tell of something new, so that a sample event can be sent again as another fact.

use hookledger::json::tag_ids;

/// Ids of what happens, once each. Customers, accounts, cards and prices stay who they are.
const ONCE: [&str; 12] = ["ch", "dp", "du", "evt", "in", "inpay", "pi", "po", "py", "pyr", "re", "txn"];

/// Every such id, also as a part of a path, gets `_tag`.
pub(crate) fn refresh(body: &[u8], tag: &str) -> Vec<u8> {
    tag_ids(body, tag, is_id)
}

/// A prefix and a name of letters, digits and `_`; words such as `in_transit` have no digit.
fn is_id(part: &str) -> bool {
    let Some((prefix, name)) = part.split_once('_') else {
        return false;
    };
    let word = |byte: u8| byte.is_ascii_alphanumeric() || byte == b'_';
    let known = ONCE.contains(&prefix) && !name.is_empty() && name.bytes().all(word);
    known && (prefix != "in" || name.bytes().any(|byte| byte.is_ascii_digit()))
}
