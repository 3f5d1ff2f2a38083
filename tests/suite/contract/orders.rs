//! Whatever order the events of a life come in, the ledger ends the same.

use std::collections::BTreeSet;

use hookledger::claim::State;
use hookledger::provider::Mode;
use hookledger::work::{Settings, Worked};
use hookledger_tests::TestApi;

use super::{Desk, Listed, all, book};

/// Five events come in 120 orders.
const EVENTS_MAX: usize = 5;

/// What is compared: movement, kind, amount, currency, account, parent, invoice. The time is the first's to come.
type Row = (String, &'static str, i64, String, Option<String>, Option<String>, Option<String>);

async fn rows(desk: &Desk) -> BTreeSet<Row> {
    let rows = desk.world.ledger().await.into_iter();
    rows.map(|row| {
        let (movement, held) = (row.movement.as_str().to_owned(), row.held);
        (movement, row.kind.name(), held.amount_minor, held.currency, held.account, row.parent, row.invoice)
    })
    .collect()
}

fn permutations(names: &[String]) -> Vec<Vec<String>> {
    if names.is_empty() {
        return vec![vec![]];
    }
    let mut all = Vec::new();
    for (at, first) in names.iter().enumerate() {
        let others = [&names[..at], &names[at + 1..]].concat();
        all.extend(permutations(&others).into_iter().map(|rest| [vec![first.clone()], rest].concat()));
    }
    all
}

/// Works on what was kept until nothing is left to do, letting time pass where something is waited for.
async fn settle(listed: &Listed, desk: &Desk, api: Option<&TestApi>) {
    let worker = desk.world.worker_with(Settings::default(), api.map(TestApi::url));
    for _ in 0..100 {
        let open = desk.world.claims().await.into_iter().find(|claim| claim.state == State::Received);
        let Some(claim) = open else { return };
        desk.world.wait_for(&claim.key).await;
        let worked = desk.world.work(&worker, &claim.key).await;
        assert!(matches!(worked, Worked::Settled { .. } | Worked::Later { .. }), "{}: {worked:?}", listed.name);
    }
    panic!("{}: work that does not end", listed.name);
}

async fn ledger(listed: &Listed, order: &[String], api: Option<&TestApi>) -> BTreeSet<Row> {
    let desk = listed.desk(Mode::Live).await;
    for name in order {
        let body = listed.samples.get(name).unwrap_or_else(|| panic!("{} has no sample {name}", listed.name));
        let answer = desk.deliver(listed, body).await;
        assert_eq!(answer.reply, listed.provider.profile().transport.success.into(), "{} {name}", listed.name);
    }
    settle(listed, &desk, api).await;
    let claims = desk.world.claims().await;
    assert!(claims.iter().all(|claim| claim.state == State::Done), "{} {order:?}: {claims:?}", listed.name);
    rows(&desk).await
}

/// As they happened, backwards, and from the middle on.
fn turns(cycle: &[String]) -> [Vec<String>; 3] {
    let (before, after) = cycle.split_at(cycle.len().div_ceil(2));
    [cycle.to_vec(), cycle.iter().rev().cloned().collect(), [after, before].concat()]
}

async fn converges(listed: &Listed, cycle: &[String]) {
    let api = if listed.row.api.is_empty() { None } else { Some(TestApi::start().await) };
    for (path, answer) in &listed.row.api {
        api.as_ref().unwrap().put(path, answer);
    }
    let [first, others @ ..] = turns(cycle);
    let whole = ledger(listed, &first, api.as_ref()).await;
    assert!(!whole.is_empty(), "{} {cycle:?}", listed.name);
    for order in others {
        assert_eq!(ledger(listed, &order, api.as_ref()).await, whole, "{} {order:?}", listed.name);
    }
}

/// Whoever books has a life to be tried with.
#[test]
fn a_provider_whose_samples_reverse_an_entry_has_a_cycle() {
    for listed in all() {
        let kinds: BTreeSet<_> = listed
            .samples
            .values()
            .flat_map(|body| listed.events(body))
            .flat_map(|event| super::entries(&listed.plan(&event)).iter().map(|entry| entry.kind).collect::<Vec<_>>())
            .collect();
        assert!(kinds.len() < 2 || !listed.row.cycles.is_empty(), "{}: {kinds:?}", listed.name);
    }
}

#[test]
fn every_order_of_a_life_means_one_ledger() {
    for listed in all() {
        for cycle in &listed.row.cycles {
            assert!((2..=EVENTS_MAX).contains(&cycle.len()), "{} {cycle:?}", listed.name);
            let whole = book::ledger(&listed, cycle);
            assert!(!whole.is_empty(), "{} {cycle:?}", listed.name);
            for order in permutations(cycle) {
                assert_eq!(book::ledger(&listed, &order), whole, "{} {order:?}", listed.name);
            }
        }
    }
}

/// The same in the tables, by the worker.
#[tokio::test]
async fn a_life_that_begins_anywhere_ends_in_one_ledger() {
    for listed in all() {
        for cycle in &listed.row.cycles {
            converges(&listed, cycle).await;
        }
    }
}
