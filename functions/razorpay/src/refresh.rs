//! Which texts name what happens, so that a sample event can be sent again as another fact.

use hookledger::json;

/// Ids of what happens, once each. Accounts, customers, cards and banks stay who they are.
const ONCE: [&str; 9] = ["disp", "inv", "order", "pay", "plink", "pout", "poutdown", "rfnd", "setl"];

/// Every such id gets `_tag`.
pub(crate) fn refresh(body: &[u8], tag: &str) -> Vec<u8> {
    json::tag(body, tag, |field, text| {
        let (prefix, name) = text.split_once('_').unwrap_or_default();
        let is_id = !name.is_empty() && name.bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'_');
        // A payment's `method` may be a word such as `pay_later`.
        is_id && ONCE.contains(&prefix) && (field == "id" || field.ends_with("_id"))
    })
}
