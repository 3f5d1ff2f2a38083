//! The product from outside.

#![allow(clippy::unwrap_used, clippy::expect_used, missing_docs)]

mod cancellation;
mod lost_answer;
mod outcomes;
mod race;
mod smoke;
mod store_errors;
mod stuck_actions;
mod stuck_race;
mod stuck_run;
