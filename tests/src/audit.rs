//! The audit of a world, the ledger's stream as the database writes it, and rows planted behind the product's back.

use std::collections::HashMap;
use std::sync::Arc;

use aws_sdk_dynamodb::types::AttributeValue;
use dynoxide::actions::describe_stream::DescribeStreamRequest;
use dynoxide::actions::get_records::GetRecordsRequest;
use dynoxide::actions::get_shard_iterator::GetShardIteratorRequest;
use dynoxide::actions::list_streams::ListStreamsRequest;
use hookledger::audit::{Audit, Limits, Report};
use hookledger::claim::ClaimKey;
use hookledger::items::Item;
use hookledger::runtime::AuditHandler;
use hookledger::store::Segment;
use hookledger::time::UnixMs;
use lambda_runtime::{Context, LambdaEvent};
use serde_json::value::to_raw_value;
use serde_json::{Value, json};

use crate::world::World;

fn s(text: &str) -> AttributeValue {
    AttributeValue::S(text.to_owned())
}

fn n(number: impl ToString) -> AttributeValue {
    AttributeValue::N(number.to_string())
}

impl World {
    /// The audit of this deployment, behind the wire.
    pub fn audit(&self) -> Audit {
        Audit {
            store: self.receiver.store.clone(),
            metrics: self.metrics.sink(),
            clock: Arc::new(self.clock.clone()),
            limits: Limits::new(self.receiver.provider.profile().lifetime.retention_s),
        }
    }

    /// A scan of everything, with all the time it wants.
    pub async fn scanned(&self) -> Report {
        self.audit().scan(Segment::ALL, UnixMs::new(i64::MAX)).await
    }

    /// Every record of the ledger's stream, as the database writes them.
    pub fn ledger_records(&self) -> Vec<Value> {
        let database = self.database();
        let streams = ListStreamsRequest { table_name: Some(self.tables.ledger.clone()), ..Default::default() };
        let stream_arn = database.list_streams(streams).unwrap().streams.remove(0).stream_arn;
        let stream = DescribeStreamRequest { stream_arn: stream_arn.clone(), ..Default::default() };
        let mut records = Vec::new();
        for shard in database.describe_stream(stream).unwrap().stream_description.shards {
            let mut place = database
                .get_shard_iterator(GetShardIteratorRequest {
                    stream_arn: stream_arn.clone(),
                    shard_id: shard.shard_id,
                    shard_iterator_type: "TRIM_HORIZON".to_owned(),
                    sequence_number: None,
                })
                .unwrap()
                .shard_iterator;
            while let Some(shard_iterator) = place {
                let request = GetRecordsRequest { shard_iterator, limit: Some(1_000) };
                let page = database.get_records(request).unwrap();
                place = page.next_shard_iterator.filter(|_| !page.records.is_empty());
                records.extend(page.records.iter().map(|record| serde_json::to_value(record).unwrap()));
            }
        }
        records
    }

    /// Gives records to the function that audits, and says what it answers.
    pub async fn feed_audit(&self, records: &[Value]) -> Value {
        self.ask_audit(&json!({"Records": records})).await
    }

    /// Invokes the function that audits with any event that it answers.
    pub async fn ask_audit(&self, event: &Value) -> Value {
        let handler = AuditHandler::new(Arc::new(self.audit()));
        handler.handle(LambdaEvent::new(to_raw_value(event).unwrap(), Context::default())).await.unwrap()
    }

    /// Puts an entry into the ledger, as nobody should. `claim`: what it names, if anything.
    pub async fn plant_entry(&self, movement: &str, claim: Option<&str>) {
        let now = self.now().get();
        let mut item = Item::from([
            ("movement".to_owned(), s(movement)),
            ("kind".to_owned(), s("payment")),
            ("amount_minor".to_owned(), n(500)),
            ("currency".to_owned(), s("EUR")),
            ("occurred_at_ms".to_owned(), n(now)),
            ("recorded_at_ms".to_owned(), n(now)),
        ]);
        item.extend(claim.map(|claim| ("claim".to_owned(), s(claim))));
        self.client.put_item().table_name(&self.tables.ledger).set_item(Some(item)).send().await.unwrap();
    }

    /// Puts a claim into the claims table that says it is done and lists these entries: movement, and whether it existed.
    pub async fn plant_claim(&self, event_id: &str, entries: &[(&str, bool)]) -> ClaimKey {
        let key = self.key(event_id);
        let listed = |(movement, existed): &(&str, bool)| {
            let existed = ("existed".to_owned(), AttributeValue::Bool(*existed));
            let entry = [("movement".to_owned(), s(movement)), ("kind".to_owned(), s("payment")), existed];
            AttributeValue::M(HashMap::from(entry))
        };
        let item = Item::from([
            ("claim".to_owned(), s(key.as_str())),
            ("part".to_owned(), s("claim")),
            ("state".to_owned(), s("done")),
            ("entries".to_owned(), AttributeValue::L(entries.iter().map(listed).collect())),
            ("expires_at".to_owned(), n(self.now().to_s().plus_s(86_400).get())),
        ]);
        self.client.put_item().table_name(&self.tables.claims).set_item(Some(item)).send().await.unwrap();
        key
    }
}
