//! Sizes, tokens, reserved words and odd keys: where databases that look alike differ.

use std::collections::HashMap;

use aws_sdk_dynamodb::error::ProvideErrorMetadata as _;
use aws_sdk_dynamodb::types::{AttributeValue, Put, TransactWriteItem};
use hookledger::claim::{Digest, State};
use hookledger_tests::{Fact, header, settle};
use ring::rand::{SecureRandom as _, SystemRandom};

use super::Place;

fn noise(length: usize) -> Vec<u8> {
    let mut bytes = vec![0; length];
    SystemRandom::new().fill(&mut bytes).unwrap();
    bytes
}

fn put(place: &Place, part: &str, value: AttributeValue) -> TransactWriteItem {
    let key = [("claim", "raw"), ("part", part)];
    let mut item: HashMap<_, _> =
        key.map(|(name, value)| (name.to_owned(), AttributeValue::S(value.to_owned()))).into();
    item.insert("bytes".to_owned(), value);
    let put = Put::builder().table_name(&place.tables.claims).set_item(Some(item)).build().unwrap();
    TransactWriteItem::builder().put(put).build()
}

/// What DynamoDB says to a transaction: `None` or the error's code.
async fn transact(place: &Place, actions: Vec<TransactWriteItem>, token: &str) -> Option<String> {
    let call = place.client.transact_write_items().set_transact_items(Some(actions)).client_request_token(token);
    call.send().await.err().map(|error| error.code().unwrap_or("no code").to_owned())
}

#[tokio::test]
async fn the_largest_body_that_is_taken_can_be_kept_and_read_back() {
    let place = Place::new().await;
    let body = noise(2_990_000);
    assert_eq!(place.deliver_bytes(&body).await.reply.status, 200);
    let story = place.story(&Digest::of(&body).to_hex()).await;
    let claim = story.claim.unwrap();
    assert_eq!((claim.state, claim.payload_parts), (State::Parked, 9));
    assert!(story.kept.unwrap().body == body);
    assert_eq!(header(&place.deliver_bytes(&body).await, "hookledger-replay"), Some("true"));
}

#[tokio::test]
async fn a_large_event_that_is_deferred_and_mismatched_is_kept_twice() {
    let place = Place::new().await;
    let deferred = |magnitude_minor| Fact {
        parent: "p".into(),
        note: hookledger::request::encode_hex(&noise(600_000)),
        ..Fact::new("e1", "defer").moving("r1", "refund", magnitude_minor)
    };
    let (first, other) = (deferred(1), deferred(2));
    assert_eq!(place.deliver(&first).await.reply.status, 200);
    assert_eq!(place.deliver(&other).await.reply.status, 422);
    let story = place.story("e1").await;
    assert!(story.kept.unwrap().body == first.body() && story.siblings[0].kept.body == other.body());
}

#[tokio::test]
async fn a_plan_of_the_largest_size_is_one_transaction() {
    let place = Place::new().await;
    let fact = (0..80).fold(Fact::new("e1", "settle"), |fact, at| fact.moving(&format!("m{at}"), "payment", 1));
    assert_eq!(place.deliver(&fact).await.reply.status, 200);
    assert_eq!((place.booked().await.len(), place.claim("e1").await.unwrap().entries.len()), (80, 80));
}

#[tokio::test]
async fn an_item_over_400_kb_is_refused_as_invalid() {
    let place = Place::new().await;
    let small = AttributeValue::B(noise(1_000).into());
    let actions = vec![put(&place, "a", small), put(&place, "b", AttributeValue::B(noise(420_000).into()))];
    let code = transact(&place, actions, "token-of-400-kb").await;
    assert!(matches!(code.as_deref(), Some("ValidationException" | "TransactionCanceledException")), "{code:?}");
    assert_eq!(place.client.scan().table_name(&place.tables.claims).send().await.unwrap().count(), 0);
}

#[tokio::test]
async fn a_request_under_one_token_takes_effect_once() {
    let place = Place::new().await;
    let action = |text: &str| vec![put(&place, "a", AttributeValue::S(text.to_owned()))];
    assert_eq!(transact(&place, action("one"), "token-1").await, None);
    assert_eq!(transact(&place, action("two"), "token-2").await, None);
    assert_eq!(transact(&place, action("one"), "token-1").await, None, "it is done already");
    let rows = place.client.scan().table_name(&place.tables.claims).consistent_read(true).send().await.unwrap();
    assert_eq!(rows.items()[0]["bytes"], AttributeValue::S("two".to_owned()), "and is not done again");
    let other = transact(&place, action("three"), "token-1").await;
    assert_eq!(other.as_deref(), Some("IdempotentParameterMismatchException"));
}

#[tokio::test]
async fn keys_with_any_letters_are_stored_as_they_are() {
    let place = Place::new().await;
    for (at, id) in ["ünïcode ✓ 🎸", "a:b#c%d", "\u{0}", "e\u{301}", "\u{e9}", &"x".repeat(3_000)].iter().enumerate()
    {
        let fact = Fact { scope: (*id).to_owned(), ..settle(id, &format!("{at}{}", &id[..id.len().min(2_000)]), 1) };
        assert_eq!(place.deliver(&fact).await.reply.status, 200, "{id:?}");
        assert_eq!(header(&place.deliver(&fact).await, "hookledger-replay"), Some("true"), "{id:?}");
    }
    assert_eq!((place.booked().await.len(), place.metrics.results("applied")), (6, 6));
}

#[tokio::test]
async fn amounts_keep_all_their_digits() {
    let place = Place::new().await;
    for (at, amount) in [i64::MAX, 9_007_199_254_740_993, 0].into_iter().enumerate() {
        place.deliver(&settle(&format!("e{at}"), &format!("m{at}"), amount)).await;
    }
    let amounts: Vec<i64> = place.booked().await.into_iter().map(|(.., amount)| amount).collect();
    assert_eq!(amounts, [i64::MAX, 9_007_199_254_740_993, 0]);
}
