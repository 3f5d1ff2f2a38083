//! `audit`: compares everything, both ways, by the code of the deployed function.

use std::process::ExitCode;
use std::time::Duration;

use clap::Args;
use hookledger::audit::{Finding, Report};
use hookledger::runtime::SystemClock;
use hookledger::store::Segment;
use hookledger::time::Clock as _;

use super::{Failure, Ports, inside, output};
use crate::stack::audit;

/// For a million rows at the pace of an audit.
const PATIENCE_MS: u64 = 1_200_000;

/// Compare every entry with its claim and every claim with its entries; exit code 1 where something is wrong
#[derive(Debug, Args)]
pub(super) struct Audit {
    /// Print JSON
    #[arg(long)]
    json: bool,
}

impl Audit {
    pub(super) async fn run(self, ports: Ports) -> Result<ExitCode, Failure> {
        let audit = audit(inside::store(ports).await?, Duration::ZERO);
        let report = audit.scan(Segment::ALL, SystemClock.now().plus_ms(PATIENCE_MS)).await;
        if self.json {
            output::print_json(&report.json());
        } else {
            print(&report);
        }
        let is_well = report.counts.all() == 0 && report.unfinished.is_none();
        Ok(if is_well { ExitCode::SUCCESS } else { ExitCode::from(1) })
    }
}

fn print(report: &Report) {
    if !report.findings.is_empty() {
        let header = ["what", "movement", "kind", "claim"];
        output::print_table(&header, &[], report.findings.iter().map(row));
        output::print("");
    }
    let count = |number: u64, one, many| output::count(usize::try_from(number).unwrap_or(usize::MAX), one, many);
    let old = match report.old_entries {
        0 => String::new(),
        old => format!(" ({} passed over: the claims may have expired)", count(old, "older entry", "older entries")),
    };
    let entries = count(report.entries, "entry was compared with its claim", "entries were compared with their claims");
    let claims = count(report.claims, "claim", "claims");
    let named = count(report.listed, "entry", "entries");
    output::print(&format!("{entries}{old}, and {claims} (naming {named}) with the ledger"));
    output::print(&report.line().unwrap_or_else(|| "nothing is wrong".to_owned()));
}

fn row(finding: &Finding) -> Vec<String> {
    let or_dash = |text: Option<String>| text.unwrap_or_else(|| "-".to_owned());
    let entry = finding.entry.as_ref();
    vec![
        finding.sort.sentence().to_owned(),
        or_dash(entry.map(|entry| entry.movement.to_string())),
        or_dash(entry.map(|entry| entry.kind.clone())),
        or_dash(finding.claim.as_ref().map(ToString::to_string)),
    ]
}
