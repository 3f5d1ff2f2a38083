//! At most once per movement of money, for ever, whatever the events are called.

use hookledger::claim::{ClaimKey, State, owned_key};
use hookledger::metrics::Metric;
use hookledger::plan::ParkReason;
use hookledger_tests::{Fact, TestProvider, World, header, profile, sample, settle};

use crate::rows;

fn payment(movement: &str, amount_minor: i64) -> (String, &'static str, i64) {
    (format!("test::{movement}"), "payment", amount_minor)
}

/// What a claim says about its entries: movement, and whether it existed.
async fn entries(world: &World, event_id: &str) -> Vec<(String, bool)> {
    let claim = world.claim(event_id).await.unwrap();
    assert_eq!(claim.state, State::Done);
    claim.entries.into_iter().map(|entry| (entry.movement.as_str().to_owned(), entry.existed)).collect()
}

#[tokio::test]
async fn a_second_event_about_one_movement_books_nothing() {
    for (overlapping, alarms) in [(false, 1), (true, 0)] {
        let mut profile = profile();
        profile.identity.overlapping_families = overlapping;
        let world = World::builder().provider(TestProvider::new(profile)).build().await;
        world.deliver(settle("e1", "m1", 500).body()).await;
        let before = rows::ledger(&world).await;
        world.advance_s(60);
        let second = world.deliver(settle("e2", "m1", 500).body()).await;
        assert_eq!((second.reply.status, header(&second, "hookledger-replay")), (200, None));
        assert_eq!(entries(&world, "e2").await, [("test::m1".to_owned(), true)]);
        assert_eq!(rows::ledger(&world).await, before);
        assert_eq!(world.ledger().await[0].claim, ClaimKey::new("test", "", "e1"));
        assert_eq!(world.metrics.total(Metric::KnownMovements), alarms);
        assert_eq!(world.metrics.total(Metric::MovementConflicts), 0);
        let again = world.deliver(settle("e2", "m1", 500).body()).await;
        assert_eq!(header(&again, "hookledger-replay"), Some("true"));
    }
}

#[tokio::test]
async fn of_a_plan_that_is_booked_in_part_the_rest_is_booked() {
    let world = World::new().await;
    world.deliver(settle("e1", "m2", 20).body()).await;
    let three = settle("e2", "m1", 10).moving("m2", "payment", 20).moving("m3", "refund", 30);
    assert_eq!(world.deliver(three.body()).await.reply.status, 200);
    let expected = [payment("m1", 10), payment("m2", 20), ("test::m3".to_owned(), "refund", -30)];
    assert_eq!(world.booked().await, expected);
    let noted = [("test::m1", false), ("test::m2", true), ("test::m3", false)];
    assert_eq!(entries(&world, "e2").await, noted.map(|(movement, existed)| (movement.to_owned(), existed)));
    let all = settle("e3", "m1", 10).moving("m2", "payment", 20).moving("m3", "refund", 30);
    world.deliver(all.body()).await;
    assert_eq!(world.booked().await, expected);
    assert!(entries(&world, "e3").await.iter().all(|(_, existed)| *existed));
}

#[tokio::test]
async fn another_kind_of_one_movement_is_another_entry() {
    let world = World::new().await;
    world.deliver(Fact::new("e1", "settle").moving("r1", "refund", 5).body()).await;
    world.deliver(Fact::new("e2", "settle").moving("r1", "refund_reversed", 5).body()).await;
    let booked = world.booked().await;
    assert_eq!(booked.iter().map(|(_, _, amount)| amount).sum::<i64>(), 0);
    assert_eq!(booked.len(), 2);
}

#[tokio::test]
async fn what_contradicts_the_ledger_is_parked_and_nothing_of_it_is_booked() {
    let held = settle("e1", "m1", 500).account("a");
    let mut yen = held.clone();
    yen.entries[0].currency = "JPY".into();
    let others = [settle("", "m1", 501).account("a"), yen, settle("", "m1", 500).account("b")];
    for other in others {
        let world = World::new().await;
        world.deliver(held.body()).await;
        let before = rows::ledger(&world).await;
        let other = Fact { id: "e2".into(), tell: vec!["bus".into()], ..other.moving("m2", "payment", 7) };
        world.metrics.clear();
        let answer = world.deliver(other.body()).await;
        assert_eq!((answer.reply.status, header(&answer, "hookledger-replay")), (200, None));
        let story = world.story(&world.key("e2")).await;
        let claim = story.claim.unwrap();
        assert_eq!((claim.state, claim.park_reason), (State::Parked, Some(ParkReason::Conflict)));
        assert_eq!((story.kept.unwrap().body, story.messages), (other.body().into(), vec![]));
        assert_eq!(rows::ledger(&world).await, before);
        assert_eq!(world.metrics.total(Metric::MovementConflicts), 1);
        assert_eq!(world.metrics.results("parked"), 1);
        for _ in 0..2 {
            let again = world.deliver(other.body()).await;
            assert_eq!(header(&again, "hookledger-replay"), Some("true"));
        }
        assert_eq!((rows::ledger(&world).await, world.metrics.total(Metric::MovementConflicts)), (before, 1));
    }
}

#[tokio::test]
async fn an_account_that_only_one_side_knows_is_no_contradiction() {
    let known = settle("e1", "m1", 500).account("a");
    let unknown = settle("e1", "m1", 500);
    for (first, second) in [(&known, &unknown), (&unknown, &known)] {
        let world = World::new().await;
        world.deliver(first.body()).await;
        let before = rows::ledger(&world).await;
        world.deliver(Fact { id: "e2".into(), ..second.clone() }.body()).await;
        assert_eq!(entries(&world, "e2").await, [("test::m1".to_owned(), true)]);
        assert_eq!(rows::ledger(&world).await, before, "an entry is never changed");
    }
}

#[tokio::test]
async fn an_entry_is_never_changed_by_anything() {
    let world = World::new().await;
    let fact = settle("e1", "m1", 500).account("a");
    world.deliver(fact.body()).await;
    let before = rows::ledger(&world).await;
    let deliveries = [
        fact.clone(),
        Fact { attempt: 2, ..fact.clone() },
        settle("e1", "m1", 501).account("a"),
        settle("e2", "m1", 500).account("a"),
        settle("e3", "m1", 499).account("a"),
        settle("e4", "m1", 500).account("b"),
        settle("e5", "m1", 500),
        Fact { parent: "m1".into(), ..Fact::new("e6", "defer").moving("m1", "payment", 500) },
        Fact::new("e1", "park"),
        Fact { scope: "other".into(), ..fact.clone() },
    ];
    for delivery in &deliveries {
        world.advance_s(1);
        world.deliver(delivery.body()).await;
        world.deliver(delivery.body()).await;
    }
    world.settle_deferred(&world.key("e6")).await.unwrap();
    world.advance_s(40 * 86_400);
    world.sweep_ttl();
    for delivery in &deliveries {
        world.deliver(delivery.body()).await;
    }
    assert_eq!(rows::ledger(&world).await, before);
    assert!(world.wire.calls().iter().all(|call| {
        let actions = call.body["TransactItems"].as_array().cloned().unwrap_or_default();
        let ledger = |action: &serde_json::Value| action["TableName"] == world.tables.ledger.as_str();
        actions.iter().all(|action| !ledger(&action["Update"]) && !ledger(&action["Delete"]))
    }));
}

#[tokio::test]
async fn entries_are_found_by_account_and_by_invoice() {
    let world = World::stripe().await;
    for name in ["charge_succeeded", "charge_succeeded_guest", "invoice_payment_paid", "refund_updated_succeeded_1"] {
        assert_eq!(world.deliver(sample("stripe", name)).await.reply.status, 200, "{name}");
    }
    world.settle_deferred(&world.key("evt_3ThBackGone00001")).await.unwrap();
    let store = &world.receiver.store;
    let mira = owned_key("stripe", "", "cus_TkMiraHolt001");
    let page = store.entries_of_account(&mira, None, world.deadline()).await.unwrap();
    let found: Vec<_> = page.rows.iter().map(|row| (row.movement.as_str(), row.held.amount_minor)).collect();
    assert_eq!(found, [("stripe::ch_3ThGuitar0000001", 4_200), ("stripe::re_3ThGuitarBack001", -1_500)]);
    assert!(page.rows[0].occurred_at < page.rows[1].occurred_at);
    assert!(page.next.is_none());
    let links: Vec<_> = world.ledger().await.into_iter().filter(|row| row.invoice.is_some()).collect();
    assert_eq!(links.len(), 1);
    let by_invoice = store.entries_of_invoice(links[0].invoice.as_ref().unwrap(), world.deadline()).await.unwrap();
    assert_eq!(by_invoice, links);
    let nobody = store.entries_of_account("stripe::cus_nobody", None, world.deadline()).await.unwrap();
    assert_eq!(nobody.rows, []);
    assert_eq!(store.entries_of_invoice("stripe::in_none", world.deadline()).await.unwrap(), []);
}
