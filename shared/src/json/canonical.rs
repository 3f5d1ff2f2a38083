//! A document's canonical form.

use serde_json::value::RawValue;

use super::{Elements, Fields, string};

/// Deeper documents are not canonicalised: their bytes stand for themselves.
const DEPTH_MAX: usize = 64;

/// The same bytes for the same document, whatever its key order and white space; `volatile` top-level fields left out.
/// Number text is kept as sent, so integers beyond 2^53 stay apart. `None`: not JSON, or nested too deep.
pub fn canonical(bytes: &[u8], volatile: &[&str]) -> Option<Vec<u8>> {
    let value: &RawValue = serde_json::from_slice(bytes).ok()?;
    let mut out = Vec::with_capacity(bytes.len());
    write(value, volatile, DEPTH_MAX, &mut out)?;
    Some(out)
}

fn write(value: &RawValue, left_out: &[&str], depth_left: usize, out: &mut Vec<u8>) -> Option<()> {
    let depth_left = depth_left.checked_sub(1)?;
    let raw = value.get();
    match raw.as_bytes().first()? {
        b'{' => {
            let Fields(mut fields) = serde_json::from_str(raw).ok()?;
            fields.retain(|(name, _)| !left_out.contains(&name.as_ref()));
            fields.sort_by(|left, right| left.0.cmp(&right.0));
            out.push(b'{');
            for (name, value) in fields {
                serde_json::to_writer(&mut *out, &name).ok()?;
                out.push(b':');
                write(value, &[], depth_left, out)?;
                out.push(b',');
            }
            out.push(b'}');
        }
        b'[' => {
            let Elements(values) = serde_json::from_str(raw).ok()?;
            out.push(b'[');
            for value in values {
                write(value, &[], depth_left, out)?;
                out.push(b',');
            }
            out.push(b']');
        }
        b'"' => serde_json::to_writer(out, &string(raw)?).ok()?,
        _ => out.extend_from_slice(raw.as_bytes()),
    }
    Some(())
}

#[cfg(test)]
mod tests {
    use super::super::Object;
    use super::*;

    #[test]
    fn the_canonical_form_forgets_order_and_space_and_nothing_else() {
        let volatile = ["pending_webhooks"];
        let form = |text: &str| canonical(text.as_bytes(), &volatile);
        assert_eq!(form(r#"{"a":1,"b":[1,2]}"#), form("{ \"b\" : [1, 2],\n\"a\":1, \"pending_webhooks\": 3 }"));
        assert_eq!(form(r#"{"a":"A"}"#), form(r#"{"a":"\u0041"}"#));
        assert_ne!(form("9007199254740993"), form("9007199254740992"));
        assert_ne!(form(r#"{"a":[1,2]}"#), form(r#"{"a":[2,1]}"#));
        assert_ne!(form(r#"{"a":{"pending_webhooks":1}}"#), form(r#"{"a":{"pending_webhooks":2}}"#));
        assert_eq!(form("{"), None);
    }

    #[test]
    fn deep_documents_are_left_to_their_bytes() {
        let deep = format!("{}1{}", "[".repeat(70), "]".repeat(70));
        assert_eq!(canonical(deep.as_bytes(), &[]), None);
        let very_deep = format!("{{\"a\":{}{}}}", "[".repeat(100_000), "]".repeat(100_000));
        assert!(Object::parse(very_deep.as_bytes()).is_ok());
    }
}
