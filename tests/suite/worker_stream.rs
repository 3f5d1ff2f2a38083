//! The claims table's stream as the worker is given it: twice, late, never, too early, and with poison in it.

use std::sync::Arc;

use aws_sdk_dynamodb::types::AttributeValue;
use hookledger::claim::State;
use hookledger::runtime::StreamHandler;
use hookledger_tests::{ErrorAnswer, Fact, Fault, World, each, item_json, settle};
use lambda_runtime::{Context, LambdaEvent};
use serde_json::value::to_raw_value;
use serde_json::{Value, json};

fn refund(event_id: &str, movement: &str) -> Fact {
    Fact { parent: "m".into(), ..Fact::new(event_id, "defer").moving(movement, "refund", 200) }
}

async fn world_with_payment() -> World {
    let world = World::builder().no_retries().build().await;
    world.deliver(settle("e", "m", 500).account("a").body()).await;
    world
}

/// A record as the stream carries it, with what the row holds now.
pub(crate) async fn record(world: &World, event_id: &str, sequence_number: &str) -> Value {
    let key = |text: &str| AttributeValue::S(text.to_owned());
    let row = world.client.get_item().table_name(&world.tables.claims);
    let row = row.key("claim", key(world.key(event_id).as_str())).key("part", key("claim")).send().await.unwrap();
    let image = item_json(&row.item.unwrap());
    json!({
        "eventID": "c4ca4238a0b923820dcc509a6f75849b", "eventName": "INSERT", "eventVersion": "1.1",
        "eventSource": "aws:dynamodb", "awsRegion": "eu-central-1",
        "eventSourceARN": "arn:aws:dynamodb:eu-central-1:000000000000:table/hookledger-claims/stream/2026-11-30T00:00:00.000",
        "dynamodb": {
            "ApproximateCreationDateTime": 1_796_065_558.0,
            "Keys": {"claim": image["claim"], "part": image["part"]},
            "NewImage": image,
            "SequenceNumber": sequence_number, "SizeBytes": 500, "StreamViewType": "NEW_IMAGE"
        }
    })
}

pub(crate) async fn handle(world: &World, records: &[Value]) -> Value {
    let handler = StreamHandler::new(Arc::new(world.worker()));
    let event = to_raw_value(&json!({"Records": records})).unwrap();
    let failures = handler.handle(LambdaEvent::new(event, Context::default())).await.unwrap();
    serde_json::to_value(failures).unwrap()
}

pub(crate) fn none() -> Value {
    json!({"batchItemFailures": []})
}

#[tokio::test]
async fn a_record_settles_its_claim_once_however_often_it_comes() {
    let world = world_with_payment().await;
    world.deliver(refund("e1", "r1").body()).await;
    let record = record(&world, "e1", "100").await;
    assert_eq!(handle(&world, &[record.clone(), record.clone()]).await, none());
    let done = world.claim("e1").await.unwrap();
    assert_eq!((done.state, done.attempt), (State::Done, 1));
    world.advance_s(7_200);
    assert_eq!(handle(&world, &[record]).await, none());
    assert_eq!(world.claim("e1").await.unwrap(), done);
    assert_eq!(world.booked().await.len(), 2);
}

#[tokio::test]
async fn a_record_that_never_comes_is_made_good_by_the_schedule() {
    let world = world_with_payment().await;
    world.deliver(refund("e1", "r1").body()).await;
    world.work_on_due(&world.worker()).await;
    assert_eq!(world.claim("e1").await.unwrap().state, State::Done);
}

#[tokio::test]
async fn what_is_not_to_be_done_now_is_dropped_without_a_call() {
    let world = world_with_payment().await;
    world.deliver(refund("e1", "r1").body()).await;
    let mut early = record(&world, "e1", "100").await;
    early["dynamodb"]["NewImage"]["due_at_ms"]["N"] = json!(world.now().plus_ms(1).get().to_string());
    let done = record(&world, "e", "101").await;
    let mut mismatch = record(&world, "e1", "102").await;
    mismatch["dynamodb"]["NewImage"]["part"]["S"] = json!("mismatch#0a1b");
    let mut deleted = record(&world, "e1", "103").await;
    deleted["dynamodb"].as_object_mut().unwrap().remove("NewImage");
    let mut nested = done.clone();
    nested["dynamodb"]["NewImage"]["entries"] = json!({"L": [{"M": {"state": {"S": "received"}}}]});
    world.wire.clear();
    assert_eq!(handle(&world, &[early, done, mismatch, deleted, nested]).await, none());
    assert_eq!(world.calls(), 0);
    assert_eq!(world.claim("e1").await.unwrap().attempt, 0);
}

#[tokio::test]
async fn poison_is_named_and_what_stands_before_it_is_done() {
    let world = world_with_payment().await;
    for (event_id, movement) in [("e1", "r1"), ("e2", "r2")] {
        world.deliver(refund(event_id, movement).body()).await;
    }
    let (good, mut poison) = (record(&world, "e1", "100").await, record(&world, "e2", "101").await);
    poison["dynamodb"]["NewImage"].as_object_mut().unwrap().remove("claim");
    let answer = handle(&world, &[good.clone(), poison]).await;
    assert_eq!(answer.to_string(), r#"{"batchItemFailures":[{"itemIdentifier":"101"}]}"#);
    assert_eq!(world.claim("e1").await.unwrap().state, State::Done);
    let unnumbered = handle(&world, &[good, json!({})]).await;
    assert_eq!(unnumbered.to_string(), r#"{"batchItemFailures":[{"itemIdentifier":""}]}"#);
}

#[tokio::test]
async fn a_store_that_is_away_brings_the_record_back() {
    let world = world_with_payment().await;
    world.deliver(refund("e1", "r1").body()).await;
    let records = [record(&world, "e1", "100").await];
    world.wire.inject(each("UpdateItem"), Fault::Refuse);
    assert_eq!(handle(&world, &records).await, json!({"batchItemFailures": [{"itemIdentifier": "100"}]}));
    world.wire.heal();
    // What a retry will not mend does not stand in the way of other records.
    world.wire.inject(each("UpdateItem"), Fault::Answer(ErrorAnswer::named("AccessDeniedException")));
    assert_eq!(handle(&world, &records).await, none());
    world.wire.heal();
    assert_eq!(handle(&world, &records).await, none());
    assert_eq!(world.claim("e1").await.unwrap().state, State::Done);
}

#[tokio::test]
async fn what_is_no_batch_is_an_error() {
    let world = world_with_payment().await;
    let handler = StreamHandler::new(Arc::new(world.worker()));
    for event in [json!({}), json!([]), json!({"Records": 1})] {
        let event = to_raw_value(&event).unwrap();
        assert!(handler.handle(LambdaEvent::new(event, Context::default())).await.is_err());
    }
}
