//! Reading the sparse index of open work.

use aws_sdk_dynamodb::operation::query::builders::QueryInputBuilder;

use super::codec::{Condition, ms, s};
use super::names::{self as name, OPEN_INDEX};
use super::{SHARDS, Tables};
use crate::time::UnixMs;

/// One query for each of the index's partitions: what is due at `now`, at most `limit` rows each.
pub fn due(tables: &Tables, now: UnixMs, limit: i32) -> impl Iterator<Item = QueryInputBuilder> {
    (0..SHARDS).map(move |shard| {
        let values = vec![(":shard", s(format!("open#{shard:02}"))), (":now", ms(now))];
        let condition =
            Condition::new("#shard = :shard AND #due_at_ms <= :now", &[name::SHARD, name::DUE_AT_MS], values);
        QueryInputBuilder::default()
            .table_name(&tables.claims)
            .index_name(OPEN_INDEX)
            .key_condition_expression(condition.expression)
            .set_expression_attribute_names(Some(condition.names))
            .set_expression_attribute_values(Some(condition.values))
            .limit(limit)
    })
}
