//! From sample events and an API's answers to plans, without a store.

mod history;
mod identify;
mod mapping;
mod objects;
mod sender;
mod vectors;

use std::collections::BTreeMap;

use bytes::Bytes;
use hookledger::plan::{Entry, Fetch, Fetched, Plan, Read};
use hookledger::provider::{Event, Provider as _};
use serde_json::{Value, json};

use crate::{GoCardless, batch};

/// Every file under `events/gocardless`, by name without extension.
fn files() -> BTreeMap<String, Vec<u8>> {
    let folder = concat!(env!("CARGO_MANIFEST_DIR"), "/../../events/gocardless");
    let read = |path: std::path::PathBuf| {
        let name = path.file_stem().unwrap().to_str().unwrap().to_owned();
        (name, std::fs::read(path).unwrap())
    };
    std::fs::read_dir(folder).unwrap().map(|file| read(file.unwrap().path())).collect()
}

/// The events in a file.
fn events_in(name: &str) -> Vec<Value> {
    let body = files().remove(name).unwrap_or_else(|| panic!("events/gocardless/{name}.json"));
    let delivery: Value = serde_json::from_slice(&body).unwrap();
    delivery["events"].as_array().unwrap().clone()
}

/// The only event in a file.
fn only(name: &str) -> Value {
    let [event] = &events_in(name)[..] else { panic!("{name}") };
    event.clone()
}

fn event(body: &Value) -> Event {
    batch::event(&Bytes::from(body.to_string()), None)
}

/// The API: what stands under which path. Anything else is not there.
#[derive(Clone, Default)]
struct Api(BTreeMap<String, Vec<u8>>);

impl Api {
    fn put(&mut self, path: &str, answer: &Value) -> &mut Self {
        self.0.insert(path.to_owned(), answer.to_string().into_bytes());
        self
    }

    /// A payment of 12.50 EUR under Anna's mandate, with these events, oldest first.
    fn payment(&mut self, id: &str, oldest_first: &[Value]) -> &mut Self {
        let newest_first: Vec<&Value> = oldest_first.iter().rev().collect();
        let list = json!({"events": newest_first, "meta": {"cursors": {"before": null, "after": null}, "limit": 500}});
        self.put(&format!("/events?payment={id}&limit=500"), &list);
        self.put(&format!("/payments/{id}"), &payment(id));
        self.put("/mandates/MD0HKLANNA001", &mandate())
    }
}

fn payment(id: &str) -> Value {
    json!({"payments": {"id": id, "amount": 1250, "amount_refunded": 0, "currency": "EUR", "status": "confirmed",
        "created_at": "2026-11-01T09:00:00.000Z", "links": {"mandate": "MD0HKLANNA001", "creditor": "CR0HKL1"}}})
}

fn mandate() -> Value {
    json!({"mandates": {"id": "MD0HKLANNA001", "status": "active", "scheme": "sepa_core",
        "links": {"customer": "CU0HKLANNA001", "creditor": "CR0HKL1"}}})
}

/// What the worker makes of an event, and what it read for it.
fn settle(event: &Event, api: &Api) -> (Plan, Vec<String>) {
    let (mut read, mut paths) = (Vec::<Read>::new(), Vec::new());
    let mut plan = GoCardless.interpret(event);
    while let Plan::Defer(defer) = &plan {
        assert_eq!(defer.known(), []);
        let fetch = defer.fetch().clone();
        let (path, optional) = match &fetch {
            Fetch::Object(path) => (path.clone(), false),
            Fetch::ObjectIfKeyed(path) | Fetch::ObjectIfThere(path) => (path.clone(), true),
            Fetch::ParentEntry(parent) => panic!("{parent:?}"),
        };
        assert!(paths.len() < 5 && !paths.contains(&path), "{path} after {paths:?}");
        let fetched = match api.0.get(&path) {
            Some(answer) => Fetched::Object(answer.clone()),
            None if optional => Fetched::NoObject,
            None => return (Plan::unreadable(format!("404 {path}")), paths),
        };
        paths.push(path);
        read.push(Read { fetch, fetched });
        plan = GoCardless.resume(event, &read);
    }
    (plan, paths)
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
        Plan::Settle(_) => "settle".to_owned(),
        Plan::Defer(defer) => match defer.fetch() {
            Fetch::Object(path) => format!("fetch {path}"),
            other => panic!("{other:?}"),
        },
        Plan::Park(park) => format!("park {}: {}", park.reason.name(), park.why),
        Plan::Ignore(ignored) => format!("ignore {}", ignored.name()),
    };
    let parts = entries(plan).iter().map(entry_line);
    std::iter::once(word).chain(parts).collect::<Vec<_>>().join(" | ")
}

fn entry_line(entry: &Entry) -> String {
    let Entry { occurrence, kind, amount_minor, currency, account, parent, .. } = entry;
    assert_eq!(occurrence.scope, "", "GoCardless's ids are unique by themselves");
    let mut line = format!("{}/{} {amount_minor:+} {currency}", occurrence.id, kind.name());
    let parent = parent.as_ref().map(|parent| &parent.id);
    for (word, value) in [("of", account.as_ref()), ("under", parent)] {
        line.extend(value.map(|value| format!(" {word} {value}")));
    }
    line
}
