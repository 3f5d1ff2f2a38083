//! What a notification is taken for, whatever it looks like.

use hookledger::claim::Digest;

use super::event;

fn notification(inside: &str) -> String {
    format!("<notification>{inside}</notification>")
}

const HEAD: &str = "<kind>refund_failed</kind><timestamp>2026-12-01T00:00:00Z</timestamp>";

#[test]
fn what_is_no_notification_is_named_by_its_bytes() {
    let deep = format!("{}{}", "<a>".repeat(50_000), "</a>".repeat(50_000));
    let twice = notification(&format!("{HEAD}<kind>check</kind>"));
    let odd: [(&str, &[u8]); 12] = [
        ("not UTF-8", b"<notification>\xff</notification>"),
        ("not XML that is read here", b""),
        ("not XML that is read here", b"{\"kind\":\"check\"}"),
        ("not XML that is read here", b"<notification><kind>check</kind>"),
        (
            "not XML that is read here",
            br#"<!DOCTYPE a [<!ENTITY b "c">]><notification><kind>&b;</kind></notification>"#,
        ),
        ("not XML that is read here", b"<notification><kind>&b;</kind></notification>"),
        ("not a notification", b"<check/>"),
        ("not a notification", deep.as_bytes()),
        ("kind: missing, or not a word", b"<notification><timestamp>2026-12-01T00:00:00Z</timestamp></notification>"),
        ("kind: missing, or not a word", b"<notification><kind> A.b </kind></notification>"),
        ("timestamp: missing, or not a time", b"<notification><kind>check</kind><timestamp/></notification>"),
        ("an element stands twice", twice.as_bytes()),
    ];
    for (problem, bytes) in odd {
        let event = event(bytes);
        let shown = String::from_utf8_lossy(bytes).chars().take(80).collect::<String>();
        assert_eq!(event.problem.as_deref(), Some(problem), "{shown}");
        assert_eq!((event.id, event.scope.as_str()), (Digest::of(bytes).to_hex(), "shop"), "{shown}");
        assert_eq!((event.event_type.as_str(), &event.kept.body[..]), ("", bytes), "{shown}");
    }
}

#[test]
fn a_subject_without_an_id_of_its_own_is_named_by_the_bytes_of_all() {
    for subject in
        ["", "<subject/>", "<subject><a><b><id>1</id></b></a></subject>", "<subject><a><id> </id></a></subject>"]
    {
        let text = notification(&format!("{HEAD}{subject}"));
        let event = event(text.as_bytes());
        let digest = Digest::of(text.as_bytes()).to_hex();
        assert_eq!((event.id, event.problem), (format!("refund_failed.2026-12-01T00:00:00Z.{digest}"), None), "{text}");
    }
}

#[test]
fn only_the_first_subject_is_asked_and_the_order_of_elements_is_nobodys_business() {
    let subject = "<subject><x><y><id>no</id></y><id>yes.1</id></x><z><id>no</id></z></subject>";
    let ids = [format!("{subject}{HEAD}"), format!("{HEAD}\n {subject}<!-- kind -->")];
    for inside in ids {
        assert_eq!(event(notification(&inside).as_bytes()).id, "refund_failed.2026-12-01T00:00:00Z.yes.1");
    }
}

#[test]
fn no_prefix_of_a_notification_panics() {
    let whole = notification(&format!("{HEAD}<subject><x><id>1</id></x></subject>"));
    for end in 0..whole.len() {
        assert!(event(&whole.as_bytes()[..end]).problem.is_some(), "{end}");
    }
}
