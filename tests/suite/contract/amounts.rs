//! What a sample means can be committed, and is what it says.

use std::collections::BTreeSet;

use hookledger::plan::{ENTRIES_AND_MESSAGES_MAX, Sign};

use super::{all, entries};

#[test]
fn a_plan_fits_a_transaction_and_is_the_same_whenever_it_is_made() {
    let mut booking = BTreeSet::new();
    for listed in all() {
        for (sample, body) in &listed.samples {
            for event in listed.events(body) {
                let plan = listed.plan(&event);
                assert_eq!(listed.plan(&event), plan, "{} {sample}", listed.name);
                let entries = entries(&plan);
                assert!(entries.len() <= ENTRIES_AND_MESSAGES_MAX, "{} {sample}", listed.name);
                for entry in entries {
                    let right = match entry.kind.sign() {
                        Sign::Plus => entry.amount_minor >= 0,
                        Sign::Minus => entry.amount_minor <= 0,
                        Sign::Zero => entry.amount_minor == 0 && entry.linked_minor.is_some(),
                    };
                    assert!(right && !entry.occurrence.id.is_empty(), "{} {sample}: {entry:?}", listed.name);
                    booking.insert(listed.name);
                }
            }
        }
    }
    assert!(booking.len() >= 7, "{booking:?}");
}

#[test]
fn a_delivery_has_at_least_one_event_and_none_twice() {
    for listed in all() {
        for (sample, body) in &listed.samples {
            let events = listed.events(body);
            let keys: BTreeSet<_> = events.iter().map(|event| (&event.scope, &event.id)).collect();
            assert!(!events.is_empty() && events.iter().all(|event| !event.id.is_empty()), "{} {sample}", listed.name);
            assert_eq!(keys.len(), events.len(), "{} {sample}", listed.name);
        }
    }
}
