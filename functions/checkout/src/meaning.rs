//! What an event means, by its type and its `data`.

use hookledger::json::{FieldError, Object};
use hookledger::money::Currency;
use hookledger::plan::{Entry, Ignored, Kind, Occurrence, Plan};

use crate::event::occurred_at;

/// Where a payout's money comes from.
const OUR_BALANCE: &str = "currency_account";

/// An event's two levels.
struct Fact<'a> {
    event: Object<'a>,
    data: Object<'a>,
}

pub(crate) fn plan(body: &[u8]) -> Result<Plan, FieldError> {
    let event = Object::parse(body)?;
    let event_type = event.text("type")?;
    let fact = || Ok(Fact { data: event.object("data")?, event: event.clone() });
    match event_type.as_ref() {
        "payment_captured" => fact()?.action(Kind::Payment),
        "payment_refunded" => fact()?.action(Kind::Refund),
        "payment_paid" => fact()?.payout(&[Kind::Payout]),
        "payment_returned" => fact()?.returned(),
        "dispute_evidence_required" | "dispute_accepted" | "dispute_expired" | "dispute_lost" => {
            fact()?.dispute(&[Kind::Dispute])
        }
        "dispute_canceled" | "dispute_won" => fact()?.dispute(&[Kind::Dispute, Kind::DisputeReversed]),
        other if other.starts_with("dispute_") => Ok(Plan::record()),
        _ => Ok(Plan::Ignore(Ignored::EventType)),
    }
}

impl Fact<'_> {
    /// A payment may be captured and refunded in several steps: each is an action.
    fn action(&self, kind: Kind) -> Result<Plan, FieldError> {
        let payment = Occurrence::unique(self.data.text("id")?);
        Ok(Plan::settle(vec![self.entry("action_id", kind)?.parent(Some(payment))]))
    }

    /// A payout is paid once, and comes back whole, so that the payment names it.
    fn payout(&self, kinds: &[Kind]) -> Result<Plan, FieldError> {
        let entries: Result<Vec<_>, _> = kinds.iter().map(|kind| self.entry("id", *kind)).collect();
        Ok(Plan::settle(entries?))
    }

    /// Tells of a payout that the bank sent back, and of a payment that was drawn back after it succeeded, as direct debits
    /// can be. Money goes in opposite directions.
    fn returned(&self) -> Result<Plan, FieldError> {
        let source = self.data.object_opt("source")?;
        let source_type = source.map_or(Ok(None), |source| source.text_opt("type"))?;
        let has_destination = self.data.object_opt("destination")?.is_some();
        match source_type.as_deref() {
            Some(OUR_BALANCE) => self.payout(&[Kind::Payout, Kind::PayoutReversed]),
            Some(_) if !has_destination => self.action(Kind::PaymentReversed),
            None if has_destination => self.payout(&[Kind::Payout, Kind::PayoutReversed]),
            _ => Ok(Plan::unreadable(
                "data.source, data.destination: do not say whether a payment or a payout came back",
            )),
        }
    }

    fn dispute(&self, kinds: &[Kind]) -> Result<Plan, FieldError> {
        let payment = Occurrence::unique(self.data.text("payment_id")?);
        let entry = |kind: &Kind| Ok(self.entry("id", *kind)?.parent(Some(payment.clone())));
        Ok(Plan::settle(kinds.iter().map(entry).collect::<Result<_, FieldError>>()?))
    }

    /// An entry of this event's amount, about what `id` names.
    fn entry(&self, id: &str, kind: Kind) -> Result<Entry, FieldError> {
        let data = &self.data;
        let (occurrence, currency) = (Occurrence::unique(data.text(id)?), Currency::read(data, "currency")?);
        let entry = Entry::new(occurrence, kind, data.integer("amount")?, currency, occurred_at(&self.event, data)?);
        let customer = data.object_opt("customer")?.map_or(Ok(None), |customer| customer.text_opt("id"))?;
        Ok(entry.map_err(|_| data.error("amount", "negative"))?.account(customer))
    }
}
