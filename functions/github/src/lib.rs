//! GitHub's webhooks.
//!
//! A delivery is one event, signed under `X-Hub-Signature-256`; its topic (`X-GitHub-Event`) and its GUID
//! (`X-GitHub-Delivery`) are not signed. Two apps on one repository get one GUID with different bodies, and a captured body
//! verifies under any GUID, so an event is named by its topic and the digest of its bytes, and the GUID is a header that is
//! kept.
//!
//! | topic | effect |
//! |---|---|
//! | `ping` | none: sent when a webhook is made |
//! | every other | recorded; no entry |
//!
//! No money is booked, from `sponsorship` and `marketplace_purchase` neither: they carry a plan's price, come once and not
//! with each renewal, and tell of no payment. Recording is the whole effect: the claim says that the event came, and is
//! written before the answer. Nothing has to be read first, so nothing is deferred.
//!
//! GitHub never tries again by itself. What was answered with an error or not at all is sent again by a person, or by the
//! API (docs.github.com/webhooks/using-webhooks/handling-failed-webhook-deliveries), for as long as it lists the delivery.
//! It does not send payloads over 25 MB, and Lambda takes less than that: a large `push` may never arrive.

mod delivery;
mod sender;
mod signature;

#[cfg(test)]
mod tests;

use hookledger::plan::{Ignored, Plan, Read};
use hookledger::provider::{DAY_S, Event, Identity, Lifetime, Profile, Provider, Reply, Transport};
use hookledger::request::{Secret, Signature, Unverified, UnverifiedRequest, VerifiedRequest};
use hookledger::time::UnixMs;

/// GitHub.
#[derive(Clone, Copy, Debug, Default)]
pub struct GitHub;

/// Sources: docs.github.com/webhooks (best practices, validating deliveries, failed deliveries, redelivering).
static PROFILE: Profile = Profile {
    name: "github",
    transport: Transport {
        methods: &["POST"],
        // Any 2xx is success; this is the answer of GitHub's own examples.
        success: Reply::fixed(202, "Accepted").of_type("text/plain"),
        // Shown in the list of deliveries, and acted on by nobody but the owner.
        in_flight_status: 409,
        mismatch_status: 422,
        deadline_ms: 10_000,
    },
    identity: Identity { kept_headers: &delivery::KEPT_HEADERS, volatile_fields: &[], overlapping_families: false },
    // Never tried again by itself. Sent again by hand or by the API: for 3 days by the present documentation, for 30 by
    // older editions. The longer one is taken.
    lifetime: Lifetime::new(0, 30 * DAY_S, 45 * DAY_S),
};

impl Provider for GitHub {
    fn profile(&self) -> &'static Profile {
        &PROFILE
    }

    fn signature(&self, request: &UnverifiedRequest) -> Result<Signature, Unverified> {
        signature::read(&request.headers, &request.body)
    }

    fn identify(&self, request: &VerifiedRequest) -> Vec<Event> {
        vec![delivery::identify(request)]
    }

    fn interpret(&self, event: &Event) -> Plan {
        if event.event_type == "ping" { Plan::Ignore(Ignored::EventType) } else { Plan::record() }
    }

    fn resume(&self, _event: &Event, _read: &[Read]) -> Plan {
        Plan::unreadable("nothing was asked for")
    }

    fn sign(&self, body: &[u8], secret: &Secret, _at: UnixMs) -> Vec<(String, String)> {
        sender::headers(body, secret)
    }

    fn refresh(&self, body: &[u8], tag: &str) -> Vec<u8> {
        sender::refresh(body, tag)
    }
}
