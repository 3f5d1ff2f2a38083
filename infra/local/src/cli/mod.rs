//! The command line: the stack itself, and the commands that talk to a running one.

mod audit;
mod check;
mod claims;
mod inside;
mod ledger;
mod on_call;
mod output;
mod send;
mod show;
mod start;

use std::ffi::OsString;
use std::path::PathBuf;
use std::process::ExitCode;
use std::time::Duration;

use clap::error::ErrorKind;
use clap::{Args, CommandFactory as _, Parser, Subcommand};
use hookledger::store::StoreError;

use crate::registry;

const EXIT_CODES: &str = "\
Exit codes: 0 as asked; 1 the answer is no (not every answer was 2xx, no such claim, the stack could not start);
2 nothing could be asked (usage, a bad file or variable, no stack).

Environment: HOOKLEDGER_<PROVIDER>_SECRETS (a comma-separated list of `secret` or `label@secret`; a fixed development
secret by default), HOOKLEDGER_MODE (live or test; live by default), HOOKLEDGER_GATE_BYTES (memory for done claims; 0 turns it
off), HOOKLEDGER_<PROVIDER>_API_KEY and _API_URL (to read what an event only points at), HOOKLEDGER_WORKER_* (see the
README), HOOKLEDGER_STUCK_AFTER_S (from when on open work is stuck; 300 by default), RUST_LOG.";

/// Payment webhooks become ledger entries exactly once: the whole product in one process. Without a command, starts it.
#[derive(Debug, Parser)]
#[command(name = "hookledger-local", version, after_help = EXIT_CODES)]
struct Arguments {
    #[command(flatten)]
    ports: Ports,
    /// Keep the tables in this directory across restarts; in memory by default
    #[arg(long, value_name = "DIR")]
    data: Option<PathBuf>,
    /// How often the watch over open work runs, in seconds
    #[arg(long, value_name = "SECONDS", default_value_t = 15, value_parser = clap::value_parser!(u64).range(1..=3600))]
    schedule_s: u64,
    #[command(subcommand)]
    command: Option<Command>,
}

/// Where the stack is.
#[derive(Clone, Copy, Debug, Args)]
struct Ports {
    /// Port of the webhooks, on 127.0.0.1
    #[arg(long, default_value_t = 9000, global = true, help_heading = "Where the stack is")]
    port: u16,
    /// Port of DynamoDB, on 127.0.0.1
    #[arg(long, default_value_t = 8000, global = true, help_heading = "Where the stack is")]
    dynamodb_port: u16,
}

#[derive(Debug, Subcommand)]
enum Command {
    Send(send::Send),
    Ledger(ledger::Ledger),
    Claims(claims::Claims),
    Show(show::Show),
    Stuck(on_call::Stuck),
    Retry(on_call::Retry),
    Park(on_call::Park),
    Resolve(on_call::Resolve),
    Audit(audit::Audit),
    Check(check::Check),
}

/// Why a command ends early, in lines for people.
#[derive(Debug, PartialEq, Eq)]
enum Failure {
    /// Nothing could be asked: exit code 2.
    Unasked(String),
    /// It was asked, and the answer is no: exit code 1.
    No(String),
}

impl From<StoreError> for Failure {
    fn from(error: StoreError) -> Self {
        match error {
            StoreError::Refused(code) if code == "ResourceNotFoundException" => {
                Self::Unasked("this DynamoDB has none of our tables: is --dynamodb-port that of the stack?".to_owned())
            }
            error => Self::No(error.to_string()),
        }
    }
}

/// Runs the program with these arguments, the first being its name.
pub fn run(arguments: impl IntoIterator<Item = OsString>) -> ExitCode {
    let arguments = match parse(arguments) {
        Ok(arguments) => arguments,
        Err(error) => {
            // Help goes to stdout, errors to stderr; nothing is to be done where neither is open.
            let _ = error.print();
            return if error.use_stderr() { ExitCode::from(2) } else { ExitCode::SUCCESS };
        }
    };
    let runtime = match tokio::runtime::Builder::new_multi_thread().enable_all().build() {
        Ok(runtime) => runtime,
        Err(error) => return end(Err(Failure::No(format!("no threads can be started: {error}")))),
    };
    end(runtime.block_on(dispatch(arguments)))
}

fn parse(arguments: impl IntoIterator<Item = OsString>) -> Result<Arguments, clap::Error> {
    let parsed = Arguments::try_parse_from(arguments)?;
    if parsed.command.is_some() && parsed.data.is_some() {
        let problem = "--data is for starting the stack; a command asks the one that runs";
        return Err(Arguments::command().error(ErrorKind::ArgumentConflict, problem));
    }
    Ok(parsed)
}

/// A misspelt provider has no entries and no claims, which is no answer.
fn known_provider(name: &str) -> Result<String, String> {
    match registry::provider(name) {
        Some(_) => Ok(name.to_owned()),
        None => Err(format!("known are {}", registry::names())),
    }
}

/// Where the key of a claim is wanted.
fn no_provider_alone(key: &str) -> Result<(), Failure> {
    match registry::provider(key) {
        Some(_) => Err(Failure::Unasked(format!("{key} is a provider: say the event's id behind it"))),
        None => Ok(()),
    }
}

async fn dispatch(arguments: Arguments) -> Result<ExitCode, Failure> {
    let Arguments { ports, data, schedule_s, command } = arguments;
    match command {
        None => start::run(ports, data, Duration::from_secs(schedule_s)).await,
        Some(Command::Send(send)) => send.run(ports).await,
        Some(Command::Ledger(ledger)) => ledger.run(ports).await,
        Some(Command::Claims(claims)) => claims.run(ports).await,
        Some(Command::Show(show)) => show.run(ports).await,
        Some(Command::Stuck(stuck)) => stuck.run(ports).await,
        Some(Command::Retry(retry)) => retry.run(ports).await,
        Some(Command::Park(park)) => park.run(ports).await,
        Some(Command::Resolve(resolve)) => resolve.run(ports).await,
        Some(Command::Audit(audit)) => audit.run(ports).await,
        Some(Command::Check(check)) => check.run(ports).await,
    }
}

fn end(result: Result<ExitCode, Failure>) -> ExitCode {
    let (problem, code) = match result {
        Ok(code) => return code,
        Err(Failure::Unasked(problem)) => (problem, 2),
        Err(Failure::No(problem)) => (problem, 1),
    };
    problem.lines().for_each(|line| output::note(&format!("error: {line}")));
    ExitCode::from(code)
}

/// Whether the program takes this command line, its name first.
#[cfg(test)]
pub(crate) fn takes(words: &[String]) -> bool {
    parse(words.iter().map(OsString::from)).is_ok()
}

#[cfg(test)]
mod tests;
