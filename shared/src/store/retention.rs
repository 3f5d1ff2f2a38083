//! What is done and how long it is kept: a random sample, at a bounded price.

use std::collections::BTreeMap;

use aws_sdk_dynamodb::types::TimeToLiveStatus;

use super::client::classify;
use super::{Store, StoreError};
use crate::claim::ClaimKey;
use crate::items::{self, DoneRow, TTL_ATTRIBUTE};
use crate::time::UnixMs;

/// Into how many segments the table is cut, first finely, so that a large one is looked at in places that lie far apart;
/// in the end as a whole, so that a small one is looked at as well.
const CUTS: [u16; 4] = [4_096, 256, 16, 1];

/// How many segments of one cut are looked into.
const SEGMENTS_READ: u16 = 4;

/// How many items of a segment are read, of whatever part. With DynamoDB's 1 MB a page a whole sample reads 16 MB at
/// most: 2,000 read units.
const PAGE_ITEMS: i32 = 250;

impl Store {
    /// About `rows_wanted` claims that are done, from places chosen at random.
    pub async fn sample_done(&self, rows_wanted: usize, deadline: UnixMs) -> Result<Vec<DoneRow>, StoreError> {
        let mut rows: BTreeMap<ClaimKey, DoneRow> = BTreeMap::new();
        for segments in CUTS {
            let read = SEGMENTS_READ.min(segments);
            let first = u16::try_from(self.random_below(segments.into())).unwrap_or_default();
            for at in 0..read {
                let segment = (first + at * (segments / read)) % segments;
                for row in self.done_in(segment, segments, deadline).await? {
                    rows.insert(row.key.clone(), row);
                }
                if rows.len() >= rows_wanted {
                    return Ok(rows.into_values().collect());
                }
            }
        }
        Ok(rows.into_values().collect())
    }

    /// One page of a segment.
    async fn done_in(&self, segment: u16, segments: u16, deadline: UnixMs) -> Result<Vec<DoneRow>, StoreError> {
        let scan = items::scan_done(&self.tables, segment.into(), segments.into()).limit(PAGE_ITEMS);
        let answer = self.call(deadline, || scan.send_with(&self.client)).await?;
        let page = answer.map_err(|error| classify(&error))?;
        Ok(page.items().iter().map(DoneRow::decode).collect::<Result<_, _>>()?)
    }

    /// Whether DynamoDB deletes what has expired.
    pub async fn ttl_is_on(&self, deadline: UnixMs) -> Result<bool, StoreError> {
        let request = self.client.describe_time_to_live().table_name(&self.tables.claims);
        let answer = self.call(deadline, || request.send()).await?;
        let answer = answer.map_err(|error| classify(&error))?;
        Ok(answer.time_to_live_description.is_some_and(|ttl| {
            let on = matches!(ttl.time_to_live_status, Some(TimeToLiveStatus::Enabled | TimeToLiveStatus::Enabling));
            on && ttl.attribute_name.as_deref() == Some(TTL_ATTRIBUTE)
        }))
    }
}
