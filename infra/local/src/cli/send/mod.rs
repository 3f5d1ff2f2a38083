//! `send`: signs files as their provider would and posts them to the stack.

mod job;
mod report;

use std::path::PathBuf;
use std::process::ExitCode;
use std::time::Instant;

use clap::Args;
use futures_util::stream::{self, StreamExt as _};
use hookledger::runtime::SystemClock;
use hookledger::time::Clock as _;
use indicatif::{ProgressBar, ProgressStyle};

use super::{Failure, Ports, inside, output};
use crate::settings::Settings;
use job::{Answered, Client, Job};

/// A shorter run is over before a bar is read.
const BAR_FROM: u64 = 100;

/// Sign files as their provider would and post them to the stack
#[derive(Debug, Args)]
pub(super) struct Send {
    /// Bodies to send, in this order; under events/<provider>/ the provider is known
    #[arg(required = true, value_name = "FILE")]
    files: Vec<PathBuf>,
    /// Whose events these are, where the path does not say it
    #[arg(long)]
    provider: Option<String>,
    /// How often to send each file
    #[arg(long, default_value_t = 1, value_parser = clap::value_parser!(u32).range(1..))]
    copies: u32,
    /// How many to send at once
    #[arg(long, default_value_t = 1, value_parser = clap::value_parser!(u16).range(1..=1_024))]
    parallel: u16,
    /// Send a new fact: ids of events and movements get a suffix, the same for all files and copies of this run
    #[arg(long)]
    fresh: bool,
    /// Print JSON
    #[arg(long)]
    json: bool,
}

impl Send {
    pub(super) async fn run(self, ports: Ports) -> Result<ExitCode, Failure> {
        let settings = Settings::from_env().map_err(|problems| Failure::Unasked(problems.join("\n")))?;
        let tag = self.fresh.then(fresh_tag);
        let provider = self.provider.as_deref();
        let jobs = self.files.iter().map(|file| Job::read(file, provider, tag.as_deref(), &settings));
        let jobs = jobs.collect::<Result<Vec<_>, _>>()?;
        let client = Client::new(inside::reach(ports.port).await?);
        let began = Instant::now();
        let answers = self.send_all(&client, &jobs).await;
        let mut report = report::Report::new(&jobs, answers, began.elapsed());
        // The answer to a new event is the same whatever became of it; its claim says more.
        match client.dynamodb().await {
            Some(dynamodb) => report.look_up(&inside::store_at(dynamodb)?).await,
            None => output::note("what answers there does not say that it is the stack: is --port the stack's?"),
        }
        if self.json {
            output::print_json(&report.json());
        } else {
            report.print();
        }
        report.hints(&jobs).iter().for_each(|hint| output::note(hint));
        Ok(if report.all_succeeded() { ExitCode::SUCCESS } else { ExitCode::from(1) })
    }

    async fn send_all(&self, client: &Client, jobs: &[Job]) -> Vec<Answered> {
        let total = u64::from(self.copies).saturating_mul(jobs.len().try_into().unwrap_or(u64::MAX));
        let bar = bar(total);
        let sends = (0..self.copies).flat_map(|_| jobs.iter().enumerate()).map(|(at, job)| client.send(at, job));
        let answers = stream::iter(sends)
            .buffer_unordered(self.parallel.into())
            .inspect(|_| bar.inc(1))
            .collect::<Vec<_>>()
            .await;
        bar.finish_and_clear();
        answers
    }
}

/// On stderr, and only where that is a terminal.
fn bar(total: u64) -> ProgressBar {
    if total < BAR_FROM {
        return ProgressBar::hidden();
    }
    let style = ProgressStyle::with_template("{bar:40} {pos}/{len}, {eta} left");
    ProgressBar::new(total).with_style(style.unwrap_or_else(|_| ProgressStyle::default_bar()))
}

/// Never the same twice on one machine: time and process.
fn fresh_tag() -> String {
    format!("{:x}{:x}", SystemClock.now().get(), std::process::id())
}
