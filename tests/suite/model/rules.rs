//! What must hold in every state, across every step, and in the end.

use super::config::{Config, Tell};
use super::state::{At, CLAIMS, Overseer, PERSON, ROWS, Row, Shelf, State, WATCH, Worker, Working, Write};
use super::steps::{Act, Fate, Step, Who, is_at_rest, take};

/// The first rule that a state breaks.
pub(super) fn broken_in(s: &State, cfg: &Config) -> Option<&'static str> {
    let rows = || s.rows.iter().flatten();
    let claims = || s.rows[..CLAIMS].iter().flatten();
    let events = || 0..CLAIMS;
    let is_lost = |event: usize| s.acknowledged[event] && s.rows[event].is_none() && !s.was_done[event];
    let has_bytes = |event: usize| s.rows[event].is_none_or(|row| !row.parts || s.parts[event]);
    let told_early = |event: usize| match cfg.tell {
        Tell::Nothing => false,
        Tell::Entry => s.entry.is_none() && (s.sent[event] > 0 || s.rows[CLAIMS + event].is_some()),
        Tell::Event => s.sent[event] > 0 && !s.was_done[event],
    };
    let unsent = |event: usize| {
        s.rows[CLAIMS + event].is_some_and(|row| row.at == At::Done && !row.seen.closed) && s.sent[event] == 0
    };
    let told_twice = cfg.tell == Tell::Entry && s.rows[CLAIMS..].iter().flatten().count() > 1;
    let rules = [
        ("an entry is written once", s.writes <= 1),
        ("what was acknowledged is never lost", !events().any(is_lost)),
        ("what is done is booked", claims().all(|row| row.at != At::Done || row.seen.closed || s.entry.is_some())),
        ("what is not done is never silent", rows().all(|row| row.shelf == shelf_of(row))),
        ("what is done expires, and nothing else", rows().all(|row| (row.at == At::Done) == row.expires.is_some())),
        ("every answer repeats the first", claims().all(|row| row.seen.heard == 0 || row.seen.heard == row.reply + 1)),
        ("the bytes are kept until it is done", cfg.bytes_vanish || events().all(has_bytes)),
        ("a message tells of what is booked", !events().any(told_early)),
        ("one movement is told by one message", !told_twice),
        ("a message that is done was sent", !events().any(unsent)),
        ("of resolve and completion one wins", claims().all(|row| row.seen.told != (true, true))),
        ("a mismatch is kept", events().all(|event| !s.mismatched[event] || s.siblings[event])),
    ];
    s.wrong.or_else(|| rules.into_iter().find(|(_, holds)| !holds).map(|(rule, _)| rule))
}

fn shelf_of(row: &Row) -> Shelf {
    match row.at {
        At::Received | At::Processing => Shelf::Open,
        At::Parked => Shelf::Parked,
        At::Done => Shelf::None,
    }
}

/// The first rule that a step breaks.
pub(super) fn broken_by(before: &State, step: Step, after: &State, cfg: &Config) -> Option<&'static str> {
    if after.wrong.is_some() {
        return after.wrong;
    }
    if before.entry.is_some() && before.entry != after.entry {
        return Some("the ledger is append only");
    }
    for at in 0..ROWS {
        let Some(was) = before.rows[at] else { continue };
        let is = after.rows[at];
        let is_open = was.at != At::Done;
        let stands = is_open || was.expires.is_none_or(|expires| expires > cfg.skew());
        let same = is.is_some_and(|is| Row { seen: was.seen, ..is } == was);
        if step.act != Act::Tick && stands && !is_open && !same {
            return Some("done is done until it expires");
        }
        if is_open && is.is_none() {
            return Some("an open row never vanishes");
        }
        let is_young = is.is_some_and(|is| is.at != At::Done && !is.old);
        if is_open && was.old && is_young && step.who != Who::Person {
            return Some("a person alone makes a row young");
        }
        if let Who::Delivery(slot) = step.who
            && at == cfg.event_of(slot)
            && !cfg.same_effect(usize::from(was.content), cfg.deliveries[slot])
            && stands
            && !same
        {
            return Some("a mismatch changes no claim");
        }
    }
    None
}

/// How many rounds of the schedule may be needed until every row is at rest.
const ROUNDS_MAX: usize = 16;
/// No actor takes more steps than this to end what it began.
const STEPS_MAX: usize = 12;

/// The rule that is broken where, from here on without faults, not every row is done or parked in the end.
pub(super) fn broken_in_the_end(s: &State, cfg: &Config) -> Option<&'static str> {
    let gone = State {
        deliveries: State::empty().deliveries,
        workers: State::empty().workers,
        overseers: State::empty().overseers,
        ..*s
    };
    let carried_on = || carry_on(*s, cfg);
    let all_end = ends(gone, cfg) && (gone == *s || carried_on().is_some_and(|s| ends(s, cfg)));
    (!all_end).then_some("in the end everything is done or parked")
}

/// Everybody ends what they have begun.
fn carry_on(mut s: State, cfg: &Config) -> Option<State> {
    let go = |s: State, who, act| take(s, cfg, Step { who, act, now: 0, fate: Fate::Heard });
    for slot in 0..cfg.deliveries.len() {
        for _ in 0..STEPS_MAX {
            if s.deliveries[slot] != super::state::Delivery::IDLE {
                s = go(s, Who::Delivery(slot), Act::Send);
            }
        }
    }
    for (at, who) in [(WATCH, Who::Watch), (PERSON, Who::Person)] {
        if s.overseers[at] != Overseer::IDLE {
            s = go(s, who, Act::Send);
        }
    }
    for slot in 0..2 {
        s = run(s, cfg, slot)?;
    }
    Some(s)
}

/// Ends the run of worker `slot`, with success where it can.
fn run(mut s: State, cfg: &Config, slot: usize) -> Option<State> {
    for _ in 0..STEPS_MAX {
        let act = match s.workers[slot].doing {
            Working::Idle => return Some(s),
            Working::Held => Act::Read,
            Working::Ready { bytes: true } => Act::Write(Write::Complete { skip_entry: false, skip_message: false }),
            Working::Ready { bytes: false } => Act::Write(Write::Park(super::state::Reason::BytesLost)),
            Working::Lease | Working::Write(_) => Act::Send,
        };
        s = take(s, cfg, Step { who: Who::Worker(slot), act, now: 0, fate: Fate::Heard });
    }
    None
}

/// The schedule alone, and a worker for what it kicks: the stream may have lost everything.
fn ends(mut s: State, cfg: &Config) -> bool {
    for _ in 0..ROUNDS_MAX {
        if s.rows.iter().flatten().all(|row| is_at_rest(row.at)) {
            return s.workers == [Worker::IDLE; 2] && is_told(&s);
        }
        s.tick();
        for row in 0..ROWS {
            s = take(s, cfg, Step { who: Who::Watch, act: Act::Watch(row), now: 0, fate: Fate::Heard });
            if s.overseers[WATCH] == Overseer::IDLE {
                continue;
            }
            s = take(s, cfg, Step { who: Who::Watch, act: Act::Send, now: 0, fate: Fate::Heard });
            if s.rows[row].is_some_and(|row| row.at == At::Received) {
                s = take(s, cfg, Step { who: Who::Worker(0), act: Act::Lease(row), now: 0, fate: Fate::Heard });
                let Some(ended) = run(s, cfg, 0) else { return false };
                s = ended;
            }
        }
    }
    false
}

/// Every message that is not parked or closed by a person was sent.
fn is_told(s: &State) -> bool {
    let is_told = |event: usize| {
        s.rows[CLAIMS + event].is_none_or(|row| row.at == At::Parked || row.seen.closed || s.sent[event] > 0)
    };
    (0..CLAIMS).all(is_told)
}
