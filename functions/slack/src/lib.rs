//! Slack's requests: events, slash commands and interactions, at one address.
//!
//! A request is signed under `X-Slack-Signature` together with the time of signing. The secret is the app's signing secret.
//!
//! | request | named by | effect |
//! |---|---|---|
//! | `url_verification` | | answered with its challenge, before anything is verified or stored |
//! | `event_callback` | `event_id`, within `team_id` | recorded under the inner event's `type` |
//! | other JSON, such as `app_rate_limited` | the digest of its body | recorded under its `type` |
//! | a form: a slash command, an interaction | the digest of its body, which holds a `trigger_id` of its own | recorded as `command` or `interaction` |
//! | a form with `ssl_check` | | none: Slack looks whether the address answers |
//!
//! No money is booked. Slack waits 3 seconds and then sends an event again, whether or not the first is still being worked
//! on. The headers that say so (`X-Slack-Retry-Num`, `X-Slack-Retry-Reason`) are not signed and change nothing here: a
//! repetition is told by its id. One thing that happens in a workspace may come as several events with ids of their own;
//! those are several events here as well.
//!
//! A slash command or an interaction is answered with an empty 200, which shows nothing to the user: whatever is to be said
//! is said later, at the `response_url` in the kept body.

mod event;
mod handshake;
mod signature;

#[cfg(test)]
mod tests;

use hookledger::json;
use hookledger::plan::{Ignored, Plan, Read};
use hookledger::provider::{DAY_S, Event, Identity, Lifetime, Profile, Provider, Reply, Transport};
use hookledger::request::{KeySet, Secret, Signature, Unverified, UnverifiedRequest, VerifiedRequest};
use hookledger::time::UnixMs;

/// Slack.
#[derive(Clone, Copy, Debug, Default)]
pub struct Slack;

/// Sources: docs.slack.dev (Events API, verifying requests from Slack, slash commands, handling user interaction).
static PROFILE: Profile = Profile {
    name: "slack",
    transport: Transport {
        methods: &["POST"],
        // Any 2xx is success. A body would be shown to the user who gave a slash command.
        success: Reply::fixed(200, ""),
        // Every other status is a failure and is tried again, unless X-Slack-No-Retry is answered as well.
        in_flight_status: 409,
        mismatch_status: 422,
        deadline_ms: 3_000,
    },
    identity: Identity { kept_headers: &[], volatile_fields: &[], overlapping_families: false },
    // Three retries: at once, after 1 min, after 5 min; hourly for a day where an app asks for delayed events. Nothing is sent
    // again by hand.
    lifetime: Lifetime::new(DAY_S, 0, 30 * DAY_S),
};

impl Provider for Slack {
    fn profile(&self) -> &'static Profile {
        &PROFILE
    }

    fn handshake(&self, request: &UnverifiedRequest, _keys: &KeySet) -> Option<Reply> {
        handshake::answer(request)
    }

    fn signature(&self, request: &UnverifiedRequest) -> Result<Signature, Unverified> {
        signature::read(&request.headers, &request.body)
    }

    fn identify(&self, request: &VerifiedRequest) -> Vec<Event> {
        vec![event::identify(request)]
    }

    fn interpret(&self, event: &Event) -> Plan {
        match event.event_type.as_str() {
            event::SSL_CHECK | handshake::TYPE => Plan::Ignore(Ignored::EventType),
            _ => Plan::record(),
        }
    }

    fn resume(&self, _event: &Event, _read: &[Read]) -> Plan {
        Plan::unreadable("nothing was asked for")
    }

    fn sign(&self, body: &[u8], secret: &Secret, at: UnixMs) -> Vec<(String, String)> {
        signature::make(body, secret, at)
    }

    /// Ids of events, messages and files. In a form, one more field: it is named by its bytes.
    fn refresh(&self, body: &[u8], tag: &str) -> Vec<u8> {
        if event::is_form(body) {
            return [body, b"&hookledger_tag=", tag.as_bytes()].concat();
        }
        json::tag(body, tag, |field, _| matches!(field, "client_msg_id" | "event_id" | "token"))
    }
}
