//! PayPal's webhooks (REST).
//!
//! A delivery is one event: `id` (`WH-…`), `event_type`, `resource`. It is signed with the key of a certificate that a header
//! names, over the webhook's id and no more of the body than its CRC-32, and whoever has seen one delivery can write another
//! body with the same. So the signature is believed to say that PayPal told us something, and never what: before anything is
//! decided the event is read at PayPal's API, under the id that came.
//!
//! | what the API says | effect |
//! |---|---|
//! | the event, with the same id and type | recorded as the API has it; no entry |
//! | another id or type | parked for a person |
//! | there is no such event | parked for a person |
//!
//! No money is booked. `HOOKLEDGER_PAYPAL_SECRETS` holds the ids of our webhooks, as PayPal's dashboard shows them, each as
//! `id` or `label@id`; the label of the one that fits is the scope. The sandbox has ids of its own, so an event does not say
//! whether it is a test. `HOOKLEDGER_PAYPAL_API_KEY` is the client's id and its secret, `id:secret`; for the sandbox
//! `HOOKLEDGER_PAYPAL_API_URL` is `https://api-m.sandbox.paypal.com`.
//!
//! The dashboard's simulator signs with the webhook id `WEBHOOK_ID`, and its events are not to be found at the API. Never
//! configure that id: anybody can have the simulator send here.

mod event;
mod signature;

#[cfg(test)]
mod tests;

use hookledger::json;
use hookledger::plan::{Plan, Read};
use hookledger::provider::{
    ApiAuth, CertificateRules, DAY_S, Event, Identity, Lifetime, Profile, Provider, Reply, Transport,
};
use hookledger::request::{Algorithm, Secret, Signature, Unverified, UnverifiedRequest, VerifiedRequest};
use hookledger::time::UnixMs;

/// PayPal.
#[derive(Clone, Copy, Debug, Default)]
pub struct PayPal;

/// Sources: developer.paypal.com/api/rest/webhooks/rest, and `openapi/notifications_webhooks_v1.json` in
/// github.com/paypal/paypal-rest-api-specifications.
static PROFILE: Profile = Profile {
    name: "paypal",
    transport: Transport {
        methods: &["POST"],
        // Any 2xx is success.
        success: Reply::fixed(200, ""),
        in_flight_status: 409,
        mismatch_status: 422,
        // Not published.
        deadline_ms: 10_000,
    },
    // PAYMENT.CAPTURE.COMPLETED and PAYMENT.SALE.COMPLETED may tell of one payment.
    identity: Identity { kept_headers: &[], volatile_fields: &[], overlapping_families: true },
    // 25 attempts within 3 days. An event can be sent again for as long as the API lists it; for how long is not said where
    // that was looked for, and 30 days are taken.
    lifetime: Lifetime::new(3 * DAY_S, 30 * DAY_S, 45 * DAY_S),
};

impl Provider for PayPal {
    fn profile(&self) -> &'static Profile {
        &PROFILE
    }

    fn signature(&self, request: &UnverifiedRequest) -> Result<Signature, Unverified> {
        signature::read(&request.headers, &request.body)
    }

    fn certificates(&self) -> Option<&'static CertificateRules> {
        Some(&signature::CERTIFICATES)
    }

    fn identify(&self, request: &VerifiedRequest) -> Vec<Event> {
        vec![event::identify(request)]
    }

    fn interpret(&self, event: &Event) -> Plan {
        event::look(event)
    }

    fn resume(&self, event: &Event, read: &[Read]) -> Plan {
        event::looked(event, read)
    }

    fn api_url(&self) -> Option<&'static str> {
        Some("https://api-m.paypal.com")
    }

    fn api_auth(&self) -> ApiAuth {
        // developer.paypal.com/api/rest/authentication
        ApiAuth::ClientCredentials { path: "/v1/oauth2/token" }
    }

    fn algorithms(&self) -> &'static [Algorithm] {
        &[Algorithm::RsaSha256Certified]
    }

    fn development_secret(&self) -> &'static str {
        "0LOCALDEVELOPMENT0"
    }

    fn cannot_sign(&self) -> Option<&'static str> {
        Some("only PayPal holds the key of its certificate; have it resend an event to a public address of yours")
    }

    fn sign(&self, _body: &[u8], _secret: &Secret, _at: UnixMs) -> Vec<(String, String)> {
        Vec::new()
    }

    fn refresh(&self, body: &[u8], tag: &str) -> Vec<u8> {
        json::tag(body, tag, |field, text| field == "id" && text.starts_with("WH-"))
    }
}
