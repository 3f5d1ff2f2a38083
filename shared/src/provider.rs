//! What a provider answers about its own deliveries: pure functions over data, and the constants of its profile.

use bytes::Bytes;

use crate::claim::Digest;
use crate::json::{FieldError, Object};
use crate::plan::{OnLost, Plan, Read};
use crate::request::{Algorithm, KeySet, Secret, Signature, Unverified, UnverifiedRequest, VerifiedRequest};
use crate::time::UnixMs;

/// Kept beyond the longest resend: clocks, queues and people are late.
const RETENTION_MARGIN_S: u64 = 7 * DAY_S;

/// A day in seconds.
pub const DAY_S: u64 = 86_400;

/// A sender of webhooks. Every function is synchronous and pure: no clock, no store, no network.
pub trait Provider: Send + Sync + 'static {
    /// The provider's constants.
    fn profile(&self) -> &'static Profile;

    /// Answers a challenge that comes before any event. Neither verified nor stored; `keys` are for challenges whose answer
    /// proves that we hold one.
    fn handshake(&self, _request: &UnverifiedRequest, _keys: &KeySet) -> Option<Reply> {
        None
    }

    /// Says what was signed, how, and with which codes. Decides nothing.
    fn signature(&self, request: &UnverifiedRequest) -> Result<Signature, Unverified>;

    /// Whether a request is a mere ping: unsigned, and of the form in which the provider says no more than where to look. It
    /// goes on without verification, and only to be ignored or to have read what it names.
    fn is_ping(&self, _request: &UnverifiedRequest) -> bool {
        false
    }

    /// Which certificates may be named by its [`signature`](Self::signature). `None`: none is ever fetched.
    fn certificates(&self) -> Option<&'static CertificateRules> {
        None
    }

    /// The events in a delivery, each with its id, scope and mode. Never empty.
    fn identify(&self, request: &VerifiedRequest) -> Vec<Event>;

    /// What an event means.
    fn interpret(&self, event: &Event) -> Plan;

    /// What a deferred event means, now that something was read: everything so far, in the order in which it was asked for,
    /// never empty. May ask for something further.
    fn resume(&self, event: &Event, read: &[Read]) -> Plan;

    /// What becomes of an event of this type when a worker is lost over it.
    fn on_lost(&self, _event_type: &str) -> OnLost {
        OnLost::Rerun
    }

    /// Where the provider's API is unless configured otherwise: scheme and host. `None`: nothing is ever fetched.
    fn api_url(&self) -> Option<&'static str> {
        None
    }

    /// What its API is shown.
    fn api_auth(&self) -> ApiAuth {
        ApiAuth::Bearer
    }

    /// What a request to the API says about `event` beside the key: the account it is about, the version it expects.
    fn api_headers(&self, _event: &Event) -> Vec<(&'static str, String)> {
        Vec::new()
    }

    /// What it must be told beside its secrets.
    fn settings(&self) -> &'static [Setting] {
        &[]
    }

    /// Takes the value of one of its [`settings`](Self::settings), before it is first used. Errors: what is wrong with the
    /// value, as in "`HOOKLEDGER_…` is not a URL".
    fn set(&mut self, _name: &str, _value: &str) -> Result<(), &'static str> {
        Err("is unknown")
    }

    /// How it signs: a secret must be a key of one of these.
    fn algorithms(&self) -> &'static [Algorithm] {
        &[Algorithm::HmacSha256]
    }

    /// A secret of the form it takes, for the local stack. Public, so it protects nothing.
    fn development_secret(&self) -> &'static str {
        "whsec_local_development_secret"
    }

    /// `body` with the codes that the provider puts inside it, where it signs there and not in a header. To be used before
    /// [`sign`](Self::sign).
    fn seal(&self, body: &[u8], _secret: &Secret) -> Vec<u8> {
        body.to_vec()
    }

    /// Why nobody but the provider can sign for it. `None`: who holds a secret can.
    fn cannot_sign(&self) -> Option<&'static str> {
        None
    }

    /// The headers the provider itself would send with `body`: for the local stack, the tests and probes. None where the
    /// secret cannot sign.
    fn sign(&self, body: &[u8], secret: &Secret, at: UnixMs) -> Vec<(String, String)>;

    /// The same body as a new fact: every id that names this event or its movement carries `tag`.
    fn refresh(&self, body: &[u8], tag: &str) -> Vec<u8>;
}

/// What a provider's API is shown by who asks.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ApiAuth {
    /// The API key, as a bearer token.
    Bearer,
    /// A bearer token that is given for the API key, which is `id:secret` (RFC 6749, 4.4), for as long as it holds.
    ClientCredentials {
        /// Where it is given, by POST.
        path: &'static str,
    },
}

/// Which certificates may prove a signature. All must hold.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct CertificateRules {
    /// It is fetched from one of these hosts,
    pub hosts: &'static [&'static str],
    /// from below this path, which ends with a slash;
    pub path: &'static str,
    /// and is made out to one of these names.
    pub names: &'static [&'static str],
}

/// Something a provider must be told beside its secrets: `HOOKLEDGER_<PROVIDER>_<NAME>`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Setting {
    /// Upper case.
    pub name: &'static str,
    /// What to set it to, as the end of an error that says it is missing or wrong.
    pub todo: &'static str,
    /// Whether a receiving function refuses to start without it.
    pub required: bool,
    /// What the local stack takes where it is not set; empty for nothing.
    pub development: &'static str,
}

/// One event of a delivery.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Event {
    /// The provider's id of the event, or the hex digest of its bytes where there is no usable one.
    pub id: String,
    /// From signed bytes or the matched secret's label; empty where the provider has no scopes.
    pub scope: String,
    /// The provider's word for what happened.
    pub event_type: String,
    /// Test or live.
    pub mode: EventMode,
    /// What is kept until the event is settled.
    pub kept: Kept,
    /// Why this event cannot be processed whatever it means: no usable id, not JSON. It is parked.
    pub problem: Option<String>,
}

impl Event {
    /// The event that a body is, until it is [`named`](Self::named): by the digest of its bytes, of the deployment's own mode.
    pub fn unnamed(body: &Bytes, scope: Option<&str>) -> Self {
        Self {
            id: Digest::of(body).to_hex(),
            scope: scope.unwrap_or_default().to_owned(),
            event_type: String::new(),
            mode: EventMode::Ours,
            kept: Kept { body: body.clone(), headers: Vec::new() },
            problem: None,
        }
    }

    /// With what `name` reads from its JSON. Where that fails it stays as far as it was named, and has a problem.
    pub fn named(mut self, name: impl FnOnce(&mut Self, &Object<'_>) -> Result<(), FieldError>) -> Self {
        let body = self.kept.body.clone();
        let named = Object::parse(&body).and_then(|object| name(&mut self, &object));
        self.problem = named.err().map(|problem| problem.to_string());
        self
    }
}

/// The bytes and headers of one event.
#[derive(Clone, PartialEq, Eq, Default)]
pub struct Kept {
    /// This event's bytes.
    pub body: Bytes,
    /// The headers the profile names, as received.
    pub headers: Vec<(String, String)>,
}

impl std::fmt::Debug for Kept {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "Kept({} bytes, {} headers)", self.body.len(), self.headers.len())
    }
}

/// Whether an event is about real money.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum EventMode {
    /// Real money.
    Live,
    /// Play money.
    Test,
    /// The provider says it in every event, and this one does not: parked.
    Missing,
    /// The provider has no such field: the deployment's own.
    Ours,
}

/// What a deployment books.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Mode {
    /// Live events; test events are ignored.
    #[default]
    Live,
    /// Test events; live events are ignored.
    Test,
}

impl Mode {
    /// Whether an event of this mode is none of this deployment's business.
    pub fn ignores(self, event: EventMode) -> bool {
        matches!((self, event), (Self::Live, EventMode::Test) | (Self::Test, EventMode::Live))
    }
}

/// A status and body as they are answered and replayed. Headers are the runtime's.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Reply {
    /// HTTP status.
    pub status: u16,
    /// At most [`Reply::BODY_BYTES_MAX`] bytes when stored.
    pub body: Bytes,
    /// Content type; empty for none.
    pub content_type: String,
}

impl Reply {
    /// A duplicate is charged by the size of the claim, and the reply lies in it.
    pub const BODY_BYTES_MAX: usize = 256;

    /// A reply made of constants.
    pub const fn fixed(status: u16, body: &'static str) -> ReplyConst {
        assert!(body.len() <= Self::BODY_BYTES_MAX, "a success body is stored with every claim");
        ReplyConst { status, body, content_type: "" }
    }
}

/// A reply in a profile.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ReplyConst {
    /// HTTP status.
    pub status: u16,
    /// Body.
    pub body: &'static str,
    /// Content type; empty for none.
    pub content_type: &'static str,
}

impl ReplyConst {
    /// With a content type.
    pub const fn of_type(mut self, content_type: &'static str) -> Self {
        self.content_type = content_type;
        self
    }
}

impl From<ReplyConst> for Reply {
    fn from(reply: ReplyConst) -> Self {
        let ReplyConst { status, body, content_type } = reply;
        Self { status, body: Bytes::from_static(body.as_bytes()), content_type: content_type.to_owned() }
    }
}

/// A provider's constants, each with its source where it is written.
#[derive(Clone, Copy, Debug)]
pub struct Profile {
    /// In paths, keys, environment variables and metrics: lower case, digits and hyphens.
    pub name: &'static str,
    /// Answers and times.
    pub transport: Transport,
    /// Where ids stand and what may be believed.
    pub identity: Identity,
    /// How long the provider comes back.
    pub lifetime: Lifetime,
}

/// What the provider understands as an answer.
#[derive(Clone, Copy, Debug)]
pub struct Transport {
    /// Methods it uses.
    pub methods: &'static [&'static str],
    /// Its success answer.
    pub success: ReplyConst,
    /// The status that makes it come again while another delivery is in flight.
    pub in_flight_status: u16,
    /// The status for the same id with another effect, once the content is kept.
    pub mismatch_status: u16,
    /// How long it waits for an answer.
    pub deadline_ms: u64,
}

/// Where ids stand and what may be believed.
#[derive(Clone, Copy, Debug)]
pub struct Identity {
    /// Headers kept with an event that is settled later.
    pub kept_headers: &'static [&'static str],
    /// Top-level fields that differ between deliveries of one event.
    pub volatile_fields: &'static [&'static str],
    /// Whether two event types may describe one movement by design; if not, a known movement under a new event id alarms.
    pub overlapping_families: bool,
}

/// How long the provider comes back with an event.
#[derive(Clone, Copy, Debug)]
pub struct Lifetime {
    /// From the first attempt to the last automatic one, in seconds; 0 where it never retries.
    pub horizon_s: u64,
    /// From the event to the last moment a person can send it again, in seconds.
    pub resend_s: u64,
    /// How long a finished claim is kept, in seconds.
    pub retention_s: u64,
}

impl Lifetime {
    /// Refuses (at compile time, in a constant) a retention that a resend could outlive.
    pub const fn new(horizon_s: u64, resend_s: u64, retention_s: u64) -> Self {
        let longest_s = if horizon_s > resend_s { horizon_s } else { resend_s };
        assert!(retention_s >= longest_s + RETENTION_MARGIN_S, "retention must outlive the longest resend by a margin");
        Self { horizon_s, resend_s, retention_s }
    }
}
