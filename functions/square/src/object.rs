//! Objects that tell of money (developer.squareup.com/reference/square: Payment, PaymentRefund, Dispute, Payout).
//!
//! An entry happened when its object was created: every version of the object says the same.

use hookledger::json::{FieldError, Object};
use hookledger::money::Currency;
use hookledger::plan::{Entry, Fetch, Ignored, Kind, Occurrence, Plan};

/// An object and the merchant whose it is.
struct Item<'a> {
    object: Object<'a>,
    merchant_id: String,
}

/// What an object of one kind means.
type Meaning = fn(&Item<'_>) -> Result<Plan, FieldError>;

/// What an event means.
pub(crate) fn read(body: &[u8]) -> Result<Plan, FieldError> {
    let event = Object::parse(body)?;
    let (name, meaning): (&str, Meaning) = match event.text("type")?.as_ref() {
        "payment.created" | "payment.updated" => ("payment", payment),
        "refund.created" | "refund.updated" => ("refund", refund),
        // The last one is the deprecated twin of the second.
        "dispute.created" | "dispute.state.updated" | "dispute.state.changed" => ("dispute", dispute),
        "payout.sent" | "payout.paid" | "payout.failed" => ("payout", payout),
        _ => return Ok(Plan::Ignore(Ignored::EventType)),
    };
    let merchant_id = event.text("merchant_id")?.into_owned();
    if merchant_id.is_empty() {
        return Err(event.error("merchant_id", "empty"));
    }
    meaning(&Item { object: event.object("data")?.object("object")?.object(name)?, merchant_id })
}

/// `COMPLETED`, `CANCELED` and `FAILED` are final.
fn payment(item: &Item<'_>) -> Result<Plan, FieldError> {
    let payment = &item.object;
    match payment.text("status")?.as_ref() {
        "COMPLETED" if paid_elsewhere(payment)? => return Ok(Plan::record()),
        "COMPLETED" => {}
        "APPROVED" | "PENDING" => return Ok(Plan::Ignore(Ignored::NothingMoved)),
        "CANCELED" | "FAILED" => return Ok(Plan::record()),
        _ => return Err(payment.error("status", "unknown")),
    }
    let entry = item.entry(Kind::Payment, "total_money")?;
    Ok(Plan::settle(vec![entry.account(payment.text_opt("customer_id")?)]))
}

fn refund(item: &Item<'_>) -> Result<Plan, FieldError> {
    let refund = &item.object;
    match refund.text("status")?.as_ref() {
        "COMPLETED" => {}
        "PENDING" => return Ok(Plan::Ignore(Ignored::NothingMoved)),
        "FAILED" | "REJECTED" => return Ok(Plan::record()),
        _ => return Err(refund.error("status", "unknown")),
    }
    if refund.text_opt("destination_type")?.is_some_and(|to| is_elsewhere(&to)) {
        return Ok(Plan::record());
    }
    // An unlinked refund has no payment.
    let payment_id = refund.text_opt("payment_id")?.map(|id| id.into_owned());
    Ok(item.undoing(payment_id, vec![item.entry(Kind::Refund, "amount_money")?]))
}

/// What was won was held and given back. That also undoes a loss, should the bank decide again.
fn dispute(item: &Item<'_>) -> Result<Plan, FieldError> {
    let dispute = &item.object;
    let kinds: &[Kind] = match dispute.text("state")?.as_ref() {
        "LOST" | "ACCEPTED" => &[Kind::Dispute],
        "WON" => &[Kind::Dispute, Kind::DisputeReversed],
        "INQUIRY_EVIDENCE_REQUIRED" | "INQUIRY_PROCESSING" | "INQUIRY_CLOSED" | "EVIDENCE_REQUIRED" | "PROCESSING" => {
            return Ok(Plan::record());
        }
        _ => return Err(dispute.error("state", "unknown")),
    };
    let payment_id = dispute.object("disputed_payment")?.text("payment_id")?.into_owned();
    Ok(item.undoing(Some(payment_id), item.entries(kinds, "amount_money")?))
}

/// A payout that draws money from our bank has a negative amount and is kept for a person.
fn payout(item: &Item<'_>) -> Result<Plan, FieldError> {
    let kinds: &[Kind] = match item.object.text("status")?.as_ref() {
        "SENT" | "PAID" => &[Kind::Payout],
        "FAILED" => &[Kind::Payout, Kind::PayoutReversed],
        _ => return Err(item.object.error("status", "unknown")),
    };
    Ok(Plan::settle(item.entries(kinds, "amount_money")?))
}

impl Item<'_> {
    fn entries(&self, kinds: &[Kind], amount: &str) -> Result<Vec<Entry>, FieldError> {
        kinds.iter().map(|kind| self.entry(*kind, amount)).collect()
    }

    fn entry(&self, kind: Kind, amount: &str) -> Result<Entry, FieldError> {
        let money = self.object.object(amount)?;
        let magnitude_minor = money.integer("amount")?;
        // The published samples of payout events write `currency_code`.
        let field = if money.raw("currency_code").is_some() { "currency_code" } else { "currency" };
        let currency = Currency::read(&money, field)?;
        let occurrence = self.occurrence(self.object.text("id")?.into_owned());
        let at = self.object.time("created_at")?;
        Entry::new(occurrence, kind, magnitude_minor, currency, at).map_err(|_| money.error("amount", "negative"))
    }

    /// Entries that belong to a payment, and whose account is that payment's.
    fn undoing(&self, payment_id: Option<String>, entries: Vec<Entry>) -> Plan {
        let Some(payment_id) = payment_id else {
            return Plan::settle(entries);
        };
        let payment = self.occurrence(payment_id);
        let belong = |entry: Entry| entry.parent(Some(payment.clone()));
        Plan::defer(Fetch::ParentEntry(payment.clone()), entries.into_iter().map(belong).collect())
    }

    fn occurrence(&self, id: String) -> Occurrence {
        Occurrence { scope: self.merchant_id.clone(), id }
    }
}

/// Whether a payment moved no money at Square.
pub(crate) fn paid_elsewhere(payment: &Object<'_>) -> Result<bool, FieldError> {
    let card = payment.object_opt("card_details")?.map_or(Ok(None), |details| details.object_opt("card"))?;
    let brand = card.map_or(Ok(None), |card| card.text_opt("card_brand"))?;
    let by_gift_card = brand.is_some_and(|brand| brand == "SQUARE_GIFT_CARD");
    Ok(by_gift_card || payment.text_opt("source_type")?.is_some_and(|from| is_elsewhere(&from)))
}

/// Cash in the drawer, or whatever the seller took by other means.
fn is_elsewhere(source_type: &str) -> bool {
    matches!(source_type, "CASH" | "EXTERNAL")
}
