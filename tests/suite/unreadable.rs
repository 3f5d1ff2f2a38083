//! Bodies that are no events, are cut off, nested, doubled or huge: answered, kept whole, or refused with an alarm.

use hookledger::claim::{Digest, State};
use hookledger::metrics::Metric;
use hookledger_tests::{World, sample};
use ring::rand::{SecureRandom as _, SystemRandom};

use crate::rows;

/// Delivers `body`, which must be parked under its digest, and read back as it was.
async fn kept(world: &World, body: &[u8]) {
    let answer = world.deliver(body).await;
    assert_eq!(answer.reply.status, 200);
    let story = world.story(&world.key(&Digest::of(body).to_hex())).await;
    assert_eq!(story.claim.unwrap().state, State::Parked);
    assert!(story.kept.unwrap().body == body, "{} bytes came back otherwise", body.len());
    let calls = world.calls();
    assert_eq!(world.deliver(body).await.reply, answer.reply);
    assert_eq!(world.calls(), calls + 1);
}

fn hex(digits: usize) -> String {
    let mut bytes = vec![0; digits / 2];
    SystemRandom::new().fill(&mut bytes).unwrap();
    hookledger::request::encode_hex(&bytes)
}

#[tokio::test]
async fn what_is_not_an_event_is_kept_whole() {
    let world = World::stripe().await;
    let truncated = sample("stripe", "truncated");
    let doubled = br#"{"id":"evt_a","id":"evt_b","object":"event","livemode":true}"#;
    let bodies: [&[u8]; 14] = [
        b"hello",
        b"null",
        b"[]",
        b"\"text\"",
        b"0",
        b" ",
        b"{}",
        b"\xff\xfe\x00",
        b"{\"id\":\"evt_1\xff\"}",
        b"\x1f\x8b\x08\x00",
        b"payload=%7B%7D",
        &truncated,
        doubled,
        &b"{}".repeat(2),
    ];
    for body in bodies {
        kept(&world, body).await;
    }
    assert_eq!((world.claims().await.len(), world.booked().await.len()), (bodies.len(), 0));
    assert_eq!(world.metrics.results("unavailable"), 0);
}

#[tokio::test]
async fn an_empty_body_is_refused_and_nothing_is_written() {
    let world = World::stripe().await;
    assert_eq!(world.deliver("").await.reply.status, 400);
    assert_eq!((world.calls(), world.metrics.results("malformed")), (0, 1));
}

#[tokio::test]
async fn depth_breaks_nothing() {
    let world = World::stripe().await;
    let text = String::from_utf8(sample("stripe", "charge_succeeded")).unwrap();
    for (open, close) in [("[", "]"), (r#"{"a":"#, "}")] {
        let deep = format!("{}1{}", open.repeat(100_000), close.repeat(100_000));
        let beside = text.replacen('{', &format!(r#"{{"deep":{deep},"#), 1);
        assert_eq!(world.deliver(&beside).await.reply.status, 200);
        let unknown = text.replacen("\"amount_captured\": 4200", &format!("\"amount_captured\": {deep}"), 1);
        let unknown = unknown.replace("evt_3ThGuitarPaid001", &format!("evt_deep_{}", open.len()));
        assert_eq!(world.deliver(&unknown).await.reply.status, 200);
        assert_eq!(world.deliver(&unknown).await.reply.status, 200);
        let story = world.story(&world.key(&format!("evt_deep_{}", open.len()))).await;
        assert_eq!((story.claim.unwrap().state, story.kept.unwrap().body), (State::Parked, unknown.into()));
        kept(&world, deep.as_bytes()).await;
    }
    assert_eq!(world.booked().await.len(), 1, "what nobody reads may be as deep as it likes");
}

#[tokio::test]
async fn a_name_that_stands_twice_is_never_chosen_from() {
    let world = World::stripe().await;
    let text = String::from_utf8(sample("stripe", "charge_succeeded")).unwrap();
    let twice = text.replace("\"amount_captured\": 4200", "\"amount_captured\": 4200, \"amount_captured\": 1");
    assert_eq!(world.deliver(&twice).await.reply.status, 200);
    let claim = world.claim("evt_3ThGuitarPaid001").await.unwrap();
    assert_eq!((claim.state, world.booked().await.len()), (State::Parked, 0));
}

#[tokio::test]
async fn amounts_that_are_no_64_bit_integers_are_never_rounded_into_the_ledger() {
    let world = World::stripe().await;
    let text = String::from_utf8(sample("stripe", "charge_succeeded")).unwrap();
    let odd = ["9223372036854775808", "42e2", "4200.0", "\"4200\"", "-1", "null", "{}", "1e400", "04200", "+4200"];
    for (at, amount) in odd.iter().enumerate() {
        let body = text.replace("\"amount_captured\": 4200", &format!("\"amount_captured\": {amount}"));
        let body = body.replace("evt_3ThGuitarPaid001", &format!("evt_{at}"));
        assert_eq!(world.deliver(&body).await.reply.status, 200, "{amount}");
    }
    let parked = world.claims().await.iter().filter(|row| row.state == State::Parked).count();
    assert_eq!((parked, world.booked().await.len()), (odd.len(), 0));
    let largest = text.replace("\"amount_captured\": 4200", "\"amount_captured\": 9223372036854775807");
    assert_eq!(world.deliver(largest).await.reply.status, 200);
    assert_eq!(world.booked().await[0].2, i64::MAX);
}

#[tokio::test]
async fn a_megabyte_of_nothing_is_kept() {
    let world = World::stripe().await;
    kept(&world, &vec![b' '; 1_000_000]).await;
    kept(&world, &vec![0; 1_000_000]).await;
}

#[tokio::test]
async fn a_large_body_is_kept_in_parts_and_read_back() {
    let world = World::stripe().await;
    let body = format!("{}{}", hex(4_500_000), " ".repeat(1_500_000));
    kept(&world, body.as_bytes()).await;
    let key = world.key(&Digest::of(body.as_bytes()).to_hex());
    let parts = rows::parts(&world, &key).await;
    assert!((6..=10).contains(&parts.len()), "{parts:?}");
    assert!(parts.contains(&"payload#00".to_owned()) && parts.contains(&"payload#05".to_owned()));
    for row in rows::of(&world, &key).await.values() {
        assert!(row.get("bytes").is_none_or(|bytes| bytes.as_b().unwrap().as_ref().len() <= 400_000));
        assert!(!row.contains_key("expires_at"));
    }
}

#[tokio::test]
async fn a_body_that_cannot_be_kept_is_refused_with_an_alarm() {
    let world = World::stripe().await;
    let mut noise = vec![0; 3_100_000];
    SystemRandom::new().fill(&mut noise).unwrap();
    assert_eq!(world.deliver(&noise).await.reply.status, 413);
    assert_eq!((world.calls(), world.metrics.total(Metric::TooLarge)), (0, 1));
    noise.truncate(2_900_000);
    kept(&world, &noise).await;
}
