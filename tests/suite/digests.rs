//! The same event in other bytes is the same event; the same id with another effect is not.

use hookledger::metrics::Metric;
use hookledger::receive::Answer;
use hookledger_tests::{Fact, TestProvider, World, header, profile, sample, settle};
use serde_json::Value;

use crate::rows;

/// Every delivery of it is counted once.
const TIMES: u64 = 5;

/// The same document: names in the other order, other white space.
fn reordered(body: &[u8]) -> String {
    fn write(value: &Value, out: &mut String) {
        match value {
            Value::Object(fields) => {
                out.push_str("{ ");
                for (at, (name, value)) in fields.iter().rev().enumerate() {
                    out.push_str(if at == 0 { "" } else { "\t,\r\n" });
                    out.push_str(&format!("{} : ", Value::from(name.as_str())));
                    write(value, out);
                }
                out.push('}');
            }
            Value::Array(values) => {
                out.push('[');
                for (at, value) in values.iter().enumerate() {
                    out.push_str(if at == 0 { " " } else { " , " });
                    write(value, out);
                }
                out.push(']');
            }
            other => out.push_str(&other.to_string()),
        }
    }
    let mut out = String::new();
    write(&serde_json::from_slice(body).unwrap(), &mut out);
    out
}

fn is_replay(answer: &Answer) -> bool {
    header(answer, "hookledger-replay") == Some("true")
}

/// Delivers `body` and then each of `others`, which must be taken for the same.
async fn drifts(world: &World, body: &[u8], others: &[String]) {
    let first = world.deliver(body).await;
    assert_eq!((first.reply.status, is_replay(&first)), (200, false));
    let before = (world.ledger().await, world.claims().await);
    for (at, other) in (1..).zip(others) {
        assert_ne!(other.as_bytes(), body);
        let calls = world.calls();
        let again = world.deliver(other).await;
        assert_eq!((&again.reply, is_replay(&again)), (&first.reply, true), "{other}");
        assert_eq!((world.metrics.total(Metric::Drift), world.calls() - calls), (at, 1), "{other}");
    }
    assert_eq!((world.ledger().await, world.claims().await), before);
    assert_eq!(world.metrics.total(Metric::Mismatches), 0);
    for row in &before.1 {
        assert_eq!(world.story(&row.key).await.siblings, []);
    }
}

#[tokio::test]
async fn order_white_space_and_volatile_fields_do_not_make_another_event() {
    for (name, result) in
        [("charge_succeeded", "applied"), ("refund_updated_succeeded_1", "accepted"), ("broken_amount_text", "parked")]
    {
        let world = World::stripe().await;
        let body = sample("stripe", name);
        let text = String::from_utf8(body.clone()).unwrap();
        let pending = r#""pending_webhooks": "#;
        assert!(text.contains(&format!("{pending}1")), "{name}");
        let counted = text.replace(&format!("{pending}1"), &format!("{pending}7"));
        let compact = serde_json::from_str::<Value>(&text).unwrap().to_string();
        let others = [reordered(&body), compact, counted.clone(), reordered(counted.as_bytes())];
        drifts(&world, &body, &others).await;
        assert_eq!((world.metrics.results(result), world.metrics.results("replayed")), (1, 4), "{name}");
    }
}

#[tokio::test]
async fn what_books_the_same_is_the_same_whatever_else_it_says() {
    let world = World::new().await;
    let fact = settle("e1", "m1", 500).account("a");
    let text = String::from_utf8(fact.body()).unwrap();
    let noted = Fact { note: "corrected description".into(), ..fact };
    let escaped = text.replace("EUR", r"\u0045UR");
    drifts(&world, text.as_bytes(), &[String::from_utf8(noted.body()).unwrap(), escaped]).await;
}

/// Delivers `other` under the id of `original`: refused, kept once, and the original still replays.
async fn mismatches(world: &World, original: &Fact, other: &Fact, status: u16) {
    world.metrics.clear();
    let key = world.key(&original.id);
    let (before, ledger) = (rows::of(world, &key).await, rows::ledger(world).await);
    let reply = world.claim(&original.id).await.unwrap().reply;
    for _ in 0..TIMES {
        let answer = world.deliver(other.body()).await;
        assert_eq!((answer.reply.status, is_replay(&answer)), (status, false), "{other:?}");
        let again = world.deliver(original.body()).await;
        assert_eq!((&again.reply, is_replay(&again)), (&reply, true), "{other:?}");
    }
    assert_eq!(world.metrics.total(Metric::Mismatches), 1, "{other:?}");
    assert_eq!((world.metrics.results("mismatch"), world.metrics.results("replayed")), (TIMES, TIMES));
    let mut after = rows::of(world, &key).await;
    after.retain(|part, _| before.contains_key(part));
    assert_eq!((after, rows::ledger(world).await), (before, ledger), "{other:?}");
    let kept = world.story(&key).await.siblings.into_iter().filter(|sibling| sibling.kept.body == other.body());
    assert_eq!(kept.count(), 1, "{other:?}");
}

#[tokio::test]
async fn another_amount_currency_account_or_movement_is_a_mismatch_and_is_kept() {
    let world = World::new().await;
    let original = settle("e1", "m1", 500).account("a");
    world.deliver(original.body()).await;
    let mut yen = original.clone();
    yen.entries[0].currency = "JPY".into();
    let mut refund = original.clone();
    refund.entries[0].kind = "refund".into();
    let others = [
        settle("e1", "m1", 501).account("a"),
        yen,
        refund,
        settle("e1", "m1", 500).account("b"),
        settle("e1", "m1", 500),
        settle("e1", "m2", 500).account("a"),
        original.clone().moving("m2", "payment", 1),
    ];
    for other in &others {
        mismatches(&world, &original, other, 422).await;
    }
    assert_eq!(world.story(&world.key("e1")).await.siblings.len(), others.len());
    assert_eq!(world.booked().await, [("test::m1".to_owned(), "payment", 500)]);
}

#[tokio::test]
async fn a_deferred_event_is_compared_without_its_account() {
    let world = World::new().await;
    let deferred = |magnitude_minor, parent: &str| Fact {
        parent: parent.into(),
        ..Fact::new("e1", "defer").moving("r1", "refund", magnitude_minor)
    };
    let original = deferred(200, "m1");
    world.deliver(original.body()).await;
    mismatches(&world, &original, &deferred(201, "m1"), 422).await;
    mismatches(&world, &original, &deferred(200, "m2"), 422).await;
    let answer = world.deliver(original.clone().account("a").body()).await;
    assert!(is_replay(&answer));
    assert_eq!(world.metrics.total(Metric::Drift), 1);
}

#[tokio::test]
async fn a_parked_event_is_compared_by_its_content() {
    let world = World::new().await;
    let original = Fact { note: "a".into(), ..Fact::new("e1", "park") };
    world.deliver(original.body()).await;
    mismatches(&world, &original, &Fact { note: "b".into(), ..original.clone() }, 422).await;
    let answer = world.deliver(Fact { attempt: 2, ..original }.body()).await;
    assert!(is_replay(&answer));
}

#[tokio::test]
async fn a_provider_that_would_disable_the_endpoint_is_answered_with_success() {
    let mut profile = profile();
    profile.transport.mismatch_status = 200;
    let world = World::builder().provider(TestProvider::new(profile)).build().await;
    let original = settle("e1", "m1", 500);
    let first = world.deliver(original.body()).await;
    mismatches(&world, &original, &settle("e1", "m1", 501), 200).await;
    assert_eq!(world.deliver(settle("e1", "m1", 502).body()).await.reply, first.reply);
}

#[tokio::test]
async fn memory_answers_the_original_only() {
    let world = World::builder().gate_bytes(1 << 20).build().await;
    let original = settle("e1", "m1", 500);
    world.deliver(original.body()).await;
    mismatches(&world, &original, &settle("e1", "m1", 501), 422).await;
    assert_eq!(world.metrics.total(Metric::GateHits), TIMES);
}

#[tokio::test]
async fn numbers_that_a_float_would_merge_are_told_apart() {
    let world = World::new().await;
    let body = |number: &str| format!(r#"{{"id":"e1","do":"park","entries":[],"seen":{number}}}"#);
    world.deliver(body("9007199254740993")).await;
    for other in ["9007199254740992", "9007199254740993.0", "-9007199254740993", "90071992547409930e-1"] {
        assert_eq!(world.deliver(body(other)).await.reply.status, 422, "{other}");
    }
    assert_eq!(world.story(&world.key("e1")).await.siblings.len(), 4);
    assert!(is_replay(&world.deliver(body("9007199254740993")).await));
}
