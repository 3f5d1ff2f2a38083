//! A delivery's calls: what `store::commit` sends, and what it makes of the answer.

use super::config::{ATTEMPTS_MAX, Config, RETENTION, Tell};
use super::mutations::Mutation as M;
use super::state::{At, Book, Brings, CLAIMS, Delivering, Guard, Pending, Reason, Row, Seen, Shelf, State};

/// What DynamoDB answers to a conditional write.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Answer {
    Took,
    /// The row's own condition failed.
    Held,
    /// The row is free; these exist already, with the same content.
    Known {
        entry: bool,
        message: bool,
    },
    /// The row is free; the ledger holds the movement with other content.
    Differs,
}

/// What a settling transaction does beside its row: the entry and the message.
pub(super) fn effects_stand(
    s: &State,
    cfg: &Config,
    content: usize,
    skip_entry: bool,
    skip_message: bool,
) -> Option<Answer> {
    let event = cfg.contents[content].event;
    let entry = !skip_entry && s.entry.is_some() && !cfg.has(M::EntryUnconditional);
    if entry && s.entry != Some(cfg.contents[content].amount) {
        return Some(Answer::Differs);
    }
    let puts = puts_message(cfg, skip_entry, skip_message);
    let message = puts && s.rows[CLAIMS + event].is_some() && !cfg.has(M::MessageUnconditional);
    (entry || message).then_some(Answer::Known { entry, message })
}

fn puts_message(cfg: &Config, skip_entry: bool, skip_message: bool) -> bool {
    let skipped_with_entry = cfg.tell == Tell::Entry && skip_entry && !cfg.has(M::MessageWithoutItsEntry);
    cfg.tell != Tell::Nothing && !skip_message && !skipped_with_entry
}

pub(super) fn put_effects(
    s: &mut State,
    cfg: &Config,
    content: usize,
    (skip_entry, skip_message): (bool, bool),
    now: i8,
) {
    let event = cfg.contents[content].event;
    if !skip_entry {
        s.entry = Some(cfg.contents[content].amount);
        s.writes = (s.writes + 1).min(2);
    }
    if puts_message(cfg, skip_entry, skip_message) {
        let fresh = Row { at: At::Received, shelf: Shelf::Open, due: now, ..blank(content) };
        if s.rows[CLAIMS + event].is_some() {
            s.breaks("no message row is overwritten");
        }
        s.rows[CLAIMS + event] = Some(fresh);
        s.renew(CLAIMS + event, |_| usize::MAX);
    }
}

fn blank(content: usize) -> Row {
    let content = u8::try_from(content).unwrap();
    Row {
        at: At::Received,
        reason: Reason::None,
        attempt: 0,
        due: 0,
        expires: None,
        hold: false,
        kind: Brings::Settle,
        content,
        reply: content,
        parts: false,
        shelf: Shelf::None,
        book: Book::None,
        old: false,
        existed: false,
        seen: Seen::default(),
    }
}

/// Sends what delivery `slot` is about to send.
pub(super) fn send(s: &mut State, cfg: &Config, slot: usize, now: i8) -> Answer {
    let content = cfg.deliveries[slot];
    let event = cfg.contents[content].event;
    match s.deliveries[slot].doing {
        Delivering::Idle => unreachable!("it was begun"),
        Delivering::Commit { guard, skip_entry, skip_message, brings } => {
            let answer = commit(s, cfg, content, (guard, brings), (skip_entry, skip_message), now);
            took(s, slot, answer)
        }
        Delivering::ParkConflict { seen } => {
            let Some(row) = s.rows[event].filter(|row| row.at == At::Parked && seen) else { return Answer::Held };
            s.rows[event] = Some(Row { reason: Reason::Conflict, shelf: Shelf::Parked, ..row });
            s.renew(event, |slot| cfg.event_of(slot));
            took(s, slot, Answer::Took)
        }
        Delivering::Sibling { .. } => {
            if !cfg.has(M::MismatchForgotten) {
                s.siblings[event] = true;
            }
            Answer::Took
        }
    }
}

fn took(s: &mut State, slot: usize, answer: Answer) -> Answer {
    if answer == Answer::Took {
        s.deliveries[slot].pending = Pending { took: true, mine: true, token: true };
    }
    answer
}

fn commit(
    s: &mut State,
    cfg: &Config,
    content: usize,
    (guard, brings): (Guard, Brings),
    skip: (bool, bool),
    now: i8,
) -> Answer {
    let event = cfg.contents[content].event;
    let stands = s.rows[event];
    let is_free = match guard {
        Guard::Absent => stands.is_none_or(|row| is_expired(&row, cfg, now)) || cfg.has(M::ClaimUnconditional),
        Guard::Parked(seen) => {
            stands.is_some_and(|row| row.at == At::Parked) && (seen || cfg.has(M::RevivalWithoutOwner))
        }
    };
    if !is_free {
        return Answer::Held;
    }
    if brings == Brings::Settle {
        if let Some(answer) = effects_stand(s, cfg, content, skip.0, skip.1) {
            return answer;
        }
        put_effects(s, cfg, content, skip, now);
    }
    let kept = stands.filter(|_| guard != Guard::Absent);
    let row = claimed(s, cfg, content, brings, kept, (skip.0, now));
    s.rows[event] = Some(row);
    s.parts[event] = brings != Brings::Settle;
    s.renew(event, |slot| cfg.event_of(slot));
    Answer::Took
}

fn is_expired(row: &Row, cfg: &Config, now: i8) -> bool {
    let early = if cfg.has(M::ExpiredEarly) { 2 } else { 0 };
    row.expires.is_some_and(|expires| expires <= now + early) && !cfg.has(M::ExpiredStays)
}

/// The claim as a delivery writes it; `kept`: the parked one that it brings back.
fn claimed(
    s: &mut State,
    cfg: &Config,
    content: usize,
    brings: Brings,
    kept: Option<Row>,
    (existed, now): (bool, i8),
) -> Row {
    let mut row = blank(content);
    if let Some(kept) = kept {
        if !kept.reason.heals_by_redelivery() {
            s.breaks("what was set aside is brought back by a person alone");
        }
        let reply = if cfg.has(M::RevivalWritesReply) { row.reply } else { kept.reply };
        let seen = Seen { heard: kept.seen.heard, ..Seen::default() };
        row = Row { reply, old: kept.old, seen, ..row };
    }
    row.hold = cfg.hold;
    row.kind = if brings.parks() { Brings::Unreadable } else { brings };
    match brings {
        Brings::Settle => {
            s.was_done[cfg.contents[content].event] = true;
            Row { at: At::Done, expires: Some(now + RETENTION), existed, old: false, ..row }
        }
        Brings::Defer => {
            let expires = cfg.has(M::TtlFromTheStart).then_some(now + 1);
            Row { at: At::Received, shelf: Shelf::Open, due: now, parts: true, expires, ..row }
        }
        Brings::Unreadable | Brings::Conflict => {
            let reason = if brings == Brings::Conflict { Reason::Conflict } else { Reason::Unreadable };
            Row { at: At::Parked, reason, shelf: Shelf::Parked, parts: true, ..row }
        }
    }
}

/// What delivery `slot` makes of the answer.
pub(super) fn hear(s: &mut State, cfg: &Config, slot: usize, answer: Answer) {
    let content = cfg.deliveries[slot];
    let event = cfg.contents[content].event;
    let pending = std::mem::take(&mut s.deliveries[slot].pending);
    let doing = s.deliveries[slot].doing;
    s.deliveries[slot].doing = match (doing, answer) {
        (Delivering::Sibling { unlike }, _) => {
            s.mismatched[event] = true;
            s.acknowledged[event] |= !unlike;
            Delivering::Idle
        }
        (Delivering::ParkConflict { .. }, Answer::Held) if !pending.mine => {
            let brings = cfg.brings(content, s.learned);
            Delivering::Commit { guard: Guard::Parked(false), skip_entry: false, skip_message: false, brings }
        }
        (Delivering::ParkConflict { .. }, _) => acknowledged(s, event, None),
        (Delivering::Commit { guard, .. }, Answer::Took) => {
            if !pending.took {
                s.breaks("nobody is told of a write that did not happen");
            }
            acknowledged(s, event, (guard == Guard::Absent && pending.mine).then_some(content))
        }
        (Delivering::Commit { guard, skip_entry, skip_message, brings }, Answer::Known { entry, message }) => {
            let (skip_entry, skip_message) = (skip_entry || entry, skip_message || message);
            Delivering::Commit { guard, skip_entry, skip_message, brings }
        }
        (Delivering::Commit { guard: Guard::Parked(seen), .. }, Answer::Differs) => Delivering::ParkConflict { seen },
        (Delivering::Commit { guard, .. }, Answer::Differs) => {
            Delivering::Commit { guard, skip_entry: false, skip_message: false, brings: Brings::Conflict }
        }
        (Delivering::Commit { guard, .. }, Answer::Held) if pending.mine && !cfg.has(M::CommitOwnUnknown) => {
            acknowledged(s, event, (guard == Guard::Absent).then_some(content))
        }
        (Delivering::Commit { .. }, Answer::Held) => {
            if pending.mine {
                s.breaks("nobody is told that they lost while the row bears their name");
            }
            judge(s, cfg, content, doing)
        }
        (Delivering::Idle, _) => unreachable!("it was begun"),
    };
}

/// The claim exists: the same again, or something else?
fn judge(s: &mut State, cfg: &Config, content: usize, doing: Delivering) -> Delivering {
    let Delivering::Commit { guard, skip_entry, skip_message, brings } = doing else { return Delivering::Idle };
    let event = cfg.contents[content].event;
    // Gone, though the write's condition needs it: unavailable in the end.
    let Some(row) = s.rows[event] else { return Delivering::Idle };
    let stored = usize::from(row.content);
    // Content is compared with content, and any other kind with its own.
    let is_like = row.kind == Brings::Unreadable || row.kind == brings;
    let is_same = stored == content || (is_like && cfg.same_effect(stored, content));
    if !is_same && !cfg.has(M::MismatchRevives) {
        return Delivering::Sibling { unlike: is_like };
    }
    let heals = row.at == At::Parked && row.reason.heals_by_redelivery();
    if heals && guard == Guard::Absent && (!brings.parks() || row.reason == Reason::BytesLost) {
        return Delivering::Commit { guard: Guard::Parked(true), skip_entry, skip_message, brings };
    }
    if !is_same {
        return Delivering::Sibling { unlike: is_like };
    }
    // Between its two commits a delivery has seconds, not the time a claim is kept.
    if guard == Guard::Absent && row.expires.is_some_and(|expires| expires <= -cfg.skew()) {
        s.breaks("what has expired answers no delivery");
    }
    acknowledged(s, event, Some(usize::from(row.reply)))
}

/// Success is answered, with this content's reply if that is known to be the stored one's.
fn acknowledged(s: &mut State, event: usize, reply: Option<usize>) -> Delivering {
    s.acknowledged[event] = true;
    let mut differs = false;
    if let (Some(row), Some(reply)) = (&mut s.rows[event], reply) {
        let reply = u8::try_from(reply).unwrap() + 1;
        differs = row.seen.heard != 0 && row.seen.heard != reply;
        row.seen.heard = if row.seen.heard == 0 { reply } else { row.seen.heard };
    }
    if differs {
        s.breaks("every answer repeats the first");
    }
    Delivering::Idle
}

/// The delivery ends without having heard anything that can be relied on.
pub(super) fn give_up(s: &mut State, cfg: &Config, slot: usize) {
    s.deliveries[slot] = super::state::Delivery::IDLE;
    if cfg.has(M::AnswersBeforeItIsDurable) {
        s.acknowledged[cfg.event_of(slot)] = true;
    }
}

/// Whether a row was taken up as often as may be.
pub(super) fn is_spent(attempt: u8) -> bool {
    attempt >= ATTEMPTS_MAX
}
