//! Events whose account stands in another entry: it came before, comes later, never comes, or has none.

use hookledger::claim::{ClaimKey, State};
use hookledger::metrics::Metric;
use hookledger::plan::ParkReason;
use hookledger::work::{Settings, Worked, Worker};
use hookledger_tests::{ApiAnswer, Fact, TestApi, World, sample, settle};
use serde_json::Value;

const SETTLED: Worked = Worked::Settled { known: 0, account_unknown: false };

const REFUND: &str = "evt_3ThBackGone00001";

fn key(event_id: &str) -> ClaimKey {
    ClaimKey::new("stripe", "", event_id)
}

async fn refund_account(world: &World) -> Option<String> {
    let row = world.ledger().await.into_iter().find(|row| row.kind.name() == "refund").unwrap();
    assert_eq!((row.held.amount_minor, row.held.currency.as_str()), (-1_500, "USD"));
    row.account_id
}

#[tokio::test]
async fn a_refund_after_its_charge() {
    let world = World::stripe().await;
    world.deliver(sample("stripe", "charge_succeeded")).await;
    world.deliver(sample("stripe", "refund_updated_succeeded_1")).await;
    assert_eq!(world.ledger().await.len(), 1);
    assert_eq!(world.work_on_due(&world.worker()).await, [SETTLED]);
    assert_eq!(refund_account(&world).await.as_deref(), Some("cus_TkMiraHolt001"));
    let story = world.story(&key(REFUND)).await;
    let claim = story.claim.unwrap();
    assert_eq!((claim.state, claim.attempt, claim.due_at, story.kept), (State::Done, 1, None, None));
    assert!(claim.expires_at.is_some());
    assert_eq!(world.work(&world.worker(), &key(REFUND)).await, Worked::NotOurs);
    assert_eq!(world.work_on_due(&world.worker()).await, []);
    assert_eq!(world.metrics.total(Metric::Worked), 1);
}

#[tokio::test]
async fn a_refund_before_its_charge() {
    let world = World::stripe().await;
    world.deliver(sample("stripe", "refund_updated_succeeded_1")).await;
    for attempt in 1..=4 {
        let worked = world.work(&world.worker(), &key(REFUND)).await;
        assert!(matches!(worked, Worked::Later { .. }), "{worked:?}");
        let claim = world.story(&key(REFUND)).await.claim.unwrap();
        assert_eq!((claim.state, claim.attempt), (State::Received, attempt));
        assert!(claim.last_error.unwrap().contains("ch_3ThGuitar0000001"));
        world.wait_for(&key(REFUND)).await;
    }
    assert_eq!(world.ledger().await.len(), 0);
    world.deliver(sample("stripe", "charge_succeeded")).await;
    assert_eq!(world.work_on_due(&world.worker()).await, [SETTLED]);
    assert_eq!(refund_account(&world).await.as_deref(), Some("cus_TkMiraHolt001"));
    assert_eq!(world.metrics.total(Metric::AccountUnknown), 0);
}

#[tokio::test]
async fn a_refund_whose_charge_never_comes_is_booked_without_an_account() {
    let world = World::stripe().await;
    world.deliver(sample("stripe", "refund_updated_succeeded_1")).await;
    let kept_at = world.now();
    let last = loop {
        match world.work(&world.worker(), &key(REFUND)).await {
            Worked::Later { .. } => world.wait_for(&key(REFUND)).await,
            other => break other,
        }
    };
    assert_eq!(last, Worked::Settled { known: 0, account_unknown: true });
    assert_eq!(kept_at.ms_until(world.now()), 3_600_000);
    let attempt = world.story(&key(REFUND)).await.claim.unwrap().attempt;
    assert!(attempt < Settings::default().attempts_max, "the time ended the wait, not attempt {attempt}");
    assert_eq!(refund_account(&world).await, None);
    assert_eq!(world.metrics.total(Metric::AccountUnknown), 1);
    assert_eq!(world.metrics.total(Metric::Parked), 0);
    // A charge that comes after all is booked as ever.
    world.deliver(sample("stripe", "charge_succeeded")).await;
    assert_eq!(world.ledger().await.len(), 2);
}

#[tokio::test]
async fn an_event_is_never_parked_for_want_of_its_parent() {
    let world = World::stripe().await;
    world.deliver(sample("stripe", "refund_updated_succeeded_1")).await;
    let settings = Settings { attempts_max: 2, ..Settings::default() };
    let worker = world.worker_with(settings, None);
    assert!(matches!(world.work(&worker, &key(REFUND)).await, Worked::Later { .. }));
    world.wait_for(&key(REFUND)).await;
    let worked = world.work(&worker, &key(REFUND)).await;
    assert_eq!(worked, Worked::Settled { known: 0, account_unknown: true });
}

#[tokio::test]
async fn a_charge_without_a_customer_is_not_waited_for() {
    let world = World::new().await;
    world.deliver(settle("e1", "m1", 500).body()).await;
    world.deliver(Fact { parent: "m1".into(), ..Fact::new("e2", "defer").moving("r1", "refund", 200) }.body()).await;
    assert_eq!(world.work(&world.worker(), &world.key("e2")).await, SETTLED);
    assert_eq!(world.ledger().await[1].account_id, None);
    assert_eq!(world.metrics.total(Metric::AccountUnknown), 0);
}

#[tokio::test]
async fn a_dispute_takes_the_account_of_its_charge() {
    let world = World::stripe().await;
    let names = ["dispute_funds_withdrawn_1", "charge_succeeded_disputed_1", "dispute_closed_lost_1"];
    for name in names {
        assert_eq!(world.deliver(sample("stripe", name)).await.reply.status, 200, "{name}");
    }
    for worked in world.work_on_due(&world.worker()).await {
        assert!(matches!(worked, Worked::Settled { .. }), "{worked:?}");
    }
    let ledger = world.ledger().await;
    let disputes: Vec<_> = ledger.iter().filter(|row| row.kind.name() == "dispute").collect();
    assert_eq!(disputes.len(), 1);
    assert_eq!(disputes[0].account_id.as_deref(), Some("cus_TkJonasWeil02"));
}

#[tokio::test]
async fn other_content_under_a_known_movement_is_kept_for_a_person() {
    let world = World::new().await;
    world.deliver(settle("e1", "m1", 500).account("a").body()).await;
    world.deliver(Fact::new("e2", "settle").moving("r1", "refund", 300).body()).await;
    world.deliver(Fact { parent: "m1".into(), ..Fact::new("e3", "defer").moving("r1", "refund", 200) }.body()).await;
    let worked = world.work(&world.worker(), &world.key("e3")).await;
    assert!(matches!(worked, Worked::Parked { reason: ParkReason::Conflict, .. }), "{worked:?}");
    assert_eq!(world.claim("e3").await.unwrap().park_reason, Some(ParkReason::Conflict));
    assert_eq!(world.metrics.total(Metric::MovementConflicts), 1);
    assert_eq!(world.booked().await.len(), 2);
}

/// A refund whose charge did not come in time, and its worker with an API beside it.
async fn without_its_charge(settings: Settings) -> (World, Worker, TestApi) {
    let world = World::stripe().await;
    world.deliver(sample("stripe", "refund_updated_succeeded_1")).await;
    world.advance_s(3_600);
    let api = TestApi::start().await;
    let worker = world.worker_with(settings, Some(api.url()));
    (world, worker, api)
}

fn charge() -> Value {
    let event: Value = serde_json::from_slice(&sample("stripe", "charge_succeeded")).unwrap();
    event["data"]["object"].clone()
}

const CHARGE_PATH: &str = "/v1/charges/ch_3ThGuitar0000001";

#[tokio::test]
async fn a_charge_whose_entry_does_not_come_is_read_at_the_provider() {
    let (world, worker, api) = without_its_charge(Settings::default()).await;
    api.put(CHARGE_PATH, &charge());
    assert_eq!(world.work(&worker, &key(REFUND)).await, SETTLED);
    assert_eq!(refund_account(&world).await.as_deref(), Some("cus_TkMiraHolt001"));
    assert_eq!((api.asked().len(), world.metrics.total(Metric::AccountUnknown)), (1, 0));
}

#[tokio::test]
async fn a_charge_that_has_no_customer_is_known_to_have_none() {
    let (world, worker, api) = without_its_charge(Settings::default()).await;
    let mut guest = charge();
    guest["customer"] = Value::Null;
    api.put(CHARGE_PATH, &guest);
    assert_eq!(world.work(&worker, &key(REFUND)).await, SETTLED);
    assert_eq!(refund_account(&world).await, None);
    assert_eq!(world.metrics.total(Metric::AccountUnknown), 0);
}

#[tokio::test]
async fn a_charge_that_cannot_be_had_leaves_the_account_unknown_and_parks_nothing() {
    let unknown = Worked::Settled { known: 0, account_unknown: true };
    let (world, worker, _api) = without_its_charge(Settings::default()).await;
    assert_eq!(world.work(&worker, &key(REFUND)).await, unknown, "404");
    assert_eq!(world.metrics.total(Metric::AccountUnknown), 1);
    // An API that is away is asked again, until the attempts are used up.
    let settings = Settings { attempts_max: 2, ..Settings::default() };
    let (world, worker, api) = without_its_charge(settings).await;
    api.answer(ApiAnswer::Full(503, Vec::new()));
    let worked = world.work(&worker, &key(REFUND)).await;
    assert!(matches!(worked, Worked::Later { .. }), "{worked:?}");
    world.wait_for(&key(REFUND)).await;
    assert_eq!(world.work(&worker, &key(REFUND)).await, unknown);
    assert_eq!((refund_account(&world).await, world.metrics.total(Metric::Parked)), (None, 0));
}

#[tokio::test]
async fn an_entry_that_comes_while_the_charge_cannot_be_read_is_as_good() {
    let (world, worker, api) = without_its_charge(Settings::default()).await;
    api.answer(ApiAnswer::Full(500, Vec::new()));
    assert!(matches!(world.work(&worker, &key(REFUND)).await, Worked::Later { .. }));
    world.deliver(sample("stripe", "charge_succeeded")).await;
    world.wait_for(&key(REFUND)).await;
    assert_eq!(world.work(&worker, &key(REFUND)).await, SETTLED);
    assert_eq!(refund_account(&world).await.as_deref(), Some("cus_TkMiraHolt001"));
    assert_eq!((api.asked().len(), world.metrics.total(Metric::AccountUnknown)), (1, 0));
}
