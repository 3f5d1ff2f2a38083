//! Reading JSON a level at a time. Values stay the sender's text until somebody asks for them, so numbers never pass
//! through a float and fields that nobody reads cost one scan.

mod tag;

use std::borrow::Cow;
use std::fmt;

use serde::de::{Deserialize, Deserializer, MapAccess, SeqAccess, Visitor};
use serde_json::value::RawValue;

pub use tag::tag_ids;

/// Deeper documents are not canonicalised: their bytes stand for themselves.
const DEPTH_MAX: usize = 64;

/// One JSON object, its values unread.
#[derive(Clone, Debug)]
pub struct Object<'a> {
    path: String,
    fields: Vec<(Cow<'a, str>, &'a RawValue)>,
}

/// A field that is not what it must be. Prints the path and the problem, never the value.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{path}: {problem}")]
pub struct FieldError {
    /// Names from the root, joined by dots.
    pub path: String,
    /// What is wrong.
    pub problem: &'static str,
}

impl<'a> Object<'a> {
    /// Reads a whole document that must be an object.
    pub fn parse(bytes: &'a [u8]) -> Result<Self, FieldError> {
        let text = std::str::from_utf8(bytes).map_err(|_| error("", "not UTF-8"))?;
        Self::read(text, String::new())
    }

    fn read(text: &'a str, path: String) -> Result<Self, FieldError> {
        if !text.trim_start().starts_with('{') {
            return Err(error(&path, "not a JSON object"));
        }
        let Fields(fields) = serde_json::from_str(text).map_err(|_| error(&path, "not valid JSON"))?;
        let mut names: Vec<&str> = fields.iter().map(|(name, _)| name.as_ref()).collect();
        names.sort_unstable();
        if names.windows(2).any(|pair| pair[0] == pair[1]) {
            return Err(error(&path, "a name stands twice"));
        }
        Ok(Self { path, fields })
    }

    /// The value's text; `null` counts as absent.
    pub fn raw(&self, name: &str) -> Option<&'a str> {
        let (_, value) = self.fields.iter().find(|(field, _)| field == name)?;
        (value.get() != "null").then_some(value.get())
    }

    /// A text that must be there.
    pub fn text(&self, name: &str) -> Result<Cow<'a, str>, FieldError> {
        self.text_opt(name)?.ok_or_else(|| self.error(name, "missing"))
    }

    /// A text, if there.
    pub fn text_opt(&self, name: &str) -> Result<Option<Cow<'a, str>>, FieldError> {
        self.raw(name).map(|raw| string(raw).ok_or_else(|| self.error(name, "not a text"))).transpose()
    }

    /// An integer that must be there. `1.0` and `1e2` are refused: no amount is rounded into being.
    pub fn integer(&self, name: &str) -> Result<i64, FieldError> {
        self.integer_opt(name)?.ok_or_else(|| self.error(name, "missing"))
    }

    /// An integer, if there.
    pub fn integer_opt(&self, name: &str) -> Result<Option<i64>, FieldError> {
        self.raw(name).map(|raw| raw.parse().map_err(|_| self.error(name, "not a 64-bit integer"))).transpose()
    }

    /// A truth value that must be there.
    pub fn flag(&self, name: &str) -> Result<bool, FieldError> {
        self.flag_opt(name)?.ok_or_else(|| self.error(name, "missing"))
    }

    /// A truth value, if there.
    pub fn flag_opt(&self, name: &str) -> Result<Option<bool>, FieldError> {
        self.raw(name).map(|raw| raw.parse().map_err(|_| self.error(name, "not true or false"))).transpose()
    }

    /// An object that must be there.
    pub fn object(&self, name: &str) -> Result<Object<'a>, FieldError> {
        self.object_opt(name)?.ok_or_else(|| self.error(name, "missing"))
    }

    /// An object, if there.
    pub fn object_opt(&self, name: &str) -> Result<Option<Object<'a>>, FieldError> {
        self.raw(name).map(|raw| Object::read(raw, self.path_of(name))).transpose()
    }

    /// A list of objects that must be there.
    pub fn objects(&self, name: &str) -> Result<Vec<Object<'a>>, FieldError> {
        let path = self.path_of(name);
        let read = |(at, text)| Object::read(text, format!("{path}[{at}]"));
        self.list(name)?.into_iter().enumerate().map(read).collect()
    }

    /// A list of whatever it holds: the text of each element, as it stands.
    pub fn list(&self, name: &str) -> Result<Vec<&'a str>, FieldError> {
        let raw = self.raw(name).ok_or_else(|| self.error(name, "missing"))?;
        let values: Vec<&'a RawValue> = serde_json::from_str(raw).map_err(|_| self.error(name, "not a list"))?;
        Ok(values.into_iter().map(RawValue::get).collect())
    }

    /// An error about one of this object's fields, for rules of the caller's own.
    pub fn error(&self, name: &str, problem: &'static str) -> FieldError {
        error(&self.path_of(name), problem)
    }

    fn path_of(&self, name: &str) -> String {
        if self.path.is_empty() { name.to_owned() } else { format!("{}.{name}", self.path) }
    }
}

fn error(path: &str, problem: &'static str) -> FieldError {
    FieldError { path: if path.is_empty() { "body".to_owned() } else { path.to_owned() }, problem }
}

fn string(raw: &str) -> Option<Cow<'_, str>> {
    let inner = raw.strip_prefix('"')?.strip_suffix('"')?;
    if inner.contains('\\') { serde_json::from_str(raw).ok().map(Cow::Owned) } else { Some(Cow::Borrowed(inner)) }
}

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

struct Fields<'a>(Vec<(Cow<'a, str>, &'a RawValue)>);

struct Elements<'a>(Vec<&'a RawValue>);

struct Name<'a>(Cow<'a, str>);

impl<'de: 'a, 'a> Deserialize<'de> for Fields<'a> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct Reader;
        impl<'de> Visitor<'de> for Reader {
            type Value = Fields<'de>;

            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("an object")
            }

            fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Self::Value, A::Error> {
                let mut fields = Vec::new();
                while let Some((Name(name), value)) = map.next_entry()? {
                    fields.push((name, value));
                }
                Ok(Fields(fields))
            }
        }
        deserializer.deserialize_map(Reader)
    }
}

impl<'de: 'a, 'a> Deserialize<'de> for Elements<'a> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct Reader;
        impl<'de> Visitor<'de> for Reader {
            type Value = Elements<'de>;

            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("a list")
            }

            fn visit_seq<A: SeqAccess<'de>>(self, mut seq: A) -> Result<Self::Value, A::Error> {
                let mut values = Vec::new();
                while let Some(value) = seq.next_element()? {
                    values.push(value);
                }
                Ok(Elements(values))
            }
        }
        deserializer.deserialize_seq(Reader)
    }
}

impl<'de: 'a, 'a> Deserialize<'de> for Name<'a> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct Reader;
        impl<'de> Visitor<'de> for Reader {
            type Value = Name<'de>;

            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("a name")
            }

            fn visit_borrowed_str<E>(self, text: &'de str) -> Result<Self::Value, E> {
                Ok(Name(Cow::Borrowed(text)))
            }

            fn visit_str<E>(self, text: &str) -> Result<Self::Value, E> {
                Ok(Name(Cow::Owned(text.to_owned())))
            }
        }
        deserializer.deserialize_str(Reader)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn fields_are_read_by_name_with_their_path_in_errors() {
        let body = br#"{"a":{"n":12,"t":"x\u0041","none":null,"f":1.0},"l":[{"x":true},{"x":1}]}"#;
        let object = Object::parse(body).unwrap();
        let a = object.object("a").unwrap();
        assert_eq!(a.integer("n"), Ok(12));
        assert_eq!(a.text("t").unwrap(), "xA");
        assert_eq!(a.text_opt("none"), Ok(None));
        assert_eq!(a.integer("f").unwrap_err().to_string(), "a.f: not a 64-bit integer");
        assert_eq!(a.text("gone").unwrap_err().to_string(), "a.gone: missing");
        let list = object.objects("l").unwrap();
        assert_eq!(list[0].flag("x"), Ok(true));
        assert_eq!(list[1].flag("x").unwrap_err().to_string(), "l[1].x: not true or false");
        let odd = Object::parse(br#"{"l":[ {"n": 1.50} ,2, "x"], "none": null}"#).unwrap();
        assert_eq!(odd.list("l").unwrap(), [r#"{"n": 1.50}"#, "2", r#""x""#]);
        assert_eq!(odd.list("none").unwrap_err().to_string(), "none: missing");
    }

    #[test]
    fn a_name_that_stands_twice_is_refused() {
        assert_eq!(Object::parse(br#"{"a":1,"\u0061":2}"#).unwrap_err().to_string(), "body: a name stands twice");
    }

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
