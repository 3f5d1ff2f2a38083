//! The closed list of what can become of a delivery, and what is answered to each.

use bytes::Bytes;

use crate::claim::{ClaimKey, Effect};
use crate::items::ClaimRow;
use crate::plan::{Ignored, Park, Write};
use crate::provider::{Profile, Reply};
use crate::request::Unverified;
use crate::store::{StoreError, Verdict};

/// Seconds after which a sender that honours it comes again.
const RETRY_AFTER_S: &str = "5";

/// What became of a delivery, or of one event of it. In order of precedence: the first that applies is the outcome.
#[derive(Clone, Debug, PartialEq)]
pub enum Outcome {
    /// The path is not this provider's.
    NotFound,
    /// The method is not one the provider uses.
    MethodNotAllowed,
    /// The gateway's event cannot be read.
    MalformedEnvelope(&'static str),
    /// The body is too large to be kept.
    TooLarge,
    /// A challenge before any event.
    Handshake(Reply),
    /// Nothing in it that could be an event.
    Malformed(&'static str),
    /// Not from who it says.
    Unverified(Unverified),
    /// Asked whether it would be received: it would.
    Probed,
    /// No effect.
    Ignored(Ignored),
    /// Known; memory answers.
    ReplayedFromMemory(Reply),
    /// Known; the claim answers.
    Replayed {
        /// The claim.
        row: Box<ClaimRow>,
        /// Other bytes, same effect.
        drift: bool,
        /// Not comparable; the content was kept for a person.
        sibling_kept: bool,
    },
    /// The same id with another effect; the content is kept for a person.
    Mismatch {
        /// The claim.
        row: Box<ClaimRow>,
        /// What this delivery would have done.
        effect: Effect,
        /// False: kept before, known, no new alarm.
        first: bool,
    },
    /// Booked now.
    Applied {
        /// The stored answer.
        reply: Reply,
        /// Entries the ledger held already.
        known: usize,
        /// Whether a parked claim was brought back.
        revived: bool,
    },
    /// Kept; the worker will settle it.
    Accepted {
        /// The stored answer.
        reply: Reply,
        /// Whether a parked claim was brought back.
        revived: bool,
    },
    /// Kept for a person.
    Parked {
        /// The stored answer.
        reply: Reply,
        /// Why.
        park: Park,
    },
    /// Another delivery of the event is being written.
    InFlight,
    /// The certificate that proves its signature cannot be had now.
    NoCertificate(String),
    /// The store gave no answer that can be relied on.
    Unavailable(StoreError),
    /// A fault of ours outside of what is caught closer.
    Panicked,
}

/// What goes back to the sender.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Answer {
    /// Status, body and content type.
    pub reply: Reply,
    /// Further headers.
    pub headers: Vec<(&'static str, String)>,
}

impl Outcome {
    pub(super) fn of(verdict: Verdict) -> Self {
        match verdict {
            Verdict::Won { write: Write::Settle(_), reply, known, revived, .. } => {
                Self::Applied { reply, known, revived }
            }
            Verdict::Won { write: Write::Defer(_), reply, revived, .. } => Self::Accepted { reply, revived },
            Verdict::Won { write: Write::Park(park), reply, .. } => Self::Parked { reply, park },
            Verdict::Replayed { row, drift, sibling_kept } => Self::Replayed { row, drift, sibling_kept },
            Verdict::Mismatch { row, effect, first } => Self::Mismatch { row, effect, first },
            Verdict::InFlight => Self::InFlight,
            Verdict::Unavailable(error) => Self::Unavailable(error),
        }
    }

    /// As logs and metrics spell it.
    pub const fn name(&self) -> &'static str {
        match self {
            Self::NotFound => "not_found",
            Self::MethodNotAllowed => "method_not_allowed",
            Self::MalformedEnvelope(_) => "malformed_envelope",
            Self::TooLarge => "too_large",
            Self::Handshake(_) => "handshake",
            Self::Malformed(_) => "malformed",
            Self::Unverified(_) => "unverified",
            Self::Probed => "probed",
            Self::Ignored(_) => "ignored",
            Self::ReplayedFromMemory(_) | Self::Replayed { .. } => "replayed",
            Self::Mismatch { .. } => "mismatch",
            Self::Applied { .. } => "applied",
            Self::Accepted { .. } => "accepted",
            Self::Parked { .. } => "parked",
            Self::InFlight => "in_flight",
            Self::NoCertificate(_) | Self::Unavailable(_) | Self::Panicked => "unavailable",
        }
    }

    /// Whether the sender coming again can end differently.
    pub const fn should_retry(&self) -> bool {
        match self {
            Self::Probed | Self::InFlight | Self::NoCertificate(_) | Self::Unavailable(_) | Self::Panicked => true,
            Self::NotFound
            | Self::MethodNotAllowed
            | Self::MalformedEnvelope(_)
            | Self::TooLarge
            | Self::Handshake(_)
            | Self::Malformed(_)
            | Self::Unverified(_)
            | Self::Ignored(_)
            | Self::ReplayedFromMemory(_)
            | Self::Replayed { .. }
            | Self::Mismatch { .. }
            | Self::Applied { .. }
            | Self::Accepted { .. }
            | Self::Parked { .. } => false,
        }
    }

    const fn is_replay(&self) -> bool {
        matches!(self, Self::ReplayedFromMemory(_) | Self::Replayed { .. })
    }

    /// The answer to a delivery of one event.
    pub(super) fn answer(self, profile: &Profile) -> Answer {
        let replay = self.is_replay();
        let retry = self.should_retry();
        let mut headers = Vec::new();
        if replay {
            headers.push(("hookledger-replay", "true".to_owned()));
        }
        if retry {
            headers.push(("retry-after", RETRY_AFTER_S.to_owned()));
        }
        if self == Self::Probed {
            headers.push((super::PROBE, "verified".to_owned()));
        }
        if self == Self::MethodNotAllowed {
            headers.push(("allow", profile.transport.methods.join(", ")));
        }
        Answer { reply: self.reply(profile), headers }
    }

    fn reply(self, profile: &Profile) -> Reply {
        let name = self.name();
        match self {
            Self::NotFound => refusal(404, name, "no provider is received here"),
            Self::MethodNotAllowed => refusal(405, name, "the provider does not use this method"),
            Self::MalformedEnvelope(why) | Self::Malformed(why) => refusal(400, name, why),
            Self::TooLarge => refusal(413, name, "the body is over 3 MB compressed"),
            Self::Unverified(why) => refusal(401, name, &why.to_string()),
            Self::Mismatch { .. } if is_success(profile.transport.mismatch_status) => profile.transport.success.into(),
            Self::Mismatch { .. } => {
                refusal(profile.transport.mismatch_status, name, "this id was received with another effect")
            }
            Self::Probed => {
                refusal(profile.transport.in_flight_status, name, "it is verified, and nothing was written")
            }
            Self::InFlight => {
                refusal(profile.transport.in_flight_status, name, "another delivery of this event is being written")
            }
            Self::NoCertificate(_) | Self::Unavailable(_) | Self::Panicked => {
                refusal(503, name, "nothing was acknowledged, send it again")
            }
            Self::Ignored(_) => profile.transport.success.into(),
            Self::Replayed { row, .. } => row.reply,
            Self::Handshake(reply)
            | Self::ReplayedFromMemory(reply)
            | Self::Applied { reply, .. }
            | Self::Accepted { reply, .. }
            | Self::Parked { reply, .. } => reply,
        }
    }

    /// The answer to a delivery of many events: retryable if any is, else the provider's success.
    pub(super) fn answer_all(outcomes: impl Iterator<Item = Self>, profile: &Profile) -> Answer {
        let (retryable, settled): (Vec<_>, Vec<_>) = outcomes.partition(Self::should_retry);
        // 503 says more than "in flight": it is given first.
        let worst = retryable.into_iter().max_by_key(|outcome| *outcome != Self::InFlight);
        if let Some(outcome) = worst {
            return outcome.answer(profile);
        }
        let replay = settled.iter().all(Self::is_replay);
        let headers = if replay { vec![("hookledger-replay", "true".to_owned())] } else { Vec::new() };
        Answer { reply: profile.transport.success.into(), headers }
    }
}

impl Answer {
    /// Names the claim in a header, where a header can hold it.
    pub(super) fn about(mut self, key: &ClaimKey) -> Self {
        if key.as_str().bytes().all(|byte| byte.is_ascii_graphic()) {
            self.headers.push(("hookledger-claim", key.as_str().to_owned()));
        }
        self
    }
}

const fn is_success(status: u16) -> bool {
    status >= 200 && status < 300
}

fn refusal(status: u16, name: &str, why: &str) -> Reply {
    let body = serde_json::json!({"error": name, "reason": why}).to_string();
    Reply { status, body: Bytes::from(body), content_type: "application/json".to_owned() }
}
