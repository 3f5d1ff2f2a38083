//! Whatever arrives, in whatever order: the same entries.

use std::collections::BTreeMap;

use hookledger::plan::{Entry, Kind, Occurrence};

use super::{entries, file, interpret};

/// A life cycle, its events, those that say all of it (one of each group), and what it sums to.
type Cycle = (&'static str, &'static [&'static str], &'static [&'static [&'static str]], i64);

const CYCLES: [Cycle; 4] = [
    (
        "a payment for an order",
        &["payment_authorized_1", "payment_captured_1", "order_paid_1", "invoice_paid"],
        &[&["payment_captured_1", "order_paid_1"]],
        420000,
    ),
    (
        "a refund that comes back",
        &["refund_created_1", "refund_processed_1", "refund_failed_1", "refund_speed_changed_1"],
        &[&["refund_failed_1"]],
        0,
    ),
    (
        "a lost dispute",
        &["dispute_created_1", "dispute_under_review_1", "dispute_lost_1"],
        &[&["dispute_lost_1"]],
        -39000,
    ),
    (
        "a payout that comes back",
        &[
            "payout_initiated_1",
            "payout_updated_processing_1",
            "payout_processed_1",
            "payout_updated_processed_1",
            "payout_reversed_1",
        ],
        &[&["payout_reversed_1"]],
        0,
    ),
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
