//! Webhook deliveries become ledger entries exactly once.
//!
//! The road of one delivery reads down this list: each module names only what stands before it.

pub mod time;

pub mod outside;

pub mod json;

pub mod money;

pub mod request;

pub mod keys;

pub mod plan;

pub mod claim;

pub mod provider;

pub mod certificates;

pub mod outbox;

pub mod items;

pub mod metrics;

pub mod store;

pub mod gate;

pub mod receive;

pub mod sinks;

pub mod work;

pub mod stuck;

pub mod audit;

pub mod runtime;
