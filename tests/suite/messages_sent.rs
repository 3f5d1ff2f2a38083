//! Messages on their way to sinks that take them, refuse them, or say nothing.

use hookledger::items::{IndexRow, MessageRow, OpenRow};
use hookledger::outbox::Outbox;
use hookledger::plan::{OnLost, ParkReason};
use hookledger::request::decode_base64;
use hookledger::store::StoreError;
use hookledger::work::{Settings, Worked, Worker};
use hookledger_tests::{ApiAnswer, SINK_SECRET, TestApi, World, posted_to, put_on_bus, settle};
use serde_json::{Value, json};

const PART: &str = "message#payment.recorded#test::m1/payment";

/// A payment that was booked and is owed to the sinks.
pub(crate) async fn owed(world: &World, outbox: &Outbox) -> IndexRow {
    let answer = world.telling(outbox).receive(world.request(settle("e1", "m1", 500).body()), world.deadline()).await;
    assert_eq!(answer.reply.status, 200);
    IndexRow { key: world.key("e1"), part: format!("{PART}#{}", outbox.sinks[0].name) }
}

pub(crate) async fn send(world: &World, worker: &Worker, row: &IndexRow) -> Worked {
    worker.work_row(row, world.now().plus_ms(3_600_000)).await
}

pub(crate) async fn message(world: &World, row: &IndexRow) -> OpenRow {
    world.open_row(&row.key, &row.part).await.unwrap()
}

fn state(row: &OpenRow) -> &'static str {
    row.state.unwrap().name()
}

#[tokio::test]
async fn a_message_is_posted_once_signed_and_under_its_key() {
    let (world, sink) = (World::new().await, TestApi::start().await);
    sink.answer(ApiAnswer::Full(204, Vec::new()));
    let outbox = posted_to(sink.url(), OnLost::Rerun);
    let row = owed(&world, &outbox).await;
    let worker = world.teller(&outbox, sink.url());
    assert_eq!(send(&world, &worker, &row).await, Worked::Sent);
    assert_eq!(send(&world, &worker, &row).await, Worked::NotOurs);
    let [request] = &sink.requests()[..] else { panic!("{:?}", sink.requests()) };
    assert!(request.head.starts_with("POST /hooks HTTP/1.1"), "{}", request.head);
    let body: Value = serde_json::from_slice(&request.body).unwrap();
    assert_eq!((&body["name"], &body["entry"]["amount_minor"]), (&json!("payment.recorded"), &json!("500")));
    let key = request.header("idempotency-key").unwrap();
    assert_eq!(request.header("webhook-id"), Some(key));
    // By hand: the key is the base64 behind whsec_, signed are id, time and body, joined by full stops.
    let stamp = request.header("webhook-timestamp").unwrap();
    assert_eq!(stamp, world.now().to_s().get().to_string());
    let code = decode_base64(request.header("webhook-signature").unwrap().strip_prefix("v1,").unwrap()).unwrap();
    let secret = decode_base64(SINK_SECRET.strip_prefix("whsec_").unwrap()).unwrap();
    let signed = [format!("{key}.{stamp}.").as_bytes(), &request.body].concat();
    let hmac = ring::hmac::Key::new(ring::hmac::HMAC_SHA256, &secret);
    assert!(ring::hmac::verify(&hmac, &signed, &code).is_ok());
    let done = message(&world, &row).await;
    assert_eq!((state(&done), done.due_at), ("done", None));
    assert_eq!(world.watched().await.counts.open, 0);
}

#[tokio::test]
async fn what_may_have_been_taken_is_sent_again_under_the_same_key() {
    let (world, sink) = (World::new().await, TestApi::start().await);
    let outbox = posted_to(sink.url(), OnLost::Rerun);
    let row = owed(&world, &outbox).await;
    for answer in [ApiAnswer::Close, ApiAnswer::Full(500, Vec::new()), ApiAnswer::Full(200, Vec::new())] {
        sink.answer(answer);
        world.advance_s(7_200);
        // Each time another process.
        send(&world, &world.teller(&outbox, sink.url()), &row).await;
    }
    let keys: Vec<_> = sink.requests().iter().map(|one| one.header("idempotency-key").unwrap().to_owned()).collect();
    assert!(keys.len() == 3 && keys.iter().all(|key| *key == keys[0]), "{keys:?}");
    assert_eq!(state(&message(&world, &row).await), "done");
}

#[tokio::test]
async fn on_hold_what_may_have_been_taken_waits_for_a_person() {
    let (world, sink) = (World::new().await, TestApi::start().await);
    let outbox = posted_to(sink.url(), OnLost::Hold);
    let row = owed(&world, &outbox).await;
    let worker = world.teller(&outbox, sink.url());
    // A refusal is known: it is tried again by itself.
    sink.answer(ApiAnswer::Full(503, Vec::new()));
    assert!(matches!(send(&world, &worker, &row).await, Worked::Later { .. }));
    sink.answer(ApiAnswer::Close);
    world.advance_s(60);
    let worked = send(&world, &worker, &row).await;
    assert!(matches!(worked, Worked::Parked { reason: ParkReason::Held, .. }), "{worked:?}");
    // Neither a late record nor the schedule sends it; a person does.
    world.advance_s(7_200);
    world.watched().await;
    assert_eq!(send(&world, &worker, &row).await, Worked::NotOurs);
    assert_eq!(sink.requests().len(), 2);
    let key = row.key.as_str();
    world.ask(json!({"action": "retry", "key": key, "part": row.part})).await.unwrap();
    sink.answer(ApiAnswer::Full(200, Vec::new()));
    assert_eq!(send(&world, &worker, &row).await, Worked::Sent);
}

#[tokio::test]
async fn on_hold_whoever_breaks_down_may_have_taken_it() {
    let (world, sink) = (World::new().await, TestApi::start().await);
    let [posted, mut bus] = [posted_to(sink.url(), OnLost::Hold), put_on_bus()];
    bus.sinks[0].on_lost = OnLost::Hold;
    let answers = [500, 502, 504].map(|status| ApiAnswer::Full(status, b"{}".to_vec()));
    for (outbox, to_bus) in [(posted, false), (bus, true)] {
        for (at, answer) in answers.iter().cloned().chain([ApiAnswer::Close]).enumerate() {
            let (event, movement) = (format!("e{to_bus}{at}"), format!("m{to_bus}{at}"));
            let body = settle(&event, &movement, 500).body();
            world.telling(&outbox).receive(world.request(body), world.deadline()).await;
            let part = format!("message#payment.recorded#test::{movement}/payment#{}", outbox.sinks[0].name);
            let row = IndexRow { key: world.key(&event), part };
            sink.answer(answer.clone());
            let worked = send(&world, &world.teller(&outbox, sink.url()), &row).await;
            assert!(matches!(worked, Worked::Parked { reason: ParkReason::Held, .. }), "{answer:?} {worked:?}");
        }
    }
}

#[tokio::test]
async fn who_has_no_time_to_wait_for_an_answer_sends_nothing() {
    let (world, sink) = (World::new().await, TestApi::start().await);
    let outbox = posted_to(sink.url(), OnLost::Hold);
    let row = owed(&world, &outbox).await;
    let before = message(&world, &row).await;
    let worked = world.teller(&outbox, sink.url()).work_row(&row, world.now().plus_ms(2_500)).await;
    assert_eq!(worked, Worked::Unavailable(StoreError::TooLittleTime));
    assert_eq!((message(&world, &row).await, sink.requests().len()), (before, 0));
}

#[tokio::test]
async fn a_sink_that_is_not_there_has_taken_nothing() {
    let (world, sink) = (World::new().await, TestApi::start().await);
    let outbox = posted_to(sink.url(), OnLost::Hold);
    let row = owed(&world, &outbox).await;
    let worker = world.teller(&outbox, sink.url());
    sink.stop().await;
    let worked = send(&world, &worker, &row).await;
    let Worked::Later { why, .. } = worked else { panic!("{worked:?}") };
    assert_eq!(why, "the sink cannot be reached");
}

#[tokio::test]
async fn refusals_wait_as_long_as_they_are_asked_to_and_faults_of_the_message_park() {
    let (world, sink) = (World::new().await, TestApi::start().await);
    let outbox = posted_to(sink.url(), OnLost::Rerun);
    let row = owed(&world, &outbox).await;
    let worker = world.teller(&outbox, sink.url());
    sink.answer(ApiAnswer::Busy(429, "600".to_owned()));
    let worked = send(&world, &worker, &row).await;
    let Worked::Later { due_at, .. } = worked else { panic!("{worked:?}") };
    assert_eq!(due_at, world.now().plus_ms(600_000));
    world.advance_s(600);
    sink.answer(ApiAnswer::Redirect(format!("{}/elsewhere", sink.url())));
    assert!(matches!(send(&world, &worker, &row).await, Worked::Later { .. }));
    assert_eq!(sink.requests().len(), 2, "redirects are not followed");
    world.advance_s(3_600);
    sink.answer(ApiAnswer::Full(400, Vec::new()));
    let worked = send(&world, &worker, &row).await;
    assert!(matches!(worked, Worked::Parked { reason: ParkReason::Unreadable, .. }), "{worked:?}");
    let counts = world.watched().await.counts;
    assert_eq!((counts.parked_messages, counts.parked_claims), (1, 0));
    let decision =
        json!({"action": "resolve", "key": row.key.as_str(), "part": row.part, "by": "kim", "note": "told by hand"});
    world.ask(decision).await.unwrap();
    assert_eq!(state(&message(&world, &row).await), "done");
}

#[tokio::test]
async fn a_silent_sink_is_waited_for_no_longer_than_a_run_has() {
    let (world, sink) = (World::new().await, TestApi::start().await);
    sink.answer(ApiAnswer::Silence);
    let outbox = posted_to(sink.url(), OnLost::Rerun);
    let row = owed(&world, &outbox).await;
    let settings = Settings { fetch_ms: 200, ..Settings::default() };
    let worked = send(&world, &world.teller_with(&outbox, sink.url(), settings), &row).await;
    let Worked::Later { why, .. } = worked else { panic!("{worked:?}") };
    assert_eq!(why, "the sink did not answer in time");
}

#[tokio::test]
async fn an_outage_burns_few_attempts_and_in_the_end_a_person_is_asked() {
    let (world, sink) = (World::new().await, TestApi::start().await);
    sink.answer(ApiAnswer::Full(503, Vec::new()));
    let outbox = posted_to(sink.url(), OnLost::Rerun);
    let row = owed(&world, &outbox).await;
    let worker = world.teller(&outbox, sink.url());
    let began = world.now();
    let mut runs = 0;
    loop {
        match send(&world, &worker, &row).await {
            Worked::Later { due_at, .. } => world.set_now(due_at.max(world.now())),
            Worked::Parked { reason: ParkReason::Spent, .. } => break,
            other => panic!("{other:?}"),
        }
        runs += 1;
        if began.ms_until(world.now()) <= 60_000 {
            assert!(message(&world, &row).await.attempt < 24);
        }
    }
    assert_eq!(runs, 23);
    assert_eq!(world.booked().await.len(), 1, "the ledger does not wait for a sink");
}

#[tokio::test]
async fn an_unknown_sink_waits_for_the_version_that_knows_it() {
    let (world, sink) = (World::new().await, TestApi::start().await);
    let outbox = posted_to(sink.url(), OnLost::Rerun);
    let row = owed(&world, &outbox).await;
    let worked = send(&world, &world.worker(), &row).await;
    assert!(matches!(worked, Worked::Later { .. }), "{worked:?}");
}

#[tokio::test]
async fn a_bus_takes_the_message_with_its_key_inside() {
    let (world, bus) = (World::new().await, TestApi::start().await);
    bus.answer_with(&json!({"FailedEntryCount": 0, "Entries": [{"EventId": "1"}]}));
    let outbox = put_on_bus();
    let row = owed(&world, &outbox).await;
    assert_eq!(send(&world, &world.teller(&outbox, bus.url()), &row).await, Worked::Sent);
    let request = &bus.requests()[0];
    assert_eq!(request.header("x-amz-target"), Some("AWSEvents.PutEvents"));
    let asked: Value = serde_json::from_slice(&request.body).unwrap();
    let entry = &asked["Entries"][0];
    assert_eq!((&entry["EventBusName"], &entry["Source"]), (&json!("payments"), &json!("hookledger")));
    assert_eq!(entry["DetailType"], "payment.recorded");
    let detail: Value = serde_json::from_str(entry["Detail"].as_str().unwrap()).unwrap();
    let key = detail["idempotency_key"].as_str().unwrap();
    assert_eq!((key.len(), &detail["entry"]["movement"]), (64, &json!("test::m1")));
}

#[tokio::test]
async fn a_failed_entry_in_a_good_answer_is_a_failure() {
    let (world, bus) = (World::new().await, TestApi::start().await);
    let outbox = put_on_bus();
    let row = owed(&world, &outbox).await;
    let worker = world.teller(&outbox, bus.url());
    let failed = |code: &str| json!({"FailedEntryCount": 1, "Entries": [{"ErrorCode": code, "ErrorMessage": "no"}]});
    bus.answer_with(&failed("ThrottlingException"));
    let worked = send(&world, &worker, &row).await;
    let Worked::Later { why, .. } = worked else { panic!("{worked:?}") };
    assert_eq!(why, "EventBridge answered ThrottlingException");
    world.advance_s(60);
    bus.answer(ApiAnswer::Full(500, b"{}".to_vec()));
    assert!(matches!(send(&world, &worker, &row).await, Worked::Later { .. }));
    world.advance_s(60);
    bus.answer_with(&failed("MalformedDetail"));
    let worked = send(&world, &worker, &row).await;
    assert!(matches!(worked, Worked::Parked { reason: ParkReason::Unreadable, .. }), "{worked:?}");
}

#[test]
fn rows_are_told_apart_by_their_keys() {
    // A type of its own for what is read back, so that a key never comes from anything but the row.
    let of = |claim: &str, part: &str| {
        let item: hookledger::items::Item = [
            ("claim", claim),
            ("part", part),
            ("provider", "test"),
            ("state", "received"),
            ("owner", "o"),
            ("body", "{}"),
        ]
        .into_iter()
        .map(|(name, value)| (name.to_owned(), aws_sdk_dynamodb::types::AttributeValue::S(value.to_owned())))
        .collect();
        MessageRow::decode(&item).unwrap().idempotency_key()
    };
    let keys = [of("a:b:c", "message#n##s"), of("a:b:c", "message#n##t"), of("a:b:d", "message#n##s")];
    assert!(keys[0] != keys[1] && keys[0] != keys[2] && keys[1] != keys[2]);
}
