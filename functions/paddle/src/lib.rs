//! Paddle Billing's webhooks.
//!
//! A delivery is one event, signed under `Paddle-Signature`. It carries the entity it is about, as it was then. What is
//! booked is read from the entity.
//!
//! | entity, in | booked when | entry | account |
//! |---|---|---|---|
//! | transaction, `transaction.completed` | `status` is `completed` | `txn_`/payment + `details.totals.grand_total` | `customer_id` |
//! | adjustment, `adjustment.created` and `adjustment.updated` | `action` is `refund`, `approved` | `adj_`/refund − `totals.total` | `customer_id` |
//! | | `chargeback`, `approved` or `reversed` | `adj_`/dispute − `totals.total` | `customer_id` |
//! | | `chargeback_reverse`, `approved` | `adj_`/dispute_reversed + `totals.total` | `customer_id` |
//! | payout, `payout.paid` | `status` is `paid` | `pay_`/payout − `amount` | none: it is ours |
//!
//! `transaction.paid` tells of the same money a moment earlier and is ignored: the invoice, the customer's subscription and
//! the earnings may still be missing in it (developer.paddle.com/webhooks/transactions/transaction-paid), and an entry is
//! never written again. `grand_total` is what the customer paid, `total` is before the customer's credit was used
//! (developer.paddle.com/changelog/2023/transaction-totals-grand-total). A transaction of nothing, as at the start of a
//! trial, is no movement.
//!
//! A chargeback that is reversed is two adjustments, each with an id of its own: the `chargeback`, whose status becomes
//! `reversed`, and the `chargeback_reverse`, which brings the money back and does not name the first. Each books its own
//! movement, whichever comes first. Credits (`credit`, `credit_reverse`) move no cash, warnings (`chargeback_warning`, …)
//! come before a chargeback, and a rejected refund never happened: these are recorded and not booked. Everything else is
//! ignored.
//!
//! Paddle sells in its own name: what is booked is what customers pay, before Paddle's fee, tax and earnings, in the
//! currency they pay in. A payout is in the currency of our balance. So the ledger is not the Paddle balance.
//!
//! Amounts are integers sent as text, in the smallest unit of the currency (developer.paddle.com/concepts/sell/supported-currencies):
//! JPY, KRW and others without cents count whole units.

mod entity;
mod event;
mod refresh;
mod signature;

#[cfg(test)]
mod tests;

use hookledger::plan::{Plan, Read};
use hookledger::provider::{DAY_S, Event, Identity, Lifetime, Profile, Provider, Reply, Transport};
use hookledger::request::{Secret, Signature, Unverified, UnverifiedRequest, VerifiedRequest};
use hookledger::time::UnixMs;

/// Paddle Billing.
#[derive(Clone, Copy, Debug, Default)]
pub struct Paddle;

/// Source: developer.paddle.com/webhooks/about (how webhooks work, respond to webhooks).
static PROFILE: Profile = Profile {
    name: "paddle",
    transport: Transport {
        methods: &["POST"],
        // Exactly 200: no other 2xx is named as success.
        success: Reply::fixed(200, r#"{"received":true}"#).of_type("application/json"),
        // Everything else is tried again; Paddle gives no status a meaning of its own.
        in_flight_status: 409,
        mismatch_status: 422,
        deadline_ms: 5_000,
    },
    identity: Identity {
        kept_headers: &[],
        // Of the delivery, not of the event: each destination and each replay has its own.
        volatile_fields: &["notification_id"],
        // An approved adjustment stands in adjustment.created or adjustment.updated, a reversed one in both.
        overlapping_families: true,
    },
    // Live: 60 retries in 3 days. Replayed by hand after that, and nothing is said about how long: the safe side.
    lifetime: Lifetime::new(3 * DAY_S, 90 * DAY_S, 100 * DAY_S),
};

impl Provider for Paddle {
    fn profile(&self) -> &'static Profile {
        &PROFILE
    }

    fn signature(&self, request: &UnverifiedRequest) -> Result<Signature, Unverified> {
        signature::read(&request.headers, &request.body)
    }

    fn identify(&self, request: &VerifiedRequest) -> Vec<Event> {
        vec![event::identify(request.body(), request.label())]
    }

    fn interpret(&self, event: &Event) -> Plan {
        entity::read(&event.kept.body).unwrap_or_else(Plan::from)
    }

    fn resume(&self, event: &Event, _read: &[Read]) -> Plan {
        self.interpret(event)
    }

    fn development_secret(&self) -> &'static str {
        "pdl_ntfset_local_development_secret"
    }

    fn sign(&self, body: &[u8], secret: &Secret, at: UnixMs) -> Vec<(String, String)> {
        signature::make(body, secret, at)
    }

    fn refresh(&self, body: &[u8], tag: &str) -> Vec<u8> {
        refresh::refresh(body, tag)
    }
}
