//! Stripe's webhooks.
//!
//! A delivery is one event, signed under `Stripe-Signature`. A *snapshot* event (`"object": "event"`) carries the object
//! it is about, as it was then; a *thin* one (`"object": "v2.core.event"`) only points at it. What is booked is read from
//! the object, never from the event's name: Stripe promises no order, and several events describe one movement.
//!
//! | object | booked when | entry | account |
//! |---|---|---|---|
//! | `charge`, in `charge.succeeded` and `charge.captured` | `captured`, and `status` is `succeeded` | `ch_`/payment + `amount_captured` | `customer` |
//! | `refund` | `balance_transaction` is there | `re_`/refund − `amount` | its charge's |
//! | | `failure_balance_transaction` is there | the same, and `re_`/refund_reversed + `amount` | its charge's |
//! | `payout` | as a refund | `po_`/payout −, `po_`/payout_reversed + | none: it is ours |
//! | `dispute` | an element of `balance_transactions` | `txn_`/dispute − or `txn_`/dispute_reversed + | its charge's |
//! | `invoice_payment` | `status` is `paid` | `inpay_`/invoice_link 0, linked `amount_paid` | none |
//!
//! Everything else has no effect here: `payment_intent.*` and `invoice.*` tell of the same money as the charge, and
//! `charge.refunded` carries a running total, not a refund. Fees, transfers and top-ups are not booked, so the ledger is
//! not the Stripe balance.
//!
//! The status of a refund or payout is not consulted: one that is pending, released or canceled before it moved has no
//! balance transaction, one that came back has two. A refund or dispute names its charge and no customer, so its account
//! is read from the charge's own entry; where that does not come, from the charge at the API if there is a key; and else
//! it is booked without. A second capture of one charge says another `amount_captured` and is a conflict.
//!
//! Amounts are Stripe's integers in Stripe's minor units, beside the currency code. These are not ISO 4217's everywhere
//! (docs.stripe.com/currencies): BIF, CLP, DJF, GNF, JPY, KMF, KRW, MGA, PYG, RWF, UGX, VND, VUV, XAF, XOF and XPF count
//! whole units, yet ISK and UGX are sent times 100; BHD, JOD, KWD, OMR and TND have three decimals, the last one 0. A
//! dispute's transactions are in the currency our balance settles in, which may differ from the charge's.

mod charge;
mod event;
mod meaning;
mod object;
mod refresh;
mod signature;
mod thin;

#[cfg(test)]
mod tests;

use hookledger::json::FieldError;
use hookledger::plan::{Fetched, Plan, Read};
use hookledger::provider::{DAY_S, Event, Identity, Lifetime, Profile, Provider, Reply, Transport};
use hookledger::request::{Secret, Signature, Unverified, UnverifiedRequest, VerifiedRequest};
use hookledger::time::UnixMs;

use crate::event::Shape;

/// Stripe.
#[derive(Clone, Copy, Debug, Default)]
pub struct Stripe;

/// Why an answer that no event asked for is not used.
const UNASKED: &str = "the answer is of a kind that this event did not ask for";

/// Sources: docs.stripe.com/webhooks (retries, resending, answers), docs.stripe.com/api/events/object (fields).
static PROFILE: Profile = Profile {
    name: "stripe",
    transport: Transport {
        methods: &["POST"],
        // Any 2xx is success; the body is the one Stripe's own examples answer with.
        success: Reply::fixed(200, r#"{"received":true}"#).of_type("application/json"),
        // Every status but 2xx is a failure and is tried again; Stripe gives none of them a meaning of its own.
        in_flight_status: 409,
        mismatch_status: 422,
        // Stripe says "quickly" and no number; others report 10 to 30 s. The safe side.
        deadline_ms: 10_000,
    },
    identity: Identity {
        kept_headers: &[],
        // How many endpoints have not yet taken the event: falls from delivery to delivery.
        volatile_fields: &["pending_webhooks"],
        // charge.succeeded and charge.captured, refund.updated and charge.refund.updated, each snapshot and its thin twin.
        overlapping_families: true,
    },
    // Tried again for up to 3 days. Sent again by hand for 15 days from the dashboard, for 30 from the command line.
    lifetime: Lifetime::new(3 * DAY_S, 30 * DAY_S, 45 * DAY_S),
};

impl Provider for Stripe {
    fn profile(&self) -> &'static Profile {
        &PROFILE
    }

    fn signature(&self, request: &UnverifiedRequest) -> Result<Signature, Unverified> {
        signature::read(&request.headers, &request.body)
    }

    fn identify(&self, request: &VerifiedRequest) -> Vec<Event> {
        vec![event::identify(request.body())]
    }

    fn interpret(&self, event: &Event) -> Plan {
        let plan = || -> Result<Plan, FieldError> {
            match event::shape(&event.kept.body)? {
                Shape::Snapshot { event_type, object } => Ok(object::read(&object, &event_type)?.plan()),
                Shape::Thin(thin) => thin.plan(),
            }
        };
        plan().unwrap_or_else(Plan::from)
    }

    fn resume(&self, event: &Event, read: &[Read]) -> Plan {
        let plan = || -> Result<Plan, FieldError> {
            match (event::shape(&event.kept.body)?, read.last()) {
                (Shape::Snapshot { event_type, object }, Some(read)) => {
                    Ok(object::read(&object, &event_type)?.resumed(read))
                }
                (Shape::Thin(thin), Some(Read { fetched: Fetched::Object(answer), .. })) => thin.settled(answer),
                (Shape::Thin(_), _) | (_, None) => Ok(Plan::unreadable(UNASKED)),
            }
        };
        plan().unwrap_or_else(Plan::from)
    }

    fn api_url(&self) -> Option<&'static str> {
        Some("https://api.stripe.com")
    }

    /// A connected account is named in one header, an account of an organisation in another (docs.stripe.com/api/connected_accounts,
    /// docs.stripe.com/context).
    fn api_headers(&self, event: &Event) -> Vec<(&'static str, String)> {
        let name = match event.scope.as_str() {
            "" => return Vec::new(),
            scope if scope.starts_with("acct_") && !scope.contains('/') => "stripe-account",
            _ => "stripe-context",
        };
        vec![(name, event.scope.clone())]
    }

    fn sign(&self, body: &[u8], secret: &Secret, at: UnixMs) -> Vec<(String, String)> {
        signature::make(body, secret, at)
    }

    fn refresh(&self, body: &[u8], tag: &str) -> Vec<u8> {
        refresh::refresh(body, tag)
    }
}
