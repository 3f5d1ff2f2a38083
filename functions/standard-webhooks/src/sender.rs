//! What a sender would send: for the local stack and the tests.

use hookledger::claim::Digest;
use hookledger::json;

use crate::mapping::Mapping;

/// An id for `body`, made of it: every attempt has the same.
pub(crate) fn id(body: &[u8]) -> String {
    format!("msg_{}", &Digest::of(body).to_hex()[..27])
}

/// Texts that name what happens, by the mapping, get `_tag`; without one, those in `id`. Where there is none, one more field
/// makes it another body, and so another id.
pub(crate) fn refresh(body: &[u8], tag: &str, mapping: Option<&Mapping>) -> Vec<u8> {
    let names = mapping.map_or_else(|| vec!["id"], Mapping::names);
    let fresh = json::tag(body, tag, |field, _| names.contains(&field));
    match fresh.iter().position(|byte| *byte == b'{') {
        Some(at) if fresh == body => {
            let (before, after) = body.split_at(at + 1);
            let comma = if after.trim_ascii_start().starts_with(b"}") { "" } else { "," };
            [before, format!("\"hookledger_tag\":\"{tag}\"{comma}").as_bytes(), after].concat()
        }
        _ => fresh,
    }
}
