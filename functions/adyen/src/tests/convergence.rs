//! Whatever arrives, in whatever order: the same entries.

use std::collections::BTreeMap;

use hookledger::plan::{Entry, Kind, Occurrence};
use hookledger::time::UnixMs;

use super::{entries, events, file, files, interpret, plan};

/// A life cycle, those of its events that say all of it, and what is left in the end.
const CYCLES: [(&str, &[&str], &[&str], i64); 6] = [
    ("a payment that fails", &["authorisation", "capture_failed"], &["capture_failed"], 0),
    (
        "a capture that fails",
        &["rental_authorisation", "rental_capture", "rental_capture_refused", "rental_capture_failed"],
        &["rental_capture_failed"],
        0,
    ),
    ("a refund that fails", &["refund", "refund_refused", "refund_failed"], &["refund_failed"], 0),
    ("a refund that is reversed", &["refund_2", "refunded_reversed_2"], &["refunded_reversed_2"], 0),
    (
        "a dispute that is won",
        &["notification_of_chargeback", "chargeback", "chargeback_reversed"],
        &["chargeback_reversed"],
        0,
    ),
    (
        "a dispute that is lost after all",
        &["chargeback", "chargeback_reversed", "second_chargeback", "prearbitration_lost"],
        &["second_chargeback"],
        -4_200,
    ),
];

type Ledger = BTreeMap<(Occurrence, Kind), Entry>;

/// Books as the ledger does: the first to come stays, and the next must say the same. The time is a hint.
fn book(ledger: &mut Ledger, name: &str) {
    for entry in entries(&interpret(file(name))) {
        let entry = Entry { occurred_at: UnixMs::new(0), ..entry.clone() };
        let held = ledger.entry((entry.occurrence.clone(), entry.kind)).or_insert_with(|| entry.clone());
        assert_eq!(held, &entry, "{name}");
    }
}

fn ledger_of(names: &[&str]) -> Ledger {
    let mut ledger = Ledger::new();
    names.iter().for_each(|name| book(&mut ledger, name));
    ledger
}

fn subsets<'a>(names: &[&'a str]) -> Vec<Vec<&'a str>> {
    let pick = |mask: u32| names.iter().enumerate().filter(move |(at, _)| mask >> at & 1 == 1).map(|(_, name)| *name);
    (0..1_u32 << names.len()).map(|mask| pick(mask).collect()).collect()
}

fn permutations<'a>(names: &[&'a str]) -> Vec<Vec<&'a str>> {
    if names.is_empty() {
        return vec![vec![]];
    }
    let mut all = Vec::new();
    for (at, first) in names.iter().enumerate() {
        let others = [&names[..at], &names[at + 1..]].concat();
        all.extend(permutations(&others).into_iter().map(|rest| [vec![*first], rest].concat()));
    }
    all
}

#[test]
fn every_subset_in_every_order_converges() {
    for (cycle, names, last, left_minor) in CYCLES {
        let whole = ledger_of(names);
        assert_eq!(whole.values().map(|entry| entry.amount_minor).sum::<i64>(), left_minor, "{cycle}");
        for subset in subsets(names) {
            let orders = permutations(&subset);
            let first = ledger_of(&orders[0]);
            assert!(orders.iter().all(|order| ledger_of(order) == first), "{cycle}: {subset:?}");
            let complete = subset.iter().any(|name| last.contains(name));
            assert!(!complete || first == whole, "{cycle}: {subset:?}");
            assert!(first.iter().all(|(movement, entry)| whole.get(movement) == Some(entry)), "{cycle}: {subset:?}");
        }
    }
}

#[test]
fn no_reversal_comes_without_its_original() {
    let originals = [
        (Kind::PaymentReversed, Kind::Payment),
        (Kind::RefundReversed, Kind::Refund),
        (Kind::DisputeReversed, Kind::Dispute),
    ];
    let mut reversals = 0;
    for (name, body) in files() {
        for event in events(body) {
            let plan = plan(&event);
            let kinds: Vec<Kind> = entries(&plan).iter().map(|entry| entry.kind).collect();
            for (reversal, original) in originals {
                reversals += usize::from(kinds.contains(&reversal));
                assert!(!kinds.contains(&reversal) || kinds.contains(&original), "{name}");
            }
        }
    }
    assert_eq!(reversals, 6);
}
