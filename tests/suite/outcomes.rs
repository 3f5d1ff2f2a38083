//! One row for each outcome: what is answered, what is written, how often the store is called.

use std::sync::Arc;

use hookledger::claim::State;
use hookledger::metrics::Metric;
use hookledger::plan::ParkReason;
use hookledger::provider::{Mode, Reply};
use hookledger::receive::{Answer, Outcome};
use hookledger::request::{Headers, Unverified};
use hookledger_tests::{
    ErrorAnswer, Fact, Fault, Reason, TestProvider, World, each, every, header, profile, sample, settle,
};

/// What is left after the deliveries of a row.
struct Expected<'a> {
    status: u16,
    body: &'a str,
    headers: &'a [(&'static str, &'a str)],
    result: &'a str,
    calls: usize,
    claims: usize,
    entries: usize,
}

const SUCCESS: &str = "[ok]";

const REFUSED: Expected<'static> =
    Expected { status: 0, body: "", headers: &[], result: "", calls: 0, claims: 0, entries: 0 };

/// Compares the answer, the metric line and the tables.
async fn check(world: &World, answer: &Answer, expected: Expected<'_>) {
    let Expected { status, body, headers, result, calls, claims, entries } = expected;
    assert_eq!(answer.reply.status, status, "{result}");
    match body {
        "" => {
            let refusal: serde_json::Value = serde_json::from_slice(&answer.reply.body).unwrap();
            assert_eq!(refusal["error"], result);
            assert!(refusal["reason"].as_str().is_some_and(|why| !why.is_empty()), "{result}");
            assert_eq!(answer.reply.content_type, "application/json");
        }
        body => assert_eq!(answer.reply.body, body, "{result}"),
    }
    let seen: Vec<(&str, &str)> = answer.headers.iter().map(|(name, value)| (*name, value.as_str())).collect();
    assert_eq!(seen, headers, "{result}");
    assert_eq!(world.calls(), calls, "store calls of {result}");
    assert_eq!(world.metrics.results(result), 1, "metric lines of {result}");
    assert_eq!(world.claims().await.len(), claims, "claims after {result}");
    assert_eq!(world.ledger().await.len(), entries, "entries after {result}");
}

#[tokio::test]
async fn not_routed() {
    for path in ["/webhooks/other", "/test", "/webhooks", "/", "/webhooks/test/more", "/xwebhooks/test"] {
        let world = World::new().await;
        let mut request = world.request(settle("e1", "m1", 1).body());
        request.path = path.to_owned();
        let answer = world.receive(request).await;
        check(&world, &answer, Expected { status: 404, result: "not_found", ..REFUSED }).await;
    }
    let world = World::new().await;
    let mut request = world.request(settle("e1", "m1", 1).body());
    request.method = "GET".to_owned();
    let answer = world.receive(request).await;
    let headers = &[("allow", "POST")];
    check(&world, &answer, Expected { status: 405, headers, result: "method_not_allowed", ..REFUSED }).await;
}

#[tokio::test]
async fn a_stage_before_the_path_is_routed() {
    let world = World::new().await;
    for (at, path) in ["/prod/webhooks/test", "/webhooks/test/"].into_iter().enumerate() {
        let mut request = world.request(settle(&format!("e{at}"), &format!("m{at}"), 1).body());
        request.path = path.to_owned();
        assert_eq!(world.receive(request).await.reply.status, 200, "{path}");
    }
}

#[tokio::test]
async fn malformed() {
    let world = World::new().await;
    let answer = world.receiver.refuse(Outcome::MalformedEnvelope("the body is not base64"));
    check(&world, &answer, Expected { status: 400, result: "malformed_envelope", ..REFUSED }).await;
    let world = World::new().await;
    let answer = world.deliver("").await;
    check(&world, &answer, Expected { status: 400, result: "malformed", ..REFUSED }).await;
    let world = World::new().await;
    let answer = world.deliver(r#"{"events":[]}"#).await;
    check(&world, &answer, Expected { status: 400, result: "malformed", ..REFUSED }).await;
}

#[tokio::test]
async fn too_large() {
    let world = World::new().await;
    let noise: Vec<u8> = (0..800_000_u32).flat_map(|at| at.wrapping_mul(2_654_435_761).to_be_bytes()).collect();
    let answer = world.deliver(noise).await;
    check(&world, &answer, Expected { status: 413, result: "too_large", ..REFUSED }).await;
    assert_eq!(world.metrics.total(Metric::TooLarge), 1);
}

#[tokio::test]
async fn handshake() {
    let world = World::new().await;
    let mut request = world.request("anything");
    request.headers = Headers::new([("test-challenge", "c-123")]);
    let answer = world.receive(request).await;
    check(&world, &answer, Expected { status: 200, body: "c-123", result: "handshake", ..REFUSED }).await;
}

#[tokio::test]
async fn unverified() {
    let body = settle("e1", "m1", 1).body();
    for headers in [vec![], vec![("test-signature", "zz")], vec![("test-signature", "00")]] {
        let world = World::new().await;
        let mut request = world.request(&body);
        request.headers = Headers::new(headers);
        let answer = world.receive(request).await;
        check(&world, &answer, Expected { status: 401, result: "unverified", ..REFUSED }).await;
    }
    let world = World::new().await;
    let mut request = world.request(&body);
    request.body = settle("e1", "m1", 100).body().into();
    let answer = world.receive(request).await;
    check(&world, &answer, Expected { status: 401, result: "unverified", ..REFUSED }).await;
    assert!(String::from_utf8_lossy(&answer.reply.body).contains(&Unverified::NoMatch.to_string()));
}

#[tokio::test]
async fn ignored() {
    let headers = &[("hookledger-claim", "test::e1")];
    let expected = || Expected { status: 200, body: SUCCESS, headers, result: "ignored", ..REFUSED };
    let world = World::new().await;
    let answer = world.deliver(Fact::new("e1", "ignore").body()).await;
    check(&world, &answer, expected()).await;
    for (mode, of_event) in [(Mode::Live, "test"), (Mode::Test, "live")] {
        let world = World::builder().mode(mode).build().await;
        let other = Fact { mode: of_event.into(), ..settle("e1", "m1", 1) };
        let answer = world.deliver(other.body()).await;
        check(&world, &answer, expected()).await;
    }
}

#[tokio::test]
async fn applied_then_replayed() {
    let world = World::new().await;
    let headers = &[("hookledger-claim", "test::e1")];
    let answer = world.deliver(settle("e1", "m1", 500).body()).await;
    let applied = Expected { status: 200, body: SUCCESS, headers, result: "applied", calls: 1, claims: 1, entries: 1 };
    check(&world, &answer, applied).await;
    let claim = world.claim("e1").await.unwrap();
    assert_eq!((claim.state, claim.payload_parts, claim.due_at), (State::Done, 0, None));
    assert!(claim.expires_at.is_some());
    assert_eq!(world.story(&world.key("e1")).await.kept, None);

    world.wire.clear();
    let headers = &[("hookledger-replay", "true"), ("hookledger-claim", "test::e1")];
    let answer = world.deliver(settle("e1", "m1", 500).body()).await;
    let replayed =
        Expected { status: 200, body: SUCCESS, headers, result: "replayed", calls: 1, claims: 1, entries: 1 };
    check(&world, &answer, replayed).await;
    assert_eq!(world.claim("e1").await.unwrap(), claim);
}

#[tokio::test]
async fn replayed_from_memory() {
    let world = World::builder().gate_bytes(100_000).build().await;
    let body = settle("e1", "m1", 500).body();
    world.deliver(&body).await;
    world.wire.clear();
    let answer = world.deliver(&body).await;
    let headers = &[("hookledger-replay", "true"), ("hookledger-claim", "test::e1")];
    let replayed =
        Expected { status: 200, body: SUCCESS, headers, result: "replayed", calls: 0, claims: 1, entries: 1 };
    check(&world, &answer, replayed).await;
    assert_eq!(world.metrics.total(Metric::GateHits), 1);

    // Another process has other memory: it asks once, then remembers too.
    let process = world.process();
    for calls in [1, 1] {
        process.receive(world.request(&body), world.deadline()).await;
        assert_eq!(world.calls(), calls);
    }
    // Other bytes under the same id are never answered from memory.
    let answer = world.deliver(settle("e1", "m1", 501).body()).await;
    assert_eq!(answer.reply.status, 422);
    // Nor is what expired.
    world.advance_s(13 * 86_400);
    world.wire.clear();
    assert_eq!(header(&world.deliver(&body).await, "hookledger-replay"), None);
    assert!(world.calls() > 0);
    assert_eq!(world.ledger().await.len(), 1);
}

#[tokio::test]
async fn accepted_then_replayed() {
    let world = World::new().await;
    let headers = &[("hookledger-claim", "test::e1")];
    let fact = Fact { parent: "m0".into(), ..Fact::new("e1", "defer").moving("r1", "refund", 5) };
    let mut request = world.request(fact.body());
    request.headers = Headers::new(request.headers.iter().chain([("x-topic", "refunds")]));
    let answer = world.receive(request).await;
    let accepted =
        Expected { status: 200, body: SUCCESS, headers, result: "accepted", calls: 1, claims: 1, entries: 0 };
    check(&world, &answer, accepted).await;
    let story = world.story(&world.key("e1")).await;
    let claim = story.claim.unwrap();
    assert_eq!((claim.state, claim.due_at, claim.expires_at), (State::Received, Some(world.now()), None));
    let kept = story.kept.unwrap();
    assert_eq!(kept.body, fact.body());
    assert_eq!(kept.headers, [("x-topic".to_owned(), "refunds".to_owned())]);

    world.wire.clear();
    let again = world.deliver(fact.body()).await;
    assert_eq!((again.reply, world.calls()), (answer.reply, 1));
    assert_eq!(header(&world.deliver(fact.body()).await, "hookledger-replay"), Some("true"));
}

#[tokio::test]
async fn parked_then_replayed() {
    let not_json = "not json";
    let missing_mode = Fact { mode: "missing".into(), ..settle("e1", "m1", 1) };
    let no_id = Fact::new("", "settle").moving("m1", "payment", 1);
    let oversize = (0..90).fold(Fact::new("e1", "settle"), |fact, at| fact.moving(&format!("m{at}"), "payment", 1));
    let bodies = [
        Fact::new("e1", "park").body(),
        Fact::new("e1", "panic").body(),
        not_json.into(),
        br#""panic""#.to_vec(),
        missing_mode.body(),
        no_id.body(),
        oversize.body(),
        settle("e1", "m1", 1).moving("m1", "payment", 2).body(),
        b"\xff\xfe".to_vec(),
    ];
    for body in bodies {
        let world = World::new().await;
        let answer = world.deliver(&body).await;
        let text = String::from_utf8_lossy(&body).into_owned();
        let claim = world.claims().await.remove(0);
        let headers = &[("hookledger-claim", claim.key.as_str())];
        let parked =
            Expected { status: 200, body: SUCCESS, headers, result: "parked", calls: 1, claims: 1, entries: 0 };
        check(&world, &answer, parked).await;
        assert_eq!((claim.state, claim.park_reason), (State::Parked, Some(ParkReason::Unreadable)), "{text}");
        assert!(claim.last_error.as_ref().is_some_and(|why| !why.is_empty()) && claim.expires_at.is_none(), "{text}");
        assert_eq!(world.story(&claim.key).await.kept.unwrap().body, body, "{text}");
        assert_eq!(world.metrics.total(Metric::Parked), 1, "{text}");

        world.wire.clear();
        let again = world.deliver(&body).await;
        assert_eq!((&again.reply, world.calls()), (&answer.reply, 1), "{text}");
        assert_eq!(header(&again, "hookledger-replay"), Some("true"), "{text}");
        assert_eq!(world.metrics.total(Metric::Parked), 1, "one alarm: {text}");
    }
}

#[tokio::test]
async fn mismatch() {
    for (mismatch_status, body) in [(422, ""), (200, SUCCESS)] {
        let mut profile = profile();
        profile.transport.mismatch_status = mismatch_status;
        let world = World::builder().provider(TestProvider::new(profile)).build().await;
        world.deliver(settle("e1", "m1", 500).body()).await;
        world.wire.clear();
        let other = settle("e1", "m1", 700).body();
        let answer = world.deliver(&other).await;
        let headers = &[("hookledger-claim", "test::e1")];
        let expected =
            Expected { status: mismatch_status, body, headers, result: "mismatch", calls: 2, claims: 1, entries: 1 };
        check(&world, &answer, expected).await;
        assert_eq!(world.deliver(&other).await.reply, answer.reply);
        let story = world.story(&world.key("e1")).await;
        assert_eq!(story.siblings.iter().map(|sibling| sibling.kept.body.to_vec()).collect::<Vec<_>>(), [other]);
        assert_eq!(world.metrics.total(Metric::Mismatches), 1, "one alarm for one content");
        world.deliver(settle("e1", "m1", 900).body()).await;
        assert_eq!(world.metrics.total(Metric::Mismatches), 2, "another content, another alarm");
        assert_eq!(world.story(&world.key("e1")).await.siblings.len(), 2);
        assert_eq!(world.booked().await, [("test::m1".into(), "payment", 500)]);
    }
}

#[tokio::test]
async fn in_flight() {
    let world = World::new().await;
    let conflict = Fault::Answer(ErrorAnswer::cancelled(&[Reason::CONFLICT, Reason::NONE]));
    world.wire.inject(each("TransactWriteItems"), conflict);
    let answer = world.deliver(settle("e1", "m1", 500).body()).await;
    assert!(world.calls() > 4, "it was tried again: {}", world.calls());
    let headers = &[("retry-after", "5"), ("hookledger-claim", "test::e1")];
    let calls = world.calls();
    check(&world, &answer, Expected { status: 409, headers, result: "in_flight", calls, ..REFUSED }).await;
    world.wire.heal();
    assert_eq!(world.deliver(settle("e1", "m1", 500).body()).await.reply.status, 200);
}

#[tokio::test]
async fn unavailable() {
    let world = World::builder().no_retries().build().await;
    world.wire.inject(every(), Fault::Refuse);
    let body = settle("e1", "m1", 500).body();
    let answer = world.deliver(&body).await;
    let headers = &[("retry-after", "5"), ("hookledger-claim", "test::e1")];
    check(&world, &answer, Expected { status: 503, headers, result: "unavailable", calls: 1, ..REFUSED }).await;
    assert_eq!(world.metrics.total(Metric::StoreFaults), 0, "a lost connection is no alarm");
}

#[tokio::test]
async fn too_little_time_claims_nothing() {
    let world = World::new().await;
    let body = settle("e1", "m1", 500).body();
    let answer = world.receiver.receive(world.request(&body), world.now().plus_ms(600)).await;
    let headers = &[("retry-after", "5"), ("hookledger-claim", "test::e1")];
    check(&world, &answer, Expected { status: 503, headers, result: "unavailable", ..REFUSED }).await;
}

#[tokio::test]
async fn the_reply_is_replayed_byte_for_byte_also_when_there_is_none() {
    let replies = [
        Reply::fixed(204, ""),
        Reply::fixed(200, "null").of_type("application/json"),
        Reply::fixed(202, "\n \u{1f6c8}"),
    ];
    for success in replies {
        for act in ["settle", "defer", "park"] {
            let mut profile = profile();
            profile.transport.success = success;
            let world = World::builder().provider(TestProvider::new(profile)).gate_bytes(100_000).build().await;
            let body = Fact { parent: "m0".into(), ..Fact::new("e1", act).moving("m1", "payment", 5) }.body();
            let reply = Reply::from(success);
            assert_eq!(world.deliver(&body).await.reply, reply);
            let from_store = world.process().receive(world.request(&body), world.deadline()).await;
            let from_memory = world.deliver(&body).await;
            for again in [from_store, from_memory] {
                assert_eq!(again.reply, reply);
                assert_eq!(header(&again, "hookledger-replay"), Some("true"));
            }
        }
    }
}

#[tokio::test]
async fn a_deployment_in_test_mode_books_stripes_test_events_only() {
    for (mode, booked) in [(Mode::Test, "charge_succeeded_test_mode"), (Mode::Live, "charge_succeeded")] {
        let world = World::builder().provider(hookledger_stripe::Stripe).mode(mode).build().await;
        for name in ["charge_succeeded", "charge_succeeded_test_mode"] {
            world.wire.clear();
            let answer = world.deliver(sample("stripe", name)).await;
            assert_eq!(answer.reply.status, 200);
            assert_eq!(world.calls(), usize::from(name == booked), "{name}");
        }
        assert_eq!(world.ledger().await.len(), 1);
    }
}

#[tokio::test]
async fn a_delivery_of_many_events_is_retryable_if_one_of_them_is() {
    let world = World::builder().no_retries().build().await;
    let facts: Vec<Fact> = (0..20).map(|at| settle(&format!("e{at}"), &format!("m{at}"), 1)).collect();
    let body = hookledger_tests::batch(&facts);
    world.wire.inject(Box::new(|call| call.body.to_string().contains("test::m7\"")), Fault::Refuse);
    let answer = world.deliver(&body).await;
    assert_eq!((answer.reply.status, header(&answer, "retry-after")), (503, Some("5")));
    assert_eq!(world.ledger().await.len(), 19);
    world.wire.heal();
    let answer = world.deliver(&body).await;
    assert_eq!((answer.reply.status, header(&answer, "hookledger-replay")), (200, None));
    assert_eq!(world.ledger().await.len(), 20);
    assert_eq!(header(&world.deliver(&body).await, "hookledger-replay"), Some("true"));
}

#[tokio::test]
async fn the_same_bytes_twice_in_one_delivery_are_one_event() {
    let world = World::new().await;
    let fact = settle("e1", "m1", 5);
    world.deliver(hookledger_tests::batch(&[fact.clone(), fact, settle("e1", "m1", 6)])).await;
    assert_eq!(world.booked().await.len(), 1);
    assert_eq!(world.metrics.total(Metric::Deliveries), 2);
}

/// The receiver is what several tasks share.
#[test]
fn a_receiver_serves_many_at_once() {
    fn shared<T: Send + Sync + 'static>() {}
    shared::<Arc<hookledger::receive::Receiver>>();
}
