//! The life of a payment: whichever of its events is worked on, and however much of the life the API knows by then.

use std::collections::BTreeMap;

use hookledger::plan::{Entry, Kind, Occurrence};
use serde_json::{Value, json};

use super::{Api, entries, event, line, only, settle};

const PAYMENT: &str = "PM0HKLRENT001";

/// Charged back, given back, failed after all, and collected again.
const LIFE: [&str; 8] = [
    "payments_submitted",
    "payments_confirmed",
    "payments_paid_out",
    "payments_charged_back",
    "payments_chargeback_cancelled",
    "payments_failed_late",
    "payments_resubmission_requested",
    "payments_confirmed_again",
];

const WHOLE: &str = "settle \
    | EV0HKL00CONF1/payment +1250 EUR of CU0HKLANNA001 \
    | EV0HKL00BACK1/dispute -1250 EUR of CU0HKLANNA001 under EV0HKL00CONF1 \
    | EV0HKL00CANC1/dispute_reversed +1250 EUR of CU0HKLANNA001 under EV0HKL00CONF1 \
    | EV0HKL00FAIL1/payment_reversed -1250 EUR of CU0HKLANNA001 under EV0HKL00CONF1 \
    | EV0HKL00CONF2/payment +1250 EUR of CU0HKLANNA001";

type Ledger = BTreeMap<(Occurrence, Kind), Entry>;

fn life() -> Vec<Value> {
    LIFE.iter().map(|name| only(name)).collect()
}

fn api(oldest_first: &[Value]) -> Api {
    let mut api = Api::default();
    api.payment(PAYMENT, oldest_first);
    api
}

/// What the event at `at` books while the API knows the first `known` events.
fn booked(life: &[Value], at: usize, known: usize) -> Ledger {
    let (plan, _) = settle(&event(&life[at]), &api(&life[..known]));
    assert!(!line(&plan).starts_with("park"), "{at} {known}: {}", line(&plan));
    let named = |entry: &Entry| ((entry.occurrence.clone(), entry.kind), entry.clone());
    entries(&plan).iter().map(named).collect()
}

/// Books as the ledger does: the first to come stays, and the next must say the same.
fn book(ledger: &mut Ledger, more: &Ledger) {
    for (movement, entry) in more {
        assert_eq!(ledger.entry(movement.clone()).or_insert_with(|| entry.clone()), entry);
    }
}

#[test]
fn any_event_that_tells_of_money_books_the_whole_life() {
    let life = life();
    for (name, one) in LIFE.iter().zip(&life) {
        let (plan, paths) = settle(&event(one), &api(&life));
        let tells = !["payments_submitted", "payments_resubmission_requested"].contains(name);
        assert_eq!(line(&plan), if tells { WHOLE } else { "ignore event_type" }, "{name}");
        let expected =
            ["/events?payment=PM0HKLRENT001&limit=500", "/payments/PM0HKLRENT001", "/mandates/MD0HKLANNA001"];
        assert_eq!(paths, if tells { &expected[..] } else { &[] }, "{name}");
    }
}

#[test]
fn every_order_and_every_subset_with_the_last_event_ends_in_one_ledger() {
    let life = life();
    let whole = booked(&life, LIFE.len() - 1, LIFE.len());
    let table: Vec<Vec<Ledger>> = (0..LIFE.len())
        .map(|at| (0..=LIFE.len()).map(|known| booked(&life, at, known.max(at + 1))).collect())
        .collect();
    for row in &table {
        for ledger in row {
            assert!(ledger.iter().all(|(movement, entry)| whole.get(movement) == Some(entry)), "a part of the whole");
        }
    }
    let last = LIFE.len() - 1;
    let mut runs = 0;
    for subset in (0..1_usize << LIFE.len()).filter(|subset| subset >> last & 1 == 1) {
        let events: Vec<usize> = (0..LIFE.len()).filter(|at| subset >> at & 1 == 1).collect();
        each_order(&events, &mut |order| {
            let (mut ledger, mut known) = (Ledger::new(), 0);
            for at in order {
                // When an event is worked on, at least what was delivered before it has happened.
                known = known.max(at + 1);
                book(&mut ledger, &table[*at][known]);
            }
            assert_eq!(ledger, whole, "{order:?}");
            runs += 1;
        });
    }
    assert_eq!(runs, 95_901, "every order of every subset that holds the last event");
}

/// Heap's algorithm.
fn each_order(items: &[usize], visit: &mut impl FnMut(&[usize])) {
    fn step(items: &mut Vec<usize>, left: usize, visit: &mut impl FnMut(&[usize])) {
        if left <= 1 {
            return visit(items);
        }
        for at in 0..left {
            step(items, left - 1, visit);
            items.swap(if left.is_multiple_of(2) { at } else { 0 }, left - 1);
        }
    }
    let mut items = items.to_vec();
    let left = items.len();
    step(&mut items, left, visit);
}

#[test]
fn a_life_cut_off_anywhere_sums_to_where_the_money_is() {
    let life = life();
    let sums: Vec<i64> =
        (2..=LIFE.len()).map(|known| booked(&life, 1, known).values().map(|entry| entry.amount_minor).sum()).collect();
    assert_eq!(sums, [1_250, 1_250, 0, 1_250, 0, 0, 1_250]);
}

fn said(action: &str, id: &str, at_s: u32) -> Value {
    json!({"id": id, "created_at": format!("2026-11-06T09:00:{at_s:02}.000Z"), "resource_type": "payments",
        "action": action, "links": {"payment": PAYMENT}})
}

/// The kinds and events of what the first event books.
fn moved(oldest_first: &[Value]) -> String {
    let (plan, _) = settle(&event(&oldest_first[0]), &api(oldest_first));
    let short = |entry: &Entry| format!("{}/{}", entry.occurrence.id, entry.kind.name());
    match entries(&plan) {
        [] => line(&plan),
        some => some.iter().map(short).collect::<Vec<_>>().join(" "),
    }
}

#[test]
fn a_failure_before_any_confirmation_is_no_money() {
    assert_eq!(moved(&[said("failed", "EV1", 1)]), "ignore nothing_moved");
    let retried = [said("failed", "EV1", 1), said("confirmed", "EV2", 2)];
    assert_eq!(moved(&retried), "EV2/payment");
}

#[test]
fn what_is_so_already_moves_nothing() {
    let twice = [said("confirmed", "EV1", 1), said("confirmed", "EV2", 2)];
    assert_eq!(moved(&twice), "EV1/payment");
    let both = [said("confirmed", "EV1", 1), said("charged_back", "EV2", 2), said("failed", "EV3", 3)];
    assert_eq!(moved(&both), "EV1/payment EV2/dispute");
    let failed = [said("confirmed", "EV1", 1), said("failed", "EV2", 2), said("chargeback_cancelled", "EV3", 3)];
    assert_eq!(moved(&failed), "EV1/payment EV2/payment_reversed", "there was no chargeback to cancel");
    let here = [said("confirmed", "EV1", 1), said("chargeback_cancelled", "EV2", 2)];
    assert_eq!(moved(&here), "EV1/payment");
}

#[test]
fn a_chargeback_can_come_again() {
    let again = [
        said("confirmed", "EV1", 1),
        said("charged_back", "EV2", 2),
        said("chargeback_cancelled", "EV3", 3),
        said("charged_back", "EV4", 4),
        said("chargeback_settled", "EV5", 5),
    ];
    assert_eq!(moved(&again), "EV1/payment EV2/dispute EV3/dispute_reversed EV4/dispute");
}

#[test]
fn within_a_millisecond_the_list_s_order_counts() {
    let same = [said("confirmed", "EV9", 1), said("failed", "EV8", 1), said("confirmed", "EV7", 1)];
    assert_eq!(moved(&same), "EV9/payment EV8/payment_reversed EV7/payment");
    // Whatever the list's order, time decides first.
    let turned = [said("failed", "EV2", 2), said("confirmed", "EV1", 1)];
    assert_eq!(moved(&turned), "EV1/payment EV2/payment_reversed");
}

#[test]
fn a_list_that_lags_behind_does_not_hide_the_event_itself() {
    let (plan, _) = settle(&event(&said("confirmed", "EV1", 1)), &api(&[]));
    assert_eq!(line(&plan), "settle | EV1/payment +1250 EUR of CU0HKLANNA001");
}

#[test]
fn a_life_that_begins_after_its_money_is_for_a_person() {
    for action in ["paid_out", "charged_back", "chargeback_cancelled", "chargeback_settled", "late_failure_settled"] {
        let why = "park unreadable: its list of events begins after its money came: the confirmation is missing";
        assert_eq!(moved(&[said(action, "EV1", 1)]), why, "{action}");
    }
}
