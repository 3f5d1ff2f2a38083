//! From deliveries to plans, without a store.

mod amounts;
mod mapping;
mod pointers;
mod signature;

use std::collections::BTreeMap;

use bytes::Bytes;
use hookledger::plan::{Entry, Plan};
use hookledger::provider::{Event, EventMode, Provider as _};
use hookledger::request::{Headers, KeySet, Secret, Unverified, UnverifiedRequest, VerifiedRequest};
use hookledger::time::UnixMs;

use crate::StandardWebhooks;

const SECRET: &str = "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw";

/// Every file under `events/standard-webhooks`, by name without extension.
fn files() -> BTreeMap<String, Vec<u8>> {
    let folder = concat!(env!("CARGO_MANIFEST_DIR"), "/../../events/standard-webhooks");
    let read = |path: std::path::PathBuf| {
        let name = path.file_stem().unwrap().to_str().unwrap().to_owned();
        (name, std::fs::read(path).unwrap())
    };
    std::fs::read_dir(folder).unwrap().map(|file| read(file.unwrap().path())).collect()
}

/// As it is on the local stack.
fn mapped() -> StandardWebhooks {
    with(StandardWebhooks::default().settings()[0].development)
}

fn with(mapping: &str) -> StandardWebhooks {
    let mut provider = StandardWebhooks::default();
    provider.set("MAPPING", mapping).unwrap();
    provider
}

/// Without a `now`, the moment of signing: the tolerance is not in question.
fn verify(headers: Headers, body: &[u8], secrets: &str, now: Option<UnixMs>) -> Result<VerifiedRequest, Unverified> {
    let request = UnverifiedRequest {
        method: "POST".into(),
        path: "/webhooks/standard-webhooks".into(),
        query: String::new(),
        headers,
        body: Bytes::copy_from_slice(body),
    };
    let signature = StandardWebhooks::default().signature(&request)?;
    let now = now.or(signature.stamp.map(|stamp| stamp.at.to_ms())).unwrap_or_default();
    request.verify(&signature, &KeySet::parse(secrets).unwrap(), now)
}

fn signed(body: &[u8], at: UnixMs) -> Headers {
    Headers::new(StandardWebhooks::default().sign(body, &Secret::new(SECRET), at))
}

fn identify(provider: &StandardWebhooks, body: &[u8]) -> Event {
    let verified = verify(signed(body, UnixMs::new(5_000)), body, &format!("shop@{SECRET}"), None).unwrap();
    let mut events = provider.identify(&verified);
    assert_eq!(events.len(), 1);
    events.remove(0)
}

/// What a body means, in one line. A body that cannot be identified is parked before it is interpreted.
fn line(provider: &StandardWebhooks, body: &[u8]) -> String {
    let event = identify(provider, body);
    let plan = event.problem.as_deref().map_or_else(|| provider.interpret(&event), Plan::unreadable);
    match plan {
        Plan::Settle(settle) if settle.entries().is_empty() => "record".to_owned(),
        Plan::Settle(settle) => settle.entries().iter().map(entry_line).collect::<Vec<_>>().join(" | "),
        Plan::Park(park) => format!("park: {}", park.why),
        other => panic!("{other:?}"),
    }
}

fn entry_line(entry: &Entry) -> String {
    let Entry { occurrence, kind, amount_minor, currency, account, parent, invoice, occurred_at, .. } = entry;
    let mut line = format!("{}/{} {amount_minor:+} {currency}", occurrence.id, kind.name());
    let parent = parent.as_ref().map(|parent| {
        assert_eq!(parent.scope, occurrence.scope);
        &parent.id
    });
    for (word, value) in [("of", account.as_ref()), ("under", parent), ("pays", invoice.as_ref())] {
        line.extend(value.map(|value| format!(" {word} {value}")));
    }
    assert_eq!(occurrence.scope, "shop", "a sender's ids are its own");
    format!("{line} at {}", occurred_at.get())
}

#[test]
fn without_a_mapping_every_file_is_recorded() {
    let provider = StandardWebhooks::default();
    for (name, body) in files() {
        assert_eq!(line(&provider, &body), "record", "{name}");
    }
    assert_eq!(line(&provider, b"{}"), "record", "a type is not required");
}

#[test]
fn an_event_is_named_by_what_was_signed_and_scoped_by_the_secret() {
    let body = files().remove("payment_succeeded").unwrap();
    let event = identify(&StandardWebhooks::default(), &body);
    assert!(event.id.starts_with("msg_") && event.id.len() == 31, "{}", event.id);
    assert_eq!((event.scope.as_str(), event.event_type.as_str()), ("shop", "payment.succeeded"));
    assert_eq!((event.mode, event.problem, &event.kept.body[..]), (EventMode::Ours, None, &body[..]));
    let unlabelled = verify(signed(&body, UnixMs::new(5_000)), &body, SECRET, None).unwrap();
    assert_eq!(StandardWebhooks::default().identify(&unlabelled)[0].scope, "");
}

#[test]
fn what_is_no_json_keeps_its_id_and_waits_for_a_person() {
    for (body, problem) in [
        (&b"{"[..], "body: not valid JSON"),
        (b"\xff", "body: not UTF-8"),
        (b"[]", "body: not a JSON object"),
        (br#"{"type":"a","type":"b"}"#, "body: a name stands twice"),
    ] {
        for provider in [StandardWebhooks::default(), mapped()] {
            let event = identify(&provider, body);
            assert!(event.id.starts_with("msg_"));
            assert_eq!((event.event_type.as_str(), event.problem.as_deref()), ("", Some(problem)));
        }
    }
}

#[test]
fn a_refreshed_event_is_another_of_the_same_kind() {
    for provider in [StandardWebhooks::default(), mapped()] {
        for (name, body) in files() {
            let fresh = provider.refresh(&body, "t1");
            let (old, new) = (identify(&provider, &body), identify(&provider, &fresh));
            assert_ne!(old.id, new.id, "{name}");
            assert_eq!((old.event_type, old.problem), (new.event_type, new.problem), "{name}");
            let tagged = line(&provider, &fresh);
            assert_eq!(tagged.replace("_t1", ""), line(&provider, &body), "{name}");
            assert!(!tagged.contains("mira-holt_t1"), "{name}: customers stay who they are");
            let entries = tagged.split(" | ").filter(|entry| entry.contains('/'));
            assert!(entries.into_iter().all(|entry| entry.contains("_t1/")), "{tagged}");
        }
    }
    assert_eq!(mapped().refresh(br#"{"a":1}"#, "t1"), br#"{"hookledger_tag":"t1","a":1}"#);
    assert_eq!(mapped().refresh(b"{ }", "t1"), br#"{"hookledger_tag":"t1" }"#);
    assert_eq!(mapped().refresh(b"[]", "t1"), b"[]");
}
