//! Razorpay's webhooks, of the payment gateway and of RazorpayX.
//!
//! A delivery is one event, signed under `X-Razorpay-Signature` over the body alone. The event's id is in an unsigned
//! header (`x-razorpay-event-id`), so anybody who saw a delivery could send it again under another id. A retry is the same
//! bytes: an event is named by the digest of its body, which holds its type as well, and the header is only kept.
//!
//! | entity, in | booked when | entry | account |
//! |---|---|---|---|
//! | `payment`, in `payment.captured` and `order.paid` | `status` is `captured` or `refunded` | payment + `amount` | `customer_id` |
//! | `refund`, in `refund.processed` | `status` is `processed` | refund − `amount` | its payment's |
//! | `refund`, in `refund.failed` | `status` is `failed` | the same, and refund_reversed + `amount` | its payment's |
//! | `dispute`, in `payment.dispute.*` | `status` is `lost` | dispute − `amount_deducted` | its payment's |
//! | `settlement`, in `settlement.processed` | `status` is `processed` | payout − `amount` | none: it is ours |
//! | `payout`, in `payout.*` | `status` is `processed` | payout − `amount` | none |
//! | | `status` is `reversed` | the same, and payout_reversed + `amount` | none |
//!
//! Every entry is named by its entity's id within the account (`account_id`). A refund or dispute carries its payment with
//! it; where that is missing the account is read from the payment's own entry.
//!
//! `order.paid` tells of the same capture as `payment.captured` and books the same movement: either is enough. The events
//! of invoices, payment links, subscriptions and QR codes tell of it as well and are ignored, as everything else.
//! `amount_refunded` is a running total and never read. `refund.created` says `processed` before it is, so it is ignored; a
//! refund that failed gave back what it took from our balance, whether or not we saw it go. A payment or payout that failed
//! and a dispute that is open, won or closed without a deduction are recorded and not booked. Fees and tax are not booked,
//! so the ledger is not the Razorpay balance.
//!
//! A settlement says no currency (razorpay.com/docs/webhooks/settlements): it is that of
//! `HOOKLEDGER_RAZORPAY_SETTLEMENT_CURRENCY`, and without it the event is kept for a person.
//!
//! Amounts are Razorpay's integers in the smallest unit of the currency (razorpay.com/docs/api/payments/entity): JPY has no
//! smaller unit, and in KWD, BHD and OMR, which have three decimals, the last one is 0.
//!
//! After the secret is changed, retries of events from before are still signed with the old one, and replays by the support
//! are too (razorpay.com/docs/webhooks/faqs): keep both in the list for at least 24 hours, better for 15 days.

mod entity;
mod event;
mod refresh;
mod signature;

#[cfg(test)]
mod tests;

use hookledger::money::Currency;
use hookledger::plan::{Fetched, Plan, Read};
use hookledger::provider::{DAY_S, Event, Identity, Lifetime, Profile, Provider, Reply, Setting, Transport};
use hookledger::request::{Secret, Signature, Unverified, UnverifiedRequest, VerifiedRequest};
use hookledger::time::UnixMs;

/// Razorpay.
#[derive(Clone, Copy, Debug, Default)]
pub struct Razorpay {
    settlement_currency: Option<Currency>,
}

/// Sources: razorpay.com/docs/webhooks (best practices, FAQs, replay events).
static PROFILE: Profile = Profile {
    name: "razorpay",
    transport: Transport {
        methods: &["POST"],
        // Any 2xx is success, whatever its body.
        success: Reply::fixed(200, r#"{"received":true}"#).of_type("application/json"),
        // Every other status is a failure and is tried again.
        in_flight_status: 409,
        // A webhook that fails for 24 hours is disabled, and a refusal would fail for ever. An id that is the digest of the
        // body has no other content, so this is never said.
        mismatch_status: 200,
        deadline_ms: 5_000,
    },
    identity: Identity {
        kept_headers: &[event::ID_HEADER],
        volatile_fields: &[],
        // payment.captured and order.paid; payout.processed and payout.updated.
        overlapping_families: true,
    },
    // Tried again for 24 hours. Replayed from the dashboard for 7 days, by the support for 15.
    lifetime: Lifetime::new(DAY_S, 15 * DAY_S, 30 * DAY_S),
};

const SETTLEMENT_CURRENCY: Setting = Setting {
    name: "SETTLEMENT_CURRENCY",
    todo: "set it to the currency Razorpay settles in, such as INR",
    required: false,
    development: "INR",
};

impl Provider for Razorpay {
    fn profile(&self) -> &'static Profile {
        &PROFILE
    }

    fn signature(&self, request: &UnverifiedRequest) -> Result<Signature, Unverified> {
        signature::read(&request.headers, &request.body)
    }

    fn identify(&self, request: &VerifiedRequest) -> Vec<Event> {
        vec![event::identify(request.body(), request.headers())]
    }

    fn interpret(&self, event: &Event) -> Plan {
        entity::read(&event.kept.body, self.settlement_currency).unwrap_or_else(Plan::from)
    }

    fn resume(&self, event: &Event, read: &[Read]) -> Plan {
        match (self.interpret(event), read.last().map(|read| &read.fetched)) {
            (Plan::Defer(defer), Some(Fetched::ParentEntry(parent))) => {
                let account = parent.as_ref().and_then(|parent| parent.account.clone());
                Plan::settle(defer.known().iter().map(|entry| entry.clone().account(account.clone())).collect())
            }
            (Plan::Defer(_), _) => Plan::unreadable("the answer is of a kind that this event did not ask for"),
            (plan, _) => plan,
        }
    }

    fn settings(&self) -> &'static [Setting] {
        &[SETTLEMENT_CURRENCY]
    }

    fn set(&mut self, name: &str, value: &str) -> Result<(), &'static str> {
        if name != SETTLEMENT_CURRENCY.name {
            return Err("is unknown");
        }
        self.settlement_currency = Some(Currency::parse(value).ok_or("is not a currency code")?);
        Ok(())
    }

    fn sign(&self, body: &[u8], secret: &Secret, _at: UnixMs) -> Vec<(String, String)> {
        signature::make(body, secret)
    }

    fn refresh(&self, body: &[u8], tag: &str) -> Vec<u8> {
        refresh::refresh(body, tag)
    }
}
