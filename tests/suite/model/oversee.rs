//! The watch's and a person's calls: a change of a row as it was read.

use super::config::{Config, RETENTION, Wish};
use super::deliver::{Answer, is_spent};
use super::mutations::Mutation as M;
use super::state::{At, Book, CLAIMS, Change, Overseer, PERSON, Pending, Reason, Row, Shelf, State, WATCH};

/// What a scheduled run does to a row.
pub(super) fn step(row: &Row, cfg: &Config, now: i8) -> Option<Change> {
    if row.due > now {
        return None;
    }
    match row.at {
        At::Received | At::Processing if is_spent(row.attempt) => {
            (!cfg.has(M::SpentIsLeft)).then_some(Change::Park(Reason::Spent))
        }
        At::Processing if row.hold && !cfg.has(M::RedriveOfHeld) => {
            (!cfg.has(M::HeldIsLeft)).then_some(Change::Park(Reason::Held))
        }
        At::Received | At::Processing => (!cfg.has(M::NothingIsRedriven)).then_some(Change::Redrive),
        At::Parked | At::Done => None,
    }
}

/// The change that fulfils a person's wish.
pub(super) fn fulfil(wish: Wish, row: &Row, is_claim: bool, cfg: &Config) -> Option<Change> {
    match (wish, row.at) {
        (Wish::Retry, At::Done) if cfg.has(M::DoneIsReopened) => Some(Change::BringBack(Book::None)),
        (_, At::Done) | (Wish::Park, At::Parked) => None,
        (Wish::Park, At::Received | At::Processing) => Some(Change::Park(Reason::Person)),
        (_, At::Processing) => None,
        (Wish::Retry, _) => Some(Change::BringBack(Book::None)),
        (Wish::ResolveNothing, _) => Some(Change::Close),
        (Wish::ResolveMissing, _) => is_claim.then_some(Change::BringBack(Book::Missing)),
    }
}

/// Reads a row and decides.
pub(super) fn read(s: &mut State, who: usize, row: usize, change: Change) {
    let Some(seen) = &s.rows[row] else { return };
    let row = u8::try_from(row).unwrap();
    s.overseers[who] = Overseer { doing: Some(change), row, at: seen.at, seen: true, pending: Pending::default() };
}

/// Sends the change that was decided.
pub(super) fn send(s: &mut State, cfg: &Config, who: usize, now: i8) -> Answer {
    let Overseer { doing, row, at: state_seen, seen, .. } = s.overseers[who];
    let at = usize::from(row);
    let (Some(change), Some(row)) = (doing, s.rows[at]) else { return Answer::Held };
    let unseen = match change {
        Change::Redrive => cfg.has(M::RedriveOfAnyOwner),
        Change::Park(_) => cfg.has(M::OverseerParksAnyOwner),
        Change::BringBack(_) => cfg.has(M::BringBackOfAnyOwner),
        Change::Close => cfg.has(M::ResolveUnconditional),
    };
    let any_state = cfg.has(M::ResolveUnconditional) && change == Change::Close;
    if !((row.at == state_seen || any_state) && (seen || unseen)) {
        return Answer::Held;
    }
    let takes_away = row.at == At::Processing && row.due > cfg.skew();
    if who == WATCH && takes_away {
        s.breaks("a lease excludes all others but a person until it ends");
    }
    if who == PERSON && !seen {
        s.breaks("a person decides on what they saw");
    }
    if change == Change::Park(Reason::Held) && !row.seen.running {
        s.breaks("only a lost run is put on hold");
    }
    let mut row = changed(row, cfg, change, now);
    row.seen.holder = 0;
    if change == Change::Close && at < CLAIMS {
        (s.parts[at], s.was_done[at]) = (false, true);
    }
    s.rows[at] = Some(row);
    s.renew(at, |slot| cfg.event_of(slot));
    s.overseers[who].pending = Pending { took: true, mine: true, token: true };
    Answer::Took
}

fn changed(row: Row, cfg: &Config, change: Change, now: i8) -> Row {
    let mut row = match change {
        Change::Redrive => Row { at: At::Received, ..row },
        Change::Park(reason) => Row { at: At::Parked, shelf: Shelf::Parked, reason, due: 0, ..row },
        Change::BringBack(book) => {
            let shelf = if cfg.has(M::BroughtBackStaysParked) { row.shelf } else { Shelf::Open };
            let book = if book == Book::None { row.book } else { book };
            Row { at: At::Received, shelf, old: false, due: now, attempt: 0, reason: Reason::None, book, ..row }
        }
        Change::Close => {
            let expires = Some(now + RETENTION);
            let closed = Row { at: At::Done, expires, shelf: Shelf::None, parts: false, ..row };
            Row { book: Book::Nothing, due: 0, old: false, ..closed }
        }
    };
    match change {
        Change::Redrive if cfg.has(M::RedriveResetsAttempts) => row.attempt = 0,
        Change::Redrive if cfg.has(M::RedriveMakesYoung) => row.old = false,
        Change::BringBack(_) => (row.seen.running, row.seen.runs) = (false, 0),
        Change::Close => row.seen.closed = true,
        _ => {}
    }
    row
}

/// What the watch or the person makes of the answer.
pub(super) fn hear(s: &mut State, cfg: &Config, who: usize, answer: Answer) {
    let Overseer { doing, row, pending, .. } = std::mem::replace(&mut s.overseers[who], Overseer::IDLE);
    let won = answer == Answer::Took || (pending.mine && !cfg.has(M::ChangeOwnUnknown));
    if won && !pending.took {
        s.breaks("nobody is told of a write that did not happen");
    }
    if pending.mine && !won {
        s.breaks("nobody is told that they lost while the row bears their name");
    }
    if let (true, Some(Change::Close), Some(row)) = (won && pending.mine, doing, &mut s.rows[usize::from(row)]) {
        row.seen.told.0 = true;
    }
}
