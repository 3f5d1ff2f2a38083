//! Which texts name what happens, so that a sample event can be sent again as another fact.

use hookledger::json;

/// Ids of what happens, once each. Customers, accounts, cards and prices stay who they are.
const ONCE: [&str; 12] = ["ch", "dp", "du", "evt", "in", "inpay", "pi", "po", "py", "pyr", "re", "txn"];

/// Every such id, also at the end of a path, gets `_tag`.
pub(crate) fn refresh(body: &[u8], tag: &str) -> Vec<u8> {
    json::tag(body, tag, |_, text| text.rsplit('/').next().is_some_and(is_id))
}

/// A prefix and a name of letters, digits and `_`; words such as `in_transit` have no digit.
fn is_id(text: &str) -> bool {
    let Some((prefix, name)) = text.split_once('_') else { return false };
    let word = |byte: u8| byte.is_ascii_alphanumeric() || byte == b'_';
    let known = ONCE.contains(&prefix) && !name.is_empty() && name.bytes().all(word);
    known && (prefix != "in" || name.bytes().any(|byte| byte.is_ascii_digit()))
}
