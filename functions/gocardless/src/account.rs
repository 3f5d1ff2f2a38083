//! Whose money it is: a payment or refund names its mandate, the mandate its customer.

use hookledger::json::Object;

use crate::api::{Reads, Stop, link_opt};

/// The mandate's customer. `None`: there is no mandate, or it cannot be had; money is never parked for want of its account.
pub(crate) fn of_mandate(reads: Reads<'_>, mandate: Option<String>) -> Result<Option<String>, Stop> {
    let Some(mandate) = mandate else { return Ok(None) };
    let answer = reads.answer_if_any(format!("/mandates/{mandate}"))?;
    Ok(answer.and_then(|answer| customer(answer, &mandate)))
}

fn customer(answer: &[u8], mandate: &str) -> Option<String> {
    let read = Object::parse(answer).ok()?.object("mandates").ok()?;
    if read.text("id").ok()? == mandate { link_opt(&read, "customer").ok()? } else { None }
}
