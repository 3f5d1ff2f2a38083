//! Whatever arrives, in whatever order: the same entries.

use std::collections::BTreeMap;

use hookledger::plan::{Entry, Kind, Occurrence};
use hookledger::time::UnixMs;

use super::{entries, file, interpret};

/// A life cycle, those of its events that say all of it, and what is left in the end.
const CYCLES: [(&str, &[&str], &[&str], i64); 4] = [
    ("a payout that comes back", &["payment_paid", "payment_returned_payout"], &["payment_returned_payout"], 0),
    (
        "a dispute that is won",
        &["dispute_evidence_required_1", "dispute_evidence_submitted_1", "dispute_won_1"],
        &["dispute_won_1"],
        0,
    ),
    (
        "a dispute that is lost",
        &["dispute_evidence_required_2", "dispute_accepted_2", "dispute_expired_2", "dispute_lost_2"],
        &["dispute_evidence_required_2", "dispute_accepted_2", "dispute_expired_2", "dispute_lost_2"],
        -1_200,
    ),
    ("a dispute that is canceled", &["dispute_evidence_required_3", "dispute_canceled_3"], &["dispute_canceled_3"], 0),
];

type Ledger = BTreeMap<(Occurrence, Kind), Entry>;

/// Books as the ledger does: the first to come stays, and the next must say the same. The time is the first's.
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

/// A payment's actions are movements of their own: every order sums to the same, and all must have come.
#[test]
fn the_actions_of_a_payment_add_up_in_every_order() {
    let names =
        ["payment_approved", "payment_captured_part_1", "payment_captured_part_2", "payment_refunded", "dispute_won_1"];
    let whole = ledger_of(&names);
    assert_eq!(whole.values().map(|entry| entry.amount_minor).sum::<i64>(), 3_000 + 1_200 - 1_500);
    assert!(permutations(&names).iter().all(|order| ledger_of(order) == whole));
    let debit = ["payment_captured_debit", "payment_returned_debit"];
    assert_eq!(ledger_of(&debit).values().map(|entry| entry.amount_minor).sum::<i64>(), 0);
    assert!(permutations(&debit).iter().all(|order| ledger_of(order) == ledger_of(&debit)));
}
