//! Which texts name what happens, so that a sample event can be sent again as another fact.

use hookledger::json;

/// Ids of what happens, once each. Customers, addresses, prices, products and subscriptions stay who they are.
const ONCE: [&str; 8] = ["adj", "adjitm", "evt", "inv", "ntf", "pay", "txn", "txnitm"];

/// Every such id gets `_tag`.
pub(crate) fn refresh(body: &[u8], tag: &str) -> Vec<u8> {
    json::tag(body, tag, |_, text| {
        let (prefix, name) = text.split_once('_').unwrap_or_default();
        ONCE.contains(&prefix)
            && !name.is_empty()
            && name.bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'_')
    })
}
