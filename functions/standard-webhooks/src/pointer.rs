//! JSON pointers (RFC 6901).

use hookledger::json::{FieldError, Object};

/// Where a value stands in a body.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Pointer {
    /// The objects on the way: names, or places in a list.
    way: Vec<String>,
    /// The field's name.
    last: String,
}

impl Pointer {
    /// A field at the top.
    pub(crate) fn name(last: &str) -> Self {
        Self { way: Vec::new(), last: last.to_owned() }
    }

    /// Reads a pointer. Errors: what is wrong with a mapping that holds it.
    pub(crate) fn parse(text: &str) -> Result<Self, &'static str> {
        let steps = text.strip_prefix('/').ok_or("has a pointer that does not begin with a slash")?;
        let mut way = steps.split('/').map(unescape).collect::<Result<Vec<_>, _>>()?;
        let last = way.pop().unwrap_or_default();
        Ok(Self { way, last })
    }

    /// The name of the field itself.
    pub(crate) fn last(&self) -> &str {
        &self.last
    }

    /// The object that has, or could have, the field. `None`: the way ends before it.
    pub(crate) fn parent<'a>(&self, body: &Object<'a>) -> Result<Option<Object<'a>>, FieldError> {
        let (mut at, mut steps) = (body.clone(), self.way.iter());
        while let Some(name) = steps.next() {
            let next = match at.raw(name) {
                Some(raw) if raw.starts_with('[') => match steps.next().and_then(|place| place.parse().ok()) {
                    Some(place) => at.objects(name)?.into_iter().nth(place),
                    None => None,
                },
                _ => at.object_opt(name)?,
            };
            let Some(next) = next else { return Ok(None) };
            at = next;
        }
        Ok(Some(at))
    }

    /// The object that must have the field.
    pub(crate) fn parent_of_required<'a>(&self, body: &Object<'a>) -> Result<Object<'a>, FieldError> {
        self.parent(body)?.ok_or_else(|| self.missing())
    }

    /// A text, if there.
    pub(crate) fn text(&self, body: &Object<'_>) -> Result<Option<String>, FieldError> {
        match self.parent(body)? {
            Some(parent) => Ok(parent.text_opt(&self.last)?.map(|text| text.into_owned())),
            None => Ok(None),
        }
    }

    /// An id, if there: a text, or a whole number as it is written.
    pub(crate) fn id(&self, body: &Object<'_>) -> Result<Option<String>, FieldError> {
        let Some(parent) = self.parent(body)? else { return Ok(None) };
        match parent.raw(&self.last) {
            None => Ok(None),
            Some(raw) if raw.bytes().all(|byte| byte.is_ascii_digit()) => Ok(Some(raw.to_owned())),
            Some(_) => match parent.text(&self.last)? {
                id if id.is_empty() => Err(parent.error(&self.last, "empty")),
                id => Ok(Some(id.into_owned())),
            },
        }
    }

    /// An id that must be there.
    pub(crate) fn required_id(&self, body: &Object<'_>) -> Result<String, FieldError> {
        self.id(body)?.ok_or_else(|| self.missing())
    }

    fn missing(&self) -> FieldError {
        let path = self.way.iter().chain([&self.last]).map(String::as_str).collect::<Vec<_>>().join(".");
        FieldError { path, problem: "missing" }
    }
}

fn unescape(step: &str) -> Result<String, &'static str> {
    let mut parts = step.split('~');
    let mut plain = parts.next().unwrap_or_default().to_owned();
    for part in parts {
        let (letter, rest) = match part.as_bytes().first() {
            Some(b'0') => ('~', &part[1..]),
            Some(b'1') => ('/', &part[1..]),
            _ => return Err("has a pointer with a ~ that is neither ~0 nor ~1"),
        };
        plain.push(letter);
        plain.push_str(rest);
    }
    Ok(plain)
}
