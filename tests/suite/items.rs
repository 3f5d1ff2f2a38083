//! The rows themselves are a file format: what an earlier release wrote must be read, and what is written now must look
//! the same. The golden file holds the rows of a settled, a deferred and a parked event and of an entry.

use std::collections::BTreeMap;

use aws_sdk_dynamodb::types::AttributeValue;
use hookledger::claim::State;
use hookledger::items::{ClaimRow, EntryRow, Item};
use hookledger::plan::{Kind, ParkReason};
use hookledger_tests::{World, sample};
use serde_json::{Value, json};

const SAMPLES: [&str; 3] = ["charge_succeeded", "refund_updated_succeeded_1", "broken_amount_text"];

const GOLDEN: &str = include_str!("golden/items.json");

#[tokio::test]
async fn rows_are_written_as_ever() {
    let world = World::stripe().await;
    for name in SAMPLES {
        assert_eq!(world.deliver(sample("stripe", name)).await.reply.status, 200);
    }
    let mut rows = Vec::new();
    for table in [&world.tables.claims, &world.tables.ledger] {
        let page = world.client.scan().table_name(table).send().await.unwrap();
        rows.extend(page.items.unwrap().iter().map(row_json));
    }
    rows.sort_by_key(|row| row.to_string());
    let written = serde_json::to_string_pretty(&rows).unwrap();
    assert_eq!(written.trim(), GOLDEN.trim(), "rows changed: attributes may be added, never respelled");
}

#[test]
fn rows_of_earlier_releases_are_read() {
    let rows: Vec<Value> = serde_json::from_str(GOLDEN).unwrap();
    let items: Vec<Item> = rows.iter().map(row_item).collect();
    let claims: Vec<ClaimRow> = items.iter().filter_map(|item| ClaimRow::decode(item).ok()).collect();
    let of = |state| claims.iter().find(|claim| claim.state == state).unwrap();
    assert_eq!(claims.len(), SAMPLES.len());
    assert_eq!(of(State::Done).entries.len(), 1);
    assert!(of(State::Done).expires_at.is_some() && of(State::Done).due_at.is_none());
    assert!(of(State::Received).due_at.is_some() && of(State::Received).expires_at.is_none());
    assert_eq!(of(State::Parked).park_reason, Some(ParkReason::Unreadable));
    assert!(claims.iter().all(|claim| claim.effect.is_some() && claim.reply.status == 200));
    let entries: Vec<EntryRow> = items.iter().filter_map(|item| EntryRow::decode(item).ok()).collect();
    let [entry] = &entries[..] else { panic!("one entry: {entries:?}") };
    assert_eq!((entry.kind, entry.held.amount_minor, entry.held.currency.as_str()), (Kind::Payment, 4_200, "USD"));
    assert_eq!(entry.account_id.as_deref(), Some("cus_TkMiraHolt001"));
}

/// An item as DynamoDB's JSON, with bytes in hex. Owners are random and stand as zeros; compressed bytes depend on the
/// compressor and stand as their presence.
fn row_json(item: &Item) -> Value {
    let value = |(name, value): (&String, &AttributeValue)| match name.as_str() {
        "owner" => (name.clone(), json!({"S": "0".repeat(32)})),
        "bytes" => (name.clone(), json!({"B": ""})),
        _ => (name.clone(), value_json(value)),
    };
    json!(item.iter().map(value).collect::<BTreeMap<_, _>>())
}

fn value_json(value: &AttributeValue) -> Value {
    match value {
        AttributeValue::S(text) => json!({"S": text}),
        AttributeValue::N(number) => json!({"N": number}),
        AttributeValue::Bool(flag) => json!({"BOOL": flag}),
        AttributeValue::B(bytes) => json!({"B": hookledger::request::encode_hex(bytes.as_ref())}),
        AttributeValue::L(list) => json!({"L": list.iter().map(value_json).collect::<Vec<_>>()}),
        AttributeValue::M(map) => {
            json!({"M": map.iter().map(|(name, value)| (name.clone(), value_json(value))).collect::<BTreeMap<_, _>>()})
        }
        other => panic!("a type that no row has: {other:?}"),
    }
}

fn row_item(row: &Value) -> Item {
    row.as_object().unwrap().iter().map(|(name, value)| (name.clone(), json_value(value))).collect()
}

fn json_value(value: &Value) -> AttributeValue {
    let (kind, value) = value.as_object().unwrap().iter().next().unwrap();
    let text = || value.as_str().unwrap().to_owned();
    match kind.as_str() {
        "S" => AttributeValue::S(text()),
        "N" => AttributeValue::N(text()),
        "BOOL" => AttributeValue::Bool(value.as_bool().unwrap()),
        "B" => AttributeValue::B(hookledger::request::decode_hex(&text()).unwrap().into()),
        "L" => AttributeValue::L(value.as_array().unwrap().iter().map(json_value).collect()),
        "M" => AttributeValue::M(row_item(value)),
        other => panic!("a type that no row has: {other}"),
    }
}
