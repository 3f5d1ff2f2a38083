//! What the model holds in mind: rows, ledger, actors' memories, and what was seen along the way. Small and comparable.
//!
//! Times are ticks from now, so that no history is too long. A fresh owner is never one that was seen before; therefore
//! nobody needs to remember owners: a memory holds whether the owner it saw still stands on the row.

/// Where a row stands.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(super) enum At {
    Received,
    Processing,
    Parked,
    Done,
}

/// Why a row is parked.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(super) enum Reason {
    None,
    Unreadable,
    BytesLost,
    Conflict,
    Spent,
    Held,
    Person,
}

impl Reason {
    pub(super) fn heals_by_redelivery(self) -> bool {
        matches!(self, Self::Unreadable | Self::BytesLost)
    }
}

/// Which half of the index of open work a row stands in.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(super) enum Shelf {
    None,
    Open,
    Parked,
}

/// What a person decided.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(super) enum Book {
    None,
    Missing,
    Nothing,
}

/// A claim or a message.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(super) struct Row {
    pub(super) at: At,
    pub(super) reason: Reason,
    pub(super) attempt: u8,
    /// Of an open row.
    pub(super) due: i8,
    /// Of one that is done, or never.
    pub(super) expires: Option<i8>,
    pub(super) hold: bool,
    /// As what its effect was digested: what parks is digested as content.
    pub(super) kind: Brings,
    /// Whose bytes it keeps: index of the content.
    pub(super) content: u8,
    /// Which reply is stored: that of the delivery of this content.
    pub(super) reply: u8,
    /// How many payload parts it says lie beside it.
    pub(super) parts: bool,
    pub(super) shelf: Shelf,
    pub(super) book: Book,
    /// Whether `open_since` lies before this tick.
    pub(super) old: bool,
    /// What a claim that is done lists: its entry, as booked or as known before.
    pub(super) existed: bool,
    pub(super) seen: Seen,
}

/// What happened to a row, which no rule may look at.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(super) struct Seen {
    /// Who took the last lease, counted from 1, as long as nobody else wrote.
    pub(super) holder: u8,
    /// A run was begun and did not end in order.
    pub(super) running: bool,
    /// How often it was taken up since it was received or a person decided.
    pub(super) runs: u8,
    /// The first reply that was heard, counted from 1.
    pub(super) heard: u8,
    /// A person closed it.
    pub(super) closed: bool,
    /// A person was told that they closed it; a worker that it settled it.
    pub(super) told: (bool, bool),
}

/// A write whose answer was lost.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(super) struct Pending {
    /// It took effect.
    pub(super) took: bool,
    /// Its owner stands on the row.
    pub(super) mine: bool,
    /// DynamoDB still knows its token.
    pub(super) token: bool,
}

/// Under which condition a delivery claims.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(super) enum Guard {
    Absent,
    /// The claim is parked under the owner that was seen; whether that still stands.
    Parked(bool),
}

/// What a delivery writes when it may claim.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(super) enum Brings {
    Settle,
    Defer,
    Unreadable,
    Conflict,
}

impl Brings {
    pub(super) fn parks(self) -> bool {
        matches!(self, Self::Unreadable | Self::Conflict)
    }
}

/// What a delivery is about to send.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(super) enum Delivering {
    Idle,
    Commit {
        guard: Guard,
        skip_entry: bool,
        skip_message: bool,
        brings: Brings,
    },
    /// The entry differs: the claim that was to be brought back is parked anew, if its owner still stands.
    ParkConflict {
        seen: bool,
    },
    /// Its content is kept beside the claim. `unlike`: as another effect, not merely as one that cannot be compared.
    Sibling {
        unlike: bool,
    },
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(super) struct Delivery {
    pub(super) doing: Delivering,
    pub(super) pending: Pending,
}

/// What a worker is about to do.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(super) enum Working {
    Idle,
    Lease,
    /// Leased, nothing read or sent.
    Held,
    /// The bytes were read, or the message was sent.
    Ready {
        bytes: bool,
    },
    Write(Write),
}

/// What a worker writes to a row it holds.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(super) enum Write {
    Complete { skip_entry: bool, skip_message: bool },
    Release { wait: i8 },
    Park(Reason),
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(super) struct Worker {
    pub(super) doing: Working,
    /// Index of the row.
    pub(super) row: u8,
    /// The owner that the lease set still stands.
    pub(super) fence: bool,
    pub(super) attempt: u8,
    pub(super) content: u8,
    pub(super) pending: Pending,
}

/// A change by the watch or a person, who read the row before.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(super) enum Change {
    Redrive,
    Park(Reason),
    BringBack(Book),
    Close,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(super) struct Overseer {
    pub(super) doing: Option<Change>,
    pub(super) row: u8,
    /// What was read: state, and whether its owner still stands.
    pub(super) at: At,
    pub(super) seen: bool,
    pub(super) pending: Pending,
}

/// Claims are rows 0 and 1, the message of each 2 and 3.
pub(super) const ROWS: usize = 4;
pub(super) const CLAIMS: usize = 2;
/// Overseers: the watch and a person.
pub(super) const WATCH: usize = 0;
pub(super) const PERSON: usize = 1;

/// Everything.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(super) struct State {
    pub(super) rows: [Option<Row>; ROWS],
    /// Payload parts that lie there.
    pub(super) parts: [bool; CLAIMS],
    pub(super) siblings: [bool; CLAIMS],
    /// The amount that the ledger holds for the one movement.
    pub(super) entry: Option<u8>,
    /// How often it was written.
    pub(super) writes: u8,
    /// How often the sink was told: by each message.
    pub(super) sent: [u8; CLAIMS],
    /// The provider's code can read every content.
    pub(super) learned: bool,
    pub(super) deliveries: [Delivery; 2],
    pub(super) workers: [Worker; 2],
    pub(super) overseers: [Overseer; 2],
    /// A success was answered for the event.
    pub(super) acknowledged: [bool; CLAIMS],
    /// Its claim was done once.
    pub(super) was_done: [bool; CLAIMS],
    /// Its sibling was spoken of.
    pub(super) mismatched: [bool; CLAIMS],
    /// A rule that was broken on the way here.
    pub(super) wrong: Option<&'static str>,
}

impl Pending {
    pub(super) const NONE: Self = Self { took: false, mine: false, token: false };
}

impl Delivery {
    pub(super) const IDLE: Self = Self { doing: Delivering::Idle, pending: Pending::NONE };
}

impl Worker {
    pub(super) const IDLE: Self =
        Self { doing: Working::Idle, row: 0, fence: false, attempt: 0, content: 0, pending: Pending::NONE };
}

impl Overseer {
    pub(super) const IDLE: Self = Self { doing: None, row: 0, at: At::Received, seen: false, pending: Pending::NONE };
}

impl State {
    pub(super) fn empty() -> Self {
        Self {
            rows: [None; ROWS],
            parts: [false; CLAIMS],
            siblings: [false; CLAIMS],
            entry: None,
            writes: 0,
            sent: [0; CLAIMS],
            learned: false,
            deliveries: [Delivery::IDLE; 2],
            workers: [Worker::IDLE; 2],
            overseers: [Overseer::IDLE; 2],
            acknowledged: [false; CLAIMS],
            was_done: [false; CLAIMS],
            mismatched: [false; CLAIMS],
            wrong: None,
        }
    }
}

impl State {
    /// A row has a fresh owner, or is gone: whatever owner was seen before stands there no more.
    pub(super) fn renew(&mut self, row: usize, event_of: impl Fn(usize) -> usize) {
        for (_, delivery) in self.deliveries.iter_mut().enumerate().filter(|(slot, _)| event_of(*slot) == row) {
            delivery.pending.mine = false;
            match &mut delivery.doing {
                Delivering::Commit { guard: Guard::Parked(seen), .. } | Delivering::ParkConflict { seen } => {
                    *seen = false
                }
                _ => {}
            }
        }
        for worker in self.workers.iter_mut().filter(|worker| usize::from(worker.row) == row) {
            (worker.fence, worker.pending.mine) = (false, false);
        }
        for overseer in self.overseers.iter_mut().filter(|overseer| usize::from(overseer.row) == row) {
            (overseer.seen, overseer.pending.mine) = (false, false);
        }
    }

    /// A tick of the clock.
    pub(super) fn tick(&mut self) {
        for row in self.rows.iter_mut().flatten() {
            // What is parked or done is not due.
            if matches!(row.at, At::Received | At::Processing) {
                row.due = (row.due - 1).max(-1);
            }
            row.expires = row.expires.map(|expires| (expires - 1).max(-1));
            row.old = true;
        }
        self.deliveries.iter_mut().for_each(|delivery| delivery.pending.token = false);
        self.workers.iter_mut().for_each(|worker| worker.pending.token = false);
        self.overseers.iter_mut().for_each(|overseer| overseer.pending.token = false);
    }

    /// Two workers are alike: which is which is of no matter.
    pub(super) fn ordered(mut self) -> Self {
        if self.workers[0] > self.workers[1] {
            self.workers.swap(0, 1);
            for row in self.rows.iter_mut().flatten() {
                row.seen.holder = [0, 2, 1][usize::from(row.seen.holder)];
            }
        }
        self
    }

    /// The first rule that is broken is remembered.
    pub(super) fn breaks(&mut self, rule: &'static str) {
        self.wrong = self.wrong.or(Some(rule));
    }
}
