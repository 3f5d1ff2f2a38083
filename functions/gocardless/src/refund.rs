//! A refund. One that fails had left, so its return is planned with its departure; a refund is never tried twice, so its
//! own id names both.

use hookledger::json::Object;
use hookledger::plan::{Entry, Kind, Plan};

use crate::account;
use crate::api::{Reads, Stop, created_at, entry, link, link_opt};

/// What an action says of a refund's money. `None`: nothing moved yet.
pub(crate) fn kinds(action: &str) -> Option<&'static [Kind]> {
    match action {
        "paid" | "refund_settled" => Some(&[Kind::Refund]),
        "failed" | "funds_returned" => Some(&[Kind::Refund, Kind::RefundReversed]),
        _ => None,
    }
}

pub(crate) fn plan(event: &Object<'_>, kinds: &[Kind], reads: Reads<'_>) -> Result<Plan, Stop> {
    let id = link(event, "refund")?;
    let refund = reads.resource("refunds", &id)?;
    let account = account::of_mandate(reads, mandate(&refund, reads)?)?;
    let at = created_at(&refund)?;
    let booked = |kind: &Kind| -> Result<Entry, Stop> {
        Ok(entry(&refund, id.as_str().into(), *kind, at)?.account(account.clone()))
    };
    Ok(Plan::settle(kinds.iter().map(booked).collect::<Result<_, _>>()?))
}

/// Its own, or that of the payment it gives back.
fn mandate(refund: &Object<'_>, reads: Reads<'_>) -> Result<Option<String>, Stop> {
    if let Some(mandate) = link_opt(refund, "mandate")? {
        return Ok(Some(mandate));
    }
    let Some(payment) = link_opt(refund, "payment")? else { return Ok(None) };
    Ok(link_opt(&reads.resource("payments", &payment)?, "mandate")?)
}
