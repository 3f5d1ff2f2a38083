//! A delivery that says something else under an id we know: its content, kept beside the claim for a person.

use super::claim_row::shard;
use super::codec::{Condition, ms, n, put, s};
use super::names as name;
use super::transaction::identity;
use super::{NewClaim, Role, Stroke, Tables, Transaction};
use crate::claim::{Effect, State};
use crate::plan::ParkReason;

/// Keeps the content once per effect; a second put of the same one fails on [`Role::Claim`].
pub fn sibling(tables: &Tables, claim: &NewClaim<'_>, effect: Effect, stroke: &Stroke) -> Transaction {
    let payload = claim.payload();
    let part = format!("mismatch#{}", effect.digest.to_hex());
    let mut item = identity(claim, &part, effect);
    let mut set = |name: &str, value| {
        item.insert(name.to_owned(), value);
    };
    set(name::STATE, s(State::Parked.name()));
    set(name::PARK_REASON, s(ParkReason::Conflict.name()));
    set(name::OWNER, s(&stroke.owner));
    set(name::CLAIMED_AT_MS, ms(stroke.now));
    set(name::OPEN_SINCE_MS, ms(stroke.now));
    set(name::DUE_AT_MS, ms(stroke.now));
    set(name::SHARD, s(shard("parked", &claim.key)));
    set(name::PAYLOAD_PARTS, n(i128::try_from(payload.count()).unwrap_or_default()));
    let absent = Condition::new("attribute_not_exists(#claim)", &[name::CLAIM], vec![]);
    let mut transaction = Transaction::new();
    transaction.push(Role::Claim, put(&tables.claims, item, Some(absent)));
    for item in payload.items(&claim.key, &part) {
        transaction.push(Role::Payload, put(&tables.claims, item, None));
    }
    transaction
}
