//! A ledger in memory: what every order of a life would book, without the tables.

use std::collections::BTreeMap;

use hookledger::plan::{Entry, Fetch, Fetched, Kind, Occurrence, ParentEntry, Plan, Read};
use hookledger::provider::Event;
use hookledger::time::UnixMs;

use super::Listed;

/// What was booked, by movement and kind. The time is the first's to come, and is left out.
pub(super) type Ledger = BTreeMap<(Occurrence, Kind), Entry>;

/// The ledger once these samples came in this order, and then what had to be read first was read.
pub(super) fn ledger(listed: &Listed, order: &[String]) -> Ledger {
    let mut ledger = Ledger::new();
    let mut waiting = Vec::new();
    for name in order {
        for event in listed.events(&listed.samples[name]) {
            match listed.plan(&event) {
                Plan::Settle(settle) => book(listed, &mut ledger, settle.entries()),
                Plan::Defer(_) => waiting.push(event),
                Plan::Ignore(_) => {}
                Plan::Park(park) => panic!("{} {name}: {}", listed.name, park.why),
            }
        }
    }
    for event in waiting {
        let entries = settle(listed, &ledger, &event);
        book(listed, &mut ledger, &entries);
    }
    ledger
}

/// The first to come stays, and the next must say the same.
fn book(listed: &Listed, ledger: &mut Ledger, entries: &[Entry]) {
    for entry in entries {
        let entry = Entry { occurred_at: UnixMs::new(0), ..entry.clone() };
        let held = ledger.entry((entry.occurrence.clone(), entry.kind)).or_insert_with(|| entry.clone());
        assert_eq!(held, &entry, "{}", listed.name);
    }
}

fn settle(listed: &Listed, ledger: &Ledger, event: &Event) -> Vec<Entry> {
    let mut plan = listed.plan(event);
    let mut read = Vec::new();
    while let Plan::Defer(defer) = &plan {
        let fetch = defer.fetch().clone();
        read.push(Read { fetched: fetched(listed, ledger, &fetch), fetch });
        plan = listed.provider.resume(event, &read);
        assert!(read.len() < 6, "{}: {} reads without an end", listed.name, event.id);
    }
    match plan {
        Plan::Settle(settle) => settle.entries().to_vec(),
        Plan::Ignore(_) => Vec::new(),
        other => panic!("{} {}: {other:?}", listed.name, event.id),
    }
}

fn fetched(listed: &Listed, ledger: &Ledger, fetch: &Fetch) -> Fetched {
    match fetch {
        Fetch::ParentEntry(parent) => {
            let parent = ledger.get(&(parent.clone(), Kind::Payment));
            Fetched::ParentEntry(parent.map(|entry| ParentEntry { account: entry.account.clone() }))
        }
        Fetch::Object(path) | Fetch::ObjectIfKeyed(path) | Fetch::ObjectIfThere(path) => {
            let answer = listed.row.api.get(path);
            answer.map_or(Fetched::NoObject, |answer| Fetched::Object(answer.to_string().into_bytes()))
        }
    }
}
