//! Whatever of a life cycle arrives, in whatever order, settled whenever: the ledger ends the same.

use std::collections::{BTreeMap, BTreeSet};

use hookledger::claim::State;
use hookledger::items::EntryRow;
use hookledger::plan::Kind;
use hookledger::store::Completed;
use hookledger_tests::{Settled, World, sample};

/// A life cycle: its charge, its events, and those of them that say all of it.
struct Cycle {
    charge: Option<&'static str>,
    events: &'static [&'static str],
    last: &'static [&'static str],
}

const GUITAR: Option<&str> = Some("charge_succeeded");
const YEN: Option<&str> = Some("charge_succeeded_jpy");
const AMP: Option<&str> = Some("charge_succeeded_disputed_1");

/// The emulator slows down as its tables grow.
const ORDERS_IN_A_WORLD: usize = 24;

/// What is compared: movement, kind, amount, currency, account, parent, when.
type Entry = (String, &'static str, i64, String, Option<String>, Option<String>, i64);

fn untagged(text: &str, tag: &str) -> String {
    text.strip_suffix(&format!("_{tag}")).unwrap_or(text).to_owned()
}

fn entry(row: &EntryRow, tag: &str) -> Entry {
    let parent = row.parent.as_ref().map(|parent| untagged(parent, tag));
    let (held, at) = (&row.held, row.occurred_at.get());
    let movement = untagged(row.movement.as_str(), tag);
    (movement, row.kind.name(), held.amount_minor, held.currency.clone(), held.account.clone(), parent, at)
}

/// Delivers these events as facts of their own, told apart by `tag`, and settles what was deferred: each once its
/// parent is there or none will come.
async fn deliver(world: &World, cycle: &Cycle, names: &[&str], tag: &str, interleaved: bool) {
    let provider = &world.receiver.provider;
    let mut waiting = Vec::new();
    let charge_at = cycle.charge.and_then(|charge| names.iter().position(|name| *name == charge));
    for (at, name) in names.iter().enumerate() {
        let body = provider.refresh(&sample("stripe", name), tag);
        let id = serde_json::from_slice::<serde_json::Value>(&body).unwrap()["id"].as_str().unwrap().to_owned();
        assert_eq!(world.deliver(&body).await.reply.status, 200, "{name}");
        waiting.push(world.key(&id));
        let parent_is_there = charge_at.is_none_or(|charge_at| charge_at <= at);
        if at + 1 == names.len() || (interleaved && parent_is_there) {
            assert_eq!(world.deliver(&body).await.reply.status, 200, "{name}");
            for key in waiting.drain(..) {
                let settled = world.settle_deferred(&key).await.unwrap();
                assert!(matches!(settled, Settled::NotOurs | Settled::Completed(Completed::Done { .. })), "{key}");
            }
        }
    }
}

fn subsets<'a>(names: &[&'a str]) -> Vec<Vec<&'a str>> {
    let pick = |mask: u32| names.iter().enumerate().filter(move |(at, _)| mask >> at & 1 == 1).map(|(_, name)| *name);
    (1..1_u32 << names.len()).map(|mask| pick(mask).collect()).collect()
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

/// The ledger after each order of these events, settled at the end or as they come.
async fn ledgers(cycle: &Cycle, orders: &[Vec<&str>]) -> Vec<BTreeSet<Entry>> {
    let mut all = Vec::new();
    // A lone event is settled both ways.
    let again = &orders[..orders.len().min(2) % 2];
    let deliveries: Vec<_> = orders.iter().chain(again).enumerate().collect();
    for some in deliveries.chunks(ORDERS_IN_A_WORLD) {
        let world = World::stripe().await;
        for (at, order) in some {
            deliver(&world, cycle, order, &format!("p{at:04}"), at % 2 == 1).await;
        }
        assert!(world.claims().await.iter().all(|row| row.state == State::Done), "{some:?}");
        let mut by_tag: BTreeMap<String, BTreeSet<Entry>> = BTreeMap::new();
        for row in world.ledger().await {
            let (_, tag) = row.movement.as_str().rsplit_once('_').unwrap();
            by_tag.entry(tag.to_owned()).or_default().insert(entry(&row, tag));
        }
        all.extend(some.iter().map(|(at, _)| by_tag.remove(&format!("p{at:04}")).unwrap_or_default()));
    }
    all
}

/// The full ledger without what only the charge tells, where the charge is not among the events.
fn without_charge(whole: &BTreeSet<Entry>) -> BTreeSet<Entry> {
    let own = whole.iter().filter(|entry| entry.1 != Kind::Payment.name());
    own.cloned()
        .map(|mut entry| {
            entry.4 = None;
            entry
        })
        .collect()
}

async fn converges(cycle: Cycle) {
    let charge = cycle.charge;
    let names: Vec<&str> = cycle.events.iter().copied().chain(charge).collect();
    let whole = {
        let world = World::stripe().await;
        deliver(&world, &cycle, &names, "whole", false).await;
        world.ledger().await.iter().map(|row| entry(row, "whole")).collect::<BTreeSet<_>>()
    };
    assert!(!whole.is_empty());
    for subset in subsets(&names) {
        let has_charge = charge.is_none_or(|charge| subset.contains(&charge));
        let all = if has_charge { whole.clone() } else { without_charge(&whole) };
        for ledger in ledgers(&cycle, &permutations(&subset)).await {
            if subset.iter().any(|name| cycle.last.contains(name)) {
                assert_eq!(ledger, all, "{subset:?}");
            } else {
                assert!(ledger.is_subset(&all), "{subset:?}: {ledger:?}");
            }
        }
    }
}

#[tokio::test]
async fn a_refund_that_comes_back() {
    let events = &[
        "refund_created_pending_1",
        "refund_updated_succeeded_1",
        "refund_failed_1",
        "charge_refund_updated_failed_1",
    ];
    let last = &["refund_failed_1", "charge_refund_updated_failed_1"];
    converges(Cycle { charge: GUITAR, events, last }).await;
}

#[tokio::test]
async fn a_refund_that_is_canceled() {
    let events = &["refund_created_2", "refund_updated_canceled_2"];
    converges(Cycle { charge: YEN, events, last: &["refund_updated_canceled_2"] }).await;
}

#[tokio::test]
async fn a_lost_dispute() {
    let events = &["dispute_created_1", "dispute_funds_withdrawn_1", "dispute_closed_lost_1"];
    let last = &["dispute_funds_withdrawn_1", "dispute_closed_lost_1"];
    converges(Cycle { charge: AMP, events, last }).await;
}

#[tokio::test]
async fn a_won_dispute() {
    let events =
        &["dispute_created_2", "dispute_funds_withdrawn_2", "dispute_funds_reinstated_2", "dispute_closed_won_2"];
    converges(Cycle { charge: YEN, events, last: &["dispute_funds_reinstated_2", "dispute_closed_won_2"] }).await;
}

/// The update says what the events before it say: it is looked at in each place of the whole cycle, not in each order.
#[tokio::test]
async fn an_update_of_a_dispute_anywhere_changes_nothing() {
    let others = [
        "dispute_created_2",
        "dispute_funds_withdrawn_2",
        "dispute_funds_reinstated_2",
        "dispute_closed_won_2",
        "charge_succeeded_jpy",
    ];
    let backwards = others.into_iter().rev().collect::<Vec<_>>();
    let cycle = Cycle { charge: YEN, events: &[], last: &[] };
    let whole = ledgers(&cycle, &[others.to_vec()]).await.remove(0);
    for order in [others.to_vec(), backwards] {
        let with_update = |at: usize| [&order[..at], &["dispute_updated_2"], &order[at..]].concat();
        let orders: Vec<_> = (0..=order.len()).flat_map(|at| [with_update(at), with_update(at)]).collect();
        for ledger in ledgers(&cycle, &orders).await {
            assert_eq!(ledger, whole);
        }
    }
}

#[tokio::test]
async fn a_payout_that_comes_back() {
    let events = &["payout_created_1", "payout_paid_1", "payout_failed_1"];
    converges(Cycle { charge: None, events, last: &["payout_failed_1"] }).await;
}

#[tokio::test]
async fn a_payout_that_is_canceled() {
    let events = &["payout_created_2", "payout_canceled_2"];
    converges(Cycle { charge: None, events, last: &["payout_canceled_2"] }).await;
}

#[tokio::test]
async fn a_refund_of_a_guest_has_no_account_before_or_after_its_charge() {
    let refund = String::from_utf8(sample("stripe", "refund_updated_canceled_2")).unwrap();
    let refund = refund.replace("ch_3ThYen0000000001", "ch_3ThGuest00000001");
    let charge = String::from_utf8(sample("stripe", "charge_succeeded_guest")).unwrap();
    let mut ledgers = BTreeSet::new();
    for bodies in [[&refund, &charge], [&charge, &refund]] {
        let world = World::stripe().await;
        for body in bodies {
            world.deliver(body).await;
        }
        let settled = world.settle_deferred(&world.key("evt_3ThYenBackStop01")).await.unwrap();
        assert!(matches!(settled, Settled::Completed(_)));
        let rows: BTreeSet<Entry> = world.ledger().await.iter().map(|row| entry(row, "")).collect();
        assert_eq!(rows.len(), 3);
        assert!(rows.iter().all(|entry| entry.4.is_none()));
        ledgers.insert(rows);
    }
    assert_eq!(ledgers.len(), 1);
}
