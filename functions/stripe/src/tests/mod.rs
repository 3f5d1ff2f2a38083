//! From sample events to plans, without a store.

mod convergence;
mod identify;
mod mapping;
mod objects;
mod sender;
mod thin;
mod vectors;

use std::collections::BTreeMap;

use bytes::Bytes;
use hookledger::plan::{Entry, Fetch, Fetched, Occurrence, Plan, Read};
use hookledger::provider::{Event, Provider as _};

use crate::{Stripe, event};

/// Every file under `events/stripe`, by name without extension.
fn files() -> BTreeMap<String, Vec<u8>> {
    let folder = concat!(env!("CARGO_MANIFEST_DIR"), "/../../events/stripe");
    let read = |path: std::path::PathBuf| {
        let name = path.file_stem().unwrap().to_str().unwrap().to_owned();
        (name, std::fs::read(path).unwrap())
    };
    std::fs::read_dir(folder).unwrap().map(|file| read(file.unwrap().path())).collect()
}

fn file(name: &str) -> Vec<u8> {
    files().remove(name).unwrap_or_else(|| panic!("events/stripe/{name}.json"))
}

/// A file with one text replaced by another; it must be there.
fn edited(name: &str, from: &str, to: &str) -> Vec<u8> {
    let text = String::from_utf8(file(name)).unwrap();
    assert!(text.contains(from), "{name} has no {from}");
    text.replace(from, to).into_bytes()
}

fn event(body: impl Into<Vec<u8>>) -> Event {
    event::identify(&Bytes::from(body.into()))
}

fn interpret(body: impl Into<Vec<u8>>) -> Plan {
    Stripe.interpret(&event(body))
}

/// The object in a snapshot event, as the API would answer with it.
fn object_of(name: &str) -> serde_json::Value {
    let event: serde_json::Value = serde_json::from_slice(&file(name)).unwrap();
    event["data"]["object"].clone()
}

fn entries(plan: &Plan) -> &[Entry] {
    match plan {
        Plan::Settle(settle) => settle.entries(),
        Plan::Defer(defer) => defer.known(),
        Plan::Park(_) | Plan::Ignore(_) => &[],
    }
}

/// What an event means once this was read.
fn resume(event: &Event, fetched: Fetched) -> Plan {
    Stripe.resume(event, &[Read { fetch: Fetch::Object(String::new()), fetched }])
}

/// A plan in one line.
fn line(plan: &Plan) -> String {
    let word = match plan {
        Plan::Settle(_) => "settle".to_owned(),
        Plan::Defer(defer) => match defer.fetch() {
            Fetch::ParentEntry(Occurrence { scope, id }) if scope.is_empty() => format!("account of {id}"),
            Fetch::ParentEntry(other) => panic!("a scoped parent: {other:?}"),
            Fetch::Object(path) => format!("fetch {path}"),
            Fetch::ObjectIfKeyed(path) => format!("fetch {path} if possible"),
            Fetch::ObjectIfThere(path) => format!("fetch {path} if there"),
        },
        Plan::Park(park) => format!("park {}: {}", park.reason.name(), park.why),
        Plan::Ignore(ignored) => format!("ignore {}", ignored.name()),
    };
    let parts = entries(plan).iter().map(entry_line);
    std::iter::once(word).chain(parts).collect::<Vec<_>>().join(" | ")
}

fn entry_line(entry: &Entry) -> String {
    let Entry { occurrence, kind, amount_minor, currency, account, parent, invoice, linked_minor, .. } = entry;
    assert_eq!(occurrence.scope, "", "Stripe's ids are unique by themselves");
    let mut line = format!("{}/{} {amount_minor:+} {currency}", occurrence.id, kind.name());
    let parent = parent.as_ref().map(|parent| &parent.id);
    for (word, value) in [("of", account.as_ref()), ("under", parent), ("pays", invoice.as_ref())] {
        line.extend(value.map(|value| format!(" {word} {value}")));
    }
    line.extend(linked_minor.map(|linked| format!(" linked {linked}")));
    line
}
