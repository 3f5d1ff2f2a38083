//! Whatever of a life cycle arrives, in whatever order, settled whenever: the ledger ends the same.

use std::collections::{BTreeMap, BTreeSet};

use hookledger::claim::{MovementKey, State};
use hookledger::items::EntryRow;
use hookledger::plan::{Kind, Occurrence};
use hookledger_tests::{Settled, World, sample};

/// A life cycle: its charge, its events, and those of them that say all of it.
struct Cycle {
    charge: Option<(&'static str, &'static str)>,
    events: &'static [&'static str],
    last: &'static [&'static str],
}

const GUITAR: Option<(&str, &str)> = Some(("charge_succeeded", "ch_3ThGuitar0000001"));
const YEN: Option<(&str, &str)> = Some(("charge_succeeded_jpy", "ch_3ThYen0000000001"));
const AMP: Option<(&str, &str)> = Some(("charge_succeeded_disputed_1", "ch_3ThAmp0000000001"));

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
    let mut deferred = Vec::new();
    let charge_comes = cycle.charge.is_some_and(|(charge, _)| names.contains(&charge));
    for (at, name) in names.iter().enumerate() {
        let body = provider.refresh(&sample("stripe", name), tag);
        let id = serde_json::from_slice::<serde_json::Value>(&body).unwrap()["id"].as_str().unwrap().to_owned();
        assert_eq!(world.deliver(&body).await.reply.status, 200, "{name}");
        assert_eq!(world.deliver(&body).await.reply.status, 200, "{name}");
        if let Some(claim) = world.claim(&id).await
            && claim.state == State::Received
        {
            deferred.push(claim.key);
        }
        let parent_is_there = match cycle.charge {
            Some((_, id)) if charge_comes => {
                let movement = MovementKey::new("stripe", &Occurrence::unique(format!("{id}_{tag}")));
                world.eyes.parent_entry(&movement, Kind::Payment, world.deadline()).await.unwrap().is_some()
            }
            _ => true,
        };
        if at + 1 == names.len() || (interleaved && parent_is_there) {
            for key in deferred.drain(..) {
                assert!(matches!(world.settle_deferred(&key).await.unwrap(), Settled::Completed(_)), "{name}");
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
async fn ledgers(cycle: &Cycle, names: &[&str]) -> Vec<BTreeSet<Entry>> {
    let world = World::stripe().await;
    let orders = permutations(names);
    for (at, order) in orders.iter().enumerate() {
        deliver(&world, cycle, order, &format!("p{at:04}"), at % 2 == 1).await;
    }
    if orders.len() == 1 {
        deliver(&world, cycle, &orders[0], "p0001", true).await;
    }
    assert!(world.claims().await.iter().all(|row| row.state == State::Done), "{names:?}");
    let mut by_tag: BTreeMap<String, BTreeSet<Entry>> = BTreeMap::new();
    for row in world.ledger().await {
        let (_, tag) = row.movement.as_str().rsplit_once('_').unwrap();
        by_tag.entry(tag.to_owned()).or_default().insert(entry(&row, tag));
    }
    let tags = orders.len().max(2);
    (0..tags).map(|at| by_tag.remove(&format!("p{at:04}")).unwrap_or_default()).collect()
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
    let charge = cycle.charge.map(|(charge, _)| charge);
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
        for ledger in ledgers(&cycle, &subset).await {
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
    converges(Cycle {
        charge: GUITAR,
        events: &[
            "refund_created_pending_1",
            "refund_updated_succeeded_1",
            "refund_failed_1",
            "charge_refund_updated_failed_1",
        ],
        last: &["refund_failed_1", "charge_refund_updated_failed_1"],
    })
    .await;
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
    let events = &[
        "dispute_created_2",
        "dispute_funds_withdrawn_2",
        "dispute_updated_2",
        "dispute_funds_reinstated_2",
        "dispute_closed_won_2",
    ];
    converges(Cycle { charge: YEN, events, last: &["dispute_funds_reinstated_2", "dispute_closed_won_2"] }).await;
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
