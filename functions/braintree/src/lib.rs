//! Braintree's webhooks.
//!
//! A delivery is a form of two fields: `bt_payload`, a notification as XML in base64, and `bt_signature`, who signed it how.
//! A notification has no id. Its kind, the id of its subject and its time stamp, all signed, name it; where a subject has no
//! id, the digest of the notification stands for it.
//!
//! | kind | effect |
//! |---|---|
//! | `check` | none: a person asked for a test |
//! | every other | recorded; no entry |
//!
//! No money is booked. The scope is the notification's `source-merchant-id`, where it has one, else the label of the secret.
//! The sandbox is another gateway with keys of its own, so a notification does not say whether it is a test.
//!
//! A secret is `public|private`: the two API keys with which the webhook was made. Before Braintree sends anything it asks
//! with `GET ?bt_challenge=…` whether we hold them, and is answered with the first secret that is configured
//! (developers.braintreepayments.com/guides/webhooks).

mod event;
mod sender;
mod signature;

#[cfg(test)]
mod tests;

use hookledger::plan::{Ignored, Plan, Read};
use hookledger::provider::{DAY_S, Event, Identity, Lifetime, Profile, Provider, Reply, Transport};
use hookledger::request::{Algorithm, KeySet, Secret, Signature, Unverified, UnverifiedRequest, VerifiedRequest};
use hookledger::time::UnixMs;

/// Braintree.
#[derive(Clone, Copy, Debug, Default)]
pub struct Braintree;

/// Sources: developers.braintreepayments.com/guides/webhooks (overview, create, parse).
static PROFILE: Profile = Profile {
    name: "braintree",
    transport: Transport {
        methods: &["GET", "POST"],
        // Any 2xx is success, whatever its body.
        success: Reply::fixed(200, ""),
        // Everything but 2xx is sent again.
        in_flight_status: 409,
        mismatch_status: 422,
        deadline_ms: 30_000,
    },
    // Two kinds may tell of one payment (`subscription_charged_successfully`, `transaction_settled`).
    identity: Identity { kept_headers: &[], volatile_fields: &[], overlapping_families: true },
    // Every hour for a day in production, for three hours in the sandbox. No way to send a notification again by hand is
    // documented; a month is kept in case there is one.
    lifetime: Lifetime::new(DAY_S, DAY_S, 30 * DAY_S),
};

impl Provider for Braintree {
    fn profile(&self) -> &'static Profile {
        &PROFILE
    }

    fn handshake(&self, request: &UnverifiedRequest, keys: &KeySet) -> Option<Reply> {
        signature::challenged(request, keys)
    }

    fn signature(&self, request: &UnverifiedRequest) -> Result<Signature, Unverified> {
        signature::read(request)
    }

    fn identify(&self, request: &VerifiedRequest) -> Vec<Event> {
        vec![event::identify(request)]
    }

    fn interpret(&self, event: &Event) -> Plan {
        if event.event_type == "check" { Plan::Ignore(Ignored::EventType) } else { Plan::record() }
    }

    fn resume(&self, _event: &Event, _read: &[Read]) -> Plan {
        Plan::unreadable("nothing was asked for")
    }

    fn algorithms(&self) -> &'static [Algorithm] {
        &[signature::ALGORITHM]
    }

    fn development_secret(&self) -> &'static str {
        "local_development_public_key|local_development_private_key"
    }

    fn seal(&self, body: &[u8], secret: &Secret) -> Vec<u8> {
        sender::seal(body, secret)
    }

    /// The codes stand in the body.
    fn sign(&self, _body: &[u8], _secret: &Secret, _at: UnixMs) -> Vec<(String, String)> {
        Vec::new()
    }

    fn refresh(&self, body: &[u8], tag: &str) -> Vec<u8> {
        sender::refresh(body, tag)
    }
}
