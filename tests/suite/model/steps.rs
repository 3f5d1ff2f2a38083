//! Every step that can be taken from a state.

use super::config::{Config, Tell, Wish};
use super::deliver::{self, Answer, is_spent};
use super::mutations::Mutation as M;
use super::state::{
    At, CLAIMS, Delivering, Delivery, Guard, Overseer, PERSON, ROWS, Reason, State, WATCH, Worker, Working, Write,
};
use super::{lease, oversee};

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Who {
    Delivery(usize),
    Worker(usize),
    Watch,
    Person,
    World,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Act {
    /// A delivery comes in, and sends its first transaction.
    Begin,
    /// What was begun goes on: the next write, or the same again after a lost answer.
    Send,
    /// The same again, and DynamoDB knows its token.
    SendKnown,
    /// A worker takes a row up.
    Lease(usize),
    /// It reads the bytes, or sends the message.
    Read,
    /// It writes what came of it.
    Write(Write),
    /// The watch reads a row.
    Watch(usize),
    /// A person reads a row and wants this.
    Wish(usize, Wish),
    Crash,
    Tick,
    /// TTL deletes a row.
    Delete(usize),
    /// Payload parts vanish.
    Vanish(usize),
    /// The provider's code is deployed anew.
    Learn,
}

/// What becomes of a write's answer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Fate {
    Heard,
    /// The writer asks again.
    Lost,
    /// The writer is gone.
    Unheard,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Step {
    pub(super) who: Who,
    pub(super) act: Act,
    /// What the actor's clock shows, in ticks from now.
    pub(super) now: i8,
    pub(super) fate: Fate,
}

const fn plain(who: Who, act: Act) -> Step {
    Step { who, act, now: 0, fate: Fate::Heard }
}

/// Every step that this scenario allows here.
pub(super) fn steps(s: &State, cfg: &Config, out: &mut Vec<Step>) {
    out.clear();
    for slot in 0..cfg.deliveries.len() {
        let Delivery { doing, pending } = s.deliveries[slot];
        let first = if doing == Delivering::Idle { Act::Begin } else { Act::Send };
        let knows = pending.took && pending.token && !matches!(doing, Delivering::ParkConflict { .. });
        going_on(cfg, Who::Delivery(slot), (first, doing != Delivering::Idle, knows), out);
    }
    for slot in 0..cfg.workers {
        worker(s, cfg, slot, out);
    }
    for (who, overseer) in [(Who::Watch, s.overseers[WATCH]), (Who::Person, s.overseers[PERSON])] {
        if overseer.doing.is_some() {
            going_on(cfg, who, (Act::Send, true, overseer.pending.took && overseer.pending.token), out);
        }
    }
    overseers(s, cfg, out);
    world(s, cfg, out);
}

/// A write with every fate, and a crash.
fn going_on(cfg: &Config, who: Who, (act, may_crash, token_known): (Act, bool, bool), out: &mut Vec<Step>) {
    for now in cfg.clocks() {
        let now = *now;
        out.push(Step { who, act, now, fate: Fate::Heard });
        out.push(Step { who, act, now, fate: Fate::Unheard });
        if cfg.lost_answers {
            out.push(Step { who, act, now, fate: Fate::Lost });
        }
    }
    if token_known {
        out.push(plain(who, Act::SendKnown));
    }
    if may_crash {
        out.push(plain(who, Act::Crash));
    }
}

fn worker(s: &State, cfg: &Config, slot: usize, out: &mut Vec<Step>) {
    let (worker, who) = (s.workers[slot], Who::Worker(slot));
    match worker.doing {
        Working::Idle => {
            for row in (0..ROWS).filter(|row| s.rows[*row].is_some()) {
                going_on(cfg, who, (Act::Lease(row), false, false), out);
            }
        }
        Working::Held => out.extend([plain(who, Act::Read), plain(who, Act::Crash)]),
        Working::Ready { bytes } => {
            for write in writes(worker, bytes) {
                going_on(cfg, who, (Act::Write(write), false, false), out);
            }
            out.push(plain(who, Act::Crash));
        }
        Working::Lease => going_on(cfg, who, (Act::Send, true, false), out),
        Working::Write(write) => {
            let known = matches!(write, Write::Complete { .. }) && worker.pending.took && worker.pending.token;
            going_on(cfg, who, (Act::Send, true, known), out);
        }
    }
}

/// What a worker may find out it has to write.
fn writes(worker: Worker, bytes: bool) -> Vec<Write> {
    if !bytes {
        return vec![Write::Park(Reason::BytesLost)];
    }
    let later = match is_spent(worker.attempt) {
        true => vec![Write::Park(Reason::Spent)],
        false => vec![Write::Release { wait: 0 }, Write::Release { wait: 1 }],
    };
    let complete = Write::Complete { skip_entry: false, skip_message: false };
    [vec![complete, Write::Park(Reason::Unreadable)], later].concat()
}

fn overseers(s: &State, cfg: &Config, out: &mut Vec<Step>) {
    for (at, row) in s.rows.iter().enumerate() {
        let Some(row) = row else { continue };
        if cfg.watch && s.overseers[WATCH].doing.is_none() {
            let due = cfg.clocks().iter().filter(|now| oversee::step(row, cfg, **now).is_some());
            out.extend(due.map(|now| Step { now: *now, ..plain(Who::Watch, Act::Watch(at)) }));
        }
        if s.overseers[PERSON].doing.is_none() {
            let wishes = cfg.person.iter().filter(|wish| oversee::fulfil(**wish, row, at < CLAIMS, cfg).is_some());
            out.extend(wishes.map(|wish| plain(Who::Person, Act::Wish(at, *wish))));
        }
    }
}

fn world(s: &State, cfg: &Config, out: &mut Vec<Step>) {
    out.push(plain(Who::World, Act::Tick));
    for (at, row) in s.rows.iter().enumerate() {
        if row.is_some_and(|row| row.expires.is_some_and(|expires| expires <= 0)) {
            out.push(plain(Who::World, Act::Delete(at)));
        }
    }
    if cfg.bytes_vanish {
        out.extend((0..CLAIMS).filter(|event| s.parts[*event]).map(|event| plain(Who::World, Act::Vanish(event))));
    }
    if !s.learned && cfg.contents.iter().any(|content| content.later) {
        out.push(plain(Who::World, Act::Learn));
    }
}

/// Takes a step.
pub(super) fn take(mut s: State, cfg: &Config, step: Step) -> State {
    match step.who {
        Who::Delivery(slot) => deliver(&mut s, cfg, slot, step),
        Who::Worker(slot) => work(&mut s, cfg, slot, step),
        Who::Watch => watch_or_person(&mut s, cfg, WATCH, step),
        Who::Person => watch_or_person(&mut s, cfg, PERSON, step),
        Who::World => match step.act {
            Act::Delete(row) => {
                s.rows[row] = None;
                s.renew(row, |slot| cfg.event_of(slot));
            }
            Act::Vanish(event) => s.parts[event] = false,
            Act::Learn => s.learned = true,
            _ => s.tick(),
        },
    }
    s
}

fn deliver(s: &mut State, cfg: &Config, slot: usize, step: Step) {
    match step.act {
        Act::Crash => return deliver::give_up(s, cfg, slot),
        Act::SendKnown => return deliver::hear(s, cfg, slot, Answer::Took),
        Act::Begin => {
            let brings = cfg.brings(cfg.deliveries[slot], s.learned);
            s.deliveries[slot].doing =
                Delivering::Commit { guard: Guard::Absent, skip_entry: false, skip_message: false, brings };
        }
        _ => {}
    }
    let answer = deliver::send(s, cfg, slot, step.now);
    match step.fate {
        Fate::Heard => deliver::hear(s, cfg, slot, answer),
        Fate::Lost => {}
        Fate::Unheard => deliver::give_up(s, cfg, slot),
    }
}

fn work(s: &mut State, cfg: &Config, slot: usize, step: Step) {
    let row = usize::from(s.workers[slot].row);
    match step.act {
        Act::Crash => return s.workers[slot] = Worker::IDLE,
        Act::SendKnown => return lease::hear(s, cfg, slot, Answer::Took),
        Act::Read => return read(s, cfg, slot, row),
        Act::Lease(row) => {
            let row = u8::try_from(row).unwrap();
            s.workers[slot] = Worker { doing: Working::Lease, row, ..Worker::IDLE };
        }
        Act::Write(write) => s.workers[slot].doing = Working::Write(write),
        _ => {}
    }
    let answer = lease::send(s, cfg, slot, step.now);
    match step.fate {
        Fate::Heard => lease::hear(s, cfg, slot, answer),
        Fate::Lost => {}
        Fate::Unheard => s.workers[slot] = Worker::IDLE,
    }
}

/// Reads a claim's bytes, or sends a message.
fn read(s: &mut State, cfg: &Config, slot: usize, row: usize) {
    let mut bytes = true;
    if row < CLAIMS {
        bytes = s.parts[row];
        if cfg.has(M::MessageBeforeCommit) && cfg.tell != Tell::Nothing {
            s.sent[row] = (s.sent[row] + 1).min(2);
        }
        if cfg.has(M::PayloadGoneBeforeDone) {
            s.parts[row] = false;
        }
    } else if !cfg.has(M::MessageDoneUnsent) {
        s.sent[row - CLAIMS] = (s.sent[row - CLAIMS] + 1).min(2);
    }
    s.workers[slot].doing = Working::Ready { bytes };
}

fn watch_or_person(s: &mut State, cfg: &Config, who: usize, step: Step) {
    let seen = |row: usize| s.rows[row];
    match step.act {
        Act::Crash => return s.overseers[who] = Overseer::IDLE,
        Act::SendKnown => return oversee::hear(s, cfg, who, Answer::Took),
        Act::Watch(row) => {
            let change = seen(row).and_then(|row| oversee::step(&row, cfg, step.now));
            return change.into_iter().for_each(|change| oversee::read(s, who, row, change));
        }
        Act::Wish(row, wish) => {
            let change = seen(row).and_then(|stands| oversee::fulfil(wish, &stands, row < CLAIMS, cfg));
            return change.into_iter().for_each(|change| oversee::read(s, who, row, change));
        }
        _ => {}
    }
    let answer = oversee::send(s, cfg, who, step.now);
    match step.fate {
        Fate::Heard => oversee::hear(s, cfg, who, answer),
        Fate::Lost => {}
        Fate::Unheard => s.overseers[who] = Overseer::IDLE,
    }
}

/// Whether a row waits neither for a worker nor for a person to be asked.
pub(super) fn is_at_rest(at: At) -> bool {
    matches!(at, At::Parked | At::Done)
}
