//! Makes a body tell of something new, so that a sample event can be sent again as another fact.

use hookledger::json;

/// Events, payments, refunds and payouts happen once. Mandates, customers and creditors stay who they are.
const ONCE: [&str; 4] = ["EV", "PM", "RF", "PO"];

/// Every id of what happens once gets `_tag`.
pub(crate) fn refresh(body: &[u8], tag: &str) -> Vec<u8> {
    json::tag(body, tag, |_, text| is_id(text))
}

/// Two letters, then letters and digits in upper case, one digit at least: no word looks like it.
fn is_id(text: &str) -> bool {
    let Some((prefix, name)) = text.split_at_checked(2) else {
        return false;
    };
    let fits = |byte: u8| byte.is_ascii_uppercase() || byte.is_ascii_digit();
    ONCE.contains(&prefix) && name.bytes().all(fits) && name.bytes().any(|byte| byte.is_ascii_digit())
}
