//! From sample events to plans, without a store.

mod convergence;
mod identify;
mod mapping;
mod sender;
mod vectors;

use std::collections::BTreeMap;

use bytes::Bytes;
use hookledger::plan::{Entry, Plan};
use hookledger::provider::{Event, Provider as _};

use crate::{Checkout, event};

/// Every file under `events/checkout`, by name without extension.
fn files() -> BTreeMap<String, Vec<u8>> {
    let folder = concat!(env!("CARGO_MANIFEST_DIR"), "/../../events/checkout");
    let read = |path: std::path::PathBuf| {
        let name = path.file_stem().unwrap().to_str().unwrap().to_owned();
        (name, std::fs::read(path).unwrap())
    };
    std::fs::read_dir(folder).unwrap().map(|file| read(file.unwrap().path())).collect()
}

fn file(name: &str) -> Vec<u8> {
    files().remove(name).unwrap_or_else(|| panic!("events/checkout/{name}.json"))
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
    Checkout.interpret(&event(body))
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
    assert_eq!((occurrence.scope.as_str(), invoice, linked_minor), ("", &None, &None));
    let mut line = format!("{}/{} {amount_minor:+} {currency}", short(&occurrence.id), kind.name());
    line.extend(account.as_ref().map(|account| format!(" of {account}")));
    line.extend(parent.as_ref().map(|parent| format!(" under {}", short(&parent.id))));
    line
}

/// An id without the zeros that fill it up.
fn short(id: &str) -> String {
    id.replace("0000", "")
}
