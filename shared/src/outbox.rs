//! Who is told, and what: every entry that is booked, and every event that is only recorded, makes a message for each sink.

use crate::plan::OnLost;

/// Somebody who is told.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Sink {
    /// Lower-case letters, digits and hyphens; in keys of rows, variables and logs.
    pub name: String,
    /// Where messages go.
    pub target: Target,
    /// What becomes of a message of which nobody knows whether it was sent.
    pub on_lost: OnLost,
}

/// Where messages go.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Target {
    /// An HTTPS address that takes a POST; plain HTTP on this machine only.
    Post(String),
    /// A bus of Amazon EventBridge, by name.
    Bus(String),
}
