//! Reading why a transaction was cancelled: by index and code, never by message. The claim's reason decides first.

use aws_sdk_dynamodb::types::CancellationReason;

use crate::claim::{MovementKey, same_movement};
use crate::items::{EntryRow, Item, Role, Skip, account_key};
use crate::plan::Settle;

/// What a cancellation says.
#[derive(Clone, Debug, PartialEq)]
pub(super) enum Reading {
    /// The claim's condition failed; the row that is there, if it was returned.
    ClaimHeld(Option<Box<Item>>),
    /// Another transaction is writing the claim.
    ClaimContended,
    /// The claim is free, and these exist already with the same content: commit again without them.
    Known(Skip),
    /// The claim is free, and the ledger holds the movement of the entry at this position with other content.
    Differs(usize, MovementKey),
    /// The claim is free, and an entry exists that was not returned: its content must be read.
    EntryUnseen(usize),
    /// The claim is free, and something else is being written by another transaction.
    Contended,
    /// Too many requests.
    Throttled(String),
    /// DynamoDB says that something about this event cannot be stored.
    Invalid,
    /// Anything else.
    Refused(String),
}

/// A reason's code as the table of meanings knows it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Code<'a> {
    None,
    ConditionFailed,
    Conflict,
    Throttled(&'a str),
    Invalid,
    Other(&'a str),
}

impl<'a> Code<'a> {
    /// No error is the string `None`; an absent code is not a known one.
    fn of(reason: &'a CancellationReason) -> Self {
        match reason.code().unwrap_or("no code") {
            "None" => Self::None,
            "ConditionalCheckFailed" => Self::ConditionFailed,
            "TransactionConflict" => Self::Conflict,
            code @ ("ThrottlingError" | "ProvisionedThroughputExceeded") => Self::Throttled(code),
            "ValidationError" | "ItemCollectionSizeLimitExceeded" => Self::Invalid,
            code => Self::Other(code),
        }
    }
}

/// Whose entries the plan books.
#[derive(Clone, Copy, Debug)]
pub(super) struct Books<'a> {
    pub(super) provider: &'a str,
    pub(super) scope: &'a str,
    pub(super) settle: Option<&'a Settle>,
}

/// Reads the reasons of a cancelled transaction whose actions had these roles.
pub(super) fn read(roles: &[Role], reasons: &[CancellationReason], books: Books<'_>) -> Reading {
    if reasons.len() != roles.len() {
        return Reading::Refused("a cancellation whose reasons do not fit its actions".into());
    }
    let by_role: Vec<(Role, Code<'_>, &CancellationReason)> =
        roles.iter().zip(reasons).map(|(role, reason)| (*role, Code::of(reason), reason)).collect();
    let claim = by_role.iter().find(|(role, ..)| *role == Role::Claim);
    match claim.map(|(_, code, reason)| (*code, *reason)) {
        Some((Code::ConditionFailed, reason)) => Reading::ClaimHeld(reason.item().cloned().map(Box::new)),
        Some((Code::Conflict, _)) => Reading::ClaimContended,
        Some((Code::Throttled(code), _)) => Reading::Throttled(code.to_owned()),
        Some((Code::Invalid, _)) => Reading::Invalid,
        Some((Code::Other(code), _)) => Reading::Refused(code.to_owned()),
        Some((Code::None, _)) => read_effects(&by_role, books),
        None => Reading::Refused("a transaction without a claim".into()),
    }
}

/// The claim itself was free: what stood in the way?
fn read_effects(by_role: &[(Role, Code<'_>, &CancellationReason)], books: Books<'_>) -> Reading {
    let mut skip = Skip::default();
    for (role, code, reason) in by_role {
        if *code != Code::ConditionFailed {
            continue;
        }
        match role {
            Role::Entry(at) => match entry_is_known(*at, reason, books) {
                Held::Same => skip.entries.insert(*at),
                Held::Other(movement) => return Reading::Differs(*at, movement),
                Held::Unseen => return Reading::EntryUnseen(*at),
            },
            Role::Message(at) => skip.messages.insert(*at),
            Role::Claim | Role::Payload => return Reading::Refused("a failed condition that was not set".into()),
        };
    }
    let codes = || by_role.iter().map(|(_, code, _)| *code);
    if let Some(Code::Other(code)) = codes().find(|code| matches!(code, Code::Other(_))) {
        return Reading::Refused(code.to_owned());
    }
    if codes().any(|code| code == Code::Invalid) {
        return Reading::Invalid;
    }
    if let Some(Code::Throttled(code)) = codes().find(|code| matches!(code, Code::Throttled(_))) {
        return Reading::Throttled(code.to_owned());
    }
    if skip != Skip::default() {
        return Reading::Known(skip);
    }
    if codes().any(|code| code == Code::Conflict) {
        return Reading::Contended;
    }
    Reading::Refused("a cancellation without a reason".into())
}

/// What the ledger holds under the key of an entry we want to book.
pub(super) enum Held {
    Same,
    Other(MovementKey),
    Unseen,
}

fn entry_is_known(at: usize, reason: &CancellationReason, books: Books<'_>) -> Held {
    match reason.item() {
        Some(item) => compare(at, item, books),
        None => Held::Unseen,
    }
}

/// Compares an entry of the plan with the item that stands under its key.
pub(super) fn compare(at: usize, item: &Item, books: Books<'_>) -> Held {
    let Some(wanted) = books.settle.and_then(|settle| settle.entries().get(at)) else { return Held::Unseen };
    let account = account_key(books.provider, books.scope, wanted);
    match EntryRow::decode(item) {
        Ok(row) if same_movement(&row.held, wanted, account.as_deref()) => Held::Same,
        _ => Held::Other(MovementKey::new(books.provider, &wanted.occurrence)),
    }
}
