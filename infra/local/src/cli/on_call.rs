//! `stuck`, `retry`, `park`, `resolve`: what the person on call does, by the code of the deployed function.

use std::process::ExitCode;

use clap::{Args, ValueEnum};
use hookledger::claim::State;
use hookledger::items::{Book, OpenRow};
use hookledger::stuck::{Action, ActionError, Answer, Changes, List, Listing, OpenState, Order};
use hookledger::time::UnixMs;

use super::{Failure, Ports, inside, known_provider, no_provider_alone, output};
use crate::settings::Settings;
use crate::stack::watch_over;

/// Show what is open: owed, parked, and mismatches, oldest first
#[derive(Debug, Args)]
pub(super) struct Stuck {
    /// Only those that are open for longer
    #[arg(long, default_value_t = 0)]
    older_than_s: u64,
    /// Only this provider's
    #[arg(long, value_parser = known_provider)]
    provider: Option<String>,
    /// Only those in this state
    #[arg(long)]
    state: Option<StateName>,
    /// At most so many
    #[arg(long, default_value_t = 100)]
    limit: usize,
    /// Print JSON
    #[arg(long)]
    json: bool,
}

/// Give parked or waiting rows back to the worker
#[derive(Debug, Args)]
pub(super) struct Retry {
    #[command(flatten)]
    rows: Rows,
}

/// Set rows aside: no worker takes them up until a person gives them back
#[derive(Debug, Args)]
pub(super) struct Park {
    #[command(flatten)]
    rows: Rows,
    /// Who parks
    #[arg(long)]
    by: Option<String>,
    /// Why
    #[arg(long)]
    note: Option<String>,
}

/// Close rows by a decision, which is kept on them
#[derive(Debug, Args)]
pub(super) struct Resolve {
    #[command(flatten)]
    rows: Rows,
    /// Who decides
    #[arg(long)]
    by: String,
    /// Why
    #[arg(long)]
    note: String,
    /// What is still to be booked
    #[arg(long, default_value = "nothing")]
    book: BookName,
}

/// Which rows: one event, or, with --limit and a filter, all that fit
#[derive(Debug, Args)]
struct Rows {
    /// The provider, or the claim's key as it is printed
    #[arg(value_name = "PROVIDER|CLAIM_KEY", conflicts_with_all = ["provider", "state", "older_than_s", "limit"])]
    first: Option<String>,
    /// The provider's id of the event
    event_id: Option<String>,
    /// The event's scope; none by default
    #[arg(long, requires = "event_id")]
    scope: Option<String>,
    /// A message or a mismatch beside the claim, as `stuck` names it
    #[arg(long, requires = "first")]
    part: Option<String>,
    /// Many: only this provider's
    #[arg(long, value_parser = known_provider)]
    provider: Option<String>,
    /// Many: only those in this state
    #[arg(long)]
    state: Option<StateName>,
    /// Many: only those that are open for longer
    #[arg(long)]
    older_than_s: Option<u64>,
    /// Many: at most so many; what is on hold is retried one by one
    #[arg(long, value_name = "1-1000")]
    limit: Option<usize>,
    /// Say what would be changed, and change nothing
    #[arg(long)]
    dry_run: bool,
    /// Print JSON
    #[arg(long)]
    json: bool,
}

#[derive(Clone, Copy, Debug, ValueEnum)]
enum StateName {
    Received,
    Processing,
    Parked,
}

#[derive(Clone, Copy, Debug, ValueEnum)]
enum BookName {
    Missing,
    Nothing,
}

impl From<StateName> for OpenState {
    fn from(name: StateName) -> Self {
        match name {
            StateName::Received => Self::Received,
            StateName::Processing => Self::Processing,
            StateName::Parked => Self::Parked,
        }
    }
}

impl From<ActionError> for Failure {
    fn from(error: ActionError) -> Self {
        match error {
            ActionError::Store(error) => error.into(),
            ActionError::NotUnderstood(why) => Self::Unasked(why),
            ActionError::NoSuchRow { .. } => Self::No(error.to_string()),
        }
    }
}

impl Stuck {
    pub(super) async fn run(self, ports: Ports) -> Result<ExitCode, Failure> {
        let Self { older_than_s, provider, state, limit, json } = self;
        let list = List { older_than_s, provider, state: state.map(OpenState::from), limit: Some(limit) };
        perform(ports, Action::List(list), json).await
    }
}

impl Retry {
    pub(super) async fn run(self, ports: Ports) -> Result<ExitCode, Failure> {
        let json = self.rows.json;
        perform(ports, Action::Retry(self.rows.order()?), json).await
    }
}

impl Park {
    pub(super) async fn run(self, ports: Ports) -> Result<ExitCode, Failure> {
        let json = self.rows.json;
        let order = Order { by: self.by, note: self.note, ..self.rows.order()? };
        perform(ports, Action::Park(order), json).await
    }
}

impl Resolve {
    pub(super) async fn run(self, ports: Ports) -> Result<ExitCode, Failure> {
        let json = self.rows.json;
        let book = match self.book {
            BookName::Missing => Book::Missing,
            BookName::Nothing => Book::Nothing,
        };
        let (by, note) = (Some(self.by), Some(self.note));
        let order = Order { by, note, book: Some(book), ..self.rows.order()? };
        perform(ports, Action::Resolve(order), json).await
    }
}

impl Rows {
    fn order(self) -> Result<Order, Failure> {
        let Self { first, event_id, scope, part, provider, state, older_than_s, limit, dry_run, .. } = self;
        // With an event's id the first word is its provider, without one it is the claim's key.
        let (key, provider) = if event_id.is_some() { (None, first) } else { (first, provider) };
        if let Some(Err(known)) = provider.as_deref().map(known_provider) {
            return Err(Failure::Unasked(format!("{} is not a provider; {known}", provider.unwrap_or_default())));
        }
        key.as_deref().map_or(Ok(()), no_provider_alone)?;
        let state = state.map(OpenState::from);
        Ok(Order { key, provider, scope, event_id, part, older_than_s, state, limit, dry_run, ..Order::default() })
    }
}

/// Exit code 1: something that was asked for was not done.
async fn perform(ports: Ports, action: Action, json: bool) -> Result<ExitCode, Failure> {
    let settings = Settings::from_env().map_err(|problems| Failure::Unasked(problems.join("\n")))?;
    let watch = watch_over(inside::store(ports).await?, settings.limits);
    let answer = watch.perform(action, inside::deadline()).await?;
    if json {
        output::print_json(&answer.json());
    } else {
        match &answer {
            Answer::Listing(listing) => print_listing(listing),
            Answer::Changes(changes) => print_changes(changes),
            Answer::Report(_) | Answer::Retention(_) | Answer::Story(..) => output::print_json(&answer.json()),
        }
    }
    let refused = matches!(&answer, Answer::Changes(changes) if changes.changed() < changes.rows.len());
    Ok(if refused { ExitCode::from(1) } else { ExitCode::SUCCESS })
}

fn print_listing(listing: &Listing) {
    if listing.rows.is_empty() {
        output::print("nothing is open");
        return;
    }
    let header = ["open for", "state", "claim", "part", "attempts", "why"];
    output::print_table(&header, &[0, 4], listing.rows.iter().map(|row| listed(row, listing.at)));
    let more = if listing.more { ", and more: narrow the filter or raise --limit" } else { "" };
    output::print(&format!("\n{}{more}", output::count(listing.rows.len(), "row", "rows")));
}

fn listed(row: &OpenRow, at: UnixMs) -> Vec<String> {
    let reason = row.park_reason.map(|reason| reason.name().to_owned());
    let why: Vec<_> = reason.into_iter().chain(row.last_error.clone()).collect();
    vec![
        format!("{} s", row.age_ms(at) / 1_000),
        row.state.map_or("unknown", |state| state.name()).to_owned(),
        row.key.to_string(),
        row.part.clone(),
        row.attempt.to_string(),
        if why.is_empty() { "-".to_owned() } else { why.join(": ") },
    ]
}

fn print_changes(changes: &Changes) {
    let would = if changes.dry_run { "would be " } else { "is now " };
    let then = |state| if state == State::Received { ", for the worker to take up" } else { "" };
    for change in &changes.rows {
        let part = if change.row.part == "claim" { String::new() } else { format!(" {}", change.row.part) };
        output::print(&match &change.result {
            Ok(state) => format!("{}{part} {would}{}{}", change.row.key, state.name(), then(*state)),
            Err(refusal) => format!("{}{part} stays as it is: {refusal}", change.row.key),
        });
    }
    let more = if changes.more { ", and there are more" } else { "" };
    let said = output::count(changes.changed(), "row", "rows");
    let done = if changes.dry_run { "would be changed" } else { "changed" };
    output::print(&format!("{said} {done}{more}"));
}
