//! Entities that tell of money (razorpay.com/docs/api: payments, refunds, disputes, settlements; razorpay.com/docs/api/x:
//! payouts). An entry happened when its entity was created: every event about it says the same.

use hookledger::json::{FieldError, Object};
use hookledger::money::Currency;
use hookledger::plan::{Entry, Fetch, Ignored, Kind, Occurrence, Plan};

/// What an event is about.
struct Payload<'a> {
    account_id: String,
    payload: Object<'a>,
}

/// What an event means.
pub(crate) fn read(body: &[u8], settlement_currency: Option<Currency>) -> Result<Plan, FieldError> {
    let event = Object::parse(body)?;
    let about = || {
        let account_id = event.text("account_id")?.into_owned();
        if account_id.is_empty() {
            return Err(event.error("account_id", "empty"));
        }
        Ok(Payload { account_id, payload: event.object("payload")? })
    };
    match event.text("event")?.as_ref() {
        "payment.captured" | "order.paid" => about()?.payment(),
        "refund.processed" | "refund.failed" => about()?.refund(),
        "settlement.processed" => about()?.settlement(settlement_currency),
        "payout.processed" | "payout.reversed" | "payout.updated" => about()?.payout(),
        "payment.failed" | "payout.failed" | "payout.rejected" => Ok(Plan::record()),
        name if name.starts_with("payment.dispute.") => about()?.dispute(),
        _ => Ok(Plan::Ignore(Ignored::EventType)),
    }
}

impl<'a> Payload<'a> {
    /// A capture that has been refunded in full since is `refunded`; it was captured all the same.
    fn payment(&self) -> Result<Plan, FieldError> {
        let payment = self.entity("payment")?;
        if !matches!(payment.text("status")?.as_ref(), "captured" | "refunded") {
            return Err(payment.error("status", "not captured"));
        }
        let entry = self
            .entry(&payment, Kind::Payment, "amount", currency(&payment)?)?
            .account(payment.text_opt("customer_id")?)
            .invoice(payment.text_opt("invoice_id")?);
        Ok(Plan::settle(vec![entry]))
    }

    fn refund(&self) -> Result<Plan, FieldError> {
        let refund = self.entity("refund")?;
        let kinds: &[Kind] = match refund.text("status")?.as_ref() {
            "processed" => &[Kind::Refund],
            "failed" => &[Kind::Refund, Kind::RefundReversed],
            _ => return Err(refund.error("status", "neither processed nor failed")),
        };
        // An authorisation that was never captured is released as a refund; it had brought no money.
        let payment = self.payload.object_opt("payment")?.map_or(Ok(None), |payment| payment.object_opt("entity"))?;
        if payment.map_or(Ok(None), |payment| payment.flag_opt("captured"))? == Some(false) {
            return Ok(Plan::record());
        }
        self.undoing(&refund, self.entries(&refund, kinds, "amount", currency(&refund)?)?)
    }

    /// `amount_deducted` is 0 until the dispute is lost.
    fn dispute(&self) -> Result<Plan, FieldError> {
        let dispute = self.entity("dispute")?;
        let lost = dispute.text("status")? == "lost";
        match (lost, dispute.integer("amount_deducted")?) {
            (_, 0) => Ok(Plan::record()),
            (true, _) => self
                .undoing(&dispute, self.entries(&dispute, &[Kind::Dispute], "amount_deducted", currency(&dispute)?)?),
            (false, _) => Err(dispute.error("amount_deducted", "not 0 in a dispute that is not lost")),
        }
    }

    fn settlement(&self, settlement_currency: Option<Currency>) -> Result<Plan, FieldError> {
        let settlement = self.entity("settlement")?;
        if settlement.text("status")? != "processed" {
            return Err(settlement.error("status", "not processed"));
        }
        let currency = match settlement_currency {
            _ if settlement.raw("currency").is_some() => currency(&settlement)?,
            Some(currency) => currency,
            None => {
                return Err(
                    settlement.error("currency", "missing, and HOOKLEDGER_RAZORPAY_SETTLEMENT_CURRENCY is not set")
                );
            }
        };
        Ok(Plan::settle(self.entries(&settlement, &[Kind::Payout], "amount", currency)?))
    }

    fn payout(&self) -> Result<Plan, FieldError> {
        let payout = self.entity("payout")?;
        let kinds: &[Kind] = match payout.text("status")?.as_ref() {
            "processed" => &[Kind::Payout],
            "reversed" => &[Kind::Payout, Kind::PayoutReversed],
            // payout.updated tells of every change, as of a bank's reference.
            _ => return Ok(Plan::Ignore(Ignored::NothingMoved)),
        };
        Ok(Plan::settle(self.entries(&payout, kinds, "amount", currency(&payout)?)?))
    }

    /// Entries that belong to a payment, and whose account is that payment's.
    fn undoing(&self, object: &Object<'_>, entries: Vec<Entry>) -> Result<Plan, FieldError> {
        let payment = self.occurrence(object.text("payment_id")?);
        let belong = |entry: Entry| entry.parent(Some(payment.clone()));
        let entries = entries.into_iter().map(belong);
        let Some(whole) = self.payload.object_opt("payment")? else {
            return Ok(Plan::defer(Fetch::ParentEntry(payment.clone()), entries.collect()));
        };
        let whole = whole.object("entity")?;
        if whole.text("id")? != payment.id {
            return Err(whole.error("id", "not the payment that is named"));
        }
        let account = whole.text_opt("customer_id")?;
        Ok(Plan::settle(entries.map(|entry| entry.account(account.clone())).collect()))
    }

    fn entity(&self, name: &str) -> Result<Object<'a>, FieldError> {
        self.payload.object(name)?.object("entity")
    }

    fn entries(
        &self,
        object: &Object<'_>,
        kinds: &[Kind],
        amount: &str,
        currency: Currency,
    ) -> Result<Vec<Entry>, FieldError> {
        kinds.iter().map(|kind| self.entry(object, *kind, amount, currency)).collect()
    }

    fn entry(&self, object: &Object<'_>, kind: Kind, amount: &str, currency: Currency) -> Result<Entry, FieldError> {
        let occurrence = self.occurrence(object.text("id")?);
        let magnitude_minor = object.integer(amount)?;
        let at = object.time_s("created_at")?;
        Entry::new(occurrence, kind, magnitude_minor, currency, at).map_err(|_| object.error(amount, "negative"))
    }

    fn occurrence(&self, id: impl Into<String>) -> Occurrence {
        Occurrence { scope: self.account_id.clone(), id: id.into() }
    }
}

fn currency(object: &Object<'_>) -> Result<Currency, FieldError> {
    Currency::read(object, "currency")
}
