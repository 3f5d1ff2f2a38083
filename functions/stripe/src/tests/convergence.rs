//! Whatever arrives, in whatever order: the same entries.

use std::collections::BTreeMap;

use hookledger::plan::{Entry, Kind, Occurrence};

use super::{entries, file, interpret};

/// A life cycle, and those of its events that say all of it.
const CYCLES: [(&str, &[&str], &[&str]); 7] = [
    (
        "a refund that comes back",
        &[
            "refund_created_pending_1",
            "refund_updated_succeeded_1",
            "refund_failed_1",
            "charge_refund_updated_failed_1",
        ],
        &["refund_failed_1", "charge_refund_updated_failed_1"],
    ),
    ("a refund that is canceled", &["refund_created_2", "refund_updated_canceled_2"], &["refund_updated_canceled_2"]),
    (
        "a lost dispute",
        &["dispute_created_1", "dispute_funds_withdrawn_1", "dispute_closed_lost_1"],
        &["dispute_funds_withdrawn_1", "dispute_closed_lost_1"],
    ),
    (
        "a won dispute",
        &[
            "dispute_created_2",
            "dispute_funds_withdrawn_2",
            "dispute_updated_2",
            "dispute_funds_reinstated_2",
            "dispute_closed_won_2",
        ],
        &["dispute_funds_reinstated_2", "dispute_closed_won_2"],
    ),
    ("a payout that comes back", &["payout_created_1", "payout_paid_1", "payout_failed_1"], &["payout_failed_1"]),
    ("a payout that is canceled", &["payout_created_2", "payout_canceled_2"], &["payout_canceled_2"]),
    (
        "an authorisation taken in part",
        &["charge_succeeded_uncaptured", "charge_captured_partial", "refund_released_authorisation"],
        &["charge_captured_partial"],
    ),
];

type Ledger = BTreeMap<(Occurrence, Kind), Entry>;

/// Books as the ledger does: the first to come stays, and the next must say the same.
fn book(ledger: &mut Ledger, name: &str) {
    for entry in entries(&interpret(file(name))) {
        let held = ledger.entry((entry.occurrence.clone(), entry.kind)).or_insert_with(|| entry.clone());
        assert_eq!(held, entry, "{name}");
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
    for (cycle, names, last) in CYCLES {
        let whole = ledger_of(names);
        for subset in subsets(names) {
            let orders = permutations(&subset);
            let first = ledger_of(&orders[0]);
            for order in &orders {
                assert_eq!(ledger_of(order), first, "{cycle}: {order:?}");
            }
            if subset.iter().any(|name| last.contains(name)) {
                assert_eq!(first, whole, "{cycle}: {subset:?}");
            } else {
                assert!(
                    first.iter().all(|(movement, entry)| whole.get(movement) == Some(entry)),
                    "{cycle}: {subset:?}"
                );
            }
        }
    }
}

#[test]
fn what_came_back_sums_to_nothing_and_what_stayed_to_itself() {
    let sum = |at: usize| ledger_of(CYCLES[at].1).values().map(|entry| entry.amount_minor).sum::<i64>();
    assert_eq!((0..CYCLES.len()).map(sum).collect::<Vec<_>>(), [0, 0, -9_900, 0, 0, 0, 7_000]);
}

#[test]
fn no_reversal_comes_without_its_original() {
    let originals = [
        (Kind::RefundReversed, Kind::Refund),
        (Kind::PayoutReversed, Kind::Payout),
        (Kind::DisputeReversed, Kind::Dispute),
    ];
    let mut reversals = 0;
    for (name, body) in super::files() {
        let plan = interpret(body);
        let kinds: Vec<Kind> = entries(&plan).iter().map(|entry| entry.kind).collect();
        for (reversal, original) in originals {
            reversals += usize::from(kinds.contains(&reversal));
            assert!(!kinds.contains(&reversal) || kinds.contains(&original), "{name}");
        }
    }
    assert_eq!(reversals, 7);
}
