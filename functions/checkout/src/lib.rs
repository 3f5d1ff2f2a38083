//! Checkout.com's webhooks.
//!
//! A delivery is one event, signed as a whole under `Cko-Signature`. Its `data` is about a payment (`pay_`), which has
//! actions (`act_`), or about a dispute (`dsp_`).
//!
//! | `type` | entry | parent |
//! |---|---|---|
//! | `payment_captured` | `act_`/payment + | `pay_` |
//! | `payment_refunded` | `act_`/refund − | `pay_` |
//! | `payment_paid` | `pay_`/payout − | none |
//! | `payment_returned`, of a payout | the same, and `pay_`/payout_reversed + | none |
//! | `payment_returned`, of a payment | `act_`/payment_reversed − | `pay_` |
//! | `dispute_evidence_required`, `dispute_accepted`, `dispute_expired`, `dispute_lost` | `dsp_`/dispute − | `pay_` |
//! | `dispute_canceled`, `dispute_won` | the same, and `dsp_`/dispute_reversed + | `pay_` |
//!
//! A dispute debits the account when evidence is asked for, and credits it when it is won or canceled; accepting it, losing it
//! or letting it expire moves nothing more (www.checkout.com/docs/dashboard/disputes). Fees are not in the events and not
//! booked. Other `dispute_` events are claimed, not booked: one that is resolved was refunded before, and whether the
//! amount moves again in arbitration is not documented. `payment_approved`, `payment_declined`, `payment_voided` and the
//! rest have no effect; `balances` are running totals and never read.
//!
//! A return is a payout's where its source is a currency account, or where it has a destination and no source
//! (…/event-types/payment_returned); a payment's where its source is something else; otherwise it is kept. It names no
//! capture, so a payment_reversed stands by itself until the capture's event has come.
//!
//! No event says whether it is a test. The sandbox has webhooks and keys of its own: a function that books real money must
//! hold none of those.
//!
//! The account is `data.customer.id`, which few of these events carry. Ids are unique by themselves. An entry happened when
//! `data.processed_on` says, or else the envelope's `created_on` or `timestamp`; a dispute's events each say another time,
//! and the first to come stays.
//!
//! Amounts are Checkout.com's integers in its own minor units
//! (www.checkout.com/docs/resources/calculating-the-amount): BIF, DJF, GNF, ISK, JPY, KMF, KRW, PYG, RWF, UGX, VND, VUV, XAF,
//! XOF and XPF count whole units; BHD, IQD, JOD, KWD, LYD, OMR and TND have three decimals, the last one 0; all others have
//! two, and that includes CLP, which has none in ISO 4217.

mod event;
mod meaning;
mod signature;

#[cfg(test)]
mod tests;

use hookledger::json;
use hookledger::plan::{Plan, Read};
use hookledger::provider::{DAY_S, Event, Identity, Lifetime, Profile, Provider, Reply, Transport};
use hookledger::request::{Secret, Signature, Unverified, UnverifiedRequest, VerifiedRequest};
use hookledger::time::UnixMs;

/// Checkout.com.
#[derive(Clone, Copy, Debug, Default)]
pub struct Checkout;

/// Source: www.checkout.com/docs/developer-resources/event-notifications/receive-webhooks (answers, times, retries).
static PROFILE: Profile = Profile {
    name: "checkout",
    transport: Transport {
        methods: &["POST"],
        // Any 2xx is success; the body is not read.
        success: Reply::fixed(200, ""),
        // Whatever is not 2xx is tried again, one event apart from the others.
        in_flight_status: 409,
        mismatch_status: 422,
        deadline_ms: 10_000,
    },
    identity: Identity {
        kept_headers: &[],
        // Which of our webhooks have had the event, and with what success.
        volatile_fields: &["action_invocations"],
        // Each event about a dispute tells of what was debited before.
        overlapping_families: true,
    },
    // Eight retries within 30 hours. A person can send again from the dashboard; until when, and whether under the same id,
    // is not documented. A month is assumed; under another id the movements are known.
    lifetime: Lifetime::new(30 * 3_600, 30 * DAY_S, 45 * DAY_S),
};

/// Ids of what happens, once each. Customers, sources, workflows and entities stay who they are.
const ONCE: [&str; 4] = ["act_", "dsp_", "evt_", "pay_"];

impl Provider for Checkout {
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
        meaning::plan(&event.kept.body).unwrap_or_else(Plan::from)
    }

    fn resume(&self, _event: &Event, _read: &[Read]) -> Plan {
        Plan::unreadable("something was read that this event did not ask for")
    }

    fn sign(&self, body: &[u8], secret: &Secret, _at: UnixMs) -> Vec<(String, String)> {
        signature::make(body, secret)
    }

    fn refresh(&self, body: &[u8], tag: &str) -> Vec<u8> {
        let last = |text: &str| text.rsplit('/').next().unwrap_or_default().to_owned();
        json::tag(body, tag, |_, text| ONCE.iter().any(|prefix| last(text).starts_with(prefix)))
    }
}
