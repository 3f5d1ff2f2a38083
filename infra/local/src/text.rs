//! Senders' text on a terminal.

use std::borrow::Cow;

/// Characters that could forge a line, move the cursor or turn the reading direction are escaped.
pub(crate) fn printable(text: &str) -> Cow<'_, str> {
    escaped(text, |_| false)
}

/// The same for text of several lines.
pub(crate) fn printable_lines(text: &str) -> Cow<'_, str> {
    escaped(text, |letter| matches!(letter, '\n' | '\t'))
}

fn escaped(text: &str, spared: fn(char) -> bool) -> Cow<'_, str> {
    let misleads = |letter: char| is_unprintable(letter) && !spared(letter);
    if !text.contains(misleads) {
        return Cow::Borrowed(text);
    }
    let escape = |letter: char| match misleads(letter) {
        true => letter.escape_default().to_string(),
        false => letter.to_string(),
    };
    Cow::Owned(text.chars().map(escape).collect())
}

fn is_unprintable(letter: char) -> bool {
    letter.is_control() || matches!(letter, '\u{200e}' | '\u{200f}' | '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}')
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_misleads_a_reader_is_escaped_and_nothing_else() {
        assert_eq!(printable("a\u{1b}[2K\r\nb\u{202e}"), r"a\u{1b}[2K\r\nb\u{202e}");
        assert_eq!(printable("Grüße, 世界 🙂"), "Grüße, 世界 🙂");
        assert_eq!(printable_lines("{\n\t\"a\": \u{7}1\r\n}"), "{\n\t\"a\": \\u{7}1\\r\n}");
    }
}
