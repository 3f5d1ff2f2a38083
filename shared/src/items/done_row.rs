//! A claim that is done, as far as its retention is concerned.

use aws_sdk_dynamodb::operation::scan::ScanInput;
use aws_sdk_dynamodb::operation::scan::builders::ScanInputBuilder;

use super::codec::{Condition, DecodeError, Reader, s};
use super::names::{self as name, CLAIM_PART};
use super::{Item, Tables};
use crate::claim::{ClaimKey, State};
use crate::time::{UnixMs, UnixS};

/// The attribute by which TTL deletes.
pub const TTL_ATTRIBUTE: &str = name::EXPIRES_AT;

/// When a claim was done, and when it may be forgotten.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct DoneRow {
    /// Its key.
    pub key: ClaimKey,
    /// Provider's name.
    pub provider: String,
    /// Settled.
    pub completed_at: UnixMs,
    /// When it may be forgotten.
    pub expires_at: UnixS,
}

impl DoneRow {
    /// Reads an item of the claims table.
    pub fn decode(item: &Item) -> Result<Self, DecodeError> {
        let row = Reader(item);
        Ok(Self {
            key: ClaimKey::from_text(row.text(name::CLAIM)?),
            provider: row.text(name::PROVIDER)?.to_owned(),
            completed_at: row.ms(name::COMPLETED_AT_MS)?,
            expires_at: UnixS::new(row.number(name::EXPIRES_AT)?),
        })
    }

    /// How long it is kept after it was done, in seconds; 0 where it expires before that.
    pub fn retention_s(&self) -> u64 {
        self.completed_at.ms_until(self.expires_at.to_ms()).div_ceil(1_000)
    }
}

/// A scan of one of so many segments for claims that are done and expire.
pub fn scan_done(tables: &Tables, segment: i32, segments: i32) -> ScanInputBuilder {
    let wanted = [name::CLAIM, name::PROVIDER, name::COMPLETED_AT_MS, name::EXPIRES_AT];
    let Condition { expression, names, values } = Condition::new(
        "#part = :claim AND #state = :done AND attribute_exists(#expires_at) AND attribute_exists(#completed_at_ms)",
        &[&wanted[..], &[name::PART, name::STATE]].concat(),
        vec![(":claim", s(CLAIM_PART)), (":done", s(State::Done.name()))],
    );
    ScanInput::builder()
        .table_name(&tables.claims)
        .segment(segment)
        .total_segments(segments)
        .filter_expression(expression)
        .projection_expression(wanted.map(|name| format!("#{name}")).join(", "))
        .set_expression_attribute_names(Some(names))
        .set_expression_attribute_values(Some(values))
}
