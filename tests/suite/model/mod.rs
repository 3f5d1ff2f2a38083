//! The protocol of claims, leases and changes as a model, explored exhaustively.
//!
//! Modelled: the claim's row and the row of its message (state, owner, attempt, due, expiry, `on_lost`, half of the index,
//! age, reply, kept bytes, a person's decision), the one entry of a movement, deliveries that come again for ever (same
//! bytes, other bytes, another effect, another event id of the same movement, code that learns to read them), workers, the
//! watch and a person with what each remembers, TTL, clocks a tick apart. Every write is one conditional transaction, as in
//! DynamoDB. Between any two steps anyone can be overtaken or die; an answer can be lost and the write asked for again.
//!
//! Not modelled: deadlines and patience, throttling and refusals, `TransactionConflict` (a conflict writes nothing and is
//! asked again: the same as not having been sent yet), the gate, what a plan says, several entries or sinks, many rows of
//! a shard, the index's lag (the same as a watch that acts late). `due_at_ms` in a change's condition is implied by the
//! owner, which every write renews but a completion.
//!
//! What must hold (`rules.rs`; `breaks(..)` marks the rest where they are watched):
//! - money: an entry is written once; the ledger is append only; what is done is booked, or closed by a person; of resolve
//!   and completion one wins;
//! - nothing is lost: what was acknowledged is never lost; an open row never vanishes; the bytes are kept until it is done;
//!   what is not done is never silent; in the end, without further faults, everything is done or parked;
//! - done is done until it expires; what has expired answers no delivery; what is done expires, and nothing else;
//! - answers: every answer repeats the first; a mismatch changes no claim and is kept; nobody is told of a write that did
//!   not happen, or that they lost while the row bears their name;
//! - one at a time: who was overtaken writes nothing; a lease excludes all others but a person until it ends; nothing is
//!   taken up before it is due; attempts are bounded;
//! - people decide: a lost run on hold does not run again by itself, and nothing else is put on hold; what was set aside is
//!   brought back by a person alone, who decides on what they saw; a person alone makes a row young;
//! - messages: one movement is told by one message, of what is booked, once at least; none is overwritten.
//!
//! `mutations.rs` breaks the protocol rule by rule: each must be found out. `walk.rs` ties the model to the code: random
//! walks are taken by both, and their rows compared after each step. `HOOKLEDGER_MODEL_DEEP` explores larger casts,
//! `HOOKLEDGER_MODEL_WALKS` sets the walks of each scenario.

mod compare;
mod config;
mod deliver;
mod explore;
mod lease;
mod mutations;
mod oversee;
mod real;
mod rules;
mod scenarios;
mod state;
mod steps;
mod walk;

use std::collections::BTreeSet;

use config::Config;
use explore::{Explored, explore};
use mutations::Mutation;
use scenarios::{deep, scenarios};

/// One step a line.
fn told(path: &[steps::Step]) -> String {
    path.iter().map(|step| format!("\n  {step:?}")).collect()
}

#[test]
fn every_rule_holds_in_every_state() {
    let casts = if std::env::var_os("HOOKLEDGER_MODEL_DEEP").is_some() { deep() } else { scenarios() };
    let (mut all_states, mut all_transitions) = (0, 0);
    for cfg in casts {
        let Explored { states, transitions, broken } = explore(&cfg);
        println!("{}: {states} states, {transitions} transitions", cfg.name);
        if let Some((rule, path)) = broken {
            panic!("{}: \"{rule}\" is broken by {}", cfg.name, told(&path));
        }
        assert!(states >= cfg.states_min, "{}: only {states} states are reached any more", cfg.name);
        all_states += states;
        all_transitions += transitions;
    }
    println!("together: {all_states} states, {all_transitions} transitions");
}

#[test]
fn every_broken_rule_is_found_out() {
    let scenarios = scenarios();
    let (mut survivors, mut finders) = (Vec::new(), BTreeSet::new());
    for mutation in Mutation::ALL {
        let found = scenarios.iter().find_map(|cfg| {
            let broken = Config { mutation: Some(*mutation), ..*cfg };
            explore(&broken).broken.map(|(rule, path)| (cfg.name, rule, path))
        });
        let about = mutation.about();
        match found {
            Some((scenario, rule, path)) => {
                println!("{mutation:?}, {about}:\n  \"{rule}\" is broken in \"{scenario}\" by{}", told(&path));
                finders.insert(rule);
            }
            None => survivors.push(mutation),
        }
    }
    println!("{} mutations, found out by {} rules", Mutation::ALL.len(), finders.len());
    assert!(survivors.is_empty(), "found out by no rule: {survivors:?}");
}

#[tokio::test]
async fn the_real_code_takes_the_same_steps() {
    let walks = std::env::var("HOOKLEDGER_MODEL_WALKS").ok();
    let walks: u64 = walks.map_or(12, |walks| walks.parse().expect("HOOKLEDGER_MODEL_WALKS is a number"));
    let (mut steps, mut kinds) = (0, BTreeSet::new());
    let casts = walk::walkable();
    for (at, cfg) in casts.iter().enumerate() {
        for seed in 0..walks {
            let taken = walk::walk(*cfg, seed * 1_000 + u64::try_from(at).unwrap()).await;
            steps += taken.len();
            kinds.extend(taken.iter().map(|step| format!("{:?} {:?} {:?}", step.who, step.act, step.fate)));
        }
    }
    println!("{} walks, {steps} steps of {} kinds", walks * casts.len() as u64, kinds.len());
    assert!(walks < 12 || kinds.len() >= 70, "only {} kinds of steps are led any more", kinds.len());
}
