//! Bodies and queries of HTML forms.

/// Far above any form that a sender posts. Anybody can post one of pairs alone, and each takes many times the room it had.
const PAIRS_MAX: usize = 1_024;

/// The names and values of `application/x-www-form-urlencoded` text, in order (url.spec.whatwg.org,
/// "application/x-www-form-urlencoded parsing"). `None`: a `%` without two hex digits, or bytes that are not UTF-8, either
/// of which that parser would let pass; or more pairs than any sender posts.
pub fn form(text: &[u8]) -> Option<Vec<(String, String)>> {
    let pairs = || text.split(|byte| *byte == b'&').filter(|pair| !pair.is_empty());
    if pairs().nth(PAIRS_MAX).is_some() {
        return None;
    }
    pairs()
        .map(|pair| {
            let at = pair.iter().position(|byte| *byte == b'=').unwrap_or(pair.len());
            let (name, value) = pair.split_at(at);
            Some((decode(name)?, decode(value.get(1..).unwrap_or_default())?))
        })
        .collect()
}

fn decode(text: &[u8]) -> Option<String> {
    let mut bytes = Vec::with_capacity(text.len());
    let mut rest = text;
    while let Some((byte, after)) = rest.split_first() {
        rest = after;
        match byte {
            b'+' => bytes.push(b' '),
            b'%' => {
                let (digits, after) = rest.split_at_checked(2)?;
                bytes.extend(super::decode_hex(std::str::from_utf8(digits).ok()?)?);
                rest = after;
            }
            byte => bytes.push(*byte),
        }
    }
    String::from_utf8(bytes).ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_and_values_are_decoded_in_order() {
        let pairs = |text: &str| form(text.as_bytes()).unwrap();
        let expected = [("a", "1 2"), ("b", "&=+é"), ("a", ""), ("c", "")];
        assert_eq!(pairs("a=1+2&&b=%26%3d%2B%C3%A9&a=&c"), expected.map(|(n, v)| (n.to_owned(), v.to_owned())));
        assert_eq!(pairs("a=b=c"), [("a".to_owned(), "b=c".to_owned())]);
        assert_eq!(pairs(""), []);
    }

    #[test]
    fn a_form_of_pairs_alone_is_none() {
        assert_eq!(form("a&".repeat(PAIRS_MAX).as_bytes()).map(|pairs| pairs.len()), Some(PAIRS_MAX));
        assert_eq!(form("a&".repeat(PAIRS_MAX + 1).as_bytes()), None);
    }

    #[test]
    fn what_is_no_text_is_none() {
        for text in [&b"a=%"[..], b"a=%4", b"a=%+1", b"a=%zz", b"a=%ff", b"\xff=1", b"%\xc3\xa9=1"] {
            assert_eq!(form(text), None, "{}", String::from_utf8_lossy(text));
        }
    }
}
