//! The product from outside.

#![allow(clippy::unwrap_used, clippy::expect_used, clippy::print_stdout, missing_docs)]

mod cancellation;
mod crash;
mod lost_answer;
mod outcomes;
mod race;
mod smoke;
mod store_errors;
