//! What the audit reads: a segment of a table page by page, and many rows by their keys.

use std::collections::{HashMap, HashSet};

use aws_sdk_dynamodb::operation::scan::builders::ScanFluentBuilder;
use aws_sdk_dynamodb::types::{AttributeValue, KeysAndAttributes};

use super::client::classify;
use super::read::decode;
use super::{Page, Store, StoreError};
use crate::claim::{ClaimKey, State};
use crate::items::{
    self, AuditedClaim, AuditedEntry, CLAIM_AUDITED, CLAIM_PART, ENTRY_AUDITED, EntryKey, Item, claim_key,
};
use crate::time::UnixMs;

/// How many keys one request may hold (docs.aws.amazon.com, "BatchGetItem").
const BATCH_KEYS_MAX: usize = 100;

/// How often keys that DynamoDB left unread are asked for again.
const RETRIES_MAX: u32 = 12;

/// One of the parts into which a scan is cut.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Segment {
    /// Which, counted from 0.
    pub number: u32,
    /// Of how many.
    pub total: u32,
}

impl Segment {
    /// A whole table.
    pub const ALL: Self = Self { number: 0, total: 1 };
}

impl Store {
    /// These claims, as they are now: consistent. One that is not there is not in the answer.
    pub async fn audited_claims(
        &self,
        keys: HashSet<&ClaimKey>,
        deadline: UnixMs,
    ) -> Result<HashMap<ClaimKey, AuditedClaim>, StoreError> {
        let keys = keys.into_iter().map(claim_key).collect();
        let rows = self.batch(&self.tables.claims, keys, &CLAIM_AUDITED, deadline).await?;
        let claims = rows.iter().map(AuditedClaim::decode).collect::<Result<Vec<_>, _>>()?;
        Ok(claims.into_iter().map(|claim| (claim.key.clone(), claim)).collect())
    }

    /// These entries, as they are now: consistent. One that is not there is not in the answer.
    pub async fn audited_entries(
        &self,
        keys: HashSet<&EntryKey>,
        deadline: UnixMs,
    ) -> Result<HashMap<EntryKey, AuditedEntry>, StoreError> {
        let keys = keys.into_iter().map(EntryKey::item).collect();
        let rows = self.batch(&self.tables.ledger, keys, &ENTRY_AUDITED, deadline).await?;
        let entries = rows.iter().map(AuditedEntry::decode).collect::<Result<Vec<_>, _>>()?;
        Ok(entries.into_iter().map(|entry| (entry.key.clone(), entry)).collect())
    }

    /// A page of a segment's entries, of `rows_max` rows. Eventually consistent, which costs half: what is decided by them is
    /// decided by a consistent read.
    pub async fn entries_of_segment(
        &self,
        segment: Segment,
        rows_max: i32,
        from: Option<Item>,
        deadline: UnixMs,
    ) -> Result<Page<AuditedEntry>, StoreError> {
        let scan = self.client.scan().table_name(&self.tables.ledger);
        let page = self.segment_page(scan, (segment, &ENTRY_AUDITED), rows_max, from, deadline).await?;
        decode(page, AuditedEntry::decode)
    }

    /// The claims that are done among `rows_max` rows of a segment. Eventually consistent: what is done does not change.
    pub async fn done_claims_of_segment(
        &self,
        segment: Segment,
        rows_max: i32,
        from: Option<Item>,
        deadline: UnixMs,
    ) -> Result<Page<AuditedClaim>, StoreError> {
        let text = |text: &str| AttributeValue::S(text.to_owned());
        let scan = self.client.scan().table_name(&self.tables.claims);
        let scan = scan
            .filter_expression("#part = :part AND #state = :state")
            .expression_attribute_names("#part", items::PART)
            .expression_attribute_values(":part", text(CLAIM_PART))
            .expression_attribute_values(":state", text(State::Done.name()));
        let page = self.segment_page(scan, (segment, &CLAIM_AUDITED), rows_max, from, deadline).await?;
        decode(page, AuditedClaim::decode)
    }

    async fn segment_page(
        &self,
        scan: ScanFluentBuilder,
        (segment, attributes): (Segment, &[&str]),
        rows_max: i32,
        from: Option<Item>,
        deadline: UnixMs,
    ) -> Result<Page<Item>, StoreError> {
        let number = |number: u32| i32::try_from(number).unwrap_or(i32::MAX);
        let mut scan = scan
            .segment(number(segment.number))
            .total_segments(number(segment.total))
            .limit(rows_max)
            .projection_expression(projection(attributes))
            .set_exclusive_start_key(from);
        for attribute in attributes {
            scan = scan.expression_attribute_names(format!("#{attribute}"), *attribute);
        }
        let answer = self.call(deadline, || scan.send()).await?;
        let page = answer.map_err(|error| classify(&error))?;
        Ok(Page { rows: page.items.unwrap_or_default(), next: page.last_evaluated_key })
    }

    /// Reads rows by their keys, which must differ. What DynamoDB leaves unread, being busy or at 16 MB, is asked for again.
    async fn batch(
        &self,
        table: &str,
        keys: Vec<Item>,
        attributes: &[&str],
        deadline: UnixMs,
    ) -> Result<Vec<Item>, StoreError> {
        let mut rows = Vec::new();
        for chunk in keys.chunks(BATCH_KEYS_MAX) {
            let mut left = chunk.to_vec();
            let mut retries = 0;
            while !left.is_empty() {
                if retries > 0 && (retries > RETRIES_MAX || !self.back_off(retries, deadline).await) {
                    return Err(StoreError::Throttled("keys left unread".to_owned()));
                }
                retries += 1;
                let asked = asked(left, attributes).ok_or(StoreError::Invalid)?;
                let request = self.client.batch_get_item().request_items(table, asked);
                let answer = self.call(deadline, || request.send()).await?;
                let answer = answer.map_err(|error| classify(&error))?;
                rows.extend(answer.responses.and_then(|mut tables| tables.remove(table)).unwrap_or_default());
                let unread = answer.unprocessed_keys.and_then(|mut tables| tables.remove(table));
                left = unread.map(|unread| unread.keys).unwrap_or_default();
            }
        }
        Ok(rows)
    }
}

fn asked(keys: Vec<Item>, attributes: &[&str]) -> Option<KeysAndAttributes> {
    let mut asked = KeysAndAttributes::builder().set_keys(Some(keys)).consistent_read(true);
    asked = asked.projection_expression(projection(attributes));
    for attribute in attributes {
        asked = asked.expression_attribute_names(format!("#{attribute}"), *attribute);
    }
    asked.build().ok()
}

fn projection(attributes: &[&str]) -> String {
    attributes.iter().map(|attribute| format!("#{attribute}")).collect::<Vec<_>>().join(", ")
}
