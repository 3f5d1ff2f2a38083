//! Webhooks signed as the Standard Webhooks specification says (standardwebhooks.com), by whoever sends them; Svix's, too.
//!
//! A delivery is one event. Its id, the time of signing and the body are signed together, so the id is the event's name; the
//! scope is the label of the secret that fitted.
//!
//! | header | or | holds |
//! |---|---|---|
//! | `webhook-id` | `svix-id` | the id, the same in every attempt |
//! | `webhook-timestamp` | `svix-timestamp` | seconds, tolerated 300 both ways |
//! | `webhook-signature` | `svix-signature` | `v1,<base64>` (HMAC-SHA256) or `v1a,<base64>` (Ed25519), several with spaces between them |
//!
//! All three are of one family. Other versions of signatures are passed over.
//!
//! Secrets are `whsec_…` for `v1` and `whpk_…` for `v1a`: the sender's public key, never without its prefix. Polar shows a
//! secret that is not base64, and its key is that text: give it here as base64, with its padding.
//!
//! # What is booked
//!
//! The specification has no schema for events, so each is recorded and nothing is booked, unless
//! `HOOKLEDGER_STANDARD_WEBHOOKS_MAPPING` says where the sender writes what. Pointers are RFC 6901's; a list may stand on the
//! way, not at the end.
//!
//! ```json
//! {"type": "/type", "rules": [
//!   {"when": "payment.succeeded", "kind": "payment", "id": "/data/id", "amount": "/data/amount", "unit": "minor",
//!    "currency": "/data/currency", "occurred_at": "/data/created_at", "account": "/data/customer"}]}
//! ```
//!
//! | field | holds |
//! |---|---|
//! | `type` | where the type stands; `/type` if not given |
//! | `when` | the type this rule is for, exactly |
//! | `kind` | what moved: `payment`, `refund`, `refund_reversed`, `payout`, … as the ledger spells it; it carries the sign |
//! | `id` | where the id of the movement stands: one that is its own, not the event's, and the same in every event about it |
//! | `amount` | where the amount stands: never below zero |
//! | `unit` | `minor`: a whole number, or one in a text. `major`: a decimal, as a text or a number, exact to ISO 4217's decimals |
//! | `currency` | where the code stands, or a code such as `EUR` for all |
//! | `occurred_at` | where the time stands: RFC 3339 with an offset, or seconds since the Unix epoch |
//! | `account`, `parent`, `invoice` | where the customer, the movement this one undoes, and the invoice stand; may be left out, and be missing in an event |
//!
//! Several rules for one type book several entries. A reversal needs that: two rules with the same `id`, one for the refund
//! and one for its reversal, so that the latter can come first. An event that a rule is for and in which a field cannot be read
//! is kept for a person, as is one without a type where there is a mapping. Numbers are read as they are written, never as
//! floats. A mapping is for every sender behind this function: give each its own function where they differ.
//!
//! Events that were recorded before there was a mapping stay recorded, also when they are sent again.

mod event;
mod family;
mod mapping;
mod pointer;
mod rule;
mod sender;
mod signature;

#[cfg(test)]
mod tests;

use hookledger::plan::{Plan, Read};
use hookledger::provider::{DAY_S, Event, Identity, Lifetime, Profile, Provider, Reply, Setting, Transport};
use hookledger::request::{Algorithm, Secret, Signature, Unverified, UnverifiedRequest, VerifiedRequest};
use hookledger::time::UnixMs;

use crate::mapping::Mapping;

/// Any sender of Standard Webhooks.
#[derive(Clone, Debug, Default)]
pub struct StandardWebhooks {
    mapping: Option<Mapping>,
}

/// Sources: the Standard Webhooks specification (headers, signatures, retries), docs.svix.com (retries, FIFO endpoints).
static PROFILE: Profile = Profile {
    name: "standard-webhooks",
    transport: Transport {
        methods: &["POST"],
        // Any 2xx is success.
        success: Reply::fixed(200, ""),
        // A failure that is tried again. 410 would have the endpoint disabled, 429 and 504 the sender throttle.
        in_flight_status: 409,
        // An endpoint that keeps the order waits for the delivery that is refused, and one that only fails is disabled.
        mismatch_status: 200,
        // 15 to 30 s are recommended. The safe side, which is Svix's.
        deadline_ms: 15_000,
    },
    // Which events describe one movement is the mapping's business; a reversal describes its original by design.
    identity: Identity { kept_headers: &[], volatile_fields: &[], overlapping_families: true },
    // The sender's choice: the specification's example retries for 76 hours, Svix for 28. Sent again by hand for as long as the
    // sender keeps it: 90 days at Svix unless a message says otherwise.
    lifetime: Lifetime::new(4 * DAY_S, 90 * DAY_S, 100 * DAY_S),
};

const MAPPING: Setting = Setting {
    name: "MAPPING",
    todo: "set it to a mapping such as {\"rules\": [{\"when\": \"payment.succeeded\", \"kind\": \"payment\", \"id\": \"/data/id\", …}]}, or to nothing",
    required: false,
    development: r#"{"type": "/type", "rules": [
        {"when": "payment.succeeded", "kind": "payment", "id": "/data/id", "amount": "/data/amount", "unit": "minor",
         "currency": "/data/currency", "occurred_at": "/data/created_at", "account": "/data/customer"},
        {"when": "refund.succeeded", "kind": "refund", "id": "/data/id", "amount": "/data/total", "unit": "major",
         "currency": "/data/currency", "occurred_at": "/data/created_at", "account": "/data/customer",
         "parent": "/data/payment"},
        {"when": "refund.failed", "kind": "refund", "id": "/data/id", "amount": "/data/total", "unit": "major",
         "currency": "/data/currency", "occurred_at": "/data/created_at", "account": "/data/customer",
         "parent": "/data/payment"},
        {"when": "refund.failed", "kind": "refund_reversed", "id": "/data/id", "amount": "/data/total", "unit": "major",
         "currency": "/data/currency", "occurred_at": "/data/created_at", "account": "/data/customer",
         "parent": "/data/payment"}]}"#,
};

impl Provider for StandardWebhooks {
    fn profile(&self) -> &'static Profile {
        &PROFILE
    }

    fn signature(&self, request: &UnverifiedRequest) -> Result<Signature, Unverified> {
        signature::read(&request.headers, &request.body)
    }

    fn identify(&self, request: &VerifiedRequest) -> Vec<Event> {
        vec![event::identify(request, self.mapping.as_ref())]
    }

    fn interpret(&self, event: &Event) -> Plan {
        match &self.mapping {
            Some(mapping) => mapping.plan(event).unwrap_or_else(Plan::from),
            None => Plan::record(),
        }
    }

    fn resume(&self, _event: &Event, _read: &[Read]) -> Plan {
        Plan::unreadable("nothing was asked for")
    }

    fn settings(&self) -> &'static [Setting] {
        &[MAPPING]
    }

    fn set(&mut self, name: &str, value: &str) -> Result<(), &'static str> {
        if name != MAPPING.name {
            return Err("is unknown");
        }
        self.mapping = Some(Mapping::parse(value)?);
        Ok(())
    }

    fn algorithms(&self) -> &'static [Algorithm] {
        &[Algorithm::HmacSha256Base64Key, Algorithm::Ed25519]
    }

    fn development_secret(&self) -> &'static str {
        "whsec_aG9va2xlZGdlciBsb2NhbCBkZXZlbG9wbWVudA=="
    }

    fn sign(&self, body: &[u8], secret: &Secret, at: UnixMs) -> Vec<(String, String)> {
        signature::make(&sender::id(body), body, secret, at)
    }

    fn refresh(&self, body: &[u8], tag: &str) -> Vec<u8> {
        sender::refresh(body, tag, self.mapping.as_ref())
    }
}
