//! Makes a body tell of something new, so that a sample event can be sent again as another fact.

/// Ids of what happens, once each. Customers, accounts, cards and prices stay who they are.
const ONCE: [&str; 12] = ["ch", "dp", "du", "evt", "in", "inpay", "pi", "po", "py", "pyr", "re", "txn"];

/// Every such id in a JSON text, also as a part of a path, gets `_tag`; all other bytes stay. `tag` must not need
/// escaping in JSON.
pub(crate) fn refresh(body: &[u8], tag: &str) -> Vec<u8> {
    let mut fresh = Vec::with_capacity(body.len() + body.len() / 8);
    let mut rest = body;
    while let Some(start) = rest.iter().position(|byte| *byte == b'"') {
        let (before, quoted) = rest.split_at(start + 1);
        let (text, after) = quoted.split_at(end_of_text(quoted));
        fresh.extend_from_slice(before);
        push_tagged(&mut fresh, text, tag);
        rest = match after.split_first() {
            Some((quote, after)) => {
                fresh.push(*quote);
                after
            }
            None => after,
        };
    }
    fresh.extend_from_slice(rest);
    fresh
}

/// Where the closing quote stands, or the end of a text that is cut off.
fn end_of_text(quoted: &[u8]) -> usize {
    let mut escaped = false;
    for (at, byte) in quoted.iter().enumerate() {
        match byte {
            _ if escaped => escaped = false,
            b'\\' => escaped = true,
            b'"' => return at,
            _ => {}
        }
    }
    quoted.len()
}

fn push_tagged(fresh: &mut Vec<u8>, text: &[u8], tag: &str) {
    for (at, part) in text.split(|byte| *byte == b'/').enumerate() {
        if at > 0 {
            fresh.push(b'/');
        }
        fresh.extend_from_slice(part);
        if is_id(part) {
            fresh.push(b'_');
            fresh.extend_from_slice(tag.as_bytes());
        }
    }
}

/// A prefix and a name of letters, digits and `_`; words such as `in_transit` have no digit.
fn is_id(part: &[u8]) -> bool {
    let Some((prefix, name)) = std::str::from_utf8(part).ok().and_then(|part| part.split_once('_')) else {
        return false;
    };
    let word = |byte: u8| byte.is_ascii_alphanumeric() || byte == b'_';
    let known = ONCE.contains(&prefix) && !name.is_empty() && name.bytes().all(word);
    known && (prefix != "in" || name.bytes().any(|byte| byte.is_ascii_digit()))
}
