//! From sample events to plans, without a store.

mod convergence;
mod identify;
mod items;
mod mapping;
mod sender;
mod settings;
mod vectors;

use std::collections::BTreeMap;

use bytes::Bytes;
use hookledger::plan::{Entry, Plan};
use hookledger::provider::{Event, Provider as _};

use crate::{Adyen, capture, item};

/// As the local stack has it.
fn adyen() -> Adyen {
    let mut adyen = Adyen::default();
    adyen.set("CAPTURE", capture::SETTING.development).unwrap();
    adyen
}

/// Every file under `events/adyen`, by name without extension.
fn files() -> BTreeMap<String, Vec<u8>> {
    let folder = concat!(env!("CARGO_MANIFEST_DIR"), "/../../events/adyen");
    let read = |path: std::path::PathBuf| {
        let name = path.file_stem().unwrap().to_str().unwrap().to_owned();
        (name, std::fs::read(path).unwrap())
    };
    std::fs::read_dir(folder).unwrap().map(|file| read(file.unwrap().path())).collect()
}

fn file(name: &str) -> Vec<u8> {
    files().remove(name).unwrap_or_else(|| panic!("events/adyen/{name}.json"))
}

/// A file with one text replaced by another; it must be there.
fn edited(name: &str, from: &str, to: &str) -> Vec<u8> {
    let text = String::from_utf8(file(name)).unwrap();
    assert!(text.contains(from), "{name} has no {from}");
    text.replace(from, to).into_bytes()
}

fn events(body: impl Into<Vec<u8>>) -> Vec<Event> {
    item::identify(&Bytes::from(body.into()))
}

fn event(body: impl Into<Vec<u8>>) -> Event {
    let mut events = events(body);
    assert_eq!(events.len(), 1);
    events.remove(0)
}

/// What an event is taken for, given what stands in the way of its being interpreted.
fn plan(event: &Event) -> Plan {
    event.problem.as_ref().map_or_else(|| adyen().interpret(event), Plan::unreadable)
}

fn interpret(body: impl Into<Vec<u8>>) -> Plan {
    plan(&event(body))
}

fn entries(plan: &Plan) -> &[Entry] {
    match plan {
        Plan::Settle(settle) => settle.entries(),
        Plan::Defer(defer) => panic!("nothing is ever read: {defer:?}"),
        Plan::Park(_) | Plan::Ignore(_) => &[],
    }
}

/// A plan in one line.
fn line(plan: &Plan) -> String {
    let word = match plan {
        Plan::Settle(settle) if settle.entries().is_empty() => "record".to_owned(),
        Plan::Settle(_) => "settle".to_owned(),
        Plan::Defer(defer) => panic!("nothing is ever read: {defer:?}"),
        Plan::Park(park) => format!("park {}: {}", park.reason.name(), park.why),
        Plan::Ignore(ignored) => format!("ignore {}", ignored.name()),
    };
    std::iter::once(word).chain(entries(plan).iter().map(entry_line)).collect::<Vec<_>>().join(" | ")
}

fn entry_line(entry: &Entry) -> String {
    let Entry { occurrence, kind, amount_minor, currency, account, parent, invoice, linked_minor, .. } = entry;
    assert_eq!((account, invoice, linked_minor), (&None, &None, &None), "no signed field says so");
    let mut line = format!("{} {}/{} {amount_minor:+} {currency}", occurrence.scope, occurrence.id, kind.name());
    if let Some(parent) = parent {
        assert_eq!(parent.scope, occurrence.scope);
        line.push_str(&format!(" under {}", parent.id));
    }
    line
}
