//! Workers that race for a message, are overtaken, or die between sending and saying so.

use std::collections::HashSet;
use std::sync::Arc;

use aws_sdk_dynamodb::types::AttributeValue;
use futures_util::future::join_all;
use hookledger::items::IndexRow;
use hookledger::plan::OnLost;
use hookledger::runtime::StreamHandler;
use hookledger::work::Worked;
use hookledger_tests::{ApiAnswer, Fault, Latch, TestApi, World, item_json, nth, posted_to};
use lambda_runtime::{Context, LambdaEvent};
use serde_json::json;
use serde_json::value::to_raw_value;
use tokio::sync::Barrier;

use crate::messages_sent::{message, owed, send};

fn keys(sink: &TestApi) -> HashSet<String> {
    sink.requests().iter().map(|one| one.header("idempotency-key").unwrap().to_owned()).collect()
}

fn rounds() -> usize {
    std::env::var("RACE_ROUNDS").map_or(40, |rounds| rounds.parse().unwrap())
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn sixteen_workers_send_a_message_once() {
    for _ in 0..rounds() {
        let (world, sink) = (World::builder().contention().build().await, TestApi::start().await);
        sink.answer(ApiAnswer::Full(200, Vec::new()));
        let outbox = posted_to(sink.url(), OnLost::Rerun);
        let row = owed(&world, &outbox).await;
        let barrier = Arc::new(Barrier::new(16));
        let racing = (0..16).map(|_| {
            let (barrier, row, ends) = (barrier.clone(), row.clone(), world.now().plus_ms(3_600_000));
            let worker = world.teller(&outbox, sink.url());
            tokio::spawn(async move {
                barrier.wait().await;
                worker.work_row(&row, ends).await
            })
        });
        let worked: Vec<Worked> = join_all(racing).await.into_iter().map(Result::unwrap).collect();
        assert_eq!(worked.iter().filter(|one| **one == Worked::Sent).count(), 1, "{worked:?}");
        assert_eq!((sink.requests().len(), keys(&sink).len()), (1, 1));
        assert_eq!(message(&world, &row).await.state.unwrap().name(), "done");
    }
}

/// Sends with a worker whose `n`th store call meets a fault at which it dies; then the lease ends and another finishes.
async fn killed_at(n: usize, after: bool) -> bool {
    let (world, sink) = (World::builder().no_retries().build().await, TestApi::start().await);
    sink.answer(ApiAnswer::Full(200, Vec::new()));
    let outbox = posted_to(sink.url(), OnLost::Rerun);
    let row = owed(&world, &outbox).await;
    let fault = if after { Fault::HangAfter } else { Fault::Hang };
    world.wire.inject(nth(n), fault);
    let worker = world.teller(&outbox, sink.url());
    let ended = tokio::select! {
        _ = send(&world, &worker, &row) => true,
        () = world.wire.stalled() => false,
    };
    world.wire.heal();
    world.advance_s(60);
    let worked = send(&world, &world.teller(&outbox, sink.url()), &row).await;
    assert!(matches!(worked, Worked::Sent | Worked::NotOurs), "call {n}: {worked:?}");
    assert!(!sink.requests().is_empty() && keys(&sink).len() == 1, "call {n}: {:?}", sink.requests());
    assert_eq!(message(&world, &row).await.state.unwrap().name(), "done", "call {n}");
    ended
}

#[tokio::test]
async fn a_worker_that_dies_at_any_call_is_followed_by_one_that_finishes() {
    for after in [false, true] {
        let mut n = 0;
        while !killed_at(n, after).await {
            n += 1;
        }
        assert_eq!(n, 2, "lease and completion are all the calls there are");
    }
}

#[tokio::test]
async fn who_was_overtaken_writes_nothing() {
    let (world, sink) = (World::new().await, TestApi::start().await);
    sink.answer(ApiAnswer::Full(200, Vec::new()));
    let outbox = posted_to(sink.url(), OnLost::Rerun);
    let row: IndexRow = owed(&world, &outbox).await;
    let latch = Latch::new();
    // The first sends, and is held before it can say so.
    world.wire.inject(nth(1), Fault::Hold(latch.clone()));
    let slow = world.teller(&outbox, sink.url());
    let overtaking = async {
        latch.came().await;
        world.advance_s(60);
        assert_eq!(send(&world, &world.teller(&outbox, sink.url()), &row).await, Worked::Sent);
        let done = message(&world, &row).await;
        latch.open();
        done
    };
    let (slow, done) = futures_util::join!(send(&world, &slow, &row), overtaking);
    assert_eq!(slow, Worked::Overtaken);
    assert_eq!(message(&world, &row).await, done);
    assert_eq!((sink.requests().len(), keys(&sink).len()), (2, 1));
}

#[tokio::test]
async fn a_record_of_the_stream_sends_however_often_it_comes() {
    let (world, sink) = (World::new().await, TestApi::start().await);
    sink.answer(ApiAnswer::Full(200, Vec::new()));
    let outbox = posted_to(sink.url(), OnLost::Rerun);
    let row = owed(&world, &outbox).await;
    let key = [("claim", row.key.as_str()), ("part", row.part.as_str())];
    let key = key.map(|(name, text)| (name.to_owned(), AttributeValue::S(text.to_owned())));
    let item = world.client.get_item().table_name(&world.tables.claims).set_key(Some(key.into())).send().await.unwrap();
    let image = item_json(&item.item.unwrap());
    let record = json!({"eventID": "1", "dynamodb": {"SequenceNumber": "100", "NewImage": image}});
    let handler = StreamHandler::new(Arc::new(world.teller(&outbox, sink.url())));
    for _ in 0..3 {
        let event = to_raw_value(&json!({"Records": [record]})).unwrap();
        let failures = handler.handle(LambdaEvent::new(event, Context::default())).await.unwrap();
        assert_eq!(failures.first(), None);
    }
    assert_eq!(sink.requests().len(), 1);
}

#[tokio::test]
async fn a_run_that_was_lost_on_hold_is_parked_by_the_watch_and_not_sent_again() {
    let (world, sink) = (World::new().await, TestApi::start().await);
    sink.answer(ApiAnswer::Full(200, Vec::new()));
    let outbox = posted_to(sink.url(), OnLost::Hold);
    let row = owed(&world, &outbox).await;
    world.wire.inject(nth(1), Fault::Hang);
    let worker = world.teller(&outbox, sink.url());
    tokio::select! {
        worked = send(&world, &worker, &row) => panic!("{worked:?}"),
        () = world.wire.stalled() => {}
    }
    world.wire.heal();
    world.advance_s(60);
    assert_eq!(send(&world, &world.teller(&outbox, sink.url()), &row).await, Worked::NotOurs);
    let report = world.watched().await;
    assert_eq!((report.acted.parked_held, report.acted.redriven), (1, 0));
    assert_eq!(sink.requests().len(), 1);
}
