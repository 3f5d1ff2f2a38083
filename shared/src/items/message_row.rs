//! A message as the claims table holds it.

use super::codec::{DecodeError, Reader};
use super::names as name;
use super::{IndexRow, Item};
use crate::claim::{Digest, State};
use crate::plan::OnLost;
use crate::time::UnixMs;

/// A message that is owed to a sink, read back.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct MessageRow {
    /// Which row.
    pub row: IndexRow,
    /// Provider's name.
    pub provider: String,
    /// Where it stands.
    pub state: State,
    /// The last writer's token.
    pub owner: String,
    /// How often a worker took it up.
    pub attempt: u32,
    /// What becomes of it when nobody knows whether it was sent.
    pub on_lost: OnLost,
    /// When it was owed first; only a person resets it.
    pub open_since: Option<UnixMs>,
    /// What goes out: JSON.
    pub body: String,
}

impl MessageRow {
    /// Reads a message. A state that this version does not know is an error.
    pub fn decode(item: &Item) -> Result<Self, DecodeError> {
        let row = Reader(item);
        let state = row.text(name::STATE)?;
        let hold = row.text_opt(name::ON_LOST) == Some(OnLost::Hold.name());
        Ok(Self {
            row: IndexRow::decode(item)?,
            provider: row.text(name::PROVIDER)?.to_owned(),
            state: State::ALL
                .into_iter()
                .find(|known| known.name() == state)
                .ok_or(DecodeError { attribute: name::STATE })?,
            owner: row.text(name::OWNER)?.to_owned(),
            attempt: row.number_opt(name::ATTEMPT).unwrap_or_default(),
            on_lost: if hold { OnLost::Hold } else { OnLost::Rerun },
            open_since: row.ms_opt(name::OPEN_SINCE_MS),
            body: row.text(name::BODY)?.to_owned(),
        })
    }

    /// What it says, e.g. `payment.recorded`.
    pub fn name(&self) -> &str {
        self.row.part.split('#').nth(1).unwrap_or_default()
    }

    /// Who is told.
    pub fn sink(&self) -> &str {
        self.row.part.rsplit('#').next().unwrap_or_default()
    }

    /// Under which it goes out, in every attempt: the SHA-256 of the claim and the part in hex. A claim's key holds no `#`,
    /// so that no two rows read alike.
    pub fn idempotency_key(&self) -> String {
        Digest::of(format!("{}#{}", self.row.key, self.row.part).as_bytes()).to_hex()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::claim::ClaimKey;

    #[test]
    fn the_key_is_a_format() {
        let part = "message#payment.recorded#stripe::ch_1/payment#bus".to_owned();
        let message = MessageRow {
            row: IndexRow { key: ClaimKey::new("stripe", "", "evt_1"), part },
            provider: "stripe".to_owned(),
            state: State::Received,
            owner: String::new(),
            attempt: 0,
            on_lost: OnLost::Rerun,
            open_since: None,
            body: String::new(),
        };
        assert_eq!((message.name(), message.sink()), ("payment.recorded", "bus"));
        let text = "stripe::evt_1#message#payment.recorded#stripe::ch_1/payment#bus";
        assert_eq!(message.idempotency_key(), Digest::of(text.as_bytes()).to_hex());
        assert_eq!(message.idempotency_key(), "580a04a99308af9c66cb4bfea1551e488f7ee3a8f7d90f47f8f55225c58c1d0c");
    }
}
