//! The first page: deliveries, open work, the ledger.

use std::collections::BTreeSet;

use hookledger::items::{EntryRow, OpenRow};
use hookledger::stuck::{Action, Answer, List, Listing};
use http::StatusCode;
use maud::{Markup, html};

use super::{Page, frame};
use crate::commands::Standing;
use crate::reads::{self, Rows, deadline};
use crate::shown::{amount, count, sums};
use crate::tally::Counts;

const OPEN_MAX: usize = 100;
const ENTRIES_SHOWN: usize = 50;
/// Sums are of at most so many entries; the page says so where there are more.
const ENTRIES_READ: usize = 10_000;

impl Page {
    pub(super) async fn overview(&self) -> (StatusCode, Markup) {
        let list = List { limit: Some(OPEN_MAX), ..List::default() };
        let listing = match self.watch.perform(Action::List(list), deadline()).await {
            Ok(Answer::Listing(listing)) => listing,
            Ok(_) => return frame::unreadable(&"the list is of another kind"),
            Err(error) => return frame::unreadable(&error),
        };
        let entries = match reads::entries(&self.watch.store, None, ENTRIES_READ).await {
            Ok(entries) => entries,
            Err(error) => return frame::unreadable(&error),
        };
        let totals = self.tally.totals();
        let content = html! {
            h2 { "Deliveries since the start" }
            (counts(&totals.deliveries, "Nothing was delivered yet. Send a sample: ", &self.commands.run("send events/stripe/charge_succeeded.json")))
            @if !totals.worked.is_empty() {
                h2 { "Runs of the worker" }
                (counts(&totals.worked, "", ""))
            }
            h2 { "Open, held and parked" }
            (self.open(&listing))
            h2 { "Ledger" }
            (ledger(&entries))
        };
        (StatusCode::OK, frame::page("overview", &content))
    }

    fn open(&self, listing: &Listing) -> Markup {
        if listing.rows.is_empty() {
            return html! { p.empty { "Nothing is owed, and nothing waits for a person." } };
        }
        html! {
            div.scroll { table.wide {
                tr { th { "open for" } th { "state" } th { "event" } th.num { "attempts" } th { "why, and what to do next" } }
                @for row in &listing.rows {
                    tr {
                        td.num { (frame::age(row.age_ms(listing.at))) }
                        td { (state(row)) }
                        td { (frame::event(row.key.as_str())) @if row.part != "claim" { br; span.id.soft { (frame::text(&row.part)) } } }
                        td.num { (row.attempt) }
                        td {
                            @if let Some(error) = &row.last_error { (frame::text(error)) }
                            (frame::steps(&self.commands.next(&Standing::from(row))))
                        }
                    }
                }
            } }
            @if listing.more { p.soft { "The oldest " (OPEN_MAX) " are shown; there are more: " code { (self.commands.run("stuck --limit 1000")) } } }
        }
    }
}

fn state(row: &OpenRow) -> Markup {
    let name = row.state.map_or("unknown", |state| state.name());
    match row.park_reason {
        Some(reason) if name == "parked" => html! { span.bad { "parked" } br; (reason.name()) },
        _ if name == "parked" => html! { span.bad { "parked" } },
        _ => html! { span.warn { (name) } },
    }
}

/// Outcomes down, providers across.
fn counts(counts: &Counts, nothing: &str, command: &str) -> Markup {
    if counts.is_empty() {
        return html! { p.empty { (nothing) code { (command) } } };
    }
    let providers: BTreeSet<&String> = counts.values().flat_map(|by_provider| by_provider.keys()).collect();
    html! {
        div.scroll { table {
            tr { th { "outcome" } @for provider in &providers { th.num { (provider) } } th.num { "all" } }
            @for (outcome, by_provider) in counts {
                tr {
                    td { (outcome) }
                    @for provider in &providers { td.num { (by_provider.get(*provider).map_or_else(String::new, u64::to_string)) } }
                    td.num { (by_provider.values().sum::<u64>()) }
                }
            }
        } }
    }
}

fn ledger(entries: &Rows<EntryRow>) -> Markup {
    if entries.rows.is_empty() {
        return html! { p.empty { "The ledger is empty." } };
    }
    let by = |entry| {
        let entry: &EntryRow = entry;
        (entry.held.account.clone().unwrap_or_default(), entry.held.currency.clone())
    };
    html! {
        p.soft { "Amounts are in the provider's minor units, as they are stored." }
        div.scroll { table {
            tr { th { "account" } th.num { "sum" } th { "currency" } th.num { "of" } }
            @for ((account, currency), (sum, number)) in sums(&entries.rows, by) {
                tr {
                    td { @if account.is_empty() { span.soft { "no account" } } @else { (frame::account(&account)) } }
                    td.num { (sum) } td { (currency) } td.num { (count(number, "entry", "entries")) }
                }
            }
        } }
        @if entries.more { p.soft { "Of the first " (entries.rows.len()) " entries only: there are more." } }
        h2 { "Latest entries" }
        (table(entries.rows.iter().rev().take(ENTRIES_SHOWN)))
        @if entries.rows.len() > ENTRIES_SHOWN { p.soft { "The latest " (ENTRIES_SHOWN) " of " (entries.rows.len()) "." } }
    }
}

/// Entries, as they are shown everywhere.
pub(super) fn table<'a>(entries: impl Iterator<Item = &'a EntryRow>) -> Markup {
    html! {
        div.scroll { table.wide {
            tr { th { "occurred" } th { "kind" } th.num { "amount" } th { "account" } th { "movement" } th { "event" } }
            @for entry in entries {
                tr {
                    td.num { (entry.occurred_at.rfc3339()) }
                    td { (entry.kind.name()) }
                    td.num { (amount(&entry.held)) }
                    td { @if let Some(account) = &entry.held.account { (frame::account(account)) } @else { span.soft { "none" } } }
                    td.id { (frame::text(entry.movement.as_str())) }
                    td { (frame::event(entry.claim.as_str())) }
                }
            }
        } }
    }
}
