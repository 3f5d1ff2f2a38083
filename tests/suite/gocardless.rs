//! GoCardless from the batch to the ledger: whatever arrives, in whatever order.

use hookledger::claim::{ClaimKey, State};
use hookledger::metrics::Metric;
use hookledger::work::{Settings, Worked, Worker};
use hookledger_tests::{GoCardlessApi, World, header, sample};
use serde_json::{Value, json};

const PAYMENT: &str = "PM0HKLRENT001";

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

type Booked = Vec<(String, &'static str, i64)>;

fn whole() -> Booked {
    let booked = [
        ("EV0HKL00BACK1", "dispute", -1_250),
        ("EV0HKL00CANC1", "dispute_reversed", 1_250),
        ("EV0HKL00CONF1", "payment", 1_250),
        ("EV0HKL00CONF2", "payment", 1_250),
        ("EV0HKL00FAIL1", "payment_reversed", -1_250),
    ];
    booked.map(|(id, kind, amount)| (format!("gocardless::{id}"), kind, amount)).to_vec()
}

fn life() -> Vec<Value> {
    LIFE.iter().map(|name| GoCardlessApi::event(name)).collect()
}

async fn world() -> (World, Worker, GoCardlessApi) {
    let world = World::gocardless().await;
    let api = GoCardlessApi::start().await;
    let worker = world.worker_with(Settings::default(), Some(api.api.url()));
    (world, worker, api)
}

/// Works on whatever was received; all of it can be settled.
async fn work(world: &World, worker: &Worker) {
    for claim in world.claims().await.into_iter().filter(|claim| claim.state == State::Received) {
        let worked = world.work(worker, &claim.key).await;
        assert!(matches!(worked, Worked::Settled { account_unknown: false, .. }), "{worked:?}");
    }
}

/// Delivers these events one by one, the worker after each `every`-th, while the API knows as much as has happened.
async fn live(order: &[usize], every: usize) -> (World, Booked) {
    let (world, worker, api) = world().await;
    let life = life();
    let mut known = 0;
    for (step, at) in order.iter().enumerate() {
        known = known.max(at + 1);
        api.payment(PAYMENT, &life[..known]);
        let answer = world.deliver(GoCardlessApi::delivery(&[life[*at].clone()])).await;
        assert_eq!(answer.reply.status, 204);
        if (step + 1) % every == 0 {
            work(&world, &worker).await;
        }
    }
    work(&world, &worker).await;
    let booked = world.booked().await;
    (world, booked)
}

#[tokio::test]
async fn every_order_of_a_life_ends_in_one_ledger() {
    let mut orders: Vec<Vec<usize>> = Vec::new();
    for first in 0..LIFE.len() {
        let turned: Vec<usize> = (0..LIFE.len()).map(|at| (at + first) % LIFE.len()).collect();
        orders.push(turned.iter().rev().copied().collect());
        orders.push((0..LIFE.len()).map(|at| (at * 3 + first) % LIFE.len()).collect());
        orders.push(turned);
    }
    for (at, order) in orders.iter().enumerate() {
        let (world, booked) = live(order, at % 3 + 1).await;
        assert_eq!(booked, whole(), "{order:?}");
        assert_eq!(world.metrics.total(Metric::MovementConflicts), 0);
        assert!(world.ledger().await.iter().all(|row| row.account_id.as_deref() == Some("CU0HKLANNA001")));
    }
}

#[tokio::test]
async fn every_subset_that_holds_the_last_event_ends_in_one_ledger() {
    let last = LIFE.len() - 1;
    // Of 128 subsets every fifth; all of them, in every order, are tried without a store beside the mapping.
    for subset in (0..1_usize << last).step_by(5) {
        let order: Vec<usize> = (0..last).filter(|at| subset >> at & 1 == 1).chain([last]).collect();
        let (_, booked) = live(&order, 2).await;
        assert_eq!(booked, whole(), "{order:?}");
    }
}

#[tokio::test]
async fn a_payment_that_was_never_collected_is_settled_and_books_nothing() {
    let (world, worker, api) = world().await;
    api.payment("PM0HKLGYM0002", &[GoCardlessApi::event("payments_failed")]);
    world.deliver(sample("gocardless", "payments_failed")).await;
    work(&world, &worker).await;
    let claim = world.claim("EV0HKL00FAIL2").await.unwrap();
    assert_eq!((claim.state, claim.entries.len()), (State::Done, 0));
    assert_eq!((world.booked().await.len(), api.asked().len()), (0, 1), "the amount need not be known");
}

#[tokio::test]
async fn a_refund_comes_and_goes_in_any_order() {
    let names = ["refunds_paid", "refunds_refund_settled", "refunds_failed", "refunds_funds_returned"];
    let out = ("gocardless::RF0HKLHALF001".to_owned(), "refund", -625);
    let back = ("gocardless::RF0HKLHALF001".to_owned(), "refund_reversed", 625);
    for first in 0..names.len() {
        let (world, worker, api) = world().await;
        api.refund("RF0HKLHALF001");
        for at in 0..names.len() {
            world.deliver(sample("gocardless", names[(first + at) % names.len()])).await;
            work(&world, &worker).await;
            assert!(world.booked().await.contains(&out));
        }
        assert_eq!(world.booked().await, [out.clone(), back.clone()]);
    }
    let (world, worker, api) = world().await;
    api.refund("RF0HKLHALF001");
    world.deliver(sample("gocardless", "refunds_paid")).await;
    world.deliver(sample("gocardless", "refunds_refund_settled")).await;
    work(&world, &worker).await;
    assert_eq!(world.booked().await, [out]);
    assert_eq!(world.ledger().await[0].account_id.as_deref(), Some("CU0HKLANNA001"));
}

#[tokio::test]
async fn an_organisation_is_the_scope_of_claim_and_account_and_not_of_the_movement() {
    let (world, worker, api) = world().await;
    let event = GoCardlessApi::event("payments_confirmed_organisation");
    api.payment("PM0HKLORG0003", std::slice::from_ref(&event));
    let answer = world.deliver(sample("gocardless", "payments_confirmed_organisation")).await;
    assert_eq!(header(&answer, "hookledger-claim"), Some("gocardless:OR0HKLBAKERY1:EV0HKL00ORGA1"));
    work(&world, &worker).await;
    let ledger = world.ledger().await;
    assert_eq!(ledger[0].movement.as_str(), "gocardless::EV0HKL00ORGA1");
    assert_eq!(ledger[0].held.account.as_deref(), Some("gocardless:OR0HKLBAKERY1:CU0HKLANNA001"));
}

#[tokio::test]
async fn poison_in_a_batch_is_parked_alone() {
    let (world, worker, api) = world().await;
    api.payment("PM0HKLGYM0005", &[]);
    api.payout("PO0HKLWEEK48");
    let body = sample("gocardless", "batch_poison");
    assert_eq!(world.deliver(&body).await.reply.status, 204);
    work(&world, &worker).await;
    let mut states: Vec<(String, State)> =
        world.claims().await.into_iter().map(|claim| (claim.event_id, claim.state)).collect();
    states.sort_by(|a, b| a.0.cmp(&b.0));
    let (by_digest, by_id): (Vec<_>, Vec<_>) = states.into_iter().partition(|(id, _)| id.len() == 64);
    assert_eq!(by_digest.iter().map(|(_, state)| *state).collect::<Vec<_>>(), [State::Parked]);
    let expected = [("EV0HKL00CONF4", State::Done), ("EV0HKL00POIS1", State::Parked), ("EV0HKL00POUT3", State::Done)];
    assert_eq!(by_id, expected.map(|(id, state)| (id.to_owned(), state)));
    assert_eq!(world.booked().await.len(), 2);
    let again = world.deliver(&body).await;
    assert_eq!((again.reply.status, header(&again, "hookledger-replay")), (204, Some("true")));
}

#[tokio::test]
async fn the_largest_batch_is_accepted_at_once_and_booked_once() {
    let (world, worker, api) = world().await;
    let mut events = Vec::new();
    for at in 0..250 {
        let mut event = GoCardlessApi::event("payouts_paid");
        let payout = format!("PO0HKL{at:04}");
        event["id"] = json!(format!("EV0HKLMANY{at:04}"));
        event["links"]["payout"] = json!(payout);
        api.payout(&payout);
        events.push(event);
    }
    let body = GoCardlessApi::delivery(&events);
    assert_eq!(world.deliver(&body).await.reply.status, 204);
    assert_eq!((world.calls(), world.metrics.results("accepted")), (250, 250));
    work(&world, &worker).await;
    assert_eq!(world.booked().await.len(), 250);
    let again = world.deliver(&body).await;
    assert_eq!((again.reply.status, header(&again, "hookledger-replay")), (204, Some("true")));
    work(&world, &worker).await;
    assert_eq!(world.booked().await.len(), 250);
}

#[tokio::test]
async fn one_id_twice_in_a_batch_is_one_event_or_a_mismatch() {
    let (world, worker, api) = world().await;
    api.payout("PO0HKLWEEK45");
    api.payout("PO0HKLWEEK99");
    let one = GoCardlessApi::event("payouts_paid");
    world.deliver(GoCardlessApi::delivery(&[one.clone(), one.clone(), one.clone()])).await;
    assert_eq!((world.calls(), world.metrics.results("accepted")), (1, 1));
    let mut other = one.clone();
    other["links"]["payout"] = json!("PO0HKLWEEK99");
    let answer = world.deliver(GoCardlessApi::delivery(&[one, other])).await;
    assert_eq!(answer.reply.status, 204, "a mismatch must not bring the others back");
    assert_eq!(world.metrics.total(Metric::Mismatches), 1);
    let story = world.story(&ClaimKey::new("gocardless", "", "EV0HKL00POUT1")).await;
    assert_eq!(story.siblings.len(), 1);
    work(&world, &worker).await;
    assert_eq!(world.booked().await, [("gocardless::PO0HKLWEEK45".to_owned(), "payout", -98_750)]);
}
