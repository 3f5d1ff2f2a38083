//! The local stack and its client commands.

use std::process::ExitCode;

fn main() -> ExitCode {
    hookledger_local::run(std::env::args_os())
}
