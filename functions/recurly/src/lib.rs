//! Recurly's webhooks, in JSON.
//!
//! A delivery is one event, signed under `recurly-signature` together with the time of signing. It says which object was
//! concerned and what became of it, and carries no amounts: Recurly means it as a reason to ask its API. Every event is
//! recorded; no entry.
//!
//! | part of an event's name | field | e.g. |
//! |---|---|---|
//! | type | `object_type`, `event_type` | `payment.succeeded` |
//! | time | `event_time` | `2026-11-30T18:00:00Z` |
//! | id | `id` | `rmk3x0c9w2aa` |
//!
//! The documentation does not say whether `id` names the notification or the object it is about, and if it were the object's
//! then its second change must not pass for a repetition of the first. So an event is named by all of the above: each is
//! signed, and the same in every attempt.
//!
//! The scope is the site (`site_id`). A sandbox is a site of its own with secrets of its own, and no event says that it is
//! one: the mode is the deployment's. Endpoints set to XML are not signed, and refused: set the endpoint to JSON.

mod event;
mod signature;

#[cfg(test)]
mod tests;

use hookledger::json;
use hookledger::plan::{Plan, Read};
use hookledger::provider::{DAY_S, Event, Identity, Lifetime, Profile, Provider, Reply, Transport};
use hookledger::request::{Secret, Signature, Unverified, UnverifiedRequest, VerifiedRequest};
use hookledger::time::UnixMs;

/// Recurly.
#[derive(Clone, Copy, Debug, Default)]
pub struct Recurly;

/// Sources: docs.recurly.com (webhooks overview, automatic retries, manual retries, signature verification).
static PROFILE: Profile = Profile {
    name: "recurly",
    transport: Transport {
        methods: &["POST"],
        // Any 2xx is success.
        success: Reply::fixed(200, ""),
        // Every other status is a failure and is tried again.
        in_flight_status: 409,
        mismatch_status: 422,
        deadline_ms: 5_000,
    },
    identity: Identity { kept_headers: &[], volatile_fields: &[], overlapping_families: false },
    // Ten retries, the nth after 10 + n * 2^(n + 5) s: 73 hours in all. Sent again by hand for as long as notifications are
    // listed, a month by an older edition of the documentation.
    lifetime: Lifetime::new(4 * DAY_S, 31 * DAY_S, 45 * DAY_S),
};

impl Provider for Recurly {
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

    fn sign(&self, body: &[u8], secret: &Secret, at: UnixMs) -> Vec<(String, String)> {
        vec![signature::make(body, secret, at)]
    }

    /// The notification's id, and the one of the object it is about.
    fn refresh(&self, body: &[u8], tag: &str) -> Vec<u8> {
        json::tag(body, tag, |field, _| matches!(field, "id" | "uuid"))
    }
}
