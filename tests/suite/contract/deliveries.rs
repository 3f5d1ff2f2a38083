//! The same event is one event, however it comes.

use std::collections::BTreeSet;

use hookledger::metrics::Metric;
use hookledger::plan::Plan;
use hookledger::provider::{Mode, Reply};
use hookledger::request::{Headers, UnverifiedRequest};
use hookledger_tests::{NOW, header};
use serde_json::Value;

use super::{Desk, Listed, all, another};

/// Longer than any tolerance: a later attempt is signed anew.
const LATER_S: u64 = 3_600;

#[tokio::test]
async fn every_sample_is_answered_with_success_and_replayed_byte_for_byte() {
    for listed in all() {
        let desk = listed.desk(Mode::Live).await;
        let success: Reply = listed.provider.profile().transport.success.into();
        for (sample, body) in &listed.samples {
            let first = desk.deliver(&listed, body).await;
            assert_eq!(first.reply, success, "{} {sample}", listed.name);
            let rows = (desk.world.ledger().await, desk.world.claims().await);
            assert_eq!(desk.deliver(&listed, body).await.reply, first.reply, "{} {sample}", listed.name);
            let after = (desk.world.ledger().await, desk.world.claims().await);
            assert_eq!(after, rows, "{} {sample}: a repetition writes nothing", listed.name);
        }
    }
}

/// The word of the metrics for what becomes of a plan.
fn result(listed: &Listed, event: &hookledger::provider::Event) -> &'static str {
    match listed.plan(event) {
        _ if event.problem.is_none() && Mode::Live.ignores(event.mode) => "ignored",
        Plan::Settle(_) => "applied",
        Plan::Defer(_) => "accepted",
        Plan::Park(_) => "parked",
        Plan::Ignore(_) => "ignored",
    }
}

#[tokio::test]
async fn every_sample_settles_waits_parks_or_is_ignored_as_it_is_interpreted() {
    for listed in all() {
        let desk = listed.desk(Mode::Live).await;
        // A sample may be another delivery of the event of one before it.
        let mut claimed = BTreeSet::new();
        for (sample, body) in &listed.samples {
            desk.world.metrics.clear();
            desk.deliver(&listed, body).await;
            let events = listed.events(body);
            let expected: Vec<_> = events
                .iter()
                .map(|event| match result(&listed, event) {
                    "ignored" => "ignored",
                    result if claimed.insert((event.scope.clone(), event.id.clone())) => result,
                    _ => "replayed",
                })
                .collect();
            for kind in ["applied", "accepted", "parked", "ignored", "replayed"] {
                let count = expected.iter().filter(|result| **result == kind).count() as u64;
                assert_eq!(desk.world.metrics.results(kind), count, "{} {sample} {kind}", listed.name);
            }
        }
        assert_eq!(desk.world.claims().await.len(), claimed.len(), "{}", listed.name);
    }
}

#[tokio::test]
async fn a_refreshed_sample_is_claimed_beside_the_old_one() {
    for listed in all() {
        let desk = listed.desk(Mode::Live).await;
        for (sample, body) in &listed.samples {
            let before = desk.world.claims().await.len();
            desk.deliver(&listed, body).await;
            let after = desk.world.claims().await.len();
            desk.deliver(&listed, &listed.provider.refresh(body, "t1")).await;
            let fresh = desk.world.claims().await.len() - after;
            // What has no id at all is told by its bytes, which stay.
            let unnamed = sample == "batch_poison";
            assert_eq!(fresh, after - before - usize::from(unnamed), "{} {sample}", listed.name);
        }
    }
}

/// The same delivery with its headers in another order and in other letters.
fn rewritten(request: &UnverifiedRequest, upper: bool) -> UnverifiedRequest {
    let headers: Vec<_> = request.headers.iter().map(|(name, value)| (name.to_ascii_uppercase(), value)).collect();
    let lower = |name: String| if upper { name } else { name.to_ascii_lowercase() };
    let headers = Headers::new(headers.into_iter().rev().map(|(name, value)| (lower(name), value)));
    UnverifiedRequest { headers, ..request.clone() }
}

#[test]
fn order_and_case_of_headers_make_no_other_event() {
    for listed in all() {
        for (sample, body) in &listed.samples {
            let request = listed.request(body, listed.secret(), NOW);
            let events = listed.events(body);
            for upper in [true, false] {
                let verified = listed.verify(rewritten(&request, upper), listed.secret(), NOW).unwrap();
                assert_eq!(listed.provider.identify(&verified), events, "{} {sample}", listed.name);
            }
        }
    }
}

/// What another attempt changes in the body: the fields that the profile calls volatile.
fn another_attempt(listed: &Listed, body: &[u8]) -> Vec<u8> {
    let volatile = listed.provider.profile().identity.volatile_fields;
    let Ok(Value::Object(mut fields)) = serde_json::from_slice::<Value>(body) else { return body.to_vec() };
    let there: Vec<_> = volatile.iter().filter(|field| fields.contains_key(**field)).collect();
    if there.is_empty() {
        return body.to_vec();
    }
    for field in there {
        fields.insert((*field).to_owned(), 7.into());
    }
    Value::Object(fields).to_string().into_bytes()
}

async fn attempts(listed: &Listed, desk: &Desk, sample: &str, body: &[u8]) {
    desk.deliver(listed, body).await;
    let before = (desk.world.ledger().await, desk.world.claims().await);
    desk.world.metrics.clear();
    desk.world.advance_s(LATER_S);
    let mut request = listed.request(&another_attempt(listed, body), listed.secret(), desk.world.now());
    let more = listed.row.retry_headers.iter().map(|(name, value)| (name.as_str(), value.as_str()));
    request.headers = Headers::new(request.headers.iter().chain(more));
    let answer = desk.receive(request).await;
    assert_eq!(answer.reply, listed.provider.profile().transport.success.into(), "{} {sample}", listed.name);
    assert_eq!((desk.world.ledger().await, desk.world.claims().await), before, "{} {sample}", listed.name);
    let ignored = desk.world.metrics.results("ignored") > 0;
    assert_eq!(header(&answer, "hookledger-replay").is_none(), ignored, "{} {sample}", listed.name);
    assert_eq!(desk.world.metrics.total(Metric::Mismatches), 0, "{} {sample}", listed.name);
}

#[tokio::test]
async fn a_later_attempt_is_signed_anew_and_is_the_same_event() {
    for listed in all() {
        let desk = listed.desk(Mode::Live).await;
        for (sample, body) in &listed.samples {
            attempts(&listed, &desk, sample, body).await;
        }
    }
}

#[tokio::test]
async fn what_is_not_signed_by_us_never_reaches_the_store() {
    for listed in all() {
        let desk = listed.desk(Mode::Live).await;
        for (sample, body) in &listed.samples {
            let request = listed.request(body, listed.secret(), NOW);
            let guessed = another(listed.secret());
            let mut forged = vec![listed.request(body, &guessed, NOW)];
            // A signature that stands in the body says itself what of it is signed.
            if !listed.seals() {
                forged.push(UnverifiedRequest { headers: Headers::default(), ..request.clone() });
                forged.push(UnverifiedRequest { body: [&body[..], b" "].concat().into(), ..request.clone() });
            }
            for request in forged {
                assert_eq!(desk.receive(request).await.reply.status, 401, "{} {sample}", listed.name);
            }
            assert_eq!(desk.receive(UnverifiedRequest { method: "PUT".into(), ..request }).await.reply.status, 405);
        }
        assert_eq!(desk.world.calls(), 0);
    }
}

#[tokio::test]
async fn a_type_nobody_has_heard_of_books_nothing_and_is_no_error() {
    for listed in all() {
        let unknown = &listed.row.unknown_type;
        let sample = listed.samples.get(&unknown.sample);
        let sample = sample.unwrap_or_else(|| panic!("{} has no sample {}", listed.name, unknown.sample));
        let body = String::from_utf8(sample.clone()).unwrap();
        let mut request = listed.request(body.replace(&unknown.from, &unknown.to).as_bytes(), listed.secret(), NOW);
        // A topic that stands in a header, or beside the signed bytes.
        let topic = |value: &str| if value == unknown.from { unknown.to.clone() } else { value.to_owned() };
        request.headers = Headers::new(request.headers.iter().map(|(name, value)| (name, topic(value))));
        let known = listed.request(body.as_bytes(), listed.secret(), NOW);
        assert!(known.body != request.body || known.headers != request.headers, "{}", listed.name);
        let desk = listed.desk(Mode::Live).await;
        let answer = desk.receive(request).await;
        assert_eq!(answer.reply, listed.provider.profile().transport.success.into(), "{}", listed.name);
        assert_eq!(
            desk.world.metrics.results(&unknown.becomes),
            1,
            "{}: {:?}",
            listed.name,
            desk.world.metrics.lines()
        );
        assert_eq!(desk.world.booked().await, [], "{}", listed.name);
    }
}
