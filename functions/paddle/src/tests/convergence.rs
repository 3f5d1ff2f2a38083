//! Whatever arrives, in whatever order: the same entries.

use std::collections::BTreeMap;

use hookledger::plan::{Entry, Kind, Occurrence};

use super::{entries, file, interpret};

/// A life cycle, its events, those that say all of it (one of each group), and what it sums to.
type Cycle = (&'static str, &'static [&'static str], &'static [&'static [&'static str]], i64);

const CYCLES: [Cycle; 3] = [
    (
        "a transaction, refunded in part",
        &[
            "transaction_paid_1",
            "transaction_completed_1",
            "adjustment_created_pending_1",
            "adjustment_updated_approved_1",
        ],
        &[&["transaction_completed_1"], &["adjustment_updated_approved_1"]],
        2700,
    ),
    (
        "a chargeback that is reversed",
        &[
            "adjustment_created_chargeback_2",
            "adjustment_updated_chargeback_reversed_2",
            "adjustment_created_chargeback_reverse_2",
        ],
        &[
            &["adjustment_created_chargeback_2", "adjustment_updated_chargeback_reversed_2"],
            &["adjustment_created_chargeback_reverse_2"],
        ],
        0,
    ),
    ("a payout", &["payout_created_1", "payout_paid_1"], &[&["payout_paid_1"]], -120050),
];

type Ledger = BTreeMap<(Occurrence, Kind), Entry>;

/// Books as the ledger does: the first to come stays, and the next must say the same.
fn ledger_of(names: &[&str]) -> Ledger {
    let mut ledger = Ledger::new();
    for name in names {
        for entry in entries(&interpret(file(name))) {
            let held = ledger.entry((entry.occurrence.clone(), entry.kind)).or_insert_with(|| entry.clone());
            assert_eq!(held, entry, "{name}");
        }
    }
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
    for (cycle, names, last, sum_minor) in CYCLES {
        let whole = ledger_of(names);
        assert_eq!(whole.values().map(|entry| entry.amount_minor).sum::<i64>(), sum_minor, "{cycle}");
        for subset in subsets(names) {
            let orders = permutations(&subset);
            let first = ledger_of(&orders[0]);
            for order in &orders {
                assert_eq!(ledger_of(order), first, "{cycle}: {order:?}");
            }
            if last.iter().all(|group| group.iter().any(|name| subset.contains(name))) {
                assert_eq!(first, whole, "{cycle}: {subset:?}");
            } else {
                let told = |(movement, entry)| whole.get(movement) == Some(entry);
                assert!(first.iter().all(told), "{cycle}: {subset:?}");
            }
        }
    }
}
