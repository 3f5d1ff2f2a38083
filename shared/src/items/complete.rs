//! What a worker writes to a row it was given, a claim or a message: lease, completion, parking. Every write expects the row as
//! it was seen.

use aws_sdk_dynamodb::types::{AttributeValue, ReturnValuesOnConditionCheckFailure, TransactWriteItem, Update};

use super::claim_row::{ClaimRow, last_error, shard};
use super::codec::{Condition, claims_key, ms, n, s};
use super::entry_row::Origin;
use super::names::{self as name, CLAIM_PART};
use super::transaction::{Skip, booked, expires_at, push_deletes, push_effects};
use super::{IndexRow, MessageRow, Role, Stroke, Tables, Transaction};
use crate::claim::{ClaimKey, State};
use crate::plan::{OnLost, ParkReason, Settle};
use crate::time::UnixMs;

/// A row as a worker holds it.
#[derive(Clone, Copy, Debug)]
pub struct Held<'a> {
    key: &'a ClaimKey,
    part: &'a str,
    state: State,
    owner: &'a str,
}

impl<'a> From<&'a ClaimRow> for Held<'a> {
    fn from(row: &'a ClaimRow) -> Self {
        Self { key: &row.key, part: CLAIM_PART, state: row.state, owner: &row.owner }
    }
}

impl<'a> From<&'a Box<ClaimRow>> for Held<'a> {
    fn from(row: &'a Box<ClaimRow>) -> Self {
        row.as_ref().into()
    }
}

impl<'a> From<&'a MessageRow> for Held<'a> {
    fn from(message: &'a MessageRow) -> Self {
        let IndexRow { key, part } = &message.row;
        Self { key, part, state: message.state, owner: &message.owner }
    }
}

/// Takes a row up, if it is due and nobody holds it: one more attempt, a fresh owner, due again when the lease ends.
pub fn lease(tables: &Tables, row: &IndexRow, stroke: &Stroke, ends: UnixMs, attempts_max: u32) -> Option<Update> {
    let mine = "#due_at_ms <= :now AND #attempt < :max AND (#state = :received OR (#state = :processing AND #on_lost = :rerun))";
    let condition = Condition::new(
        mine,
        &[name::STATE, name::OWNER, name::DUE_AT_MS, name::ATTEMPT, name::ON_LOST],
        vec![
            (":now", ms(stroke.now)),
            (":max", n(attempts_max)),
            (":received", s(State::Received.name())),
            (":processing", s(State::Processing.name())),
            (":rerun", s(OnLost::Rerun.name())),
            (":mine", s(&stroke.owner)),
            (":ends", ms(ends)),
            (":one", n(1)),
        ],
    );
    let set = "SET #state = :processing, #owner = :mine, #due_at_ms = :ends, #attempt = #attempt + :one";
    update(tables, (&row.key, &row.part), set, condition)
}

/// Closes a message that `row.owner` holds: it was sent.
pub fn sent(tables: &Tables, row: Held<'_>, retention_s: u64, stroke: &Stroke) -> Option<Update> {
    let condition = held(
        row,
        &[name::COMPLETED_AT_MS, name::EXPIRES_AT, name::SHARD, name::DUE_AT_MS],
        vec![
            (":done", s(State::Done.name())),
            (":now", ms(stroke.now)),
            (":expires", expires_at(stroke.now, retention_s)),
            (":owner", s(&stroke.owner)),
        ],
    );
    let set = "SET #state = :done, #completed_at_ms = :now, #expires_at = :expires, #owner = :owner REMOVE #shard, #due_at_ms";
    update(tables, (row.key, row.part), set, condition)
}

/// Settles a claim that `row.owner` holds: done, entries, messages, no more payload.
pub fn completion(
    tables: &Tables,
    row: &ClaimRow,
    settle: &Settle,
    retention_s: u64,
    (skip, stroke): (&Skip, &Stroke),
) -> Option<Transaction> {
    let origin = Origin { provider: &row.provider, scope: &row.scope, key: &row.key };
    let condition = held(
        row.into(),
        &[
            name::COMPLETED_AT_MS,
            name::ENTRIES,
            name::EXPIRES_AT,
            name::SHARD,
            name::DUE_AT_MS,
            name::PAYLOAD_PARTS,
            name::WAITS_UNTIL_MS,
        ],
        vec![
            (":done", s(State::Done.name())),
            (":now", ms(stroke.now)),
            (":entries", booked(&origin, settle, skip)),
            (":expires", expires_at(stroke.now, retention_s)),
        ],
    );
    let set = "SET #state = :done, #completed_at_ms = :now, #entries = :entries, #expires_at = :expires \
               REMOVE #shard, #due_at_ms, #payload_parts, #waits_until_ms";
    let mut transaction = Transaction::new();
    transaction.push(Role::Claim, action(update(tables, (&row.key, CLAIM_PART), set, condition)?));
    push_effects(&mut transaction, tables, origin, settle, skip, stroke);
    push_deletes(&mut transaction, tables, &row.key, 0..row.payload_parts);
    Some(transaction)
}

/// Parks a row that its owner holds in its state.
pub fn park(tables: &Tables, row: Held<'_>, reason: ParkReason, why: &str, stroke: &Stroke) -> Option<Update> {
    let condition = held(
        row,
        &[name::SHARD, name::PARK_REASON, name::LAST_ERROR, name::WAITS_UNTIL_MS],
        vec![
            (":parked", s(State::Parked.name())),
            (":shard", s(shard("parked", row.key))),
            (":reason", s(reason.name())),
            (":why", last_error(why)),
            (":owner", s(&stroke.owner)),
        ],
    );
    let set = "SET #state = :parked, #shard = :shard, #park_reason = :reason, #last_error = :why, #owner = :owner \
               REMOVE #waits_until_ms";
    update(tables, (row.key, row.part), set, condition)
}

/// Gives a row back that its owner holds: due again at `due_at`, when somebody else may take it up. `waits_until`: it
/// waits for something that may be missing until then.
pub fn release(
    tables: &Tables,
    row: Held<'_>,
    (due_at, waits_until): (UnixMs, Option<UnixMs>),
    why: &str,
    stroke: &Stroke,
) -> Option<Update> {
    let mut values = vec![
        (":received", s(State::Received.name())),
        (":due", ms(due_at)),
        (":why", last_error(why)),
        (":owner", s(&stroke.owner)),
    ];
    values.extend(waits_until.map(|until| (":waits_until", ms(until))));
    let condition = held(row, &[name::DUE_AT_MS, name::LAST_ERROR, name::WAITS_UNTIL_MS], values);
    let waits = if waits_until.is_some() { ", #waits_until_ms = :waits_until" } else { " REMOVE #waits_until_ms" };
    let set = format!("SET #state = :received, #due_at_ms = :due, #last_error = :why, #owner = :owner{waits}");
    update(tables, (row.key, row.part), &set, condition)
}

/// The row is in the state, and under the owner, that we saw.
fn held(row: Held<'_>, names: &[&str], values: Vec<(&str, AttributeValue)>) -> Condition {
    let names = [&[name::STATE, name::OWNER], names].concat();
    let seen = vec![(":seen_state", s(row.state.name())), (":seen_owner", s(row.owner))];
    Condition::new("#state = :seen_state AND #owner = :seen_owner", &names, [seen, values].concat())
}

fn update(tables: &Tables, (key, part): (&ClaimKey, &str), set: &str, condition: Condition) -> Option<Update> {
    Update::builder()
        .table_name(&tables.claims)
        .set_key(Some(claims_key(key.as_str(), part)))
        .update_expression(set)
        .condition_expression(condition.expression)
        .set_expression_attribute_names(Some(condition.names))
        .set_expression_attribute_values(Some(condition.values))
        .return_values_on_condition_check_failure(ReturnValuesOnConditionCheckFailure::AllOld)
        .build()
        .ok()
}

fn action(update: Update) -> TransactWriteItem {
    TransactWriteItem::builder().update(update).build()
}
