//! A payout: money that leaves GoCardless for our bank. It has no customer.

use hookledger::json::Object;
use hookledger::plan::{Kind, Plan};

use crate::api::{Reads, Stop, created_at, entry, link};

pub(crate) fn plan(event: &Object<'_>, reads: Reads<'_>) -> Result<Plan, Stop> {
    let id = link(event, "payout")?;
    let payout = reads.resource("payouts", &id)?;
    Ok(Plan::settle(vec![entry(&payout, id.as_str().into(), Kind::Payout, created_at(&payout)?)?]))
}
