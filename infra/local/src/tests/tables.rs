use aws_sdk_dynamodb::Client;
use aws_sdk_dynamodb::types::{Projection, ProjectionType, StreamViewType, TableDescription};

use crate::database::{self, Database};
use crate::tables;

async fn describe(client: &Client, table: &str) -> TableDescription {
    client.describe_table().table_name(table).send().await.unwrap().table.unwrap()
}

fn projection<'a>(table: &'a TableDescription, index: &str) -> &'a Projection {
    let indexes = table.global_secondary_indexes();
    indexes.iter().find(|known| known.index_name() == Some(index)).unwrap().projection().unwrap()
}

#[tokio::test]
async fn the_tables_are_those_of_the_template_however_often_they_are_created() {
    let database = Database::start(None, 0).await.unwrap();
    let client = database::client(database.address());
    let names = tables::create(&client).await.unwrap();
    assert_eq!(tables::create(&client).await.unwrap(), names);
    assert_eq!((names.claims.as_str(), names.ledger.as_str()), ("hookledger-claims", "hookledger-ledger"));

    let claims = describe(&client, &names.claims).await;
    let open = projection(&claims, "open");
    assert_eq!(open.projection_type(), Some(&ProjectionType::Include));
    assert!(open.non_key_attributes().iter().any(|name| name == "last_error"));
    assert_eq!(claims.stream_specification().unwrap().stream_view_type(), Some(&StreamViewType::NewImage));

    let ledger = describe(&client, &names.ledger).await;
    assert_eq!(projection(&ledger, "by_account").projection_type(), Some(&ProjectionType::All));
    assert_eq!(projection(&ledger, "by_invoice").projection_type(), Some(&ProjectionType::KeysOnly));

    let ttl_of = async |table: &str| {
        let answer = client.describe_time_to_live().table_name(table).send().await.unwrap();
        answer.time_to_live_description.unwrap().attribute_name
    };
    assert_eq!(ttl_of(&names.claims).await.as_deref(), Some("expires_at"));
    assert_eq!(ttl_of(&names.ledger).await, None);
}
