//! `check`: whether a deployment stands, here or in an account.

use std::process::ExitCode;

use clap::Args;
use hookledger::runtime::SystemClock;
use hookledger::time::Clock as _;

use super::{Failure, Ports, inside, output};
use crate::check::{Report, Unasked, check_here, check_stack};
use crate::database;
use crate::settings::Settings;
use crate::stack::watch_over;

const PATIENCE_MS: u64 = 60_000;

/// Hold a deployment against the template, the registry and the code; exit code 1 where something is not as it must be
#[derive(Debug, Args)]
pub(super) struct Check {
    /// The CloudFormation stack in the account that the AWS CLI is set up for; without it, the stack on this machine
    #[arg(long, value_name = "NAME")]
    stack: Option<String>,
    /// An emulator's address, which takes requests for the hosts of its APIs
    #[arg(long, value_name = "URL", requires = "stack")]
    endpoint: Option<String>,
    /// Print JSON
    #[arg(long)]
    json: bool,
}

impl From<Unasked> for Failure {
    fn from(unasked: Unasked) -> Self {
        Self::Unasked(unasked.0)
    }
}

impl Check {
    pub(super) async fn run(self, ports: Ports) -> Result<ExitCode, Failure> {
        let report = match &self.stack {
            Some(name) => check_stack(name, self.endpoint.as_deref()).await?,
            None => here(ports).await?,
        };
        if self.json {
            output::print_json(&report.json());
        } else {
            print(&report);
        }
        Ok(if report.findings.is_empty() { ExitCode::SUCCESS } else { ExitCode::from(1) })
    }
}

async fn here(ports: Ports) -> Result<Report, Failure> {
    let settings = Settings::from_env().map_err(|problems| Failure::Unasked(problems.join("\n")))?;
    let (http, dynamodb) = (inside::reach(ports.port).await?, inside::reach(ports.dynamodb_port).await?);
    let watch = watch_over(inside::store(ports).await?, settings.limits);
    let ends = SystemClock.now().plus_ms(PATIENCE_MS);
    Ok(check_here(http, &database::client(dynamodb), &watch, &settings, ends).await?)
}

fn print(report: &Report) {
    for finding in &report.findings {
        output::print(&format!("{}: {}; {}", finding.what, finding.why, finding.mend));
    }
    for what in &report.passed_over {
        output::note(&format!("not looked at: {what}"));
    }
    let looked_at = output::count(report.looked_at, "thing was", "things were");
    let found = output::count(report.findings.len(), "is not as it must be", "are not as they must be");
    output::print(&format!("{looked_at} looked at, {found}"));
}
