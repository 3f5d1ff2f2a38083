//! Makes a body tell of something new, so that a sample event can be sent again as another fact.

/// Every text that `is_id` (given the name of the field it stands in, and the text) gets `_tag` at its end; all other bytes
/// stay. Texts are given as they are written, escapes and all; `tag` must not need escaping in JSON.
pub fn tag(body: &[u8], tag: &str, is_id: impl Fn(&str, &str) -> bool) -> Vec<u8> {
    let mut fresh = Vec::with_capacity(body.len() + body.len() / 8);
    let (mut rest, mut name) = (body, String::new());
    while let Some(start) = rest.iter().position(|byte| *byte == b'"') {
        let (before, quoted) = rest.split_at(start + 1);
        let (text, after) = quoted.split_at(end_of_text(quoted));
        fresh.extend_from_slice(before);
        fresh.extend_from_slice(text);
        let written = String::from_utf8_lossy(text);
        if names_a_field(after) {
            name = written.into_owned();
        } else if is_id(&name, &written) {
            fresh.push(b'_');
            fresh.extend_from_slice(tag.as_bytes());
        }
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

/// Whether what follows a text, from its closing quote on, makes it the name of a field.
fn names_a_field(after: &[u8]) -> bool {
    after.iter().skip(1).find(|byte| !byte.is_ascii_whitespace()) == Some(&b':')
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ids_are_told_by_field_and_text_and_all_else_stays() {
        let body = br#"{"id": "a1", "name" : "a2", "of":{"id":"b\"1"},"ids":["a3",4],"n":1.50}"#;
        let fresh = tag(body, "x", |name, text| name.starts_with("id") && text.starts_with('a'));
        let expected = br#"{"id": "a1_x", "name" : "a2", "of":{"id":"b\"1"},"ids":["a3_x",4],"n":1.50}"#;
        assert_eq!(fresh, expected);
        assert_eq!(tag(br#"{"id":"cut of"#, "x", |_, _| true), br#"{"id":"cut of_x"#);
        assert_eq!(tag(b"\xff\"\xff\"", "x", |_, _| false), b"\xff\"\xff\"");
    }
}
