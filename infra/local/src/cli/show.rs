//! `show`: the whole story of one event.

use std::process::ExitCode;

use clap::Args;
use hookledger::claim::{ClaimKey, State};
use hookledger::items::{Booked, ClaimRow, EntryRow, OpenRow};
use hookledger::provider::Kept;
use hookledger::store::{Store, Story};
use hookledger::stuck::{booked_json, resolution_json};
use serde_json::{Value, json};

use super::claims::claim_json;
use super::ledger::entry_json;
use super::{Failure, Ports, inside, known_provider, no_provider_alone, output};
use crate::reads::{Entries, messages};
use crate::shown::{amount, decision, facts, standing};
use crate::text::{printable, printable_lines};

/// Show the whole story of one event: claim, reply, entries, kept bytes, what else came under its id
#[derive(Debug, Args)]
#[command(
    override_usage = "hookledger-local show [OPTIONS] <PROVIDER> <EVENT_ID>\n       hookledger-local show [OPTIONS] <CLAIM_KEY>"
)]
pub(super) struct Show {
    /// The provider, or the claim's key as it is printed
    #[arg(value_name = "PROVIDER|CLAIM_KEY")]
    first: String,
    /// The provider's id of the event
    event_id: Option<String>,
    /// The event's scope, e.g. a connected account; none by default
    #[arg(long, default_value = "", requires = "event_id")]
    scope: String,
    /// Print JSON
    #[arg(long)]
    json: bool,
}

impl Show {
    pub(super) async fn run(self, ports: Ports) -> Result<ExitCode, Failure> {
        let store = inside::store(ports).await?;
        let key = match &self.event_id {
            Some(event_id) => {
                let provider = known_provider(&self.first)
                    .map_err(|known| Failure::Unasked(format!("{} is not a provider; {known}", self.first)))?;
                ClaimKey::new(&provider, &self.scope, event_id)
            }
            None => {
                no_provider_alone(&self.first)?;
                ClaimKey::from_text(&self.first)
            }
        };
        let story = store.story(&key, inside::deadline()).await?;
        let Some(claim) = &story.claim else {
            let wanted = self.event_id.as_deref().unwrap_or(&self.first);
            return Err(Failure::No(format!("there is no claim {key}{}", similar(&store, wanted).await?)));
        };
        let entries = inside::booked(&store, claim).await?;
        let messages = messages(&store, claim, &story).await?;
        if self.json {
            output::print_json(&story_json(claim, &story, &entries, &messages));
        } else {
            print(claim, &story, &entries, &messages);
        }
        Ok(ExitCode::SUCCESS)
    }
}

/// The id may be right and the scope forgotten.
async fn similar(store: &Store, event_id: &str) -> Result<String, Failure> {
    let claims = inside::claims(store).await?;
    let similar = claims.iter().filter(|claim| claim.event_id == event_id);
    Ok(similar.map(|claim| format!("\nthere is {}", claim.key)).collect())
}

fn print(claim: &ClaimRow, story: &Story, entries: &Entries, messages: &[OpenRow]) {
    for (name, value) in facts(claim) {
        output::print(&format!("{name:<14}{}", printable(&value)));
    }
    if !entries.is_empty() {
        output::print("\nentries");
        let rows = entries.iter().map(|(booked, row)| entry_row(booked, row.as_ref()));
        output::print_table(&["kind", "amount", "account", "movement", "", "ledger"], &[1], rows);
    }
    if !messages.is_empty() {
        output::print("\nmessages");
        output::print_table(&["state", "attempts", "part", "why"], &[1], messages.iter().map(message_row));
    }
    if let Some(kept) = &story.kept {
        output::print(&format!("\nkept bytes\n{}", kept_text(kept)));
    }
    for sibling in &story.siblings {
        let kept = kept_text(&sibling.kept);
        output::print(&format!(
            "\n{}\nthe same id with another effect, came {}{}\n{kept}",
            sibling.part,
            sibling.kept_at.rfc3339(),
            sibling
                .resolution
                .as_ref()
                .map(|resolution| format!("; closed {}", decision(resolution)))
                .unwrap_or_default()
        ));
    }
}

fn entry_row(booked: &Booked, row: Option<&EntryRow>) -> Vec<String> {
    let (said, ledger) = standing(booked, row);
    let amount = row.map_or_else(|| "?".to_owned(), |row| amount(&row.held));
    let account = row.and_then(|row| row.held.account.clone()).unwrap_or_else(|| "-".to_owned());
    vec![booked.kind.name().to_owned(), amount, account, booked.movement.to_string(), said, ledger]
}

/// As it came. Laid out anew, numbers would lose digits and a name that stands twice would be shown once.
fn kept_text(kept: &Kept) -> String {
    let headers: String = kept.headers.iter().map(|(name, value)| format!("{name}: {}\n", printable(value))).collect();
    headers + &printable_lines(&kept.body)
}

fn story_json(claim: &ClaimRow, story: &Story, entries: &Entries, messages: &[OpenRow]) -> Value {
    let mut value = claim_json(claim);
    value["entries"] = entries
        .iter()
        .map(|(booked, row)| {
            let mut entry = booked_json(booked);
            entry["ledger"] = row.as_ref().map(entry_json).into();
            entry
        })
        .collect();
    value["kept"] = story.kept.as_ref().map(kept_json).into();
    value["messages"] = messages.iter().map(message_json).collect();
    let siblings = story.siblings.iter().map(
        |sibling| json!({"part": sibling.part, "kept_at": sibling.kept_at.rfc3339(), "kept": kept_json(&sibling.kept), "resolution": sibling.resolution.as_ref().map(resolution_json)}),
    );
    value["mismatches"] = siblings.collect();
    value
}

fn message_row(message: &OpenRow) -> Vec<String> {
    let why = message.last_error.as_deref().filter(|_| message.state != Some(State::Done));
    vec![
        message.state.map_or("unknown", State::name).to_owned(),
        message.attempt.to_string(),
        message.part.clone(),
        why.unwrap_or("-").to_owned(),
    ]
}

fn message_json(message: &OpenRow) -> Value {
    json!({
        "part": message.part,
        "state": message.state.map(State::name),
        "attempts": message.attempt,
        "last_error": message.last_error,
    })
}

fn kept_json(kept: &Kept) -> Value {
    let headers: serde_json::Map<_, _> =
        kept.headers.iter().map(|(name, value)| (name.clone(), value.clone().into())).collect();
    json!({"body": String::from_utf8_lossy(&kept.body), "headers": headers})
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn kept_bytes_are_shown_as_they_came() {
        let body = "{\"amount\": 90071992547409931, \"amount\": 1.10}\u{1b}";
        let kept = Kept { body: body.into(), headers: vec![("x-topic".into(), "a\nb".into())] };
        let shown = "x-topic: a\\nb\n{\"amount\": 90071992547409931, \"amount\": 1.10}\\u{1b}";
        assert_eq!(kept_text(&kept), shown);
    }
}
