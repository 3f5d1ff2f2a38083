//! One account's entries and their sums.

use http::StatusCode;
use maud::{Markup, html};

use super::overview::table;
use super::{Page, frame};
use crate::reads;
use crate::shown::{count, sums};

const ENTRIES_READ: usize = 1_000;

impl Page {
    pub(super) async fn account(&self, key: &str) -> (StatusCode, Markup) {
        let entries = match reads::entries(&self.watch.store, Some(key), ENTRIES_READ).await {
            Ok(entries) => entries,
            Err(error) => return frame::unreadable(&error),
        };
        if entries.rows.is_empty() {
            let content = html! { p.empty { "The ledger holds no entry of this account." } };
            return (StatusCode::NOT_FOUND, frame::page("no such account", &content));
        }
        let content = html! {
            h2 { "Account " span.id { (frame::text(key)) } }
            @for (currency, (sum, number)) in sums(&entries.rows, |entry| entry.held.currency.as_str()) {
                p { strong.num { (sum) " " (currency) } span.soft { " in minor units, of " (count(number, "entry", "entries")) } }
            }
            (table(entries.rows.iter().rev()))
            @if entries.more { p.soft { "There are more than the " (entries.rows.len()) " that are shown and summed." } }
        };
        (StatusCode::OK, frame::page(key, &content))
    }
}
