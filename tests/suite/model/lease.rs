//! A worker's calls: lease, completion, release, park.

use super::config::{ATTEMPTS_MAX, Config, LEASE, RETENTION};
use super::deliver::{Answer, effects_stand, put_effects};
use super::mutations::Mutation as M;
use super::state::{At, CLAIMS, Pending, Reason, Row, Shelf, State, Worker, Working, Write};

/// Sends what worker `slot` is about to send.
pub(super) fn send(s: &mut State, cfg: &Config, slot: usize, now: i8) -> Answer {
    let worker = s.workers[slot];
    let answer = match worker.doing {
        Working::Lease => lease(s, cfg, slot, now),
        Working::Write(write) => write_row(s, cfg, slot, write, now),
        Working::Idle | Working::Held | Working::Ready { .. } => unreachable!("it sends nothing"),
    };
    if answer == Answer::Took {
        let keeps_owner = matches!(worker.doing, Working::Write(Write::Complete { .. }));
        let mine = !keeps_owner;
        s.workers[slot].pending = Pending { took: true, mine, token: true };
    }
    answer
}

fn lease(s: &mut State, cfg: &Config, slot: usize, now: i8) -> Answer {
    let at = usize::from(s.workers[slot].row);
    let Some(mut row) = s.rows[at] else { return Answer::Held };
    let is_due = row.due <= now || cfg.has(M::LeaseBeforeDue);
    let has_attempts = row.attempt < ATTEMPTS_MAX || cfg.has(M::LeaseForEver);
    let reruns = !row.hold || cfg.has(M::LeaseOfHeld);
    let is_open = row.at == At::Received || (row.at == At::Processing && reruns);
    if !(is_due && has_attempts && is_open) {
        return Answer::Held;
    }
    if row.due > cfg.skew() {
        s.breaks("nothing is taken up before it is due");
    }
    if row.seen.runs >= ATTEMPTS_MAX {
        s.breaks("attempts are bounded");
    }
    if row.hold && row.seen.running {
        s.breaks("a lost run on hold does not run again by itself");
    }
    (row.at, row.due) = (At::Processing, now + LEASE);
    row.attempt = (row.attempt + 1).min(ATTEMPTS_MAX + 1);
    row.seen.runs = (row.seen.runs + 1).min(ATTEMPTS_MAX + 1);
    (row.seen.holder, row.seen.running) = (u8::try_from(slot).unwrap() + 1, true);
    s.rows[at] = Some(row);
    s.renew(at, |slot| cfg.event_of(slot));
    Answer::Took
}

fn write_row(s: &mut State, cfg: &Config, slot: usize, write: Write, now: i8) -> Answer {
    let Worker { row: at, fence, .. } = s.workers[slot];
    let Some(row) = s.rows[usize::from(at)] else { return Answer::Held };
    let unfenced = match write {
        Write::Complete { .. } => cfg.has(M::CompletionWithoutFence),
        Write::Release { .. } => cfg.has(M::ReleaseWithoutFence),
        Write::Park(_) => cfg.has(M::ParkWithoutFence),
    };
    let any_state = cfg.has(M::CompletionOfAnyState) && matches!(write, Write::Complete { .. });
    if !((row.at == At::Processing || any_state) && (fence || unfenced)) {
        return Answer::Held;
    }
    let answer = match write {
        Write::Complete { skip_entry, skip_message } => complete(s, cfg, slot, (skip_entry, skip_message), now),
        Write::Release { wait } => {
            let due = if cfg.has(M::ReleaseStaysProcessing) { row.due } else { now + wait };
            let after = if cfg.has(M::ReleaseStaysProcessing) { At::Processing } else { At::Received };
            put(s, cfg, at.into(), Row { at: after, due, ..row });
            Answer::Took
        }
        Write::Park(reason) => {
            let shelf = if cfg.has(M::ParkedStaysOpen) { row.shelf } else { Shelf::Parked };
            put(s, cfg, at.into(), Row { at: At::Parked, shelf, reason, due: 0, ..row });
            Answer::Took
        }
    };
    if answer == Answer::Took && usize::from(row.seen.holder) != slot + 1 {
        s.breaks("who was overtaken writes nothing");
    }
    answer
}

/// Written by the worker that holds it: its run has ended in order.
fn put(s: &mut State, cfg: &Config, at: usize, mut row: Row) {
    (row.seen.holder, row.seen.running) = (0, false);
    s.rows[at] = Some(row);
    s.renew(at, |slot| cfg.event_of(slot));
}

fn complete(s: &mut State, cfg: &Config, slot: usize, skip: (bool, bool), now: i8) -> Answer {
    let at = usize::from(s.workers[slot].row);
    let Some(mut row) = s.rows[at] else { return Answer::Held };
    if at < CLAIMS {
        let content = usize::from(s.workers[slot].content);
        if let Some(answer) = effects_stand(s, cfg, content, skip.0, skip.1) {
            return answer;
        }
        put_effects(s, cfg, content, skip, now);
        (s.parts[at], s.was_done[at], row.existed) = (false, true, skip.0);
    }
    let shelf = if cfg.has(M::DoneStaysOpen) { row.shelf } else { Shelf::None };
    row = Row { at: At::Done, expires: Some(now + RETENTION), shelf, parts: false, due: 0, ..row };
    if cfg.has(M::DoneForEver) {
        row.expires = None;
    }
    (row.seen.running, row.old) = (false, false);
    // The owner stays: so a completion whose answer was lost is recognised.
    s.rows[at] = Some(row);
    Answer::Took
}

/// What worker `slot` makes of the answer.
pub(super) fn hear(s: &mut State, cfg: &Config, slot: usize, answer: Answer) {
    let pending = std::mem::take(&mut s.workers[slot].pending);
    let worker = s.workers[slot];
    let at = usize::from(worker.row);
    let won = answer == Answer::Took || (pending.mine && !cfg.has(M::UpdateOwnUnknown));
    if pending.mine && !won {
        s.breaks("nobody is told that they lost while the row bears their name");
    }
    let next = match (worker.doing, answer) {
        (Working::Lease, _) if won => {
            let row = s.rows[at].unwrap();
            let leased = Worker { fence: pending.mine, attempt: row.attempt, content: row.content, ..worker };
            s.workers[slot] = Worker { doing: Working::Held, ..leased };
            return;
        }
        (Working::Write(Write::Complete { .. }), Answer::Differs) => Working::Write(Write::Park(Reason::Conflict)),
        (Working::Write(Write::Complete { skip_entry, skip_message }), Answer::Known { entry, message }) => {
            let (skip_entry, skip_message) = (skip_entry || entry, skip_message || message);
            Working::Write(Write::Complete { skip_entry, skip_message })
        }
        (Working::Write(Write::Complete { .. }), _) => {
            settled(s, cfg, slot, answer);
            Working::Idle
        }
        _ => Working::Idle,
    };
    if next == Working::Idle {
        s.workers[slot] = Worker::IDLE;
    } else {
        s.workers[slot].doing = next;
    }
}

/// A completion was answered: done, also where the first answer was lost, or overtaken.
fn settled(s: &mut State, cfg: &Config, slot: usize, answer: Answer) {
    let Worker { row, fence, .. } = s.workers[slot];
    let Some(row) = &mut s.rows[usize::from(row)] else { return };
    let is_ours = row.at == At::Done && fence;
    if answer == Answer::Took || (is_ours && !cfg.has(M::CompletionOwnUnknown)) {
        row.seen.told.1 |= is_ours;
    } else if is_ours {
        s.breaks("nobody is told that they lost while the row bears their name");
    }
}
