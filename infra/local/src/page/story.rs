//! The whole story of one event.

use hookledger::claim::ClaimKey;
use hookledger::items::{ClaimRow, OpenRow};
use hookledger::provider::Kept;
use hookledger::store::{StoreError, Story};
use http::StatusCode;
use maud::{Markup, html};

use super::{Page, frame};
use crate::commands::Standing;
use crate::reads::{self, Entries, deadline};
use crate::shown::{amount, decision, facts, standing};

impl Page {
    pub(super) async fn story(&self, key: &ClaimKey) -> (StatusCode, Markup) {
        match self.read(key).await {
            Ok(Some((claim, story, entries, messages))) => {
                let content = self.told(&claim, &story, &entries, &messages);
                (StatusCode::OK, frame::page(key.as_str(), &content))
            }
            Ok(None) => {
                let content = html! { p.empty { "There is no claim " span.id { (frame::text(key.as_str())) } "." } };
                (StatusCode::NOT_FOUND, frame::page("no such claim", &content))
            }
            Err(error) => frame::unreadable(&error),
        }
    }

    async fn read(&self, key: &ClaimKey) -> Result<Option<(ClaimRow, Story, Entries, Vec<OpenRow>)>, StoreError> {
        let store = &self.watch.store;
        let story = store.story(key, deadline()).await?;
        let Some(claim) = story.claim.clone() else { return Ok(None) };
        let entries = reads::booked(store, &claim).await?;
        let messages = reads::messages(store, &claim, &story).await?;
        Ok(Some((claim, story, entries, messages)))
    }

    fn told(&self, claim: &ClaimRow, story: &Story, entries: &Entries, messages: &[OpenRow]) -> Markup {
        let (key, state, park_reason) = (&claim.key, Some(claim.state), claim.park_reason);
        let steps = self.commands.next(&Standing { key, part: "claim", state, park_reason });
        html! {
            h2 { "Event" }
            dl { @for (name, value) in facts(claim) { dt { (name) } dd { (frame::text(&value)) } } }
            (frame::steps(&steps))
            @if !entries.is_empty() { h2 { "Entries" } (booked(entries)) }
            @if !messages.is_empty() { h2 { "Messages" } (self.messages(messages)) }
            @if let Some(kept) = &story.kept { h2 { "Kept bytes" } (bytes(kept)) }
            @for sibling in &story.siblings {
                h2 { "The same id with another effect" }
                p { "Came " (sibling.kept_at.rfc3339()) ", as " span.id { (frame::text(&sibling.part)) } "." }
                @match &sibling.resolution {
                    Some(resolution) => p { "Closed " (frame::text(&decision(resolution))) },
                    None => (frame::steps(&self.commands.next(&Standing {
                        key,
                        part: &sibling.part,
                        state: Some(hookledger::claim::State::Parked),
                        park_reason: None,
                    }))),
                }
                (bytes(&sibling.kept))
            }
        }
    }

    fn messages(&self, messages: &[OpenRow]) -> Markup {
        html! {
            div.scroll { table {
                tr { th { "message" } th { "state" } th.num { "attempts" } th { "why, and what to do next" } }
                @for row in messages {
                    tr {
                        td.id { (frame::text(&row.part)) }
                        td { (row.state.map_or("unknown", |state| state.name())) }
                        td.num { (row.attempt) }
                        td {
                            @if let Some(error) = &row.last_error { (frame::text(error)) }
                            (frame::steps(&self.commands.next(&Standing::from(row))))
                        }
                    }
                }
            } }
        }
    }
}

fn booked(entries: &Entries) -> Markup {
    html! {
        div.scroll { table {
            tr { th { "kind" } th.num { "amount" } th { "account" } th { "movement" } th { "" } th { "ledger" } }
            @for (booked, row) in entries {
                @let (said, ledger) = standing(booked, row.as_ref());
                tr {
                    td { (booked.kind.name()) }
                    td.num { @if let Some(row) = row { (amount(&row.held)) } @else { "?" } }
                    td { @if let Some(account) = row.as_ref().and_then(|row| row.held.account.as_ref()) { (frame::account(account)) } }
                    td.id { (frame::text(booked.movement.as_str())) }
                    td { (said) }
                    td .bad[row.is_none()] { (ledger) }
                }
            }
        } }
    }
}

/// As they came: laid out anew, numbers would lose digits.
fn bytes(kept: &Kept) -> Markup {
    html! {
        @if kept.body.is_empty() && kept.headers.is_empty() {
            p.soft { "Its bytes are not kept any more." }
        } @else {
            pre { @for (name, value) in &kept.headers { (name) ": " (frame::text(value)) "\n" } (frame::bytes(&kept.body)) }
        }
    }
}
