//! Every state that can be reached, the nearest first.

use std::collections::HashMap;
use std::collections::hash_map::Entry;
use std::hash::{BuildHasherDefault, Hasher};

use super::config::Config;
use super::rules::{broken_by, broken_in, broken_in_the_end};
use super::state::{Delivering, Guard, State};
use super::steps::{Act, Fate, Step, Who, steps, take};

/// What an exploration saw.
#[derive(Debug)]
pub(super) struct Explored {
    pub(super) states: usize,
    pub(super) transitions: usize,
    /// The first rule that was broken, and how it came to that.
    pub(super) broken: Option<(&'static str, Vec<Step>)>,
}

/// Where a state came from.
struct Origin {
    before: u32,
    step: Option<Step>,
}

/// Explores a scenario until nothing new is found or a rule is broken.
pub(super) fn explore(cfg: &Config) -> Explored {
    let start = start(cfg);
    let mut known: HashMap<State, u32, BuildHasherDefault<Mix>> = HashMap::default();
    let mut queue = vec![start];
    let mut origins = vec![Origin { before: 0, step: None }];
    known.insert(start, 0);
    let (mut at, mut transitions, mut here) = (0, 0, Vec::new());
    while at < queue.len() {
        let state = queue[at];
        if let Some(rule) = broken_in(&state, cfg).or_else(|| broken_in_the_end(&state, cfg)) {
            let broken = Some((rule, path(&origins, at, None)));
            return Explored { states: queue.len(), transitions, broken };
        }
        steps(&state, cfg, &mut here);
        for step in &here {
            let taken = take(state, cfg, *step);
            transitions += 1;
            if let Some(rule) = broken_by(&state, *step, &taken, cfg) {
                let broken = Some((rule, path(&origins, at, Some(*step))));
                return Explored { states: queue.len(), transitions, broken };
            }
            let next = taken.ordered();
            if let Entry::Vacant(vacant) = known.entry(next) {
                vacant.insert(u32::try_from(queue.len()).unwrap());
                queue.push(next);
                origins.push(Origin { before: u32::try_from(at).unwrap(), step: Some(*step) });
            }
        }
        at += 1;
    }
    Explored { states: queue.len(), transitions, broken: None }
}

fn path(origins: &[Origin], mut at: usize, last: Option<Step>) -> Vec<Step> {
    let mut path: Vec<Step> = last.into_iter().collect();
    while let Some(step) = origins[at].step {
        path.push(step);
        at = origins[at].before as usize;
    }
    path.reverse();
    path
}

/// The state before anything goes wrong: what a scenario says was received, was.
pub(super) fn start(cfg: &Config) -> State {
    let mut s = State::empty();
    for content in cfg.before {
        let alone = [*content];
        let early = Config { deliveries: alone.to_vec().leak(), mutation: None, ..*cfg };
        s.deliveries[0].doing = Delivering::Commit {
            guard: Guard::Absent,
            skip_entry: false,
            skip_message: false,
            brings: cfg.brings(*content, false),
        };
        s = take(s, &early, Step { who: Who::Delivery(0), act: Act::Begin, now: 0, fate: Fate::Heard });
    }
    s
}

/// Fast and good enough for small values.
#[derive(Default)]
pub(super) struct Mix(u64);

impl Hasher for Mix {
    fn finish(&self) -> u64 {
        self.0 ^ (self.0 >> 29)
    }

    fn write(&mut self, bytes: &[u8]) {
        bytes.iter().for_each(|byte| self.write_u64(u64::from(*byte)));
    }

    fn write_u64(&mut self, value: u64) {
        self.0 = (self.0.rotate_left(5) ^ value).wrapping_mul(0x517c_c1b7_2722_0a95);
    }

    fn write_u8(&mut self, value: u8) {
        self.write_u64(u64::from(value));
    }

    fn write_i8(&mut self, value: i8) {
        self.write_u64(u64::from(value.cast_unsigned()));
    }

    fn write_usize(&mut self, value: usize) {
        self.write_u64(value as u64);
    }

    fn write_isize(&mut self, value: isize) {
        self.write_u64(value.cast_unsigned() as u64);
    }
}
