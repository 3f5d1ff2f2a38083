//! Keys and kinds are a file format: what every sample is named and what it books, line by line. With
//! `HOOKLEDGER_UPDATE_GOLDEN=1` the file is written anew; read the difference.

use std::fmt::Write as _;

use hookledger::claim::{ClaimKey, MovementKey};
use hookledger::plan::{Entry, Fetch, Occurrence, Plan};
use hookledger::provider::Mode;

use super::{Listed, all, entries};

const GOLDEN: &str = include_str!("../golden/contract.txt");

fn movement(listed: &Listed, occurrence: &Occurrence) -> String {
    MovementKey::new(listed.name, occurrence).as_str().to_owned()
}

fn fetch(listed: &Listed, fetch: &Fetch) -> String {
    match fetch {
        Fetch::ParentEntry(parent) => format!("the entry {}", movement(listed, parent)),
        Fetch::Object(path) => path.clone(),
        Fetch::ObjectIfKeyed(path) => format!("{path} with a key"),
        Fetch::ObjectIfThere(path) => format!("{path} if there"),
    }
}

fn entry(listed: &Listed, entry: &Entry) -> String {
    let Entry { occurrence, kind, amount_minor, currency, .. } = entry;
    let mut line = format!("{} {} {amount_minor:+} {currency}", movement(listed, occurrence), kind.name());
    let linked = entry.linked_minor.map(|minor| minor.to_string());
    let parent = entry.parent.as_ref().map(|parent| movement(listed, parent));
    let more = [
        (" of ", entry.account.clone()),
        (" under ", parent),
        (" for ", entry.invoice.clone()),
        (" linking ", linked),
        (" at ", Some(entry.occurred_at.rfc3339())),
    ];
    for (word, value) in more {
        line.extend(value.map(|value| format!("{word}{value}")));
    }
    line
}

fn outcome(listed: &Listed, plan: &Plan) -> String {
    match plan {
        Plan::Settle(settle) if settle.entries().is_empty() => "recorded".to_owned(),
        Plan::Settle(_) => "settled".to_owned(),
        Plan::Defer(defer) => format!("reads {}", fetch(listed, defer.fetch())),
        Plan::Park(park) => format!("parked: {}", park.why),
        Plan::Ignore(why) => format!("ignored: {}", why.name()),
    }
}

fn page() -> String {
    let mut page = String::new();
    for listed in all() {
        for (sample, body) in &listed.samples {
            writeln!(page, "{}/{sample}", listed.name).unwrap();
            for event in listed.events(body) {
                let key = ClaimKey::new(listed.name, &event.scope, &event.id);
                let plan = listed.plan(&event);
                let other_mode = event.problem.is_none() && Mode::Live.ignores(event.mode);
                let (outcome, entries) = match other_mode {
                    true => ("ignored: other_mode".to_owned(), &[][..]),
                    false => (outcome(&listed, &plan), entries(&plan)),
                };
                writeln!(page, "  {key} {:?} {outcome}", event.event_type).unwrap();
                entries.iter().for_each(|it| writeln!(page, "    {}", entry(&listed, it)).unwrap());
            }
        }
    }
    page
}

#[test]
fn every_sample_is_named_and_booked_as_ever() {
    let page = page();
    if std::env::var_os("HOOKLEDGER_UPDATE_GOLDEN").is_some() {
        std::fs::write(concat!(env!("CARGO_MANIFEST_DIR"), "/suite/golden/contract.txt"), &page).unwrap();
        return;
    }
    for (line, golden) in page.lines().zip(GOLDEN.lines()) {
        assert_eq!(line, golden, "changed: what is in the tables already is named as it was");
    }
    let new = page.lines().nth(GOLDEN.lines().count());
    assert_eq!(new, None, "not in the file yet: HOOKLEDGER_UPDATE_GOLDEN=1 writes it anew");
    assert_eq!(
        page.lines().count(),
        GOLDEN.lines().count(),
        "the file has more: HOOKLEDGER_UPDATE_GOLDEN=1 writes it anew"
    );
}
