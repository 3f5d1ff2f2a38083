//! Reading JSON a level at a time. Values stay the sender's text until somebody asks for them, so numbers never pass
//! through a float and fields that nobody reads cost one scan.

mod canonical;
mod tag;

use std::borrow::Cow;
use std::fmt;

use serde::de::{Deserialize, Deserializer, MapAccess, SeqAccess, Visitor};
use serde_json::value::RawValue;

use crate::time::{UnixMs, UnixS};

pub use canonical::canonical;
pub use tag::tag;

/// The last one of the year 9999: beyond it nothing can write a date, and an account's entries would be out of order.
const LAST_SECOND: i64 = 253_402_300_799;

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

    /// A text that must be there and say something, as an id does.
    pub fn filled(&self, name: &str) -> Result<Cow<'a, str>, FieldError> {
        let text = self.text(name)?;
        if text.is_empty() { Err(self.error(name, "empty")) } else { Ok(text) }
    }

    /// An integer that must be there. `1.0` and `1e2` are refused: no amount is rounded into being.
    pub fn integer(&self, name: &str) -> Result<i64, FieldError> {
        self.integer_opt(name)?.ok_or_else(|| self.error(name, "missing"))
    }

    /// An integer, if there.
    pub fn integer_opt(&self, name: &str) -> Result<Option<i64>, FieldError> {
        self.raw(name).map(|raw| raw.parse().map_err(|_| self.error(name, "not a 64-bit integer"))).transpose()
    }

    /// An integer that is sent as a text, as where amounts are to survive JavaScript.
    pub fn integer_text(&self, name: &str) -> Result<i64, FieldError> {
        let text = self.text(name)?;
        // `parse` alone would take a plus sign.
        let plain = text.strip_prefix('-').unwrap_or(&text).bytes().all(|byte| byte.is_ascii_digit());
        let number = if plain { text.parse().ok() } else { None };
        number.ok_or_else(|| self.error(name, "not a 64-bit integer in a text"))
    }

    /// A time as RFC 3339, with an offset.
    pub fn time(&self, name: &str) -> Result<UnixMs, FieldError> {
        let at = UnixMs::parse_rfc3339(&self.text(name)?);
        at.ok_or_else(|| self.error(name, "not an RFC 3339 time"))
    }

    /// A time as seconds since the Unix epoch.
    pub fn time_s(&self, name: &str) -> Result<UnixMs, FieldError> {
        let at_s = self.integer(name)?;
        if !(0..=LAST_SECOND).contains(&at_s) {
            return Err(self.error(name, "not a time"));
        }
        Ok(UnixS::new(at_s).to_ms())
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
}
