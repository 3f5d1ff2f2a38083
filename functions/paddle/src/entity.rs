//! Entities that tell of money (developer.paddle.com/api-reference: transactions, adjustments, and the payouts of
//! developer.paddle.com/webhooks/payouts). Their ids are unique by themselves.

use hookledger::json::{FieldError, Object};
use hookledger::money::Currency;
use hookledger::plan::{Entry, Ignored, Kind, Occurrence, Plan};
use hookledger::time::UnixMs;

/// What an event means.
pub(crate) fn read(body: &[u8]) -> Result<Plan, FieldError> {
    let event = Object::parse(body)?;
    match event.text("event_type")?.as_ref() {
        "transaction.completed" => transaction(&event.object("data")?, event.time("occurred_at")?),
        "adjustment.created" | "adjustment.updated" => adjustment(&event.object("data")?),
        "payout.paid" => payout(&event.object("data")?, event.time("occurred_at")?),
        _ => Ok(Plan::Ignore(Ignored::EventType)),
    }
}

fn transaction(transaction: &Object<'_>, completed_at: UnixMs) -> Result<Plan, FieldError> {
    if transaction.text("status")? != "completed" {
        return Err(transaction.error("status", "not completed"));
    }
    let totals = transaction.object("details")?.object("totals")?;
    let paid = entry(transaction, Kind::Payment, (&totals, "grand_total"), completed_at)?
        .account(transaction.text_opt("customer_id")?)
        .invoice(transaction.text_opt("invoice_id")?);
    if paid.amount_minor == 0 {
        return Ok(Plan::Ignore(Ignored::NothingMoved));
    }
    Ok(Plan::settle(vec![paid]))
}

/// It happened when it was created: every event about it says the same.
fn adjustment(adjustment: &Object<'_>) -> Result<Plan, FieldError> {
    let kind = match adjustment.text("action")?.as_ref() {
        "refund" => Kind::Refund,
        "chargeback" => Kind::Dispute,
        "chargeback_reverse" => Kind::DisputeReversed,
        "credit" | "credit_reverse" | "chargeback_warning" | "chargeback_warning_reverse" => return Ok(Plan::record()),
        _ => return Err(adjustment.error("action", "unknown")),
    };
    match (adjustment.text("status")?.as_ref(), kind) {
        // What brings a reversed chargeback back is an adjustment of its own.
        ("approved", _) | ("reversed", Kind::Dispute) => {}
        ("pending_approval", _) => return Ok(Plan::Ignore(Ignored::NothingMoved)),
        ("rejected", _) => return Ok(Plan::record()),
        _ => return Err(adjustment.error("status", "unknown for this action")),
    }
    let totals = adjustment.object("totals")?;
    let moved = entry(adjustment, kind, (&totals, "total"), adjustment.time("created_at")?)?
        .account(adjustment.text_opt("customer_id")?)
        .parent(Some(Occurrence::unique(adjustment.text("transaction_id")?)));
    Ok(Plan::settle(vec![moved]))
}

fn payout(payout: &Object<'_>, paid_at: UnixMs) -> Result<Plan, FieldError> {
    if payout.text("status")? != "paid" {
        return Err(payout.error("status", "not paid"));
    }
    Ok(Plan::settle(vec![entry(payout, Kind::Payout, (payout, "amount"), paid_at)?]))
}

/// An entry about `entity`, of the amount in this field of this object, which also names the currency.
fn entry(entity: &Object<'_>, kind: Kind, amount: (&Object<'_>, &str), at: UnixMs) -> Result<Entry, FieldError> {
    let (totals, field) = amount;
    let magnitude_minor = totals.integer_text(field)?;
    let currency = Currency::read(totals, "currency_code")?;
    let occurrence = Occurrence::unique(entity.text("id")?);
    Entry::new(occurrence, kind, magnitude_minor, currency, at).map_err(|_| totals.error(field, "negative"))
}
