//! `ledger`: entries, and their sums per currency.

use std::collections::BTreeMap;
use std::process::ExitCode;

use clap::Args;
use hookledger::items::EntryRow;
use serde_json::{Map, Value, json};

use super::{Failure, Ports, inside, known_provider, output};
use crate::shown::{self, amount};

/// Show the ledger's entries and their sums per currency
#[derive(Debug, Args)]
pub(super) struct Ledger {
    /// Only this account's: the provider's id (cus_1) or our key (stripe::cus_1)
    #[arg(long, conflicts_with = "invoice")]
    account: Option<String>,
    /// Only this invoice's: the provider's id or our key
    #[arg(long)]
    invoice: Option<String>,
    /// Whose id the account or invoice is
    #[arg(long, default_value = "stripe", value_parser = known_provider)]
    provider: String,
    /// The scope of the id, e.g. a connected account; none by default
    #[arg(long, default_value = "")]
    scope: String,
    /// Print JSON
    #[arg(long)]
    json: bool,
}

impl Ledger {
    pub(super) async fn run(self, ports: Ports) -> Result<ExitCode, Failure> {
        let store = inside::store(ports).await?;
        let key = |id: &String| inside::key(id, &self.provider, &self.scope);
        let (account, invoice) = (self.account.as_ref().map(key), self.invoice.as_ref().map(key));
        let entries = match &invoice {
            Some(invoice) => store.entries_of_invoice(invoice, inside::deadline()).await?,
            None => inside::entries(&store, account.as_deref(), usize::MAX).await?.rows,
        };
        if self.json {
            let entries_json: Vec<Value> = entries.iter().map(entry_json).collect();
            output::print_json(&json!({"entries": entries_json, "sums_minor": sums_json(&entries)}));
        } else if entries.is_empty() {
            let whose = account.or(invoice).map(|key| format!(" of {key}")).unwrap_or_default();
            output::print(&format!("no entries{whose}"));
        } else {
            print(&entries);
        }
        Ok(ExitCode::SUCCESS)
    }
}

fn print(entries: &[EntryRow]) {
    let header = ["occurred at", "kind", "amount", "account", "invoice", "movement"];
    let row = |entry: &EntryRow| {
        let or_dash = |text: &Option<String>| text.clone().unwrap_or_else(|| "-".to_owned());
        vec![
            entry.occurred_at.rfc3339(),
            entry.kind.name().to_owned(),
            amount(&entry.held),
            or_dash(&entry.held.account),
            or_dash(&entry.invoice),
            entry.movement.to_string(),
        ]
    };
    output::print_table(&header, &[2], entries.iter().map(row));
    output::print("");
    let sums = sums(entries);
    let rows = sums
        .into_iter()
        .map(|(currency, (sum, count))| vec![format!("{sum} {currency}"), output::count(count, "entry", "entries")]);
    output::print_table(&["sum in minor units", "of"], &[0], rows);
}

fn sums(entries: &[EntryRow]) -> BTreeMap<&str, (i128, usize)> {
    shown::sums(entries, |entry| entry.held.currency.as_str())
}

fn sums_json(entries: &[EntryRow]) -> Map<String, Value> {
    // Beyond 64 bits JSON's readers would lose digits.
    let number = |sum: i128| i64::try_from(sum).map_or_else(|_| Value::from(sum.to_string()), Value::from);
    sums(entries).into_iter().map(|(currency, (sum, _))| (currency.to_owned(), number(sum))).collect()
}

/// An entry for machines.
pub(super) fn entry_json(entry: &EntryRow) -> Value {
    json!({
        "movement": entry.movement.as_str(),
        "kind": entry.kind.name(),
        "amount_minor": entry.held.amount_minor,
        "linked_minor": entry.held.linked_minor,
        "currency": entry.held.currency,
        "account": entry.held.account,
        "account_id": entry.account_id,
        "parent": entry.parent,
        "invoice": entry.invoice,
        "claim": entry.claim.as_str(),
        "occurred_at": entry.occurred_at.rfc3339(),
        "recorded_at": entry.recorded_at.rfc3339(),
    })
}
