//! The product from outside.

#![allow(clippy::unwrap_used, clippy::expect_used, clippy::print_stdout, missing_docs)]

mod batches;
mod cancellation;
mod cases;
mod converge;
mod crash;
mod digests;
mod digests_unlike;
mod envelopes;
mod expressions;
mod ids;
mod items;
mod keys;
mod killed;
mod killed_worker;
mod layout;
mod ledger_messages;
mod ledger_rules;
mod lifetimes;
mod lost_answer;
mod model;
mod outcomes;
mod parked;
mod parked_why;
mod race;
mod rows;
mod smoke;
mod store;
mod store_errors;
mod stuck_actions;
mod stuck_race;
mod stuck_run;
mod unreadable;
mod worker_api;
mod worker_asks;
mod worker_crash;
mod worker_fence;
mod worker_parent;
mod worker_stream;
