//! Which texts name what happens, so that a sample event can be sent again as another fact.

use hookledger::json;

/// Fields that name an event or something that happens once. Merchants, places, customers and cards stay who they are.
const ONCE: [&str; 6] = ["event_id", "id", "dispute_id", "payment_id", "order_id", "refund_ids"];

/// Every id in such a field gets `_tag`; a bank account's (`bact:`) does not.
pub(crate) fn refresh(body: &[u8], tag: &str) -> Vec<u8> {
    json::tag(body, tag, |field, text| ONCE.contains(&field) && !text.is_empty() && !text.starts_with("bact:"))
}
