//! Pings that nobody signed: each its own claim, each looked up, none believed.

use bytes::Bytes;
use hookledger::claim::{ClaimKey, State};
use hookledger::plan::ParkReason;
use hookledger::plan::{Fetch, Ignored, Plan, Read};
use hookledger::provider::{Event, EventMode, Kept, Profile, Provider};
use hookledger::request::{Headers, REQUEST_ID, Secret, Signature, Unverified, UnverifiedRequest, VerifiedRequest};
use hookledger::time::UnixMs;
use hookledger::work::{Settings, Worked};
use hookledger_mollie::Mollie;
use hookledger_tests::{API_KEY, ApiAnswer, TestApi, World, profile, sample};
use serde_json::json;

const PAYMENT: &str = "tr_7UhSN1zuXS";
const SETTLED: Worked = Worked::Settled { known: 0, account_unknown: false };

async fn world(classic: &str) -> World {
    let mut mollie = Mollie::default();
    mollie.set("CLASSIC", classic).unwrap();
    World::builder().provider(mollie).build().await
}

/// A ping about this id, as a gateway hands it on that gave the call this id.
fn ping(id: &str, call: Option<&str>) -> UnverifiedRequest {
    UnverifiedRequest {
        method: "POST".into(),
        path: "/webhooks/mollie".into(),
        query: String::new(),
        headers: Headers::new(call.map(|call| (REQUEST_ID, call))),
        body: Bytes::from(format!("id={id}")),
    }
}

async fn status(world: &World, request: UnverifiedRequest) -> u16 {
    world.receive(request).await.reply.status
}

fn key(call: &str) -> ClaimKey {
    ClaimKey::new("mollie", "", &format!("{PAYMENT}.{call}"))
}

#[tokio::test]
async fn each_call_is_a_claim_of_its_own_and_is_looked_up() {
    let world = world("on").await;
    for call in ["call-1", "call-2", "call-2"] {
        assert_eq!(status(&world, ping(PAYMENT, Some(call))).await, 200);
    }
    assert_eq!(world.claims().await.len(), 2);
    let api = TestApi::start().await;
    api.put(&format!("/v2/payments/{PAYMENT}"), &json!({"resource": "payment", "id": PAYMENT, "status": "paid"}));
    let worker = world.worker_with(Settings::default(), Some(api.url()));
    assert_eq!(world.work_on_due(&worker).await, [SETTLED, SETTLED]);
    let asked = api.asked();
    assert_eq!(asked.len(), 2);
    let path = format!("get /v2/payments/{} http/1.1\r\n", PAYMENT.to_lowercase());
    assert!(asked.iter().all(|asked| asked.starts_with(&path)), "{asked:?}");
    assert!(asked.iter().all(|asked| asked.contains(&format!("authorization: bearer {API_KEY}\r\n"))), "{asked:?}");
    let claims = world.claims().await;
    assert!(claims.iter().all(|claim| claim.state == State::Done && claim.entries.is_empty()));
}

#[tokio::test]
async fn a_payment_that_is_not_there_alarms_nobody() {
    let world = world("on").await;
    let api = TestApi::start().await;
    let worker = world.worker_with(Settings::default(), Some(api.url()));
    for (at, answer) in [404, 410].into_iter().enumerate() {
        api.answer(ApiAnswer::Full(answer, Vec::new()));
        let call = format!("call-{at}");
        assert_eq!(status(&world, ping(PAYMENT, Some(&call))).await, 200);
        assert_eq!(world.work(&worker, &key(&call)).await, SETTLED);
    }
    api.answer(ApiAnswer::Full(500, Vec::new()));
    assert_eq!(status(&world, ping(PAYMENT, Some("call-2"))).await, 200);
    assert!(matches!(world.work(&worker, &key("call-2")).await, Worked::Later { .. }));
    api.answer_with(&json!({"resource": "payment", "id": "tr_other"}));
    world.wait_for(&key("call-2")).await;
    let parked = world.work(&worker, &key("call-2")).await;
    assert!(matches!(parked, Worked::Parked { reason: ParkReason::Unreadable, .. }), "{parked:?}");
}

#[tokio::test]
async fn about_anything_else_nothing_is_written() {
    let world = world("on").await;
    assert_eq!(status(&world, ping("ord_kEn1PlbGa", Some("call-1"))).await, 200);
    assert_eq!(world.calls(), 0);
}

#[tokio::test]
async fn nothing_else_that_is_unsigned_goes_through() {
    let signed = sample("mollie", "payment_link_paid");
    let taking = world("on").await;
    let unsigned = |body: &[u8]| UnverifiedRequest { body: Bytes::copy_from_slice(body), ..ping("", Some("call-1")) };
    for body in [&signed[..], b"id=tr_1/../x", b"id=tr_1&id=tr_2", b"testByMollie=1"] {
        assert_eq!(status(&taking, unsigned(body)).await, 401, "{}", String::from_utf8_lossy(body));
    }
    // Two calls that cannot be told apart.
    assert_eq!(status(&taking, ping(PAYMENT, None)).await, 401);
    let wrong = Headers::new([("x-mollie-signature", "sha256=00"), (REQUEST_ID, "call-1")]);
    assert_eq!(status(&taking, UnverifiedRequest { headers: wrong, ..ping(PAYMENT, None) }).await, 401);
    assert_eq!(taking.calls(), 0);
    let refusing = world("off").await;
    assert_eq!(status(&refusing, ping(PAYMENT, Some("call-1"))).await, 401);
    assert_eq!(refusing.calls(), 0);
    assert_eq!(refusing.deliver(&signed).await.reply.status, 200);
    assert_eq!(taking.deliver(&signed).await.reply.status, 200);
}

/// Says that everything is a ping, and wants to act on it.
struct Gullible(fn() -> Plan);

impl Provider for Gullible {
    fn profile(&self) -> &'static Profile {
        Box::leak(Box::new(profile()))
    }
    fn signature(&self, _request: &UnverifiedRequest) -> Result<Signature, Unverified> {
        Err(Unverified::NoMatch)
    }
    fn is_ping(&self, _request: &UnverifiedRequest) -> bool {
        true
    }
    fn identify(&self, request: &VerifiedRequest) -> Vec<Event> {
        vec![Event {
            id: "e1".into(),
            scope: String::new(),
            event_type: "t".into(),
            mode: EventMode::Ours,
            kept: Kept { body: request.body().clone(), headers: Vec::new() },
            problem: None,
        }]
    }
    fn interpret(&self, _event: &Event) -> Plan {
        self.0()
    }
    fn resume(&self, _event: &Event, _read: &[Read]) -> Plan {
        Plan::record()
    }
    fn sign(&self, _body: &[u8], _secret: &Secret, _at: UnixMs) -> Vec<(String, String)> {
        Vec::new()
    }
    fn refresh(&self, body: &[u8], _tag: &str) -> Vec<u8> {
        body.to_vec()
    }
}

#[tokio::test]
async fn whatever_a_provider_makes_of_it_what_is_unsigned_only_looks() {
    let plans: [(fn() -> Plan, u16); 5] = [
        (Plan::record, 401),
        (|| Plan::unreadable("no"), 401),
        (|| panic!("no"), 401),
        (|| Plan::Ignore(Ignored::EventType), 200),
        (|| Plan::defer(Fetch::Object("/x".into()), vec![]), 200),
    ];
    for (at, (plan, expected)) in plans.into_iter().enumerate() {
        let world = World::builder().provider(Gullible(plan)).build().await;
        assert_eq!(world.deliver(b"{}").await.reply.status, expected, "{at}");
        let written = at == 4;
        assert_eq!(world.claims().await.len(), usize::from(written), "{at}");
    }
}
