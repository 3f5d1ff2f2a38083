//! Senders' text for people, on a terminal and on the page.

use std::borrow::Cow;

/// A stretch of text.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Piece<'a> {
    /// Can be shown as it is.
    Plain(&'a str),
    /// Could forge a line, move the cursor or turn the reading direction, or is no text at all: as an escape.
    Escaped(String),
}

impl Piece<'_> {
    /// What is shown.
    pub(crate) fn as_str(&self) -> &str {
        match self {
            Self::Plain(text) => text,
            Self::Escaped(text) => text,
        }
    }
}

/// One line.
pub(crate) fn pieces(text: &str) -> Vec<Piece<'_>> {
    split(text.as_bytes(), |_| false)
}

/// Bytes of several lines. What is not UTF-8 is shown byte by byte.
pub(crate) fn pieces_of_lines(bytes: &[u8]) -> Vec<Piece<'_>> {
    split(bytes, |letter| matches!(letter, '\n' | '\t'))
}

/// Characters that could mislead are escaped.
pub(crate) fn printable(text: &str) -> Cow<'_, str> {
    joined(pieces(text))
}

/// The same for bytes of several lines.
pub(crate) fn printable_lines(bytes: &[u8]) -> Cow<'_, str> {
    joined(pieces_of_lines(bytes))
}

fn joined(pieces: Vec<Piece<'_>>) -> Cow<'_, str> {
    match pieces.as_slice() {
        [Piece::Plain(text)] => Cow::Borrowed(text),
        _ => Cow::Owned(pieces.iter().map(Piece::as_str).collect()),
    }
}

fn split(bytes: &[u8], spared: fn(char) -> bool) -> Vec<Piece<'_>> {
    let misleads = |letter: char| is_unprintable(letter) && !spared(letter);
    let mut pieces = Vec::new();
    for chunk in bytes.utf8_chunks() {
        let mut rest = chunk.valid();
        while let Some((at, letter)) = rest.char_indices().find(|(_, letter)| misleads(*letter)) {
            let (before, behind) = rest.split_at(at);
            if !before.is_empty() {
                pieces.push(Piece::Plain(before));
            }
            pieces.push(Piece::Escaped(letter.escape_default().to_string()));
            rest = behind.get(letter.len_utf8()..).unwrap_or_default();
        }
        if !rest.is_empty() {
            pieces.push(Piece::Plain(rest));
        }
        if !chunk.invalid().is_empty() {
            pieces.push(Piece::Escaped(chunk.invalid().iter().map(|byte| format!("\\x{byte:02x}")).collect()));
        }
    }
    pieces
}

/// Control characters, and those that turn the reading direction.
pub(crate) fn is_unprintable(letter: char) -> bool {
    letter.is_control() || matches!(letter, '\u{200e}' | '\u{200f}' | '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}')
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_misleads_a_reader_is_escaped_and_nothing_else() {
        assert_eq!(printable("a\u{1b}[2K\r\nb\u{202e}"), r"a\u{1b}[2K\r\nb\u{202e}");
        assert_eq!(printable("Grüße, 世界 🙂"), "Grüße, 世界 🙂");
        assert_eq!(printable(""), "");
        assert_eq!(printable_lines(b"{\n\t\"a\": \x071\r\n}"), "{\n\t\"a\": \\u{7}1\\r\n}");
    }

    #[test]
    fn what_is_no_text_is_shown_byte_by_byte() {
        assert_eq!(printable_lines(b"a\xff\xc3b\xe4\xb8"), r"a\xff\xc3b\xe4\xb8");
    }

    #[test]
    fn an_escape_is_told_from_text_that_looks_like_one() {
        let plain = |text| Piece::Plain(text);
        assert_eq!(pieces("\\u{7}\u{7}"), [plain("\\u{7}"), Piece::Escaped("\\u{7}".to_owned())]);
    }
}
