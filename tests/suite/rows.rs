//! Rows looked at and changed behind the product's back, as a newer version or a person would.

use std::collections::{BTreeMap, HashMap};

use aws_sdk_dynamodb::types::AttributeValue;
use hookledger::claim::ClaimKey;
use hookledger::items::claim_key;
use hookledger_tests::World;

pub(crate) type Item = HashMap<String, AttributeValue>;

pub(crate) fn s(text: &str) -> AttributeValue {
    AttributeValue::S(text.to_owned())
}

pub(crate) fn n(number: i64) -> AttributeValue {
    AttributeValue::N(number.to_string())
}

/// Every row of an event, by its sort key.
pub(crate) async fn of(world: &World, key: &ClaimKey) -> BTreeMap<String, Item> {
    let query = world.client.query().table_name(&world.tables.claims).consistent_read(true);
    let pages = query
        .key_condition_expression("#claim = :claim")
        .expression_attribute_names("#claim", "claim")
        .expression_attribute_values(":claim", s(key.as_str()))
        .into_paginator()
        .items()
        .send();
    let rows: Vec<Item> = pages.try_collect().await.unwrap();
    rows.into_iter().map(|item| (item["part"].as_s().unwrap().clone(), item)).collect()
}

/// The sort keys of an event's rows.
pub(crate) async fn parts(world: &World, key: &ClaimKey) -> Vec<String> {
    of(world, key).await.into_keys().collect()
}

/// The claim's own row.
pub(crate) async fn claim(world: &World, event_id: &str) -> Item {
    of(world, &world.key(event_id)).await.remove("claim").unwrap()
}

/// Every ledger row, in the order of its keys.
pub(crate) async fn ledger(world: &World) -> Vec<BTreeMap<String, AttributeValue>> {
    let scan = world.client.scan().table_name(&world.tables.ledger).consistent_read(true);
    let rows: Vec<Item> = scan.into_paginator().items().send().try_collect().await.unwrap();
    let mut rows: Vec<BTreeMap<_, _>> = rows.into_iter().map(|item| item.into_iter().collect()).collect();
    rows.sort_by_key(|row| format!("{:?} {:?}", row["movement"], row["kind"]));
    rows
}

/// Sets an attribute of a claim.
pub(crate) async fn set(world: &World, event_id: &str, attribute: &str, value: AttributeValue) {
    let mut item = claim(world, event_id).await;
    item.insert(attribute.to_owned(), value);
    world.client.put_item().table_name(&world.tables.claims).set_item(Some(item)).send().await.unwrap();
}

/// Takes an attribute of a claim away.
pub(crate) async fn remove(world: &World, event_id: &str, attribute: &str) {
    let mut item = claim(world, event_id).await;
    assert!(item.remove(attribute).is_some(), "{attribute}");
    world.client.put_item().table_name(&world.tables.claims).set_item(Some(item)).send().await.unwrap();
}

/// Deletes one row of an event.
pub(crate) async fn delete(world: &World, event_id: &str, part: &str) {
    let mut key = claim_key(&world.key(event_id));
    key.insert("part".to_owned(), s(part));
    world.client.delete_item().table_name(&world.tables.claims).set_key(Some(key)).send().await.unwrap();
}
