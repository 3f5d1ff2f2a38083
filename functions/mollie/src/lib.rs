//! Mollie's webhooks: signed events, and classic pings.
//!
//! A signed event is JSON: `id`, `type`, `entityId`, and as `_embedded.entity` what it is about, unless the webhook is set up
//! for simple payloads. It is recorded; no entry. Its scope is the label of the secret that fits.
//!
//! A classic ping, `id=tr_…` as a form, is what a payment's own `webhookUrl` gets. Nobody signs it, and it says no more than
//! that something about this payment may have changed, so nothing in it is believed: the payment is always read at the API
//! with our own key, and recorded if it is there. Each call is an event of its own, named by the payment and by the gateway's
//! id of the call: two pings look alike, and may mean two changes.
//!
//! | what comes | effect |
//! |---|---|
//! | a signed event of any type | recorded; no entry |
//! | a ping about `tr_…` | `GET /v2/payments/tr_…`; recorded if there is such a payment, else nothing |
//! | a ping about anything else | none |
//!
//! Pings are refused unless `HOOKLEDGER_MOLLIE_CLASSIC` is `on`. Anybody can send one: it costs the sender a request, and us
//! two writes, a run of the worker and a read at Mollie, which limits reads. Limit the rate of this route at the gateway, and
//! leave pings off where no payment names this endpoint. Whoever guesses no payment's id makes us tell nobody. An endpoint for
//! pings alone needs a secret as well, and any long random text is one.

mod event;
mod ping;
mod signature;

#[cfg(test)]
mod tests;

use hookledger::json;
use hookledger::plan::{Plan, Read};
use hookledger::provider::{DAY_S, Event, Identity, Lifetime, Profile, Provider, Reply, Setting, Transport};
use hookledger::request::{Secret, Signature, Unverified, UnverifiedRequest, VerifiedRequest};
use hookledger::time::UnixMs;

/// Mollie. Refuses pings until it is told to take them.
#[derive(Clone, Copy, Debug, Default)]
pub struct Mollie {
    takes_pings: bool,
}

/// Sources: docs.mollie.com/reference/webhooks and …/webhooks-new.
static PROFILE: Profile = Profile {
    name: "mollie",
    transport: Transport {
        methods: &["POST"],
        // For pings Mollie wants 200, also where the id is unknown to us, so that nobody can try out ids.
        success: Reply::fixed(200, ""),
        in_flight_status: 409,
        mismatch_status: 422,
        // It is said to wait for 15 s. That is not documented, so less is taken.
        deadline_ms: 10_000,
    },
    identity: Identity { kept_headers: &[], volatile_fields: &[], overlapping_families: true },
    // It is said to come back 10 times within 26 hours; that is not documented for signed events. Whether a person can send
    // one again is not known; a month is taken.
    lifetime: Lifetime::new(26 * 3_600, 30 * DAY_S, 45 * DAY_S),
};

const CLASSIC: Setting = Setting {
    name: "CLASSIC",
    todo: "set it to `on` to take unsigned pings, or to `off`",
    required: false,
    development: "",
};

impl Provider for Mollie {
    fn profile(&self) -> &'static Profile {
        &PROFILE
    }

    fn signature(&self, request: &UnverifiedRequest) -> Result<Signature, Unverified> {
        signature::read(&request.headers, &request.body)
    }

    /// A signed request is never one, whatever it holds.
    fn is_ping(&self, request: &UnverifiedRequest) -> bool {
        let signed = request.headers.get(signature::HEADER).is_some();
        self.takes_pings && !signed && ping::resource(&request.body).is_some()
    }

    fn identify(&self, request: &VerifiedRequest) -> Vec<Event> {
        vec![if request.is_ping() { ping::identify(request) } else { event::identify(request) }]
    }

    fn interpret(&self, event: &Event) -> Plan {
        ping::resource(&event.kept.body).map_or_else(Plan::record, |resource| ping::look(&resource))
    }

    fn resume(&self, event: &Event, read: &[Read]) -> Plan {
        ping::looked(event, read)
    }

    fn api_url(&self) -> Option<&'static str> {
        Some("https://api.mollie.com")
    }

    fn settings(&self) -> &'static [Setting] {
        &[CLASSIC]
    }

    fn set(&mut self, name: &str, value: &str) -> Result<(), &'static str> {
        self.takes_pings = match (name == CLASSIC.name, value.trim()) {
            (true, "on") => true,
            (true, "off") => false,
            (true, _) => return Err("is neither"),
            (false, _) => return Err("is unknown"),
        };
        Ok(())
    }

    fn sign(&self, body: &[u8], secret: &Secret, _at: UnixMs) -> Vec<(String, String)> {
        vec![signature::make(body, secret)]
    }

    fn refresh(&self, body: &[u8], tag: &str) -> Vec<u8> {
        json::tag(body, tag, |field, text| field == "id" && text.starts_with("event_"))
    }
}
