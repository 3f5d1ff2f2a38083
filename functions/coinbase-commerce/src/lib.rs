//! Coinbase Commerce's webhooks.
//!
//! A delivery is one event in an envelope of its own, signed under `X-CC-Webhook-Signature`. The envelope changes from
//! attempt to attempt; the event in it, with its id, does not.
//!
//! | field | of | between deliveries |
//! |---|---|---|
//! | `id` | the delivery | another |
//! | `attempt_number` | the delivery | counts up |
//! | `scheduled_for` | the delivery | later |
//! | `event.id` | the event | the same |
//!
//! Every event is recorded; no entry. A charge is told of while it is pending and when it is confirmed, in several
//! currencies of which one is settled in, with more decimals than the minor units of a ledger have.
//!
//! Neither the account nor the mode stands in an event: the scope is the label of the secret that fitted, and the mode the
//! deployment's.

mod event;
mod signature;

#[cfg(test)]
mod tests;

use hookledger::json;
use hookledger::plan::{Plan, Read};
use hookledger::provider::{DAY_S, Event, Identity, Lifetime, Profile, Provider, Reply, Transport};
use hookledger::request::{Secret, Signature, Unverified, UnverifiedRequest, VerifiedRequest};
use hookledger::time::UnixMs;

/// Coinbase Commerce.
#[derive(Clone, Copy, Debug, Default)]
pub struct CoinbaseCommerce;

/// Sources: docs.cdp.coinbase.com/commerce (webhooks overview, webhook fields).
static PROFILE: Profile = Profile {
    name: "coinbase-commerce",
    transport: Transport {
        methods: &["POST"],
        // The documentation asks for 200, and for no body.
        success: Reply::fixed(200, ""),
        // Everything else is a failure and is tried again.
        in_flight_status: 409,
        mismatch_status: 422,
        // No number is published. The safe side.
        deadline_ms: 5_000,
    },
    identity: Identity {
        kept_headers: &[],
        volatile_fields: &["attempt_number", "id", "scheduled_for"],
        overlapping_families: false,
    },
    // Tried again for up to 3 days, an hour apart at most. Nothing is said about resending by hand; a month is assumed.
    lifetime: Lifetime::new(3 * DAY_S, 30 * DAY_S, 45 * DAY_S),
};

impl Provider for CoinbaseCommerce {
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

    fn sign(&self, body: &[u8], secret: &Secret, _at: UnixMs) -> Vec<(String, String)> {
        vec![signature::make(body, secret)]
    }

    /// Ids of deliveries, events and charges, and the charge's short code.
    fn refresh(&self, body: &[u8], tag: &str) -> Vec<u8> {
        json::tag(body, tag, |field, _| matches!(field, "id" | "code"))
    }
}
