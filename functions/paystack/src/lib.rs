//! Paystack's webhooks.
//!
//! A delivery is one event, signed under `x-paystack-signature` with the secret key of the API: Paystack has no secret for
//! webhooks alone. Every event is recorded; no entry.
//!
//! No event has an id. What names it is signed all the same:
//!
//! | event | name | why |
//! |---|---|---|
//! | `charge.success`, `transfer.success`, `transfer.reversed`, `charge.dispute.create`, `charge.dispute.resolve` | the event and `data.id` | happens once to its object |
//! | every other | the digest of the body | may happen again to the same object (`charge.dispute.remind` every few hours, `invoice.update`, a transfer that fails, is tried again and fails again), or carries no id (`refund.*`, `dedicatedaccount.*`) |
//!
//! An attempt repeats the bytes of the one before, as far as is known. Were it not so, a repetition of an event of the second
//! row would be recorded as another one; it would not be lost.
//!
//! The mode is `data.domain`, `live` or `test`, and in the few events without it the deployment's; the key that signs is one
//! of either. The account stands in some events only (`data.integration`), so the scope is the label of the key that fitted.

mod event;
mod refresh;
mod signature;

#[cfg(test)]
mod tests;

use hookledger::plan::{Plan, Read};
use hookledger::provider::{DAY_S, Event, Identity, Lifetime, Profile, Provider, Reply, Transport};
use hookledger::request::{Algorithm, Secret, Signature, Unverified, UnverifiedRequest, VerifiedRequest};
use hookledger::time::UnixMs;

/// Paystack.
#[derive(Clone, Copy, Debug, Default)]
pub struct Paystack;

/// Source: paystack.com/docs/payments/webhooks.
static PROFILE: Profile = Profile {
    name: "paystack",
    transport: Transport {
        methods: &["POST"],
        // Only 200 is success.
        success: Reply::fixed(200, ""),
        // Everything else is a failure and is tried again.
        in_flight_status: 409,
        mismatch_status: 422,
        // 30 s are documented for test events, nothing for live ones. The safe side.
        deadline_ms: 10_000,
    },
    identity: Identity { kept_headers: &[], volatile_fields: &[], overlapping_families: false },
    // Live: four times, three minutes apart, then hourly for 72 hours. Test: hourly for 10. For how long an event can be sent
    // again from the dashboard is not said; a month is assumed.
    lifetime: Lifetime::new(3 * DAY_S + DAY_S / 24, 30 * DAY_S, 45 * DAY_S),
};

impl Provider for Paystack {
    fn profile(&self) -> &'static Profile {
        &PROFILE
    }

    fn signature(&self, request: &UnverifiedRequest) -> Result<Signature, Unverified> {
        signature::read(&request.headers, &request.body)
    }

    fn identify(&self, request: &VerifiedRequest) -> Vec<Event> {
        vec![event::identify(request)]
    }

    fn interpret(&self, _event: &Event) -> Plan {
        Plan::record()
    }

    fn resume(&self, _event: &Event, _read: &[Read]) -> Plan {
        Plan::unreadable("nothing was asked for")
    }

    fn algorithms(&self) -> &'static [Algorithm] {
        &[Algorithm::HmacSha512]
    }

    fn development_secret(&self) -> &'static str {
        "sk_test_local_development_key"
    }

    fn sign(&self, body: &[u8], secret: &Secret, _at: UnixMs) -> Vec<(String, String)> {
        vec![signature::make(body, secret)]
    }

    fn refresh(&self, body: &[u8], tag: &str) -> Vec<u8> {
        refresh::refresh(body, tag)
    }
}
