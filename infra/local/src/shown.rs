//! How rows are put into words, by the commands and the page alike.

use std::collections::BTreeMap;

use hookledger::claim::{HeldEntry, State};
use hookledger::items::{Booked, ClaimRow, EntryRow, Resolution};
use hookledger::time::UnixMs;

/// In minor units as stored: how many make a whole one differs between currencies and providers.
pub(crate) fn amount(held: &HeldEntry) -> String {
    let (amount, currency) = (held.amount_minor, &held.currency);
    match held.linked_minor {
        Some(linked) => format!("{amount} (links {linked}) {currency}"),
        None => format!("{amount} {currency}"),
    }
}

/// Sums in minor units and how many entries they are of, by whatever the entries are told apart by.
pub(crate) fn sums<'a, K: Ord>(entries: &'a [EntryRow], by: impl Fn(&'a EntryRow) -> K) -> BTreeMap<K, (i128, usize)> {
    let mut sums = BTreeMap::new();
    for entry in entries {
        let (sum, count): &mut (i128, usize) = sums.entry(by(entry)).or_default();
        *sum += i128::from(entry.held.amount_minor);
        *count += 1;
    }
    sums
}

/// `3 entries`, `1 entry`.
pub(crate) fn count(number: usize, one: &str, many: &str) -> String {
    format!("{number} {}", if number == 1 { one } else { many })
}

/// Why a claim is where it is.
pub(crate) fn why(claim: &ClaimRow) -> String {
    let waits = (claim.state == State::Received).then(|| "waits for the worker".to_owned());
    let reason = claim.park_reason.map(|reason| reason.name().to_owned()).or(waits);
    reason.into_iter().chain(claim.last_error.clone()).collect::<Vec<_>>().join(": ")
}

/// What a claim says of its event, by name; what it does not say is left out.
pub(crate) fn facts(claim: &ClaimRow) -> Vec<(&'static str, String)> {
    let at = |moment: Option<UnixMs>| moment.map(UnixMs::rfc3339).unwrap_or_default();
    let effect = claim.effect.map(|effect| format!("{} {}", effect.kind.name(), effect.digest.to_hex()));
    let resolved = claim.resolution.as_ref().map(decision);
    let facts = [
        ("claim", claim.key.to_string()),
        ("state", claim.state.name().to_owned()),
        ("why", why(claim)),
        ("event type", claim.event_type.clone()),
        ("event id", claim.event_id.clone()),
        ("scope", claim.scope.clone()),
        ("claimed", at(Some(claim.claimed_at))),
        ("completed", at(claim.completed_at)),
        ("open since", at(claim.open_since)),
        ("due", at(claim.due_at)),
        ("attempts", if claim.attempt == 0 { String::new() } else { claim.attempt.to_string() }),
        ("expires", at(claim.expires_at.map(|at| at.to_ms()))),
        ("reply", format!("{} {}", claim.reply.status, String::from_utf8_lossy(&claim.reply.body))),
        ("resolved", resolved.unwrap_or_default()),
        ("bytes", claim.raw_digest.to_hex()),
        ("effect", effect.unwrap_or_default()),
    ];
    facts.into_iter().filter(|(_, value)| !value.is_empty()).collect()
}

/// Who decided what, when, and why.
pub(crate) fn decision(resolution: &Resolution) -> String {
    let Resolution { by, note, book, at } = resolution;
    format!("by {by}, book {}, {}: {note}", book.name(), at.rfc3339())
}

/// Whose booking it is, and what the ledger holds of it.
pub(crate) fn standing(booked: &Booked, row: Option<&EntryRow>) -> (String, String) {
    let said = match (&booked.differs, booked.existed) {
        (Some(said), _) => format!("left as it was; this event says {}", amount(said)),
        (None, true) => "was there already".to_owned(),
        (None, false) => "booked by this event".to_owned(),
    };
    let ledger = row.map(|row| format!("recorded {}", row.recorded_at.rfc3339()));
    (said, ledger.unwrap_or_else(|| "MISSING IN THE LEDGER".to_owned()))
}
