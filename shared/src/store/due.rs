//! What is owed now.

use aws_sdk_dynamodb::operation::query::builders::QueryInputBuilder;
use futures_util::{FutureExt as _, StreamExt as _, TryStreamExt as _, stream};

use super::client::classify;
use super::{Store, StoreError};
use crate::items::{self, IndexRow};
use crate::time::UnixMs;

/// Partitions of the index that are read side by side.
const SIDE_BY_SIDE: usize = 8;

impl Store {
    /// Rows that are due, at most `limit` from each partition of the index. The index lags a little behind the table: a
    /// lease decides, not this.
    pub async fn due(&self, limit: i32, deadline: UnixMs) -> Result<Vec<IndexRow>, StoreError> {
        // In a box, so that the whole can be sent between threads.
        let queries =
            items::due(&self.tables, self.clock.now(), limit).map(|query| self.due_of(query, deadline).boxed());
        let queries: Vec<_> = queries.collect();
        stream::iter(queries).buffer_unordered(SIDE_BY_SIDE).try_concat().await
    }

    async fn due_of(&self, query: QueryInputBuilder, deadline: UnixMs) -> Result<Vec<IndexRow>, StoreError> {
        let answer = self.call(deadline, || query.send_with(&self.client)).await?;
        let rows = answer.map_err(|error| classify(&error))?.items.unwrap_or_default();
        rows.iter().map(|row| IndexRow::decode(row).map_err(StoreError::from)).collect()
    }
}
