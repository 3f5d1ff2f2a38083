//! Bodies as the [`TestProvider`](crate::TestProvider) sends them.

use hookledger::money::Currency;
use hookledger::plan::{Entry, Kind, Occurrence};
use serde::{Deserialize, Serialize};

/// One event.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct Fact {
    /// Its id; empty: the provider found none.
    pub id: String,
    /// What it means: `settle`, `defer`, `park`, `ignore`, `panic`, or `later`: parked until the provider has learned it,
    /// then as `then` says.
    #[serde(rename = "do")]
    pub act: String,
    /// See `act`.
    #[serde(skip_serializing_if = "String::is_empty")]
    pub then: String,
    /// Scope; empty for none.
    #[serde(skip_serializing_if = "String::is_empty")]
    pub scope: String,
    /// `live`, `test`, `missing`, or empty for the deployment's own.
    #[serde(skip_serializing_if = "String::is_empty")]
    pub mode: String,
    /// What it books.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub entries: Vec<Move>,
    /// Sinks that are told, about the first entry if there is one.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub tell: Vec<String>,
    /// Whose entry knows the account of a deferred event.
    #[serde(skip_serializing_if = "String::is_empty")]
    pub parent: String,
    /// Counts deliveries: the profile declares it volatile.
    #[serde(skip_serializing_if = "is_zero")]
    pub attempt: u32,
    /// Makes the body longer.
    #[serde(skip_serializing_if = "String::is_empty")]
    pub note: String,
}

/// One entry.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct Move {
    /// The provider's id of the movement.
    pub id: String,
    /// As the ledger spells it.
    pub kind: String,
    /// Not negative.
    pub magnitude_minor: i64,
    /// ISO code.
    pub currency: String,
    /// The account, where known.
    #[serde(skip_serializing_if = "String::is_empty")]
    pub account: String,
}

impl Fact {
    /// An event that does `act`.
    pub fn new(id: &str, act: &str) -> Self {
        Self { id: id.into(), act: act.into(), ..Self::default() }
    }

    /// With a further entry of this kind, in EUR.
    pub fn moving(mut self, movement: &str, kind: &str, magnitude_minor: i64) -> Self {
        let (id, kind, currency) = (movement.into(), kind.into(), "EUR".into());
        self.entries.push(Move { id, kind, magnitude_minor, currency, account: String::new() });
        self
    }

    /// With an account on every entry so far.
    pub fn account(mut self, account: &str) -> Self {
        self.entries.iter_mut().for_each(|entry| entry.account = account.into());
        self
    }

    /// JSON.
    pub fn body(&self) -> Vec<u8> {
        serde_json::to_vec(self).unwrap()
    }
}

/// The usual event: one payment in EUR, to be settled at once.
pub fn settle(id: &str, movement: &str, magnitude_minor: i64) -> Fact {
    Fact::new(id, "settle").moving(movement, "payment", magnitude_minor)
}

/// A payment in EUR, as an entry of a plan.
pub fn payment(movement: &str, magnitude_minor: i64) -> Entry {
    let currency = Currency::parse("EUR").unwrap();
    Entry::new(Occurrence::unique(movement), Kind::Payment, magnitude_minor, currency, crate::NOW).unwrap()
}

/// Several events in one delivery, each with the bytes it has alone.
pub fn batch(facts: &[Fact]) -> Vec<u8> {
    let events: Vec<String> = facts.iter().map(|fact| String::from_utf8(fact.body()).unwrap()).collect();
    format!(r#"{{"events":[{}]}}"#, events.join(",")).into_bytes()
}

#[expect(clippy::trivially_copy_pass_by_ref, reason = "serde asks for a reference")]
fn is_zero(number: &u32) -> bool {
    *number == 0
}
