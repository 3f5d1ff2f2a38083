//! Shopify's webhooks over HTTPS.
//!
//! A delivery is one event. Only its body is signed, under `X-Shopify-Hmac-Sha256`; what it is about (the topic), whose shop
//! it comes from and its ids stand in headers that are not. So anybody who saw a delivery can send it again under other ids,
//! or as another shop's. It is named by its topic and the digest of its bytes; the scope is the label of the secret that
//! fitted; the headers are kept, and believed by nobody here.
//!
//! | header | unsigned, and used for |
//! |---|---|
//! | `X-Shopify-Topic` | the type, and a part of the name: an order's bytes may come under several topics |
//! | `X-Shopify-Shop-Domain` | kept |
//! | `X-Shopify-Webhook-Id`, `X-Shopify-Event-Id`, `X-Shopify-Triggered-At`, … | kept |
//!
//! The newer *events* have the same headers without `X-`, and say the action beside the topic (`Shopify-Action`). Which of the
//! two a delivery is, the signature's header says, and no header of the other kind is read.
//!
//! Every topic is recorded, those of compliance too (`customers/data_request`, `customers/redact`, `shop/redact`); no entry.
//! Two subscriptions to one topic send the same bytes and are recorded once. A repetition is the same bytes: Shopify sends
//! what it had when the event happened.
//!
//! Test orders carry `"test": true`; what has no such field is of the deployment's own mode. The secret is the app's client
//! secret. Webhooks made by hand in a shop's settings are signed with another one, shown there.

mod delivery;
mod sender;
mod signature;

#[cfg(test)]
mod tests;

use hookledger::plan::{Plan, Read};
use hookledger::provider::{DAY_S, Event, Identity, Lifetime, Profile, Provider, Reply, Transport};
use hookledger::request::{Secret, Signature, Unverified, UnverifiedRequest, VerifiedRequest};
use hookledger::time::UnixMs;

/// Shopify.
#[derive(Clone, Copy, Debug, Default)]
pub struct Shopify;

/// Sources: shopify.dev/docs/apps/build/webhooks (HTTPS, verification, best practices),
/// shopify.dev/changelog/updates-to-webhook-retry-mechanism, and shopify-app-js (headers).
static PROFILE: Profile = Profile {
    name: "shopify",
    transport: Transport {
        methods: &["POST"],
        // Any 2xx is success.
        success: Reply::fixed(200, ""),
        // Every other status is a failure and is tried again.
        in_flight_status: 409,
        // A subscription that fails eight times in a row is deleted, and a refusal would fail for ever. An id that is the
        // digest of the body has no other content, so this is never said.
        mismatch_status: 200,
        deadline_ms: 5_000,
    },
    identity: Identity { kept_headers: &delivery::KEPT_HEADERS, volatile_fields: &[], overlapping_families: false },
    // Tried again eight times in 4 hours. A delivery may itself be late by a day. Nothing is sent again by hand. Kept for
    // longer than that, because no time is signed: a captured delivery passes for new once its claim is gone.
    lifetime: Lifetime::new(DAY_S + DAY_S / 6, 0, 45 * DAY_S),
};

impl Provider for Shopify {
    fn profile(&self) -> &'static Profile {
        &PROFILE
    }

    fn signature(&self, request: &UnverifiedRequest) -> Result<Signature, Unverified> {
        signature::read(&request.headers, &request.body)
    }

    fn identify(&self, request: &VerifiedRequest) -> Vec<Event> {
        vec![delivery::identify(request)]
    }

    fn interpret(&self, _event: &Event) -> Plan {
        Plan::record()
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
