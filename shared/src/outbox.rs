//! Who is told, and what: every entry that is booked, and every event that is only recorded, makes a message for each sink.
//!
//! A message is JSON of one form, `version` 1. Amounts are texts of minor units: a number beyond 2^53 does not survive
//! JavaScript.

use serde_json::{Value, json, value::RawValue};

use crate::claim::{Digest, MovementKey};
use crate::plan::{Entry, Kind, Message, Occurrence, OnLost, Plan, Settle};
use crate::provider::Event;

/// Fields are added to a version, never respelled.
const VERSION: u8 = 1;

/// An event's own JSON goes into its message up to here, and else its size and digest: EventBridge takes 256 KB
/// (docs.aws.amazon.com, "Amazon EventBridge quotas"), a row of DynamoDB 400 KB, a message less than either.
const OWN_BYTES_MAX: usize = 24 * 1_024;

/// Who is told.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Outbox {
    /// By distinct names.
    pub sinks: Vec<Sink>,
}

/// Somebody who is told.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Sink {
    /// Lower-case letters, digits and hyphens; in keys of rows, variables and logs.
    pub name: String,
    /// Where messages go.
    pub target: Target,
    /// What becomes of a message of which nobody knows whether it was sent.
    pub on_lost: OnLost,
}

/// Where messages go.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Target {
    /// An HTTPS address that takes a POST; plain HTTP on this machine only.
    Post(String),
    /// A bus of Amazon EventBridge, by name.
    Bus(String),
}

impl Outbox {
    /// What `provider` made of `event`, with the messages about it. A plan that one transaction cannot take with its
    /// messages is parked.
    pub fn fill(&self, provider: &str, event: &Event, plan: Plan) -> Plan {
        match plan {
            Plan::Settle(settle) if !self.sinks.is_empty() => {
                let told = self.told(provider, event, settle);
                told.map_or_else(Plan::from, Plan::Settle)
            }
            other => other,
        }
    }

    fn told(&self, provider: &str, event: &Event, settle: Settle) -> Result<Settle, crate::plan::Uncommittable> {
        let about =
            |entry: &Entry| (name(entry.kind), Some((entry.occurrence.clone(), entry.kind)), Some(entry.clone()));
        let mut news: Vec<_> = settle.entries().iter().map(about).collect();
        if news.is_empty() {
            news.push(("event.received", None, None));
        }
        let messages = news.into_iter().flat_map(|(name, about, entry)| {
            let own = settle.content().unwrap_or(&event.kept.body);
            let body = body(name, (provider, event), own, entry.as_ref());
            self.sinks.iter().map(move |sink| Message {
                name,
                about: about.clone(),
                sink: sink.name.clone(),
                body: body.clone(),
                on_lost: sink.on_lost,
            })
        });
        let messages = settle.messages().iter().cloned().chain(messages).collect();
        Settle::new(settle.entries().to_vec(), messages)
    }
}

/// What is said of an entry of this kind.
const fn name(kind: Kind) -> &'static str {
    match kind {
        Kind::Payment => "payment.recorded",
        Kind::PaymentReversed => "payment.reversed",
        Kind::Refund => "refund.recorded",
        Kind::RefundReversed => "refund.reversed",
        Kind::Payout => "payout.recorded",
        Kind::PayoutReversed => "payout.reversed",
        Kind::Dispute => "dispute.opened",
        Kind::DisputeReversed => "dispute.reversed",
        Kind::InvoiceLink => "invoice.linked",
    }
}

/// `own`: what the event says itself.
fn body(name: &str, (provider, event): (&str, &Event), own: &[u8], entry: Option<&Entry>) -> String {
    let mut body = json!({
        "version": VERSION,
        "name": name,
        "provider": provider,
        "scope": event.scope,
        "event": {"id": event.id, "type": event.event_type},
    });
    if let Some(entry) = entry {
        body["entry"] = entry_json(provider, entry);
        return body.to_string();
    }
    body["event"]["bytes"] = json!(own.len());
    body["event"]["sha256"] = json!(Digest::of(own).to_hex());
    match serde_json::from_slice::<&RawValue>(own) {
        // As it came: its numbers pass through nothing that could round them.
        Ok(raw) if own.len() <= OWN_BYTES_MAX => with_own(&body, raw),
        _ => body.to_string(),
    }
}

/// The message with the event's own JSON as its last field.
fn with_own(body: &Value, own: &RawValue) -> String {
    let text = body.to_string();
    format!("{},\"body\":{}}}", text.strip_suffix('}').unwrap_or(&text), own.get())
}

fn entry_json(provider: &str, entry: &Entry) -> Value {
    let key = |occurrence: &Occurrence| MovementKey::new(provider, occurrence).to_string();
    json!({
        "movement": key(&entry.occurrence),
        "kind": entry.kind.name(),
        "amount_minor": entry.amount_minor.to_string(),
        "linked_minor": entry.linked_minor.map(|minor| minor.to_string()),
        "currency": entry.currency.code(),
        "account": entry.account,
        "parent": entry.parent.as_ref().map(key),
        "invoice": entry.invoice,
        "occurred_at": entry.occurred_at.rfc3339(),
    })
}
