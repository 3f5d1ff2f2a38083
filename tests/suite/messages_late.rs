//! Messages of entries that are booked late, by a person's decision, a redelivery or two at once; and those that outlive their
//! claim.

use std::sync::Arc;

use hookledger::claim::State;
use hookledger::items::IndexRow;
use hookledger::plan::{OnLost, ParkReason};
use hookledger::receive::Receiver;
use hookledger::stuck::{Answer, Changes};
use hookledger::work::{Worked, Worker};
use hookledger_tests::{ApiAnswer, Fact, Fault, Latch, TestApi, TestProvider, World, nth, posted_to, profile, settle};
use serde_json::{Value, json};
use tokio::sync::Barrier;

use crate::messages_sent::{message, owed, send};

/// The parts of all message rows, in order.
async fn messages(world: &World) -> Vec<String> {
    let rows = world.client.scan().table_name(&world.tables.claims).send().await.unwrap();
    let parts = rows.items().iter().map(|row| row["part"].as_s().unwrap().clone());
    let mut messages: Vec<_> = parts.filter(|part| part.starts_with("message#")).collect();
    messages.sort();
    messages
}

async fn deliver(world: &World, receiver: &Receiver, fact: &Fact) -> u16 {
    receiver.receive(world.request(fact.body()), world.deadline()).await.reply.status
}

async fn ask(world: &World, action: Value) -> Changes {
    match world.ask(action).await.unwrap() {
        Answer::Changes(changes) => changes,
        other => panic!("{other:?}"),
    }
}

#[tokio::test]
async fn what_a_person_has_booked_is_told_once_and_what_differs_is_not() {
    let (world, sink) = (World::new().await, TestApi::start().await);
    let outbox = posted_to(sink.url(), OnLost::Rerun);
    world.deliver(settle("e1", "m1", 500).account("a").body()).await;
    world.deliver(Fact::new("e2", "settle").moving("r1", "refund", 300).body()).await;
    let both = Fact { parent: "m1".into(), ..Fact::new("e3", "defer") };
    let both = both.moving("r1", "refund", 200).moving("r2", "refund", 50);
    let (receiver, worker) = (world.telling(&outbox), world.teller(&outbox, sink.url()));
    assert_eq!(deliver(&world, &receiver, &both).await, 200);
    let parked = world.work(&worker, &world.key("e3")).await;
    assert!(matches!(parked, Worked::Parked { reason: ParkReason::Conflict, .. }), "{parked:?}");
    assert_eq!(messages(&world).await, [""; 0], "nothing was booked, so nobody is told");
    let order = json!({"action": "resolve", "provider": "test", "event_id": "e3", "by": "kim", "note": "agreed", "book": "missing"});
    assert_eq!(ask(&world, order).await.changed(), 1);
    let settled = world.work(&worker, &world.key("e3")).await;
    assert_eq!(settled, Worked::Settled { known: 1, account_unknown: false });
    assert_eq!(messages(&world).await, ["message#refund.recorded#test::r2/refund#erp"]);
    // Neither the event again nor another about the same movement tells it again.
    for fact in [both, Fact::new("e4", "settle").moving("r2", "refund", 50)] {
        assert_eq!(deliver(&world, &receiver, &fact).await, 200);
    }
    assert_eq!(messages(&world).await.len(), 1);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_redelivery_and_a_worker_that_book_a_parked_event_at_once_tell_it_once() {
    for _ in 0..20 {
        let provider = Arc::new(TestProvider::new(profile()));
        let world = Arc::new(World::builder().shared_provider(provider.clone()).contention().build().await);
        let outbox = posted_to("http://127.0.0.1:9", OnLost::Rerun);
        let fact = Fact { then: "settle".into(), ..Fact::new("e1", "later").moving("m1", "payment", 500) };
        assert_eq!(deliver(&world, &world.telling(&outbox), &fact).await, 200);
        provider.learn();
        let barrier = Arc::new(Barrier::new(3));
        let racing = (0..3).map(|who| {
            let (world, barrier, outbox, fact) = (world.clone(), barrier.clone(), outbox.clone(), fact.clone());
            tokio::spawn(async move {
                barrier.wait().await;
                match who {
                    0 => drop(deliver(&world, &world.telling(&outbox), &fact).await),
                    1 => drop(ask(&world, json!({"action": "retry", "provider": "test", "event_id": "e1"})).await),
                    _ => drop(world.work(&world.teller(&outbox, "http://127.0.0.1:9"), &world.key("e1")).await),
                }
            })
        });
        for one in racing.collect::<Vec<_>>() {
            one.await.unwrap();
        }
        world.advance_s(60);
        world.work(&world.teller(&outbox, "http://127.0.0.1:9"), &world.key("e1")).await;
        assert_eq!(world.claim("e1").await.unwrap().state, State::Done);
        assert_eq!(world.booked().await.len(), 1);
        assert_eq!(messages(&world).await, ["message#payment.recorded#test::m1/payment#erp"]);
    }
}

#[tokio::test]
async fn another_content_under_a_known_id_tells_nobody() {
    let (world, outbox) = (World::new().await, posted_to("http://127.0.0.1:9", OnLost::Rerun));
    let receiver = world.telling(&outbox);
    assert_eq!(deliver(&world, &receiver, &settle("e1", "m1", 500)).await, 200);
    assert_eq!(deliver(&world, &receiver, &settle("e1", "m2", 900)).await, 422);
    assert_eq!(messages(&world).await, ["message#payment.recorded#test::m1/payment#erp"]);
}

#[tokio::test]
async fn a_message_outlives_its_claim_until_it_is_sent() {
    let (world, sink) = (World::new().await, TestApi::start().await);
    let outbox = posted_to(sink.url(), OnLost::Rerun);
    let row: IndexRow = owed(&world, &outbox).await;
    let worker: Worker = world.teller(&outbox, sink.url());
    sink.answer(ApiAnswer::Full(503, Vec::new()));
    assert!(matches!(send(&world, &worker, &row).await, Worked::Later { .. }));
    world.advance_s(400 * 86_400);
    assert_eq!((world.sweep_ttl(), world.claim("e1").await), (1, None));
    // The same event makes a claim again, and owes nothing new.
    assert_eq!(deliver(&world, &world.telling(&outbox), &settle("e1", "m1", 500)).await, 200);
    assert_eq!(messages(&world).await, [row.part.as_str()]);
    sink.answer(ApiAnswer::Full(200, Vec::new()));
    assert_eq!(send(&world, &worker, &row).await, Worked::Sent);
    let keys: Vec<_> = sink.requests().iter().map(|one| one.header("idempotency-key").unwrap().to_owned()).collect();
    assert!(keys.len() == 2 && keys[0] == keys[1], "{keys:?}");
}

#[tokio::test]
async fn a_message_that_is_taken_away_while_it_is_sent_stays_with_the_person() {
    let (world, sink) = (World::new().await, TestApi::start().await);
    sink.answer(ApiAnswer::Full(200, Vec::new()));
    let outbox = posted_to(sink.url(), OnLost::Rerun);
    let row = owed(&world, &outbox).await;
    let latch = Latch::new();
    world.wire.inject(nth(1), Fault::Hold(latch.clone()));
    let worker = world.teller(&outbox, sink.url());
    let taking_away = async {
        latch.came().await;
        let order = json!({"action": "park", "key": row.key.as_str(), "part": row.part, "by": "kim", "note": "harm"});
        assert_eq!(ask(&world, order).await.changed(), 1);
        latch.open();
    };
    let (worked, ()) = futures_util::join!(send(&world, &worker, &row), taking_away);
    assert_eq!(worked, Worked::Overtaken);
    let parked = message(&world, &row).await;
    assert_eq!((parked.state, parked.park_reason), (Some(State::Parked), Some(ParkReason::Person)));
    world.advance_s(7_200);
    world.watched().await;
    assert_eq!(send(&world, &worker, &row).await, Worked::NotOurs);
    assert_eq!(sink.requests().len(), 1);
}
