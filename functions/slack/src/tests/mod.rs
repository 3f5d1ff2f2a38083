//! From requests to plans, without a store.

mod handshake;
mod signature;

use std::collections::BTreeMap;

use bytes::Bytes;
use hookledger::claim::Digest;
use hookledger::plan::{Ignored, Plan};
use hookledger::provider::{Event, EventMode, Provider as _};
use hookledger::request::{Headers, KeySet, Secret, Unverified, UnverifiedRequest, VerifiedRequest};
use hookledger::time::UnixMs;

use crate::Slack;

const COMMAND: &[u8] = b"token=gone&team_id=T0STRINGS&command=%2Fledger&text=today&trigger_id=13.37.aa01";
const INTERACTION: &[u8] = b"payload=%7B%22type%22%3A%22block_actions%22%2C%22trigger_id%22%3A%2213.37.aa02%22%7D";

/// Every file under `events/slack`, by name without extension.
fn files() -> BTreeMap<String, Vec<u8>> {
    let folder = concat!(env!("CARGO_MANIFEST_DIR"), "/../../events/slack");
    let read = |path: std::path::PathBuf| {
        let name = path.file_stem().unwrap().to_str().unwrap().to_owned();
        (name, std::fs::read(path).unwrap())
    };
    std::fs::read_dir(folder).unwrap().map(|file| read(file.unwrap().path())).collect()
}

fn request(headers: Headers, body: &[u8]) -> UnverifiedRequest {
    UnverifiedRequest {
        method: "POST".into(),
        path: "/webhooks/slack".into(),
        query: String::new(),
        headers,
        body: Bytes::copy_from_slice(body),
    }
}

/// Without a `now`, the moment of signing: the tolerance is not in question.
fn verify(headers: Headers, body: &[u8], secrets: &str, now: Option<UnixMs>) -> Result<VerifiedRequest, Unverified> {
    let request = request(headers, body);
    let signature = Slack.signature(&request)?;
    let now = now.or(signature.stamp.map(|stamp| stamp.at.to_ms())).unwrap_or_default();
    request.verify(&signature, &KeySet::parse(secrets).unwrap(), now)
}

fn signed(body: &[u8], at: UnixMs) -> Headers {
    Headers::new(Slack.sign(body, &Secret::new("s"), at))
}

fn identify(body: &[u8]) -> Event {
    let mut events = Slack.identify(&verify(signed(body, UnixMs::new(5_000)), body, "shop@s", None).unwrap());
    assert_eq!(events.len(), 1);
    events.remove(0)
}

#[test]
fn every_file_is_recorded_and_books_nothing() {
    let mut named = Vec::new();
    for (name, body) in files() {
        let event = identify(&body);
        assert_eq!((event.mode, event.problem.as_deref()), (EventMode::Ours, None), "{name}");
        assert_eq!(Slack.interpret(&event), Plan::record(), "{name}");
        let digest = Digest::of(&body).to_hex();
        named.push(format!("{} {} {}", event.event_type, event.scope, event.id.replace(&digest, "bytes")));
    }
    let expected = [
        "app_mention T0STRINGS Ev0STRINGS01",
        "app_rate_limited T0STRINGS bytes",
        "message T0STRINGS Ev0STRINGS02",
        "reaction_added T0STRINGS Ev0STRINGS03",
        "team_join E0STRINGS Ev0STRINGS04",
    ];
    assert_eq!(named, expected);
}

#[test]
fn a_form_is_named_by_its_bytes_and_kept_as_it_came() {
    for (body, event_type) in [
        (COMMAND, "command"),
        (INTERACTION, "interaction"),
        (b"token=gone&callback=1".as_slice(), "form"),
        (b"text=command".as_slice(), "form"),
        (b"payload".as_slice(), ""),
    ] {
        let event = identify(body);
        assert_eq!((event.id, event.event_type.as_str()), (Digest::of(body).to_hex(), event_type));
        assert_eq!((event.scope.as_str(), &event.kept.body[..]), ("shop", body));
        assert_eq!(event.problem.is_none(), !event_type.is_empty());
    }
    assert_eq!(Slack.interpret(&identify(COMMAND)), Plan::record());
    let check = identify(b"token=gone&ssl_check=1&command=%2Fledger");
    assert_eq!(Slack.interpret(&check), Plan::Ignore(Ignored::EventType));
}

#[test]
fn headers_that_are_not_signed_change_nothing() {
    let body = files().remove("app_mention").unwrap();
    let retry = [("X-Slack-Retry-Num".to_owned(), "1".to_owned()), ("Content-Type".to_owned(), "text/html".to_owned())];
    let headers = Headers::new(Slack.sign(&body, &Secret::new("s"), UnixMs::new(5_000)).into_iter().chain(retry));
    let events = Slack.identify(&verify(headers, &body, "shop@s", None).unwrap());
    assert_eq!(events, [identify(&body)]);
}

#[test]
fn what_cannot_be_named_is_named_by_its_bytes() {
    for (body, problem) in [
        (&b"{"[..], "body: not valid JSON"),
        (b"\xff", "body: not UTF-8"),
        (b"{}", "type: missing"),
        (br#"{"type":"a","type":"b"}"#, "body: a name stands twice"),
        (br#"{"type":"event_callback"}"#, "event: missing"),
        (br#"{"type":"event_callback","event":{"type":"message"}}"#, "event_id: missing"),
        (br#"{"type":"event_callback","event":{"type":"message"},"event_id":""}"#, "event_id: empty"),
        (br#"{"type":"event_callback","event":{"type":"message"},"event_id":7}"#, "event_id: not a text"),
        (
            br#"{"type":"event_callback","event":{"type":"message"},"event_id":"Ev1","team_id":7}"#,
            "team_id: not a text",
        ),
    ] {
        let event = identify(body);
        assert_eq!((event.id, event.problem.as_deref()), (Digest::of(body).to_hex(), Some(problem)));
    }
    let unscoped = identify(br#"{"type":"event_callback","event":{"type":"message"},"event_id":"Ev1","team_id":null}"#);
    assert_eq!((unscoped.id.as_str(), unscoped.scope.as_str()), ("Ev1", "shop"));
}

#[test]
fn a_refreshed_request_is_another_of_the_same_kind() {
    let forms = [("command".to_owned(), COMMAND.to_vec()), ("interaction".to_owned(), INTERACTION.to_vec())];
    for (name, body) in files().into_iter().chain(forms) {
        let (old, new) = (identify(&body), identify(&Slack.refresh(&body, "t1")));
        assert_ne!(old.id, new.id, "{name}");
        assert_eq!((old.event_type, old.scope, old.problem), (new.event_type, new.scope, new.problem), "{name}");
    }
}
