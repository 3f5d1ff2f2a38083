//! A worker that dies between any two steps, and is followed by another.

use hookledger::claim::{ClaimKey, State};
use hookledger::plan::ParkReason;
use hookledger::work::{Settings, Worked};
use hookledger_tests::{ApiAnswer, ErrorAnswer, Fact, Fault, TestApi, World, each, nth, sample, settle};
use serde_json::Value;

async fn owed() -> (World, ClaimKey) {
    let world = World::builder().no_retries().build().await;
    world.deliver(settle("e1", "m1", 500).account("a").body()).await;
    let refund = Fact { parent: "m1".into(), ..Fact::new("e2", "defer").moving("r1", "refund", 200) };
    world.deliver(refund.body()).await;
    world.wire.clear();
    let key = world.key("e2");
    (world, key)
}

/// Another worker finds what is due, as soon as no lease is in the way.
async fn finish(world: &World, key: &ClaimKey) {
    world.wire.heal();
    world.advance_s(46);
    world.work_on_due(&world.worker()).await;
    let done = world.story(key).await;
    let claim = done.claim.clone().unwrap();
    assert_eq!((claim.state, &done.kept), (State::Done, &None));
    assert_eq!(world.booked().await, [("test::m1".into(), "payment", 500), ("test::r1".into(), "refund", -200)]);
    assert_eq!(world.ledger().await[1].account_id.as_deref(), Some("a"));
    world.advance_s(3_600);
    assert_eq!(world.work(&world.worker(), key).await, Worked::NotOurs);
    assert_eq!(world.story(key).await, done, "done does not change");
}

#[tokio::test]
async fn dead_at_any_call_to_the_store() {
    for fault in [Fault::Hang, Fault::HangAfter] {
        let mut calls = 0;
        loop {
            let (world, key) = owed().await;
            world.wire.inject(nth(calls), fault.clone());
            let worker = world.worker();
            let died = tokio::select! {
                _ = world.work(&worker, &key) => false,
                () = world.wire.stalled() => true,
            };
            finish(&world, &key).await;
            if !died {
                break;
            }
            calls += 1;
        }
        assert_eq!(calls, 4, "lease, payload, parent, completion");
    }
}

#[tokio::test]
async fn any_call_to_the_store_refused_or_unheard() {
    for fault in [Fault::Refuse, Fault::DropAnswer, Fault::Answer(ErrorAnswer::named("ThrottlingException"))] {
        for call in 0..4 {
            let (world, key) = owed().await;
            world.wire.inject(nth(call), fault.clone());
            let worked = world.work(&world.worker(), &key).await;
            assert!(matches!(worked, Worked::Unavailable(_)), "{fault:?} {call}: {worked:?}");
            finish(&world, &key).await;
        }
    }
}

#[tokio::test]
async fn dead_while_the_api_is_asked() {
    let world = World::stripe().await;
    world.deliver(sample("stripe", "thin_charge_succeeded")).await;
    let api = TestApi::start().await;
    let key = ClaimKey::new("stripe", "", "evt_65ThThinCharge01");
    let worker = world.worker_with(Settings::default(), Some(api.url()));
    api.answer(ApiAnswer::Silence);
    tokio::select! {
        worked = world.work(&worker, &key) => panic!("{worked:?}"),
        () = api.came() => {}
    }
    assert_eq!(world.story(&key).await.claim.unwrap().state, State::Processing);
    assert_eq!(world.work_on_due(&worker).await, [], "the lease is not over");
    world.advance_s(46);
    let event: Value = serde_json::from_slice(&sample("stripe", "charge_succeeded")).unwrap();
    api.answer_with(&event["data"]["object"]);
    assert_eq!(world.work_on_due(&worker).await, [Worked::Settled { known: 0, account_unknown: false }]);
    assert_eq!(world.story(&key).await.claim.unwrap().attempt, 2);
    assert_eq!(world.ledger().await.len(), 1);
}

#[tokio::test]
async fn lost_bytes_are_said_and_written_again_by_the_next_delivery() {
    let (world, key) = owed().await;
    let deletion = world.client.delete_item().table_name(&world.tables.claims);
    let part = |text: &str| aws_sdk_dynamodb::types::AttributeValue::S(text.to_owned());
    deletion.key("claim", part(key.as_str())).key("part", part("payload#00")).send().await.unwrap();
    let worked = world.work(&world.worker(), &key).await;
    assert!(matches!(worked, Worked::Parked { reason: ParkReason::BytesLost, .. }), "{worked:?}");
    let refund = Fact { parent: "m1".into(), ..Fact::new("e2", "defer").moving("r1", "refund", 200) };
    assert_eq!(world.deliver(refund.body()).await.reply.status, 200);
    finish(&world, &key).await;
}

#[tokio::test]
async fn a_store_that_refuses_alarms_and_loses_nothing() {
    for error in ErrorAnswer::all() {
        let (world, key) = owed().await;
        world.wire.inject(each("TransactWriteItems"), Fault::Answer(error.clone()));
        let worked = world.work(&world.worker(), &key).await;
        assert!(matches!(worked, Worked::Unavailable(_)), "{error:?}: {worked:?}");
        assert_eq!(world.claim("e2").await.unwrap().state, State::Processing);
        finish(&world, &key).await;
    }
}
