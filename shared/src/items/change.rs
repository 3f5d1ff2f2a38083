//! What the watch and a person write to an open row. Every write expects the row to exist and to be as it was seen, so a
//! mistyped key makes no row and a worker's completion is never undone.

use aws_sdk_dynamodb::types::{
    AttributeValue, ReturnValuesOnConditionCheckFailure, TransactWriteItem, Update as UpdateAction,
};

use super::claim_row::{cut, shard};
use super::codec::{claims_key, delete, ms, s};
use super::names as name;
use super::open_row::{OpenRow, RowKind};
use super::payload::part_name;
use super::resolution::Resolution;
use super::transaction::expires_at;
use super::{Role, Stroke, Tables, Transaction};
use crate::claim::State;
use crate::plan::ParkReason;

const ERROR_BYTES_MAX: usize = 300;

/// A transition of an open row.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Change {
    /// Kicks the worker again. Age, attempts and due time stay as they are.
    Redrive,
    /// Sets it aside for a person.
    Park {
        /// Why, from the closed list.
        reason: ParkReason,
        /// Why, in words.
        why: String,
    },
    /// A person gives it back to the worker: young again, no attempts, due now; with what they decided, if they did.
    BringBack(Option<Resolution>),
    /// A person closes it as done.
    Close {
        /// What they decided.
        resolution: Resolution,
        /// How long the closed row is kept, in seconds.
        retention_s: u64,
    },
}

/// The transaction of a change. `None` where the row has a state of another version.
pub fn change(tables: &Tables, row: &OpenRow, change: &Change, stroke: &Stroke) -> Option<Transaction> {
    let mut update = Update::of(row)?;
    update.set(name::OWNER, s(&stroke.owner));
    match change {
        Change::Redrive => {
            update.set(name::STATE, s(State::Received.name()));
            update.set(name::KICKED_AT_MS, ms(stroke.now));
        }
        Change::Park { reason, why } => {
            update.set(name::STATE, s(State::Parked.name()));
            update.set(name::SHARD, s(shard("parked", &row.key)));
            update.set(name::PARK_REASON, s(reason.name()));
            update.set(name::LAST_ERROR, s(cut(why, ERROR_BYTES_MAX)));
            update.remove(name::WAITS_UNTIL_MS);
        }
        Change::BringBack(resolution) => {
            update.bring_back(row, stroke);
            resolution.iter().for_each(|resolution| update.resolved(resolution));
        }
        Change::Close { resolution, retention_s } => {
            update.set(name::STATE, s(State::Done.name()));
            update.set(name::COMPLETED_AT_MS, ms(stroke.now));
            update.set(name::EXPIRES_AT, expires_at(stroke.now, *retention_s));
            update.resolved(resolution);
            [name::SHARD, name::DUE_AT_MS, name::PAYLOAD_PARTS, name::WAITS_UNTIL_MS]
                .into_iter()
                .for_each(|gone| update.remove(gone));
        }
    }
    let mut transaction = Transaction::new();
    transaction.push(Role::Claim, update.action(tables, row)?);
    if matches!(change, Change::Close { .. }) {
        for at in 0..row.payload_parts {
            let key = claims_key(row.key.as_str(), part_name(payload_prefix(row), at));
            transaction.push(Role::Payload, delete(&tables.claims, key));
        }
    }
    Some(transaction)
}

fn payload_prefix(row: &OpenRow) -> &str {
    if row.kind() == RowKind::Claim { "payload" } else { &row.part }
}

/// An update expression as it grows, with the condition that the row is as it was seen.
struct Update {
    condition: String,
    sets: Vec<String>,
    removes: Vec<String>,
    update: aws_sdk_dynamodb::types::builders::UpdateBuilder,
}

impl Update {
    fn of(row: &OpenRow) -> Option<Self> {
        let mut update = Self {
            condition: "attribute_exists(#claim)".to_owned(),
            sets: Vec::new(),
            removes: Vec::new(),
            update: UpdateAction::builder().expression_attribute_names("#claim", name::CLAIM),
        };
        update.expect(name::STATE, s(row.state?.name()));
        update.expect(name::OWNER, s(&row.owner));
        row.due_at.into_iter().for_each(|due_at| update.expect(name::DUE_AT_MS, ms(due_at)));
        Some(update)
    }

    fn with(&mut self, attribute: &str, value: Option<(String, AttributeValue)>) {
        let mut update = std::mem::take(&mut self.update);
        update = update.expression_attribute_names(format!("#{attribute}"), attribute);
        if let Some((name, value)) = value {
            update = update.expression_attribute_values(name, value);
        }
        self.update = update;
    }

    fn expect(&mut self, attribute: &str, seen: AttributeValue) {
        self.condition += &format!(" AND #{attribute} = :seen_{attribute}");
        self.with(attribute, Some((format!(":seen_{attribute}"), seen)));
    }

    fn set(&mut self, attribute: &str, value: AttributeValue) {
        self.sets.push(format!("#{attribute} = :{attribute}"));
        self.with(attribute, Some((format!(":{attribute}"), value)));
    }

    fn remove(&mut self, attribute: &str) {
        self.removes.push(format!("#{attribute}"));
        self.with(attribute, None);
    }

    fn bring_back(&mut self, row: &OpenRow, stroke: &Stroke) {
        self.set(name::STATE, s(State::Received.name()));
        self.set(name::SHARD, s(shard("open", &row.key)));
        self.set(name::OPEN_SINCE_MS, ms(stroke.now));
        self.set(name::DUE_AT_MS, ms(stroke.now));
        self.set(name::ATTEMPT, AttributeValue::N("0".to_owned()));
        self.remove(name::PARK_REASON);
        self.remove(name::WAITS_UNTIL_MS);
    }

    fn resolved(&mut self, resolution: &Resolution) {
        self.set(name::RESOLVED_BY, s(&resolution.by));
        self.set(name::RESOLVED_NOTE, s(&resolution.note));
        self.set(name::RESOLVED_BOOK, s(resolution.book.name()));
        self.set(name::RESOLVED_AT_MS, ms(resolution.at));
    }

    fn action(self, tables: &Tables, row: &OpenRow) -> Option<TransactWriteItem> {
        let mut expression = format!("SET {}", self.sets.join(", "));
        if !self.removes.is_empty() {
            expression += &format!(" REMOVE {}", self.removes.join(", "));
        }
        let update = self
            .update
            .table_name(&tables.claims)
            .set_key(Some(claims_key(row.key.as_str(), row.part.as_str())))
            .update_expression(expression)
            .condition_expression(self.condition)
            .return_values_on_condition_check_failure(ReturnValuesOnConditionCheckFailure::AllOld)
            .build()
            .ok()?;
        Some(TransactWriteItem::builder().update(update).build())
    }
}
