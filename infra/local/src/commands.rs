//! The commands that are to be typed next, as they stand in a shell.

use std::borrow::Cow;
use std::fmt::Write as _;

use hookledger::claim::{ClaimKey, State};
use hookledger::items::{CLAIM_PART, OpenRow, RowKind};
use hookledger::plan::ParkReason;

use crate::text::is_unprintable;

/// What closes a row without doing anything more.
const CLOSE: &str = " --by YOU --note WHY";

/// What a command must say to find this stack.
#[derive(Clone, Debug)]
pub(crate) struct Commands {
    flags: String,
}

/// One thing that can be done about a row.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Step {
    /// When it is the right one.
    pub(crate) when: &'static str,
    /// The command.
    pub(crate) command: String,
}

/// Where a row stands, as far as it decides what can be done.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Standing<'a> {
    pub(crate) key: &'a ClaimKey,
    pub(crate) part: &'a str,
    pub(crate) state: Option<State>,
    pub(crate) park_reason: Option<ParkReason>,
}

impl<'a> From<&'a OpenRow> for Standing<'a> {
    fn from(row: &'a OpenRow) -> Self {
        Self { key: &row.key, part: &row.part, state: row.state, park_reason: row.park_reason }
    }
}

impl Commands {
    /// For a stack on these ports; the usual ones need not be said.
    pub(crate) fn new(port: u16, dynamodb_port: u16) -> Self {
        let flag =
            |name: &str, port: u16, usual: u16| if port == usual { String::new() } else { format!(" {name} {port}") };
        Self { flags: flag("--port", port, 9000) + &flag("--dynamodb-port", dynamodb_port, 8000) }
    }

    /// A command with these arguments.
    pub(crate) fn run(&self, arguments: &str) -> String {
        format!("cargo run -- {arguments}{}", self.flags)
    }

    /// What a person can do about a row: exactly what it would not refuse.
    pub(crate) fn next(&self, row: &Standing<'_>) -> Vec<Step> {
        // No argument of a program can hold a NUL.
        if row.key.as_str().contains('\0') {
            return Vec::new();
        }
        let step = |when, name, options: &str| {
            let part = if row.part == CLAIM_PART { String::new() } else { format!(" --part {}", quoted(row.part)) };
            let part = if name == "show" { "" } else { &part };
            Step { when, command: self.run(&format!("{name} {}{part}{options}", quoted(row.key.as_str()))) }
        };
        let missing = format!("{CLOSE} --book missing");
        match (RowKind::of(row.part), row.state) {
            (RowKind::Other, _) | (_, None | Some(State::Done)) => Vec::new(),
            (_, Some(State::Processing)) => vec![step("a worker holds it until it is due", "show", "")],
            (RowKind::Mismatch, _) => vec![step("once it is known which content is right", "resolve", CLOSE)],
            (_, Some(State::Received)) => vec![step("not to wait until it is due", "retry", "")],
            (kind, Some(State::Parked)) => match (row.park_reason, kind) {
                (Some(ParkReason::Conflict), RowKind::Claim) => vec![
                    step("to book what the ledger does not hold yet", "resolve", &missing),
                    step("to leave the ledger as it is", "resolve", CLOSE),
                ],
                (Some(ParkReason::Held), _) => {
                    vec![step("if the lost run took no effect", "retry", ""), step("if it did", "resolve", CLOSE)]
                }
                _ => {
                    vec![step("once its cause is mended", "retry", ""), step("to close it as it is", "resolve", CLOSE)]
                }
            },
        }
    }
}

/// One word of a shell, whatever it holds. Source: POSIX.1-2024, "2.2 Quoting" (dollar-single-quotes; in bash and zsh for
/// long).
fn quoted(word: &str) -> Cow<'_, str> {
    let is_plain = |letter: char| letter.is_ascii_alphanumeric() || "-_.:/@%+=,".contains(letter);
    if word.chars().all(is_plain) && !word.is_empty() {
        return Cow::Borrowed(word);
    }
    if !word.contains(is_unprintable) {
        return Cow::Owned(format!("'{}'", word.replace('\'', r"'\''")));
    }
    let mut text = String::from("$'");
    for letter in word.chars() {
        match letter {
            '\'' | '\\' => text.extend(['\\', letter]),
            letter if is_unprintable(letter) => {
                let mut bytes = [0; 4];
                letter.encode_utf8(&mut bytes).bytes().for_each(|byte| _ = write!(text, "\\{byte:03o}"));
            }
            letter => text.push(letter),
        }
    }
    Cow::Owned(text + "'")
}

#[cfg(test)]
mod tests {
    use std::process::Command;

    use super::*;

    /// What a shell makes of a line: its words.
    fn words(line: &str) -> Vec<String> {
        let script = format!("printf '%s\\0' {line}");
        let output = Command::new("bash").args(["-c", &script]).output().unwrap();
        assert!(output.status.success(), "{line}");
        let text = String::from_utf8(output.stdout).unwrap();
        text.trim_end_matches('\0').split('\0').map(str::to_owned).collect()
    }

    #[test]
    fn a_shell_reads_what_was_quoted() {
        for word in [
            "stripe::evt_1",
            "stripe:acct_1:a%3Ab",
            "a b",
            "$(touch x)`x`\\!",
            "it's",
            "it's\u{7}\u{1b}[2K\n\\'\u{202e}é1",
            "mismatch#0a",
            "~",
            "--by",
        ] {
            assert_eq!(words(&quoted(word)), [word], "{}", quoted(word));
        }
    }

    #[test]
    fn every_next_command_is_one_that_the_program_takes() {
        let commands = Commands::new(9001, 8001);
        let parts = ["claim", "message#payment.recorded#stripe::ch_1/payment#bus", "mismatch#0a1b"];
        let reasons = ParkReason::ALL.into_iter().map(Some).chain([None]);
        let mut seen = 0;
        for key in [ClaimKey::new("stripe", "", "evt_1"), ClaimKey::new("stripe", "a'b", "\u{1b}$(x) \"")] {
            for (part, state) in parts.into_iter().flat_map(|part| State::ALL.map(|state| (part, Some(state)))) {
                for park_reason in reasons.clone() {
                    for step in commands.next(&Standing { key: &key, part, state, park_reason }) {
                        let words = words(&step.command);
                        assert_eq!(words[..3], ["cargo", "run", "--"], "{step:?}");
                        assert_eq!(words[4], key.as_str(), "{step:?}");
                        assert!(crate::cli::takes(&words[2..]), "{step:?}");
                        seen += 1;
                    }
                }
            }
        }
        assert!(seen > 100, "{seen}");
    }

    #[test]
    fn what_is_done_unknown_or_cannot_be_typed_has_no_next_command() {
        let (commands, key) = (Commands::new(9000, 8000), ClaimKey::new("stripe", "", "evt_1"));
        let none = |key: &ClaimKey, part: &str, state| {
            commands.next(&Standing { key, part, state, park_reason: None }).is_empty()
        };
        assert!(none(&key, "claim", Some(State::Done)));
        assert!(none(&key, "claim", None));
        assert!(none(&key, "payload#00", Some(State::Parked)));
        assert!(none(&ClaimKey::new("stripe", "", "evt\0"), "claim", Some(State::Parked)));
        assert!(!none(&key, "claim", Some(State::Parked)));
    }
}
