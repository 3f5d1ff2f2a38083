//! The two tables.

use aws_sdk_dynamodb::Client;
use aws_sdk_dynamodb::types::{
    AttributeDefinition, BillingMode, GlobalSecondaryIndex, KeySchemaElement, KeyType, Projection, ProjectionType,
    ScalarAttributeType, TimeToLiveSpecification,
};
use hookledger::items::Tables;

pub(crate) async fn create(client: &Client, tables: &Tables) {
    let text = |name: &str| attribute(name, ScalarAttributeType::S);
    let number = |name: &str| attribute(name, ScalarAttributeType::N);
    client
        .create_table()
        .table_name(&tables.claims)
        .billing_mode(BillingMode::PayPerRequest)
        .set_attribute_definitions(Some(vec![text("claim"), text("part"), text("shard"), number("due_at_ms")]))
        .set_key_schema(Some(key("claim", Some("part"))))
        .global_secondary_indexes(index("open", key("shard", Some("due_at_ms")), ProjectionType::All))
        .send()
        .await
        .unwrap();
    let ttl = TimeToLiveSpecification::builder().enabled(true).attribute_name("expires_at").build().unwrap();
    client.update_time_to_live().table_name(&tables.claims).time_to_live_specification(ttl).send().await.unwrap();
    client
        .create_table()
        .table_name(&tables.ledger)
        .billing_mode(BillingMode::PayPerRequest)
        .set_attribute_definitions(Some(vec![
            text("movement"),
            text("kind"),
            text("account"),
            number("occurred_at_ms"),
            text("invoice"),
        ]))
        .set_key_schema(Some(key("movement", Some("kind"))))
        .global_secondary_indexes(index("by_account", key("account", Some("occurred_at_ms")), ProjectionType::All))
        .global_secondary_indexes(index("by_invoice", key("invoice", None), ProjectionType::KeysOnly))
        .send()
        .await
        .unwrap();
}

fn attribute(name: &str, kind: ScalarAttributeType) -> AttributeDefinition {
    AttributeDefinition::builder().attribute_name(name).attribute_type(kind).build().unwrap()
}

fn key(partition: &str, sort: Option<&str>) -> Vec<KeySchemaElement> {
    let element = |name: &str, kind| KeySchemaElement::builder().attribute_name(name).key_type(kind).build().unwrap();
    let sort = sort.map(|name| element(name, KeyType::Range));
    std::iter::once(element(partition, KeyType::Hash)).chain(sort).collect()
}

fn index(name: &str, key: Vec<KeySchemaElement>, projection: ProjectionType) -> GlobalSecondaryIndex {
    GlobalSecondaryIndex::builder()
        .index_name(name)
        .set_key_schema(Some(key))
        .projection(Projection::builder().projection_type(projection).build())
        .build()
        .unwrap()
}
