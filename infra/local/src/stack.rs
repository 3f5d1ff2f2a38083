//! The stack.

use std::path::PathBuf;

/// Why the stack did not start.
#[derive(Debug, thiserror::Error)]
pub enum StartError {
    /// A port cannot be had.
    #[error("127.0.0.1:{port} cannot be used ({error}): choose another with {flag}")]
    Port {
        /// The port.
        port: u16,
        /// The flag that chooses another one.
        flag: &'static str,
        /// What the system said.
        error: std::io::Error,
    },
    /// The data directory cannot be used.
    #[error("data directory {} cannot be used: {problem}", directory.display())]
    Data {
        /// The directory.
        directory: PathBuf,
        /// What is wrong with it.
        problem: String,
    },
    /// The embedded database did not open.
    #[error("the embedded database does not open: {0}")]
    Database(String),
    /// The tables could not be created.
    #[error(transparent)]
    Tables(#[from] crate::tables::TablesError),
}
