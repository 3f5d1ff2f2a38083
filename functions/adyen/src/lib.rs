//! Adyen's standard webhooks.
//!
//! A delivery is a list of items, each an event, each signed by itself. Signed are eight fields: `pspReference`,
//! `originalReference`, `merchantAccountCode`, `merchantReference`, the amount's value and currency, `eventCode` and
//! `success`. What is booked follows from these alone. The merchant account is the scope; reference, code and outcome are
//! the id.
//!
//! | `eventCode`, with `success` `true` | entry, parent `originalReference` |
//! |---|---|
//! | `AUTHORISATION`, account captures `auto` | `pspReference`/payment + |
//! | `CAPTURE`, account captures `manual` | `pspReference`/payment + |
//! | `CAPTURE_FAILED` | the same, and payment_reversed − of the same; where the account captures `auto` both under `originalReference` |
//! | `REFUND` | `pspReference`/refund − |
//! | `REFUND_FAILED`, `REFUNDED_REVERSED` | the same, and `pspReference`/refund_reversed + |
//! | `CHARGEBACK` | `pspReference`/dispute − |
//! | `CHARGEBACK_REVERSED` | the same, and `pspReference`/dispute_reversed + |
//! | `SECOND_CHARGEBACK` | the same, and `pspReference:SECOND_CHARGEBACK`/dispute − |
//! | `CANCEL_OR_REFUND` | none: kept for a person, because only an unsigned field says which of the two it was |
//!
//! Capture is configured for each merchant account, because no event tells of it; what an account that is not configured
//! sends is kept. An account is `auto` only where Adyen captures at once: after a delay, or by hand for single payments, it is
//! `manual`, and a capture or a cancellation in an `auto` account is kept. A `manual` account must hold no payment method
//! that cannot be captured by hand (docs.adyen.com/online-payments/capture): such a payment never sends a `CAPTURE`. The
//! setting is for the whole life of a payment: captures of what was booked as `auto` would be booked again as `manual`.
//!
//! With `success` `false` nothing was done: claimed, not booked. So are authorisations in a `manual` account, payouts,
//! refunds without a payment, pre-arbitration and arbitration, whose signed fields do not say for certain what moved. Other
//! codes have no effect.
//!
//! Several facts come from where others read the same events, because Adyen's reference leaves them open: that
//! `CAPTURE_FAILED` repeats the capture's reference (github.com/Adyen/adyen-commercetools), that `REFUND_FAILED` and
//! `REFUNDED_REVERSED` repeat the refund's (github.com/juspay/hyperswitch). All events about a dispute have one reference
//! (docs.adyen.com/risk-management/disputes-api/dispute-notifications). What `CAPTURE_FAILED` says in an `auto` account is
//! not documented. Whatever undoes an entry of another amount than its own is a conflict and kept.
//!
//! Adyen may repeat a failed capture and then sends `CAPTURE` again (docs.adyen.com/online-payments/capture/failure-reasons).
//! Under a new reference it is booked; under the old one its signed fields are those of the first, so it is taken for a
//! repeat, and the ledger says less than came.
//!
//! Unsigned are `live`, the date, the reason and everything else. Whoever captured a signed item can send it again with those
//! changed, and gains nothing: a claim and its entries do not depend on them, the first `eventDate` stays, and the time it
//! tells is no more than a hint. `live` decides only whether an item is looked at. `false` on a live item has it ignored,
//! this once. `true` on a test item books play money if its key is active where live events are booked: Adyen makes a key
//! for each endpoint and environment, so give the live function no key of a test endpoint.
//!
//! Amounts are Adyen's integers in Adyen's minor units, which differ from ISO 4217's in CLP and ISK (two decimals) and CVE
//! and IDR (none) (docs.adyen.com/development-resources/currency-codes). Nothing signed names the shopper, so entries have no
//! account.

mod capture;
mod item;
mod meaning;
mod signature;

#[cfg(test)]
mod tests;

use hookledger::json;
use hookledger::plan::{Plan, Read};
use hookledger::provider::{DAY_S, Event, Identity, Lifetime, Profile, Provider, Reply, Setting, Transport};
use hookledger::request::{Algorithm, Secret, Signature, Unverified, UnverifiedRequest, VerifiedRequest};
use hookledger::time::UnixMs;

use crate::capture::Captures;
use crate::item::Item;

/// Adyen.
#[derive(Clone, Debug, Default)]
pub struct Adyen {
    captures: Captures,
}

/// Sources: docs.adyen.com/development-resources/webhooks/handle-webhook-events (answers, duplicates) and …/troubleshoot
/// (times, queue).
static PROFILE: Profile = Profile {
    name: "adyen",
    transport: Transport {
        methods: &["POST"],
        // Any 2xx is success today; the body was asked for before, and satisfies both.
        success: Reply::fixed(200, "[accepted]").of_type("text/plain"),
        // Whatever is not 2xx is put in a queue and tried again.
        in_flight_status: 409,
        // A refused item holds up all that follow it, for up to a month.
        mismatch_status: 200,
        deadline_ms: 10_000,
    },
    identity: Identity {
        kept_headers: &[],
        // What is not signed may differ between deliveries of one event.
        volatile_fields: &["additionalData", "eventDate", "operations", "paymentMethod", "reason"],
        // What fails tells of what succeeded before.
        overlapping_families: true,
    },
    // Tried for up to 30 days. How long a person can send again is not documented; as long is assumed.
    lifetime: Lifetime::new(30 * DAY_S, 30 * DAY_S, 45 * DAY_S),
};

impl Provider for Adyen {
    fn profile(&self) -> &'static Profile {
        &PROFILE
    }

    fn signature(&self, request: &UnverifiedRequest) -> Result<Signature, Unverified> {
        signature::read(request)
    }

    fn identify(&self, request: &VerifiedRequest) -> Vec<Event> {
        item::identify(request.body())
    }

    fn interpret(&self, event: &Event) -> Plan {
        let plan = Item::read(&event.kept.body).and_then(|item| meaning::plan(&item, &self.captures));
        plan.unwrap_or_else(Plan::from)
    }

    fn resume(&self, _event: &Event, _read: &[Read]) -> Plan {
        Plan::unreadable("something was read that this event did not ask for")
    }

    fn settings(&self) -> &'static [Setting] {
        &[capture::SETTING]
    }

    fn set(&mut self, name: &str, value: &str) -> Result<(), &'static str> {
        if name != capture::SETTING.name {
            return Err("is unknown");
        }
        self.captures = Captures::parse(value)?;
        Ok(())
    }

    fn algorithms(&self) -> &'static [Algorithm] {
        &[signature::ALGORITHM]
    }

    fn development_secret(&self) -> &'static str {
        "686f6f6b6c65646765722d6c6f63616c2d646576656c6f706d656e742d6b6579"
    }

    fn seal(&self, body: &[u8], secret: &Secret) -> Vec<u8> {
        signature::seal(body, secret)
    }

    /// The codes stand in the body.
    fn sign(&self, _body: &[u8], _secret: &Secret, _at: UnixMs) -> Vec<(String, String)> {
        Vec::new()
    }

    fn refresh(&self, body: &[u8], tag: &str) -> Vec<u8> {
        let names = |field: &str| matches!(field, "pspReference" | "originalReference");
        json::tag(body, tag, |field, text| names(field) && !text.is_empty())
    }
}
