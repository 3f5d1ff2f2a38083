//! The product from outside: real deliveries against a real DynamoDB in this process, with the faults of a network and
//! the conflicts of the service between them.
//!
//! A [`World`] is one deployment: database, tables, a store behind a [`Wire`] that can fail, a clock set by hand.

// All of it is test code: a failed step ends the test.
#![allow(clippy::unwrap_used, clippy::expect_used)]

mod api;
mod audit;
mod body;
mod clock;
mod contention;
mod deferred;
mod fault;
mod gocardless;
mod metrics;
mod open;
mod provider;
mod steps;
mod wire;
mod worker;
mod world;

pub use api::{ApiAnswer, TestApi};
pub use body::{Fact, Move, batch, payment, settle};
pub use clock::ManualClock;
pub use deferred::Settled;
pub use fault::{ErrorAnswer, Fault, Latch, Reason, When, each, every, item_json, nth, nth_of};
pub use gocardless::GoCardlessApi;
pub use metrics::MetricLog;
pub use provider::{TestProvider, profile};
pub use steps::{STOPPED, Steps};
pub use wire::{Call, DELIVERY, Director, Point, Wire};
pub use worker::API_KEY;
pub use world::{Builder, NOW, SECRET, World, header, sample, samples};
