//! The gateway's events, signed anew, from the outside in: however a delivery comes, it is the same delivery.

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use hookledger::claim::State;
use hookledger::runtime::Handler;
use hookledger::time::{UnixMs, UnixS};
use hookledger_tests::{Builder, TestProvider, World, profile, sample, samples};
use lambda_runtime::{Context, LambdaEvent};
use serde_json::value::RawValue;
use serde_json::{Value, json};

/// The time that the files' signatures name.
const SIGNED: UnixS = UnixS::new(1_796_000_002);

const UNSIGNED: &str = "t=1796000002,v1=0000000000000000000000000000000000000000000000000000000000000000";

fn file(name: &str) -> String {
    String::from_utf8(sample("apigw", name)).unwrap()
}

/// The bytes that were sent.
fn body(event: &str) -> Vec<u8> {
    let event: Value = serde_json::from_str(event).unwrap();
    let text = event["body"].as_str().unwrap_or_default();
    if event["isBase64Encoded"] == true { STANDARD.decode(text).unwrap_or_default() } else { text.as_bytes().to_vec() }
}

/// The file with the signature that its body asks for.
fn signed(world: &World, name: &str) -> String {
    let event = file(name);
    let keys = world.receiver.keys.held();
    let secret = keys.first().unwrap();
    let headers = world.receiver.provider.sign(&body(&event), secret, SIGNED.to_ms());
    event.replace(UNSIGNED, &headers[0].1)
}

async fn stripe() -> World {
    at_signing(World::builder().provider(hookledger_stripe::Stripe)).await
}

async fn at_signing(builder: Builder) -> World {
    let world = builder.build().await;
    world.set_now(SIGNED.to_ms().plus_ms(1_500));
    world
}

async fn handle(world: &World, event: &str) -> Value {
    let payload = RawValue::from_string(event.to_owned()).unwrap();
    let mut context = Context::default();
    context.deadline = u64::try_from(world.deadline().get()).unwrap();
    Handler::new(world.receiver.clone()).handle(LambdaEvent::new(payload, context)).await.unwrap()
}

/// Whether this file is a delivery whose body is the event.
fn is_good(name: &str) -> bool {
    let kinds = ["rest_", "http_", "url_"];
    let bad = ["bad_base64", "host_with", "odd_header", "_get", "_empty_body", "_missing_body", "_null_body"];
    kinds.iter().any(|kind| name.starts_with(kind)) && !bad.iter().any(|bad| name.contains(bad))
}

fn headers(answer: &Value) -> Value {
    answer["headers"].clone()
}

#[tokio::test]
async fn one_delivery_through_every_door_is_booked_once() {
    let world = stripe().await;
    let (mut plain, mut described) = (Vec::new(), Vec::new());
    for name in samples("apigw").into_keys().filter(|name| is_good(name)) {
        let event = signed(&world, &name);
        let answer = handle(&world, &event).await;
        assert_eq!(
            (&answer["statusCode"], &answer["isBase64Encoded"]),
            (&json!(200), &json!(false)),
            "{name}: {answer}"
        );
        assert_eq!(
            (&answer["body"], &headers(&answer)["content-type"]),
            (&json!(r#"{"received":true}"#), &json!("application/json"))
        );
        let replay = headers(&answer)["hookledger-replay"] == "true";
        if name.contains("utf8") { described.push(replay) } else { plain.push(replay) }
    }
    assert!(plain.len() >= 16 && described.len() >= 7, "{} {}", plain.len(), described.len());
    for replays in [&plain, &described] {
        assert!(!replays[0] && replays[1..].iter().all(|replay| *replay), "{replays:?}");
    }
    let claims = world.claims().await;
    assert_eq!(claims.iter().map(|row| row.state).collect::<Vec<_>>(), [State::Done, State::Done]);
    let booked = |charge: &str| (format!("stripe::ch_3ThGateway{charge}"), "payment", 4_200);
    assert_eq!(world.booked().await, [booked("0000001"), booked("0000002")]);
    assert_eq!(world.metrics.total(hookledger::metrics::Metric::Drift), 0, "not a byte differs");
}

#[tokio::test]
async fn what_is_not_signed_is_not_read() {
    let world = stripe().await;
    for name in samples("apigw").into_keys().filter(|name| is_good(name)) {
        let answer = handle(&world, &file(&name)).await;
        assert_eq!(answer["statusCode"], 401, "{name}");
    }
    assert_eq!((world.calls(), world.claims().await.len()), (0, 0));
}

#[tokio::test]
async fn bad_envelopes_are_refused_and_leave_no_row() {
    let world = stripe().await;
    let mut looked = 0;
    for name in samples("apigw").into_keys().filter(|name| !is_good(name)) {
        let answer = handle(&world, &signed(&world, &name)).await;
        let status = if name.ends_with("_get") { 405 } else { 400 };
        assert_eq!(answer["statusCode"], status, "{name}: {answer}");
        assert!(answer["body"].as_str().is_some_and(|body| body.contains("reason")), "{name}");
        assert_eq!(headers(&answer).get("allow").is_some(), status == 405, "{name}");
        looked += 1;
    }
    for name in ["rest_plain", "http_plain", "url_plain"] {
        for path in ["/webhooks/paypal", "/webhooks", "/", "/stripe", "/webhooks/stripe/more"] {
            let event = signed(&world, name).replace("\"/webhooks/stripe\"", &json!(path).to_string());
            assert_eq!(handle(&world, &event).await["statusCode"], 404, "{name} {path}");
        }
    }
    assert!(looked >= 20, "{looked}");
    assert_eq!((world.calls(), world.claims().await.len()), (0, 0));
}

#[tokio::test]
async fn a_replay_is_the_stored_reply_byte_for_byte_through_every_door() {
    for (reply, content_type) in
        [("", ""), ("[accepted]", "text/plain"), ("\u{feff}ok \u{2028}🎸\r\n\"\\", "text/plain; charset=utf-8")]
    {
        let mut profile = profile();
        profile.name = "stripe";
        profile.transport.success.body = Box::leak(reply.to_owned().into_boxed_str());
        profile.transport.success.content_type = Box::leak(content_type.to_owned().into_boxed_str());
        let world = at_signing(World::builder().provider(TestProvider::new(profile))).await;
        let fact = hookledger_tests::settle("e1", "m1", 1).body();
        let signature =
            world.receiver.provider.sign(&fact, world.receiver.keys.held().first().unwrap(), UnixMs::new(0));
        for (at, name) in
            ["rest_plain", "rest_base64", "http_plain", "http_base64", "url_plain", "url_base64"].iter().enumerate()
        {
            for _ in 0..2 {
                let mut event: Value = serde_json::from_str(&file(name)).unwrap();
                let text = String::from_utf8(fact.clone()).unwrap();
                event["body"] =
                    if event["isBase64Encoded"] == true { STANDARD.encode(text).into() } else { text.into() };
                for (name, value) in &signature {
                    event["headers"][name] = json!(value);
                }
                let answer = handle(&world, &event.to_string()).await;
                assert_eq!((&answer["statusCode"], &answer["body"]), (&json!(200), &json!(reply)), "{name}");
                let content_type = if content_type.is_empty() { Value::Null } else { json!(content_type) };
                assert_eq!(headers(&answer).get("content-type").cloned().unwrap_or_default(), content_type, "{name}");
            }
            assert_eq!(world.metrics.results("replayed"), 2 * u64::try_from(at).unwrap() + 1);
        }
        assert_eq!(world.booked().await.len(), 1);
    }
}
