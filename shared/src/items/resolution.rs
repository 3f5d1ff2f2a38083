//! What a person decided about a claim or a mismatch, kept on its row.

use super::Item;
use super::codec::Reader;
use super::names as name;
use crate::time::UnixMs;

/// What is still to be booked when a person closes a claim.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, serde::Serialize, serde::Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Book {
    /// The worker books what the ledger does not hold yet, and closes.
    Missing,
    /// Nothing: it is closed as it is.
    Nothing,
}

impl Book {
    /// As the row spells it.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Missing => "missing",
            Self::Nothing => "nothing",
        }
    }
}

/// Who decided what, when and why.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Resolution {
    /// Who.
    pub by: String,
    /// Why, in their words.
    pub note: String,
    /// What is still to be booked.
    pub book: Book,
    /// When.
    pub at: UnixMs,
}

impl Resolution {
    /// Reads it from a row. `None`: no person decided anything.
    pub(super) fn decode(item: &Item) -> Option<Self> {
        let row = Reader(item);
        let book = row.text_opt(name::RESOLVED_BOOK)?;
        Some(Self {
            by: row.text_opt(name::RESOLVED_BY)?.to_owned(),
            note: row.text_opt(name::RESOLVED_NOTE)?.to_owned(),
            book: [Book::Missing, Book::Nothing].into_iter().find(|known| known.name() == book)?,
            at: row.ms_opt(name::RESOLVED_AT_MS)?,
        })
    }
}
