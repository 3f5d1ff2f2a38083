//! What a scenario is made of.

use super::mutations::Mutation;
use super::state::Brings;

/// How often a row is taken up before it is parked.
pub(super) const ATTEMPTS_MAX: u8 = 2;
/// How long a lease is, in ticks.
pub(super) const LEASE: i8 = 2;
/// How long what is done is kept, in ticks.
pub(super) const RETENTION: i8 = 3;

/// What an event means to the provider's code.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Plan {
    Settle,
    Defer,
}

/// One content that a delivery brings: its index is its raw digest.
#[derive(Clone, Copy, Debug)]
pub(super) struct Content {
    /// Under which event id: index of the claim.
    pub(super) event: usize,
    /// What it books for the one movement there is.
    pub(super) amount: u8,
    pub(super) plan: Plan,
    /// Before the provider's code has learned it, the plan is to park.
    pub(super) later: bool,
}

/// What is told when the movement is booked.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Tell {
    Nothing,
    /// About the entry: skipped with it.
    Entry,
    /// About the event, not its entry.
    Event,
}

/// What a person may ask for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Wish {
    Retry,
    Park,
    ResolveNothing,
    ResolveMissing,
}

/// Who takes part, and what can happen.
#[derive(Clone, Copy, Debug)]
pub(super) struct Config {
    pub(super) name: &'static str,
    pub(super) contents: &'static [Content],
    /// The content that each delivery brings, again and again.
    pub(super) deliveries: &'static [usize],
    /// These were received before.
    pub(super) before: &'static [usize],
    pub(super) workers: usize,
    pub(super) watch: bool,
    pub(super) person: &'static [Wish],
    pub(super) hold: bool,
    pub(super) tell: Tell,
    /// Clocks differ by a tick.
    pub(super) skew: bool,
    /// Answers are lost, and the writer asks again.
    pub(super) lost_answers: bool,
    /// Payload parts vanish.
    pub(super) bytes_vanish: bool,
    pub(super) mutation: Option<Mutation>,
    /// How many states there were when this was last looked at.
    pub(super) states_min: usize,
}

pub(super) const fn content(event: usize, amount: u8, plan: Plan) -> Content {
    Content { event, amount, plan, later: false }
}

impl Config {
    pub(super) const fn new(name: &'static str, contents: &'static [Content], states_min: usize) -> Self {
        Self {
            name,
            contents,
            deliveries: &[],
            before: &[],
            workers: 0,
            watch: false,
            person: &[],
            hold: false,
            tell: Tell::Nothing,
            skew: false,
            lost_answers: false,
            bytes_vanish: false,
            mutation: None,
            states_min,
        }
    }

    pub(super) fn has(&self, mutation: Mutation) -> bool {
        self.mutation == Some(mutation)
    }

    /// How far a clock may be off, in ticks.
    pub(super) fn skew(&self) -> i8 {
        i8::from(self.skew)
    }

    /// What the clocks of a scenario may show.
    pub(super) fn clocks(&self) -> &'static [i8] {
        if self.skew { &[0, 1, -1] } else { &[0] }
    }

    pub(super) fn event_of(&self, delivery: usize) -> usize {
        self.deliveries.get(delivery).map_or(usize::MAX, |content| self.contents[*content].event)
    }

    pub(super) fn brings(&self, content: usize, learned: bool) -> Brings {
        let Content { plan, later, .. } = self.contents[content];
        match plan {
            _ if later && !learned => Brings::Unreadable,
            Plan::Settle => Brings::Settle,
            Plan::Defer => Brings::Defer,
        }
    }

    pub(super) fn same_effect(&self, one: usize, other: usize) -> bool {
        self.contents[one].amount == self.contents[other].amount
    }
}
