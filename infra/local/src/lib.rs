//! The whole product in one process: an HTTP front that speaks as API Gateway does, the functions' own handlers, an
//! embedded DynamoDB, and the commands that send events to it and look inside.
//!
//! Tests start the same stack on free ports:
//!
//! ```no_run
//! # async fn example() -> Result<(), Box<dyn std::error::Error>> {
//! use hookledger_local::{Options, Settings, Stack};
//!
//! let stack = Stack::start(Options::on_free_ports(Settings::development())).await?;
//! println!("http://{}/webhooks/stripe", stack.http_address());
//! stack.stop().await;
//! # Ok(())
//! # }
//! ```

mod check;
mod cli;
mod commands;
pub mod database;
mod front;
pub mod gateway;
mod log;
mod owed;
mod page;
mod reads;
mod schedule;
mod settings;
mod shown;
mod stack;
pub mod tables;
mod tally;
mod text;

#[cfg(test)]
mod tests;

pub use cli::run;
pub use hookledger_worker as registry;
pub use settings::{Received, Settings};
pub use stack::{Options, Stack, StartError};
