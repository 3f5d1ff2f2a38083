//! From sample events to plans, without a store.

mod convergence;
mod identify;
mod mapping;
mod sender;
mod vectors;

use std::collections::BTreeMap;

use bytes::Bytes;
use hookledger::plan::{Entry, Fetch, Occurrence, Plan};
use hookledger::provider::{Event, Provider as _};
use hookledger::request::Headers;

use crate::{Razorpay, event};

/// Of every movement in the sample events.
const SCOPE: &str = "acc_MadeUpWorkshop";

fn razorpay() -> Razorpay {
    let mut razorpay = Razorpay::default();
    razorpay.set("SETTLEMENT_CURRENCY", "INR").unwrap();
    razorpay
}

const FOLDER: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../../events/razorpay");

/// Every file under `events/razorpay`, by name without extension.
fn files() -> BTreeMap<String, Vec<u8>> {
    let name = |path: std::path::PathBuf| path.file_stem().unwrap().to_str().unwrap().to_owned();
    let names = std::fs::read_dir(FOLDER).unwrap().map(|file| name(file.unwrap().path()));
    names.map(|name| (name.clone(), file(&name))).collect()
}

fn file(name: &str) -> Vec<u8> {
    std::fs::read(format!("{FOLDER}/{name}.json")).unwrap_or_else(|_| panic!("events/razorpay/{name}.json"))
}

/// A file with one text replaced by another; it must be there.
fn edited(name: &str, from: &str, to: &str) -> Vec<u8> {
    let text = String::from_utf8(file(name)).unwrap();
    assert!(text.contains(from), "{name} has no {from}");
    text.replace(from, to).into_bytes()
}

fn event(body: impl Into<Vec<u8>>) -> Event {
    event::identify(&Bytes::from(body.into()), &Headers::default())
}

fn interpret(body: impl Into<Vec<u8>>) -> Plan {
    razorpay().interpret(&event(body))
}

/// What a file means once one text of it is replaced.
fn meant(name: &str, from: &str, to: &str) -> String {
    line(&interpret(edited(name, from, to)))
}

fn entries(plan: &Plan) -> &[Entry] {
    match plan {
        Plan::Settle(settle) => settle.entries(),
        Plan::Defer(defer) => defer.known(),
        Plan::Park(_) | Plan::Ignore(_) => &[],
    }
}

/// A plan in one line.
fn line(plan: &Plan) -> String {
    let word = match plan {
        Plan::Settle(settle) if settle.entries().is_empty() => "record".to_owned(),
        Plan::Settle(_) => "settle".to_owned(),
        Plan::Defer(defer) => match defer.fetch() {
            Fetch::ParentEntry(Occurrence { scope, id }) if scope == SCOPE => format!("account of {id}"),
            other => panic!("{other:?}"),
        },
        Plan::Park(park) => format!("park {}: {}", park.reason.name(), park.why),
        Plan::Ignore(ignored) => format!("ignore {}", ignored.name()),
    };
    let parts = entries(plan).iter().map(entry_line);
    std::iter::once(word).chain(parts).collect::<Vec<_>>().join(" | ")
}

fn entry_line(entry: &Entry) -> String {
    let Entry { occurrence, kind, amount_minor, currency, account, parent, invoice, .. } = entry;
    assert_eq!(occurrence.scope, SCOPE);
    assert!(parent.as_ref().is_none_or(|parent| parent.scope == SCOPE), "{parent:?}");
    let mut line = format!("{}/{} {amount_minor:+} {currency}", occurrence.id, kind.name());
    let parent = parent.as_ref().map(|parent| &parent.id);
    for (word, value) in [("of", account.as_ref()), ("under", parent), ("pays", invoice.as_ref())] {
        line.extend(value.map(|value| format!(" {word} {value}")));
    }
    line
}
