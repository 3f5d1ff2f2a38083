//! Acme's webhooks: one event per delivery, signed under `Acme-Signature`: the hex HMAC-SHA256 of the body.
//!
//! | type | entry |
//! |---|---|
//! | `payment.paid` | `pay_`/payment + `amount` |
//! | `refund.paid` | `ref_`/refund −, parent `payment` |

use bytes::Bytes;
use hookledger::json::{self, FieldError, Object};
use hookledger::money::Currency;
use hookledger::plan::{Entry, Ignored, Kind, Occurrence, Plan, Read};
use hookledger::provider::{DAY_S, Event, Identity, Lifetime, Profile, Provider, Reply, Transport};
use hookledger::request::{Algorithm, Secret, Signature, Signed, Unverified, UnverifiedRequest, VerifiedRequest};
use hookledger::request::{decode_hex, encode_hex};
use hookledger::time::UnixMs;

const HEADER: &str = "Acme-Signature";

/// Acme.
pub struct Acme;

static PROFILE: Profile = Profile {
    name: "acme",
    transport: Transport {
        methods: &["POST"],
        success: Reply::fixed(200, "ok"),
        in_flight_status: 409,
        mismatch_status: 422,
        deadline_ms: 10_000,
    },
    identity: Identity { kept_headers: &[], volatile_fields: &["attempt"], overlapping_families: false },
    // Tried again for 3 days; sent again by hand for 30.
    lifetime: Lifetime::new(3 * DAY_S, 30 * DAY_S, 45 * DAY_S),
};

impl Provider for Acme {
    fn profile(&self) -> &'static Profile {
        &PROFILE
    }

    fn signature(&self, request: &UnverifiedRequest) -> Result<Signature, Unverified> {
        let code = request.headers.get(HEADER).ok_or(Unverified::MissingHeader(HEADER))?;
        let code = decode_hex(code).ok_or(Unverified::MalformedHeader(HEADER, "not hex"))?;
        let signed = Signed::new(vec![request.body.clone()], Algorithm::HmacSha256, vec![code]);
        Ok(Signature { parts: vec![signed], stamp: None })
    }

    fn identify(&self, request: &VerifiedRequest) -> Vec<Event> {
        vec![Event::unnamed(request.body(), request.label()).named(name)]
    }

    fn interpret(&self, event: &Event) -> Plan {
        plan(&event.kept.body).unwrap_or_else(Plan::from)
    }

    fn resume(&self, _event: &Event, _read: &[Read]) -> Plan {
        Plan::unreadable("nothing was asked for")
    }

    fn sign(&self, body: &[u8], secret: &Secret, _at: UnixMs) -> Vec<(String, String)> {
        let code = Algorithm::HmacSha256.sign(&[Bytes::copy_from_slice(body)], secret).unwrap_or_default();
        vec![(HEADER.to_owned(), encode_hex(&code))]
    }

    fn refresh(&self, body: &[u8], tag: &str) -> Vec<u8> {
        json::tag(body, tag, |_, text| ["evt_", "pay_", "ref_"].iter().any(|prefix| text.starts_with(prefix)))
    }
}

fn name(event: &mut Event, object: &Object<'_>) -> Result<(), FieldError> {
    event.event_type = object.text("type")?.into_owned();
    event.id = object.filled("id")?.into_owned();
    Ok(())
}

fn plan(body: &[u8]) -> Result<Plan, FieldError> {
    let event = Object::parse(body)?;
    let kind = match event.text("type")?.as_ref() {
        "payment.paid" => Kind::Payment,
        "refund.paid" => Kind::Refund,
        _ => return Ok(Plan::Ignore(Ignored::EventType)),
    };
    let (data, at) = (event.object("data")?, event.time("created_at")?);
    let (moved, currency) = (Occurrence::unique(data.text("id")?), Currency::read(&data, "currency")?);
    let entry = Entry::new(moved, kind, data.integer("amount")?, currency, at);
    let entry = entry.map_err(|_| data.error("amount", "negative"))?.account(data.text_opt("customer")?);
    Ok(Plan::settle(vec![entry.parent(data.text_opt("payment")?.map(Occurrence::unique))]))
}
