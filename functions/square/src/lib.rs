//! Square's webhooks.
//!
//! A delivery is one event, signed under `x-square-hmacsha256-signature` over the notification URL and the body. It carries
//! the object it is about, as it was then. What is booked is read from the object: each of its changes is an event with an
//! id of its own, so one completed payment arrives several times, and in any order.
//!
//! | object | booked when | entry | account |
//! |---|---|---|---|
//! | `payment` | `status` is `COMPLETED` | payment + `total_money` | `customer_id` |
//! | `refund` | `status` is `COMPLETED` | refund − `amount_money` | its payment's |
//! | `dispute` | `state` is `LOST` or `ACCEPTED` | dispute − `amount_money` | its payment's |
//! | | `state` is `WON` | the same, and dispute_reversed + `amount_money` | its payment's |
//! | `payout` | `status` is `SENT` or `PAID` | payout − `amount_money` | none: it is ours |
//! | | `status` is `FAILED` | the same, and payout_reversed + `amount_money` | none |
//!
//! Every entry is named by its object's id within the merchant (`merchant_id`).
//!
//! `total_money` is what the buyer paid: `amount_money` leaves out the tip. `refunded_money` is a running total and never
//! read. Square's fees and an application's share (`app_fee_money`) are not booked, so the ledger is not the Square balance.
//! Payments in cash or by other means (`source_type` `CASH`, `EXTERNAL`) and those with a Square gift card move no money at
//! Square, the card was paid for before: they are recorded and not booked.
//!
//! A refund or a dispute names its payment and no customer, so its account is read from the payment's own entry; where that
//! does not come, from the payment at the API if there is a key; and else it is booked without. A refund to a gift card
//! does not say that it is one: it is told by the payment at the API, and without a key it is booked.
//!
//! While a dispute is open Square holds the amount, and it gives it back when the dispute is won
//! (squareup.com/help/us/en/article/6137): until then nothing is certain, the events are recorded and not booked. A payment
//! that failed or was canceled and a refund that failed or was rejected are recorded too. `invoice.payment_made` tells of
//! the same money as the payment and is ignored, as everything else.
//!
//! Amounts are Square's integers in the smallest unit of the currency
//! (developer.squareup.com/docs/build-basics/working-with-monetary-amounts).

mod event;
mod object;
mod parent;
mod refresh;
mod signature;

#[cfg(test)]
mod tests;

use hookledger::json::FieldError;
use hookledger::plan::{Plan, Read};
use hookledger::provider::{DAY_S, Event, Identity, Lifetime, Profile, Provider, Reply, Setting, Transport};
use hookledger::request::{Secret, Signature, Unverified, UnverifiedRequest, VerifiedRequest};
use hookledger::time::UnixMs;

/// Square. Its deliveries can be verified once the notification URL is set.
#[derive(Clone, Debug, Default)]
pub struct Square {
    notification_url: String,
}

/// Sources: developer.squareup.com/docs/webhooks (overview, troubleshooting, webhook logs).
static PROFILE: Profile = Profile {
    name: "square",
    transport: Transport {
        methods: &["POST"],
        // Any 2xx is success, whatever its body.
        success: Reply::fixed(200, r#"{"received":true}"#).of_type("application/json"),
        // Every other status is a failure and is tried again; Square gives none of them a meaning of its own.
        in_flight_status: 409,
        mismatch_status: 422,
        // "As soon as possible" by now; the number of the older page.
        deadline_ms: 10_000,
    },
    identity: Identity {
        // All of them unsigned; a retry is told by square-retry-number.
        kept_headers: &[],
        volatile_fields: &[],
        // A completed payment stands in payment.created and in every payment.updated.
        overlapping_families: true,
    },
    // Tried again for 24 hours; an older page says 72. Nothing is sent again by hand after that, as far as is known: the logs
    // that could offer it hold 28 days.
    lifetime: Lifetime::new(3 * DAY_S, 28 * DAY_S, 45 * DAY_S),
};

const URL: Setting = Setting {
    name: "URL",
    todo: "set it to the notification URL, exactly as it is entered at Square",
    required: true,
    development: "http://127.0.0.1:9000/webhooks/square",
};

impl Provider for Square {
    fn profile(&self) -> &'static Profile {
        &PROFILE
    }

    fn signature(&self, request: &UnverifiedRequest) -> Result<Signature, Unverified> {
        signature::read(&request.headers, &request.body, &self.notification_url)
    }

    fn identify(&self, request: &VerifiedRequest) -> Vec<Event> {
        vec![event::identify(request.body())]
    }

    fn interpret(&self, event: &Event) -> Plan {
        object::read(&event.kept.body).unwrap_or_else(|problem: FieldError| problem.into())
    }

    fn resume(&self, event: &Event, read: &[Read]) -> Plan {
        match (self.interpret(event), read.last()) {
            (Plan::Defer(defer), Some(read)) => parent::resume(&defer, read),
            (plan, _) => plan,
        }
    }

    fn api_url(&self) -> Option<&'static str> {
        Some("https://connect.squareup.com")
    }

    fn settings(&self) -> &'static [Setting] {
        &[URL]
    }

    fn set(&mut self, name: &str, value: &str) -> Result<(), &'static str> {
        if name != URL.name {
            return Err("is unknown");
        }
        if !signature::is_url(value) {
            return Err("is not a whole URL");
        }
        self.notification_url = value.to_owned();
        Ok(())
    }

    fn sign(&self, body: &[u8], secret: &Secret, _at: UnixMs) -> Vec<(String, String)> {
        signature::make(body, secret, &self.notification_url)
    }

    fn refresh(&self, body: &[u8], tag: &str) -> Vec<u8> {
        refresh::refresh(body, tag)
    }
}
