//! GitHub from the delivery to the record: no money, nothing owed, nothing twice.

use bytes::Bytes;
use hookledger::claim::State;
use hookledger::plan::ParkReason;
use hookledger::request::{Headers, UnverifiedRequest};
use hookledger_tests::{World, header, sample, samples};

/// As GitHub sends it, with one header changed.
fn with(world: &World, body: &[u8], name: &str, value: &str) -> UnverifiedRequest {
    let request = world.request(body);
    let kept = request.headers.iter().filter(|(key, _)| !key.eq_ignore_ascii_case(name));
    let headers = Headers::new(kept.chain([(name, value)]));
    UnverifiedRequest { headers, ..request }
}

#[tokio::test]
async fn every_event_but_a_ping_is_recorded_at_once() {
    let world = World::github().await;
    for (name, body) in samples("github") {
        let answer = world.deliver(&body).await;
        assert_eq!((answer.reply.status, &answer.reply.body[..]), (202, &b"Accepted"[..]), "{name}");
    }
    let claims = world.claims().await;
    let types: Vec<&str> = claims.iter().map(|claim| claim.event_type.as_str()).collect();
    assert_eq!(types, ["issues.opened", "marketplace_purchase.purchased", "push", "sponsorship.created"]);
    for claim in &claims {
        assert_eq!((claim.state, claim.entries.len(), claim.due_at), (State::Done, 0, None));
        assert!(claim.expires_at.is_some());
    }
    assert_eq!((world.ledger().await.len(), world.calls()), (0, 4), "one write each");
    assert_eq!(world.work_on_due(&world.worker()).await, []);
}

#[tokio::test]
async fn a_redelivery_is_replayed_under_whatever_guid() {
    let world = World::github().await;
    let body = sample("github", "sponsorship_created");
    world.deliver(&body).await;
    let same = world.deliver(&body).await;
    let captured =
        world.receive(with(&world, &body, "x-github-delivery", "00000000-0000-0000-0000-000000000001")).await;
    for answer in [same, captured] {
        assert_eq!((answer.reply.status, header(&answer, "hookledger-replay")), (202, Some("true")));
    }
    assert_eq!(world.claims().await.len(), 1);
    // Two apps on one repository: one GUID, two bodies, two events.
    let other = [&body[..], b"\n"].concat();
    world.receive(with(&world, &other, "x-github-delivery", "00000000-0000-0000-0000-000000000001")).await;
    assert_eq!(world.claims().await.len(), 2);
}

#[tokio::test]
async fn without_a_topic_it_is_kept_with_its_bytes_and_headers() {
    let world = World::github().await;
    let body = sample("github", "push");
    let answer = world.receive(with(&world, &body, "x-github-event", "")).await;
    assert_eq!(answer.reply.status, 202);
    let claims = world.claims().await;
    assert_eq!((claims.len(), claims[0].state), (1, State::Parked));
    assert_eq!(claims[0].park_reason, Some(ParkReason::Unreadable));
    let kept = world.story(&claims[0].key).await.kept.unwrap();
    assert_eq!(kept.body, Bytes::from(body));
    assert!(
        kept.headers.iter().any(|(name, value)| name == "x-github-delivery" && value.len() == 36),
        "{:?}",
        kept.headers
    );
}

#[tokio::test]
async fn what_is_not_signed_with_a_secret_of_ours_is_refused() {
    let world = World::github().await;
    let body = sample("github", "push");
    let wrong = with(&world, &body, "X-Hub-Signature-256", &format!("sha256={}", "0".repeat(64)));
    assert_eq!(world.receive(wrong).await.reply.status, 401);
    assert_eq!(world.calls(), 0);
}
