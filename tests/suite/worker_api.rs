//! Events that only point at their object, against an API in all its moods.

use std::time::Duration;

use hookledger::claim::{ClaimKey, State};
use hookledger::plan::ParkReason;
use hookledger::store::Tuning;
use hookledger::work::{Settings, Worked, Worker};
use hookledger_tests::{API_KEY, ApiAnswer, TestApi, World, sample};
use serde_json::{Value, json};

const CHARGE: &str = "evt_65ThThinCharge01";
const SETTLED: Worked = Worked::Settled { known: 0, account_unknown: false };

fn key(event_id: &str) -> ClaimKey {
    ClaimKey::new("stripe", "", event_id)
}

fn object_of(name: &str) -> Value {
    let event: Value = serde_json::from_slice(&sample("stripe", name)).unwrap();
    event["data"]["object"].clone()
}

/// A thin charge that was accepted, its worker, and the API it asks.
async fn thin_charge() -> (World, Worker, TestApi) {
    let world = World::stripe().await;
    assert_eq!(world.deliver(sample("stripe", "thin_charge_succeeded")).await.reply.status, 200);
    let api = TestApi::start().await;
    let settings = Settings { fetch_ms: 300, ..Settings::default() };
    let worker = world.worker_with(settings, Some(api.url()));
    (world, worker, api)
}

#[tokio::test]
async fn the_object_is_read_and_booked() {
    let (world, worker, api) = thin_charge().await;
    api.answer_with(&object_of("charge_succeeded"));
    assert_eq!(world.work(&worker, &key(CHARGE)).await, SETTLED);
    let ledger = world.ledger().await;
    assert_eq!((ledger.len(), ledger[0].held.amount_minor), (1, 4_200));
    assert_eq!(ledger[0].account_id.as_deref(), Some("cus_TkMiraHolt001"));
    let asked = api.asked();
    assert_eq!(asked.len(), 1);
    assert!(asked[0].starts_with("get /v1/charges/ch_3thguitar0000001 http/1.1\r\n"), "{asked:?}");
    assert!(asked[0].contains(&format!("authorization: bearer {API_KEY}\r\n")), "{asked:?}");
    assert!(!asked[0].contains("stripe-account") && !asked[0].contains("stripe-context"));
    // The snapshot of the same charge is one movement.
    world.deliver(sample("stripe", "charge_succeeded")).await;
    assert_eq!(world.ledger().await.len(), 1);
}

#[tokio::test]
async fn a_refund_is_read_with_its_charge() {
    let world = World::stripe().await;
    world.deliver(sample("stripe", "thin_refund_updated")).await;
    let api = TestApi::start().await;
    let mut refund = object_of("refund_updated_succeeded_1");
    refund["charge"] = object_of("charge_succeeded");
    api.answer_with(&refund);
    let worker = world.worker_with(Settings::default(), Some(api.url()));
    assert_eq!(world.work(&worker, &key("evt_65ThThinRefund01")).await, SETTLED);
    assert_eq!(world.ledger().await[0].account_id.as_deref(), Some("cus_TkMiraHolt001"));
    assert!(api.asked()[0].starts_with("get /v1/refunds/re_3thguitarback001?expand[]=charge "));
}

#[tokio::test]
async fn an_object_without_effect_closes_the_claim() {
    let (world, worker, api) = thin_charge().await;
    let mut charge = object_of("charge_succeeded");
    charge["captured"] = json!(false);
    api.answer_with(&charge);
    assert_eq!(world.work(&worker, &key(CHARGE)).await, SETTLED);
    assert_eq!(world.ledger().await.len(), 0);
    let story = world.story(&key(CHARGE)).await;
    let claim = story.claim.unwrap();
    assert_eq!((claim.state, claim.entries.len(), story.kept), (State::Done, 0, None));
    assert!(claim.expires_at.is_some());
    assert_eq!(world.work_on_due(&worker).await, []);
}

#[tokio::test]
async fn a_connected_account_is_named() {
    let world = World::stripe().await;
    world.deliver(sample("stripe", "thin_payout_paid_connect")).await;
    let api = TestApi::start().await;
    let worker = world.worker_with(Settings::default(), Some(api.url()));
    world.work_on_due(&worker).await;
    let asked = api.asked();
    assert_eq!(asked.len(), 1);
    assert!(asked[0].contains("stripe-account: acct_") || asked[0].contains("stripe-context: "), "{asked:?}");
}

#[tokio::test]
async fn what_may_pass_is_tried_again_and_then_settled() {
    let elsewhere = TestApi::start().await;
    let moods = [
        (ApiAnswer::Full(500, b"secret text".to_vec()), "answered 500"),
        (ApiAnswer::Full(429, Vec::new()), "answered 429"),
        (ApiAnswer::Full(401, Vec::new()), "answered 401"),
        (ApiAnswer::Full(403, Vec::new()), "answered 403"),
        (ApiAnswer::Redirect(elsewhere.url().to_owned()), "answered 302"),
        (ApiAnswer::Close, "cannot be reached"),
        (ApiAnswer::BreakOff, "broke off"),
        (ApiAnswer::Silence, "in time"),
    ];
    let (world, worker, api) = thin_charge().await;
    for (at, (mood, why)) in moods.into_iter().enumerate() {
        api.answer(mood);
        let before = world.now();
        let worked = world.work(&worker, &key(CHARGE)).await;
        let Worked::Later { due_at, why: told } = worked else { panic!("{why}: {worked:?}") };
        assert!(told.contains(why) && !told.contains("secret text"), "{told}");
        assert!(before.ms_until(due_at) <= 2_000 << at, "{why}");
        let claim = world.story(&key(CHARGE)).await.claim.unwrap();
        assert_eq!((claim.state, claim.last_error), (State::Received, Some(told)));
        assert_eq!(usize::try_from(claim.attempt).unwrap(), at + 1);
        world.wait_for(&key(CHARGE)).await;
    }
    assert_eq!(elsewhere.asked().len(), 0, "the key goes to one host only");
    api.answer_with(&object_of("charge_succeeded"));
    assert_eq!(world.work(&worker, &key(CHARGE)).await, SETTLED);
    assert_eq!(world.ledger().await.len(), 1);
}

#[tokio::test]
async fn what_will_not_pass_is_kept_for_a_person() {
    let huge = vec![b' '; 5 << 20];
    let wrong = object_of("charge_succeeded_guest").to_string().into_bytes();
    let moods = [
        (ApiAnswer::Full(404, Vec::new()), "answered 404"),
        (ApiAnswer::Full(200, wrong), "not the object that was asked for"),
        (ApiAnswer::Full(200, b"<html>".to_vec()), ""),
        (ApiAnswer::Full(200, huge), "larger than"),
    ];
    for (mood, why) in moods {
        let (world, _, api) = thin_charge().await;
        let worker = world.worker_with(Settings::default(), Some(api.url()));
        api.answer(mood);
        let worked = world.work(&worker, &key(CHARGE)).await;
        let Worked::Parked { reason: ParkReason::Unreadable, why: told } = worked else { panic!("{worked:?}") };
        assert!(told.contains(why), "{told}");
        let story = world.story(&key(CHARGE)).await;
        assert_eq!(story.claim.unwrap().state, State::Parked);
        assert!(story.kept.is_some(), "its bytes stay");
        assert_eq!(world.ledger().await.len(), 0);
    }
}

#[tokio::test]
async fn without_a_key_or_an_api_it_waits() {
    let (world, ..) = thin_charge().await;
    let worked = world.work(&world.worker(), &key(CHARGE)).await;
    assert!(matches!(&worked, Worked::Later { why, .. } if why.contains("is configured")), "{worked:?}");
    world.wait_for(&key(CHARGE)).await;
    let nobody = world.worker_with(Settings::default(), Some("http://127.0.0.1:1"));
    let worked = world.work(&nobody, &key(CHARGE)).await;
    assert!(matches!(&worked, Worked::Later { why, .. } if why.contains("cannot be reached")), "{worked:?}");
}

#[tokio::test]
async fn an_outage_of_a_minute_does_not_burn_the_attempts() {
    let (world, worker, api) = thin_charge().await;
    api.answer(ApiAnswer::Full(503, Vec::new()));
    let began = world.now();
    let mut attempts = 0;
    while began.ms_until(world.now()) < 60_000 {
        assert!(matches!(world.work(&worker, &key(CHARGE)).await, Worked::Later { .. }));
        attempts += 1;
        world.wait_for(&key(CHARGE)).await;
    }
    assert!(attempts < 20, "{attempts}");
    api.answer_with(&object_of("charge_succeeded"));
    assert_eq!(world.work(&worker, &key(CHARGE)).await, SETTLED);
}

#[tokio::test]
async fn attempts_that_are_used_up_are_kept_for_a_person() {
    let (world, worker, api) = thin_charge().await;
    api.answer(ApiAnswer::Full(503, Vec::new()));
    for _ in 1..24 {
        assert!(matches!(world.work(&worker, &key(CHARGE)).await, Worked::Later { .. }));
        world.wait_for(&key(CHARGE)).await;
    }
    let worked = world.work(&worker, &key(CHARGE)).await;
    assert!(matches!(&worked, Worked::Parked { reason: ParkReason::Spent, .. }), "{worked:?}");
    let story = world.story(&key(CHARGE)).await;
    let claim = story.claim.unwrap();
    assert_eq!((claim.state, claim.park_reason, claim.attempt), (State::Parked, Some(ParkReason::Spent), 24));
    assert!(story.kept.is_some());
    assert_eq!(api.asked().len(), 24);
}

#[tokio::test]
async fn a_provider_of_a_newer_version_waits() {
    let (world, mut worker, api) = thin_charge().await;
    let providers = std::mem::take(&mut worker.providers);
    let worked = world.work(&worker, &key(CHARGE)).await;
    assert!(matches!(&worked, Worked::Later { why, .. } if why.contains("stripe")), "{worked:?}");
    world.wait_for(&key(CHARGE)).await;
    worker.providers = providers;
    api.answer_with(&object_of("charge_succeeded"));
    assert_eq!(world.work(&worker, &key(CHARGE)).await, SETTLED);
}

#[tokio::test]
async fn a_slow_api_leaves_time_to_give_the_claim_back() {
    let tuning = Tuning { attempt_ms: 1_000, ..Tuning::default() };
    let world = World::builder().provider(hookledger_stripe::Stripe).tuning(tuning).build().await;
    world.deliver(sample("stripe", "thin_charge_succeeded")).await;
    let api = TestApi::start().await;
    api.answer(ApiAnswer::Silence);
    let worker = world.worker_with(Settings::default(), Some(api.url()));
    let began = std::time::Instant::now();
    let worked = worker.work(&key(CHARGE), world.now().plus_ms(3_000)).await;
    assert!(matches!(worked, Worked::Later { .. }), "{worked:?}");
    assert!(began.elapsed() < Duration::from_secs(3));
}
