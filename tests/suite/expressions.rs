//! Everything that is sent to DynamoDB, held against its rules.
//! Sources: docs.aws.amazon.com, Amazon DynamoDB Developer Guide, "Reserved words in DynamoDB", "Expression attribute
//! names", "Item sizes and formats", "Service, account, and table quotas".

use std::collections::BTreeSet;
use std::sync::Arc;

use hookledger::claim::owned_key;
use hookledger::plan::ParkReason;
use hookledger::store::{Lease, Segment};
use hookledger_tests::{Call, Fact, TestProvider, World, profile, sample, settle};
use serde_json::{Map, Value};

const RESERVED: &str = include_str!("data/reserved_words.txt");

const EXPRESSIONS: [&str; 5] =
    ["ConditionExpression", "UpdateExpression", "KeyConditionExpression", "FilterExpression", "ProjectionExpression"];

/// Words of the expression language itself.
const LANGUAGE: [&str; 9] =
    ["AND", "OR", "NOT", "SET", "REMOVE", "ADD", "DELETE", "attribute_exists", "attribute_not_exists"];

const ITEM_BYTES_MAX: usize = 400 * 1_024;

/// Every request the product knows, made once at least: what was sent.
async fn sent() -> Vec<Call> {
    let provider = Arc::new(TestProvider::new(profile()));
    let world = World::builder().shared_provider(provider.clone()).build().await;
    let deferred = |id: &str| Fact { parent: "m1".into(), ..Fact::new(id, "defer").moving(id, "refund", 1) };
    let later = |id: &str, then: &str| Fact { then: then.into(), parent: "m1".into(), ..Fact::new(id, "later") };
    let facts = [
        settle("e1", "m1", 500).account("a"),
        Fact { tell: vec!["bus".into()], ..settle("e2", "m2", 500).moving("m1", "payment", 500) },
        settle("e1", "m1", 501),
        settle("e3", "m1", 9),
        Fact::new("e4", "park"),
        deferred("e5"),
        deferred("e6"),
        later("e7", "settle").moving("m7", "payment", 1),
        later("e8", "defer").moving("r8", "refund", 1),
        later("e9", "settle").moving("m1", "payment", 9),
        Fact { note: "x".repeat(1_000_000), ..Fact::new("e10", "park") },
        settle(&"e".repeat(3_000), &"m".repeat(2_000), 1).account(&"a".repeat(2_000)),
    ];
    for fact in &facts {
        world.deliver(fact.body()).await;
    }
    provider.learn();
    for fact in &facts {
        world.deliver(fact.body()).await;
    }
    let (store, deadline) = (&world.receiver.store, world.deadline());
    world.settle_deferred(&world.key("e5")).await.unwrap();
    let leased = store.lease(&world.key("e6"), world.now().plus_ms(1_000), 24, deadline).await.unwrap();
    let Lease::Ours(row) = leased else { panic!("e6 is due") };
    store.park(&row, ParkReason::Spent, "why", deadline).await.unwrap();
    store.entries_of_account(&owned_key("test", "", "a"), None, deadline).await.unwrap();
    store.entries_of_invoice("test::i1", deadline).await.unwrap();
    store.entries(None, deadline).await.unwrap();
    store.claims(None, deadline).await.unwrap();
    store.warm(deadline).await.unwrap();
    world.audit().scan(Segment::ALL, deadline).await;
    let mut calls = world.wire.calls();
    let stripe = World::stripe().await;
    for name in ["charge_succeeded", "refund_failed_1", "invoice_payment_paid", "payout_failed_1", "truncated"] {
        stripe.deliver(sample("stripe", name)).await;
    }
    calls.extend(stripe.wire.calls());
    calls
}

/// Calls `look` with every object in a request.
fn objects(value: &Value, look: &mut impl FnMut(&Map<String, Value>)) {
    match value {
        Value::Object(fields) => {
            look(fields);
            fields.values().for_each(|value| objects(value, look));
        }
        Value::Array(values) => values.iter().for_each(|value| objects(value, look)),
        _ => {}
    }
}

fn words(expression: &str) -> impl Iterator<Item = &str> {
    let of_word = |letter: char| letter.is_ascii_alphanumeric() || "_#:.".contains(letter);
    expression.split(move |letter| !of_word(letter)).filter(|word| !word.is_empty())
}

fn placeholders(fields: &Map<String, Value>, name: &str) -> BTreeSet<String> {
    fields.get(name).and_then(Value::as_object).map(|map| map.keys().cloned().collect()).unwrap_or_default()
}

#[tokio::test]
async fn attributes_go_by_placeholders_and_every_placeholder_is_used() {
    let (mut expressions, mut attributes) = (BTreeSet::new(), BTreeSet::new());
    for call in sent().await {
        objects(&call.body, &mut |fields| {
            let texts: Vec<&str> = EXPRESSIONS.iter().filter_map(|name| fields.get(*name)?.as_str()).collect();
            let used: BTreeSet<&str> = texts.iter().flat_map(|text| words(text)).collect();
            let (marked, bare): (BTreeSet<&str>, BTreeSet<&str>) =
                used.into_iter().partition(|word| word.starts_with(['#', ':']));
            assert!(bare.iter().all(|word| LANGUAGE.contains(word)), "{texts:?} names {bare:?} directly");
            let names = placeholders(fields, "ExpressionAttributeNames");
            let values = placeholders(fields, "ExpressionAttributeValues");
            let defined: BTreeSet<&str> = names.iter().chain(&values).map(String::as_str).collect();
            assert_eq!(marked, defined, "{} {texts:?}", call.operation);
            expressions.extend(texts.into_iter().map(str::to_owned));
            if let Some(Value::Object(names)) = fields.get("ExpressionAttributeNames") {
                attributes.extend(names.values().map(|name| name.as_str().unwrap().to_uppercase()));
            }
        });
    }
    assert!(expressions.len() >= 8, "{expressions:?}");
    let reserved: BTreeSet<String> = RESERVED.lines().map(str::to_owned).collect();
    assert_eq!(reserved.len(), 573);
    let met: Vec<&String> = attributes.intersection(&reserved).collect();
    assert!(["OWNER", "SHARD", "STATE"].iter().all(|word| met.iter().any(|name| name == word)), "{met:?}");
}

#[tokio::test]
async fn every_kind_of_request_was_looked_at() {
    let calls = sent().await;
    let operations: BTreeSet<&str> = calls.iter().map(|call| call.operation.as_str()).collect();
    assert_eq!(operations, ["BatchGetItem", "GetItem", "Query", "Scan", "TransactWriteItems", "UpdateItem"].into());
    let all = calls.iter().map(|call| call.body.to_string()).collect::<String>();
    for part in ["\"Put\"", "\"Update\"", "\"Delete\"", "mismatch#", "message#", "payload#00", ":seen", ":rerun"] {
        assert!(all.contains(part), "{part}");
    }
}

/// The size of a value as DynamoDB counts it.
fn size(value: &Value) -> usize {
    let (kind, value) = value.as_object().unwrap().iter().next().unwrap();
    match (kind.as_str(), value) {
        ("S", Value::String(text)) => text.len(),
        ("N", Value::String(digits)) => digits.len() / 2 + 2,
        ("B", Value::String(base64)) => base64.len() / 4 * 3,
        ("M", Value::Object(fields)) => {
            3 + fields.iter().map(|(name, value)| name.len() + size(value) + 1).sum::<usize>()
        }
        ("L", Value::Array(values)) => 3 + values.iter().map(|value| size(value) + 1).sum::<usize>(),
        ("BOOL" | "NULL", _) => 1,
        other => panic!("{other:?} is not used"),
    }
}

fn item_size(item: &Value) -> usize {
    item.as_object().unwrap().iter().map(|(name, value)| name.len() + size(value)).sum()
}

#[tokio::test]
async fn transactions_and_items_are_within_their_limits_and_claims_are_small() {
    let (mut settled, mut puts) = (0, 0);
    for call in sent().await.iter().filter(|call| call.operation == "TransactWriteItems") {
        let actions = call.body["TransactItems"].as_array().unwrap();
        assert!(actions.len() <= 100);
        assert!((1..=36).contains(&call.body["ClientRequestToken"].as_str().unwrap().len()));
        let items: Vec<&Value> =
            actions.iter().map(|action| &action["Put"]["Item"]).filter(|item| item.is_object()).collect();
        puts += items.len();
        assert!(items.iter().map(|item| item_size(item)).sum::<usize>() <= 4_000_000);
        for item in items {
            assert!(item_size(item) <= ITEM_BYTES_MAX);
            let longest = |name: &str| item[name]["S"].as_str().map_or(0, str::len);
            assert!(longest("claim").max(longest("movement")) <= 2_048 && longest("part") <= 1_024);
            let is_short = longest("event_id") <= 255;
            if item["part"]["S"] == "claim" && item["state"]["S"] == "done" && is_short {
                settled += 1;
                assert!(item_size(item) <= 1_024, "{} bytes: {item}", item_size(item));
            }
        }
    }
    assert!(settled >= 5 && puts > 30, "{settled} {puts}");
}

#[tokio::test]
async fn a_condition_that_fails_always_returns_what_is_there() {
    for call in sent().await {
        objects(&call.body, &mut |fields| {
            if fields.contains_key("ConditionExpression") {
                assert_eq!(fields.get("ReturnValuesOnConditionCheckFailure"), Some(&Value::from("ALL_OLD")));
            }
        });
    }
}
