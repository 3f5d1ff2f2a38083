//! GoCardless's webhooks.
//!
//! A delivery is a batch of up to 250 events, signed as a whole under `Webhook-Signature`. Each event is claimed alone. It
//! says what happened to which resource and carries neither amount nor customer, so whatever can be about money is read at
//! the API by the worker (`HOOKLEDGER_GOCARDLESS_API_KEY`; without a key it waits).
//!
//! | event | read | entry | account |
//! |---|---|---|---|
//! | `payments`: `confirmed`, `failed`, `charged_back`, `chargeback_cancelled`, `paid_out`, `chargeback_settled`, `late_failure_settled` | all events of the payment, the payment, its mandate | for each event of the payment's history: | the mandate's customer |
//! | | | `confirmed` → `EV…`/payment + | |
//! | | | `failed` after it → `EV…`/payment_reversed − | |
//! | | | `charged_back` after it → `EV…`/dispute − | |
//! | | | `chargeback_cancelled` after that → `EV…`/dispute_reversed + | |
//! | `refunds`: `paid`, `refund_settled` | the refund, its mandate | `RF…`/refund − | the mandate's customer |
//! | `refunds`: `failed`, `funds_returned` | the same | the same, and `RF…`/refund_reversed + | |
//! | `payouts`: `paid` | the payout | `PO…`/payout − | none: it is ours |
//!
//! GoCardless promises no order. The whole history of a payment is the plan of each of its events, so every order and every
//! subset that holds the last one ends in the same ledger, and a payment that is collected again after a late failure is
//! booked again. `confirmed` means collected from the customer. `paid_out` is money from GoCardless to us, which is the
//! payout's; `chargeback_settled` and `late_failure_settled` are its deduction from a payout. None of the three is booked,
//! but each tells that the payment has a history.
//!
//! Everything else has no effect here: payments that are created, submitted, cancelled or approved, mandates,
//! subscriptions, instalments, billing requests. Fees, surcharges, taxes and exchange are not booked, so the ledger is not
//! the GoCardless balance; an amount stays in the currency it was collected in. A payout that a bank returns
//! (`creditors`/`bounced_payout`) names no payout and is not booked. A payment whose list of events begins after its money
//! came is kept for a person, and so is one with more than 1000 events.
//!
//! Amounts are integers in minor units. Ids are unique by themselves. The scope is the organisation a partner receives
//! for, where the event names it, else the label of the secret; one key reads for all of them. Sandbox and live look alike
//! in an event: give a live deployment no sandbox secret, and a sandbox one its own
//! `HOOKLEDGER_GOCARDLESS_API_URL=https://api-sandbox.gocardless.com`.

mod account;
mod api;
mod batch;
mod list;
mod payment;
mod payout;
mod refresh;
mod refund;
mod signature;

#[cfg(test)]
mod tests;

use hookledger::json::Object;
use hookledger::plan::{Ignored, Plan, Read};
use hookledger::provider::{DAY_S, Event, Identity, Lifetime, Profile, Provider, Reply, Transport};
use hookledger::request::{Secret, Signature, Unverified, UnverifiedRequest, VerifiedRequest};
use hookledger::time::UnixMs;

use crate::api::{Reads, Stop};

/// GoCardless.
#[derive(Clone, Copy, Debug, Default)]
pub struct GoCardless;

/// Sources: developer.gocardless.com/getting-started (answers), developer.gocardless.com/api-reference (events, actions),
/// support.gocardless.com, "Webhook retries".
static PROFILE: Profile = Profile {
    name: "gocardless",
    transport: Transport {
        methods: &["POST"],
        // Any 2xx is success; this is the one in GoCardless's own examples.
        success: Reply::fixed(204, ""),
        // Whatever is not 2xx is tried again.
        in_flight_status: 409,
        // One event must not make 249 others come again.
        mismatch_status: 204,
        deadline_ms: 10_000,
    },
    identity: Identity {
        kept_headers: &[],
        volatile_fields: &[],
        // Every event of a payment plans its whole history.
        overlapping_families: true,
    },
    // Tried again 8 times at growing intervals, which are published only for the first ones; sent again from the dashboard
    // or by the API without a limit that is published. Both on the safe side.
    lifetime: Lifetime::new(7 * DAY_S, 30 * DAY_S, 45 * DAY_S),
};

/// The version of the API all of this is about (developer.gocardless.com/api-reference/#api-usage-versions).
const API_VERSION: &str = "2015-07-06";

impl Provider for GoCardless {
    fn profile(&self) -> &'static Profile {
        &PROFILE
    }

    fn signature(&self, request: &UnverifiedRequest) -> Result<Signature, Unverified> {
        signature::read(&request.headers, &request.body)
    }

    fn identify(&self, request: &VerifiedRequest) -> Vec<Event> {
        batch::identify(request)
    }

    fn interpret(&self, event: &Event) -> Plan {
        self.resume(event, &[])
    }

    fn resume(&self, event: &Event, read: &[Read]) -> Plan {
        plan(&event.kept.body, Reads(read)).unwrap_or_else(Plan::from)
    }

    fn api_url(&self) -> Option<&'static str> {
        Some("https://api.gocardless.com")
    }

    fn api_headers(&self, _event: &Event) -> Vec<(&'static str, String)> {
        vec![("gocardless-version", API_VERSION.to_owned())]
    }

    fn sign(&self, body: &[u8], secret: &Secret, _at: UnixMs) -> Vec<(String, String)> {
        signature::make(body, secret)
    }

    fn refresh(&self, body: &[u8], tag: &str) -> Vec<u8> {
        refresh::refresh(body, tag)
    }
}

/// What an event means, as far as was read.
fn plan(body: &[u8], reads: Reads<'_>) -> Result<Plan, Stop> {
    let event = Object::parse(body)?;
    let action = event.text("action")?;
    match (event.text("resource_type")?.as_ref(), action.as_ref()) {
        ("payments", action) if payment::TELLING.contains(&action) => payment::plan(&event, reads),
        ("refunds", action) => match refund::kinds(action) {
            Some(kinds) => refund::plan(&event, kinds, reads),
            None => Ok(Plan::Ignore(Ignored::EventType)),
        },
        ("payouts", "paid") => payout::plan(&event, reads),
        _ => Ok(Plan::Ignore(Ignored::EventType)),
    }
}
