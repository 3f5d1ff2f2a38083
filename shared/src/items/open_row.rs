//! A row of the claims table that is owed or waits for a person: a claim, a message or a mismatch. Read leniently, so that
//! a row of another version is still shown.

use super::Item;
use super::codec::{DecodeError, Reader, claims_key};
use super::names as name;
use super::resolution::Resolution;
use crate::claim::{ClaimKey, State};
use crate::plan::{OnLost, ParkReason};
use crate::time::UnixMs;

/// What a row of the claims table is, by its part.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum RowKind {
    /// The claim itself.
    Claim,
    /// A message owed to a sink.
    Message,
    /// A content that came under a known id with another effect.
    Mismatch,
    /// A payload, or something of another version: never touched.
    Other,
}

impl RowKind {
    /// Reads a sort key.
    pub fn of(part: &str) -> Self {
        let mut pieces = part.split('#');
        match (pieces.next(), pieces.next(), pieces.next()) {
            (Some(name::CLAIM_PART), None, None) => Self::Claim,
            (Some("message"), Some(_), _) => Self::Message,
            (Some("mismatch"), Some(_), None) => Self::Mismatch,
            _ => Self::Other,
        }
    }

    /// As reports spell it.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Claim => "claim",
            Self::Message => "message",
            Self::Mismatch => "mismatch",
            Self::Other => "other",
        }
    }
}

/// A row that is owed or waits for a person, from the index of open work or from the table itself.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct OpenRow {
    /// The claim it belongs to.
    pub key: ClaimKey,
    /// Its sort key.
    pub part: String,
    /// Where it stands. `None`: a state of another version, to be left alone.
    pub state: Option<State>,
    /// The last writer's token.
    pub owner: String,
    /// Since when it is open; only a person resets it.
    pub open_since: Option<UnixMs>,
    /// When it is due; while a worker holds it, when the lease ends.
    pub due_at: Option<UnixMs>,
    /// It waits for something that may be missing until then.
    pub waits_until: Option<UnixMs>,
    /// How often a worker took it up.
    pub attempt: u32,
    /// Whether it may run again by itself after a run was lost.
    pub reruns: bool,
    /// Why the last attempt failed, or why it is parked.
    pub last_error: Option<String>,
    /// Why it is parked.
    pub park_reason: Option<ParkReason>,
    /// Provider's name; empty where the row does not say.
    pub provider: String,
    /// Scope; empty for none.
    pub scope: String,
    /// The provider's id of the event; empty where the row does not say.
    pub event_id: String,
    /// The provider's word for what happened; empty where the row does not say.
    pub event_type: String,
    /// How many payload parts lie beside it. The index does not say: 0.
    pub payload_parts: usize,
    /// What a person decided. The index does not say: `None`.
    pub resolution: Option<Resolution>,
}

impl OpenRow {
    /// Reads an item of the table or of its index. Only the key must be there.
    pub fn decode(item: &Item) -> Result<Self, DecodeError> {
        let row = Reader(item);
        let text = |name| row.text_opt(name).unwrap_or_default().to_owned();
        let state = row.text_opt(name::STATE);
        let reason = row.text_opt(name::PARK_REASON);
        Ok(Self {
            key: ClaimKey::from_text(row.text(name::CLAIM)?),
            part: row.text(name::PART)?.to_owned(),
            state: State::ALL.into_iter().find(|known| Some(known.name()) == state),
            owner: text(name::OWNER),
            open_since: row.ms_opt(name::OPEN_SINCE_MS).or_else(|| row.ms_opt(name::CLAIMED_AT_MS)),
            due_at: row.ms_opt(name::DUE_AT_MS),
            waits_until: row.ms_opt(name::WAITS_UNTIL_MS),
            attempt: row.number_opt(name::ATTEMPT).unwrap_or_default(),
            reruns: row.text_opt(name::ON_LOST) == Some(OnLost::Rerun.name()),
            last_error: row.text_opt(name::LAST_ERROR).map(str::to_owned),
            park_reason: ParkReason::ALL.into_iter().find(|known| Some(known.name()) == reason),
            provider: text(name::PROVIDER),
            scope: text(name::SCOPE),
            event_id: text(name::EVENT_ID),
            event_type: text(name::EVENT_TYPE),
            payload_parts: row.number_opt(name::PAYLOAD_PARTS).unwrap_or_default(),
            resolution: Resolution::decode(item),
        })
    }

    /// What it is.
    pub fn kind(&self) -> RowKind {
        RowKind::of(&self.part)
    }

    /// How long it has been open, in milliseconds; 0 where its clock was ahead of ours.
    pub fn age_ms(&self, now: UnixMs) -> u64 {
        self.open_since.map(|since| since.ms_until(now)).unwrap_or_default()
    }

    /// Whether it still waits for what may be missing, or did less than `grace_ms` ago.
    pub fn waits(&self, grace_ms: u64, now: UnixMs) -> bool {
        self.waits_until.is_some_and(|until| now <= until.plus_ms(grace_ms))
    }

    /// Whether its time has come.
    pub fn is_due(&self, now: UnixMs) -> bool {
        self.due_at.is_some_and(|due_at| due_at <= now)
    }
}

/// The key of any row of the claims table.
pub fn row_key(key: &ClaimKey, part: &str) -> Item {
    claims_key(key.as_str(), part)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_part_says_what_a_row_is() {
        for (part, kind) in [
            ("claim", RowKind::Claim),
            ("message#payment.recorded#test::m1/payment#bus", RowKind::Message),
            ("message#event.received##bus", RowKind::Message),
            ("mismatch#0a1b", RowKind::Mismatch),
            ("mismatch#0a1b#00", RowKind::Other),
            ("payload#00", RowKind::Other),
            ("claims", RowKind::Other),
            ("claim#1", RowKind::Other),
            ("", RowKind::Other),
        ] {
            assert_eq!(RowKind::of(part), kind, "{part}");
        }
    }
}
