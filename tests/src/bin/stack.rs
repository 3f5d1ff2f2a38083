//! The local stack as a program of this package, so that tests can start it and kill it.

use std::process::ExitCode;

fn main() -> ExitCode {
    hookledger_local::run(std::env::args_os())
}
