//! The product from outside.

#![allow(clippy::unwrap_used, clippy::expect_used, missing_docs)]

mod cancellation;
mod lost_answer;
mod outcomes;
mod race;
mod smoke;
mod store_errors;
mod worker_api;
mod worker_asks;
mod worker_crash;
mod worker_fence;
mod worker_parent;
mod worker_stream;
