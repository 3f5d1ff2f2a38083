//! `claims`: what was received, and where it stands.

use std::process::ExitCode;

use clap::Args;
use clap::builder::PossibleValuesParser;
use hookledger::claim::State;
use hookledger::items::ClaimRow;
use hookledger::stuck::{booked_json, resolution_json};
use serde_json::{Value, json};

use super::{Failure, Ports, inside, output};
use crate::shown::why;

/// Show the claims: one for each event that was received
#[derive(Debug, Args)]
pub(super) struct Claims {
    /// Only those in this state
    #[arg(long, value_parser = PossibleValuesParser::new(State::ALL.map(State::name)))]
    state: Option<String>,
    /// Print JSON
    #[arg(long)]
    json: bool,
}

impl Claims {
    pub(super) async fn run(self, ports: Ports) -> Result<ExitCode, Failure> {
        let store = inside::store(ports).await?;
        let wanted = |claim: &ClaimRow| self.state.as_deref().is_none_or(|state| state == claim.state.name());
        let claims: Vec<_> = inside::claims(&store).await?.into_iter().filter(wanted).collect();
        if self.json {
            output::print_json(&json!({"claims": claims.iter().map(claim_json).collect::<Vec<_>>()}));
        } else if claims.is_empty() {
            let state = self.state.map(|state| format!(" that are {state}")).unwrap_or_default();
            output::print(&format!("no claims{state}"));
        } else {
            output::print_table(
                &["claimed at", "state", "event type", "claim", "booked", "why"],
                &[4],
                claims.iter().map(row),
            );
            output::print(&format!("\n{}", output::count(claims.len(), "claim", "claims")));
        }
        Ok(ExitCode::SUCCESS)
    }
}

fn row(claim: &ClaimRow) -> Vec<String> {
    let new = claim.entries.iter().filter(|booked| !booked.existed).count();
    let booked = if claim.state == State::Done { new.to_string() } else { "-".to_owned() };
    vec![
        claim.claimed_at.rfc3339(),
        claim.state.name().to_owned(),
        or_dash(&claim.event_type),
        claim.key.to_string(),
        booked,
        or_dash(&why(claim)),
    ]
}

fn or_dash(text: &str) -> String {
    if text.is_empty() { "-".to_owned() } else { text.to_owned() }
}

/// A claim for machines.
pub(super) fn claim_json(claim: &ClaimRow) -> Value {
    json!({
        "claim": claim.key.as_str(),
        "provider": claim.provider,
        "scope": claim.scope,
        "event_id": claim.event_id,
        "event_type": claim.event_type,
        "state": claim.state.name(),
        "claimed_at": claim.claimed_at.rfc3339(),
        "completed_at": claim.completed_at.map(|at| at.rfc3339()),
        "open_since": claim.open_since.map(|at| at.rfc3339()),
        "due_at": claim.due_at.map(|at| at.rfc3339()),
        "expires_at": claim.expires_at.map(|at| at.to_ms().rfc3339()),
        "attempt": claim.attempt,
        "park_reason": claim.park_reason.map(|reason| reason.name()),
        "last_error": claim.last_error,
        "resolution": claim.resolution.as_ref().map(resolution_json),
        "payload_parts": claim.payload_parts,
        "raw_digest": claim.raw_digest.to_hex(),
        "effect_kind": claim.effect.map(|effect| effect.kind.name()),
        "effect_digest": claim.effect.map(|effect| effect.digest.to_hex()),
        "reply": {
            "status": claim.reply.status,
            "body": String::from_utf8_lossy(&claim.reply.body),
            "content_type": claim.reply.content_type,
        },
        "entries": claim.entries.iter().map(booked_json).collect::<Vec<_>>(),
    })
}
