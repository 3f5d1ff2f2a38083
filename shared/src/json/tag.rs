//! Makes a document tell of something new by changing its ids, and nothing else of its bytes.

/// Every text in `json`, or part of one between slashes, that `is_id` gets `_tag` behind it; all other bytes stay. `tag`
/// must not need escaping in JSON.
pub fn tag_ids(json: &[u8], tag: &str, is_id: impl Fn(&str) -> bool) -> Vec<u8> {
    let mut fresh = Vec::with_capacity(json.len() + json.len() / 8);
    let mut rest = json;
    while let Some(start) = rest.iter().position(|byte| *byte == b'"') {
        let (before, quoted) = rest.split_at(start + 1);
        let (text, after) = quoted.split_at(end_of_text(quoted));
        fresh.extend_from_slice(before);
        push_tagged(&mut fresh, text, tag, &is_id);
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

fn push_tagged(fresh: &mut Vec<u8>, text: &[u8], tag: &str, is_id: impl Fn(&str) -> bool) {
    for (at, part) in text.split(|byte| *byte == b'/').enumerate() {
        if at > 0 {
            fresh.push(b'/');
        }
        fresh.extend_from_slice(part);
        if std::str::from_utf8(part).is_ok_and(&is_id) {
            fresh.push(b'_');
            fresh.extend_from_slice(tag.as_bytes());
        }
    }
}
