//! Objects of Stripe's API that tell of money (docs.stripe.com/api: charges, refunds, payouts, disputes,
//! invoice-payment). The same rules serve for an object in a snapshot event and for one that was fetched.
//!
//! An entry happened when its object was created, also where it is a reversal: every event that tells of a movement must
//! say the same, and no other time stands in all of them.

use hookledger::json::{FieldError, Object};
use hookledger::money::Currency;
use hookledger::plan::{Entry, Ignored, Kind, Occurrence};
use hookledger::time::UnixMs;

use crate::meaning::Meaning;

/// The events that say a charge has become cash. All others about a charge come later, or before.
pub(crate) const CASH_IN: [&str; 2] = ["charge.succeeded", "charge.captured"];

/// What an object says about money; `event_type` is a snapshot's.
pub(crate) fn read(object: &Object<'_>, event_type: &str) -> Result<Meaning, FieldError> {
    match object.text("object")?.as_ref() {
        "charge" if CASH_IN.contains(&event_type) => charge(object),
        "refund" => refund(object),
        "payout" => payout(object),
        "dispute" => dispute(object),
        "invoice_payment" => invoice_payment(object),
        _ => Ok(Meaning::Nothing(Ignored::EventType)),
    }
}

/// An uncaptured charge is an authorisation and holds money only; `charge.succeeded` tells of those too. A bank debit is
/// pending until it succeeds or fails; what is drawn back after it succeeded is a dispute.
fn charge(charge: &Object<'_>) -> Result<Meaning, FieldError> {
    match charge.text("status")?.as_ref() {
        "succeeded" if charge.flag("captured")? => {}
        "succeeded" | "pending" | "failed" => return Ok(Meaning::Nothing(Ignored::NothingMoved)),
        _ => return Err(charge.error("status", "unknown")),
    }
    let payment = movement(charge, Kind::Payment, "amount_captured")?.account(id(charge, "customer")?);
    Ok(Meaning::moved(vec![payment], None))
}

fn refund(refund: &Object<'_>) -> Result<Meaning, FieldError> {
    undoing(refund, out_and_back(refund, Kind::Refund, Kind::RefundReversed)?)
}

/// A payout that draws money from our bank has a negative amount and is kept for a person.
fn payout(payout: &Object<'_>) -> Result<Meaning, FieldError> {
    Ok(Meaning::moved(out_and_back(payout, Kind::Payout, Kind::PayoutReversed)?, None))
}

/// `amount` is what the customer disputes; what moved stands in up to two transactions, withdrawn and reinstated.
fn dispute(dispute: &Object<'_>) -> Result<Meaning, FieldError> {
    let mut entries = Vec::new();
    for transaction in dispute.objects("balance_transactions")? {
        let amount_minor = transaction.integer("amount")?;
        let kind = match amount_minor {
            0 => continue,
            ..0 => Kind::Dispute,
            1.. => Kind::DisputeReversed,
        };
        let magnitude = amount_minor.checked_abs();
        let magnitude_minor = magnitude.ok_or_else(|| transaction.error("amount", "out of range"))?;
        entries.push(entry(&transaction, kind, magnitude_minor, transaction.time_s("created")?)?);
    }
    undoing(dispute, entries)
}

/// Says which invoice was paid. The money is the charge's: it is named here where Stripe names it, and stands under its
/// payment intent otherwise.
fn invoice_payment(payment: &Object<'_>) -> Result<Meaning, FieldError> {
    match payment.text("status")?.as_ref() {
        "paid" => {}
        "open" | "canceled" => return Ok(Meaning::Nothing(Ignored::NothingMoved)),
        _ => return Err(payment.error("status", "unknown")),
    }
    let charge = payment.object_opt("payment")?.map_or(Ok(None), |by| id(&by, "charge"))?;
    let link = movement(payment, Kind::InvoiceLink, "amount_paid")?
        .invoice(id(payment, "invoice")?)
        .parent(charge.map(Occurrence::unique));
    Ok(Meaning::moved(vec![link], None))
}

/// `balance_transaction` is there once money has left, `failure_balance_transaction` once it is back. What came back
/// had left, also where only the last event arrives.
fn out_and_back(object: &Object<'_>, out: Kind, back: Kind) -> Result<Vec<Entry>, FieldError> {
    let left = id(object, "balance_transaction")?.is_some();
    let returned = id(object, "failure_balance_transaction")?.is_some();
    let kinds: &[Kind] = match (left, returned) {
        (_, true) => &[out, back],
        (true, false) => &[out],
        (false, false) => &[],
    };
    kinds.iter().map(|kind| movement(object, *kind, "amount")).collect()
}

/// Entries that belong to a charge, and whose account is that charge's. Events name it by id; a fetched object may carry
/// the whole charge, and then the account is known.
fn undoing(object: &Object<'_>, entries: Vec<Entry>) -> Result<Meaning, FieldError> {
    let Some(charge_id) = id(object, "charge")? else {
        return Ok(Meaning::moved(entries, None));
    };
    let charge = Occurrence::unique(charge_id);
    let (account, account_of) = match expanded(object, "charge")? {
        Some(whole) => (id(&whole, "customer")?, None),
        None => (None, Some(charge.clone())),
    };
    let belong = |entry: Entry| entry.parent(Some(charge.clone())).account(account.clone());
    Ok(Meaning::moved(entries.into_iter().map(belong).collect(), account_of))
}

/// An entry about `object` itself.
fn movement(object: &Object<'_>, kind: Kind, amount: &str) -> Result<Entry, FieldError> {
    let magnitude_minor = object.integer(amount)?;
    if magnitude_minor < 0 {
        return Err(object.error(amount, "negative"));
    }
    entry(object, kind, magnitude_minor, object.time_s("created")?)
}

fn entry(object: &Object<'_>, kind: Kind, magnitude_minor: i64, at: UnixMs) -> Result<Entry, FieldError> {
    let occurrence = Occurrence::unique(object.text("id")?);
    let currency = Currency::read(object, "currency")?;
    Entry::new(occurrence, kind, magnitude_minor, currency, at).map_err(|_| object.error("amount", "negative"))
}

/// The id in an expandable field: the id itself, or the object that has it (docs.stripe.com/api/expanding_objects).
pub(crate) fn id(object: &Object<'_>, name: &str) -> Result<Option<String>, FieldError> {
    let id = match expanded(object, name)? {
        Some(whole) => Some(whole.text("id")?.into_owned()),
        None => object.text_opt(name)?.map(|id| id.into_owned()),
    };
    if id.as_ref().is_some_and(String::is_empty) { Err(object.error(name, "empty")) } else { Ok(id) }
}

fn expanded<'a>(object: &Object<'a>, name: &str) -> Result<Option<Object<'a>>, FieldError> {
    if object.raw(name).is_some_and(|raw| raw.starts_with('{')) { object.object_opt(name) } else { Ok(None) }
}
