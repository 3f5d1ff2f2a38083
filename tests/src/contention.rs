//! Conflicts between transactions, as the service has them and emulators that serialise requests do not: while a
//! transaction is under way, another write to one of its items is refused at once.
//! Source: docs.aws.amazon.com, "Amazon DynamoDB Transactions: How it works", on transaction conflicts.

use std::collections::{HashMap, HashSet};
use std::sync::{Arc, Mutex};

use serde_json::Value;

use crate::fault::{ErrorAnswer, Reason};
use crate::wire::Call;

/// How often a transaction lets others run while nobody has met it.
const YIELDS_MAX: usize = 50;

/// The items that are being written now.
#[derive(Clone, Debug, Default)]
pub(crate) struct Contention(Arc<Mutex<Under>>);

#[derive(Debug, Default)]
struct Under {
    /// Item, and how often its transaction was met.
    items: HashMap<String, usize>,
    tokens: HashSet<String>,
}

/// A transaction under way. Dropping it ends it, also when its caller gave up.
#[derive(Debug)]
pub(crate) struct Way {
    under: Contention,
    items: Vec<String>,
    token: Option<String>,
}

impl Contention {
    /// Begins a write, or refuses it. Reads always pass.
    pub(crate) fn begin(&self, call: &Call) -> Result<Option<Way>, ErrorAnswer> {
        match call.operation.as_str() {
            "TransactWriteItems" => self.begin_transaction(&call.body).map(Some),
            "PutItem" | "UpdateItem" | "DeleteItem" => {
                let item = item_key(&call.body);
                let met = self.0.lock().unwrap().items.get_mut(&item).map(|met| *met += 1);
                met.map_or(Ok(None), |()| Err(ErrorAnswer::named("TransactionConflictException")))
            }
            _ => Ok(None),
        }
    }

    fn begin_transaction(&self, body: &Value) -> Result<Way, ErrorAnswer> {
        let actions = body["TransactItems"].as_array().unwrap();
        let items: Vec<String> = actions.iter().map(|action| item_key(sole(action))).collect();
        let token = body["ClientRequestToken"].as_str().map(str::to_owned);
        let mut under = self.0.lock().unwrap();
        if token.as_ref().is_some_and(|token| under.tokens.contains(token)) {
            return Err(ErrorAnswer::named("TransactionInProgressException"));
        }
        let conflicts: Vec<bool> = items.iter().map(|item| under.items.contains_key(item)).collect();
        if conflicts.contains(&true) {
            items.iter().for_each(|item| under.items.get_mut(item).into_iter().for_each(|met| *met += 1));
            let reason = |conflict| if conflict { Reason::CONFLICT } else { Reason::NONE };
            return Err(ErrorAnswer::cancelled(&conflicts.into_iter().map(reason).collect::<Vec<_>>()));
        }
        under.items.extend(items.iter().map(|item| (item.clone(), 0)));
        under.tokens.extend(token.clone());
        Ok(Way { under: self.clone(), items, token })
    }
}

impl Way {
    /// Stays under way until another write has met it, or nobody seems to come.
    pub(crate) async fn linger(&self) {
        for _ in 0..YIELDS_MAX {
            let met = {
                let under = self.under.0.lock().unwrap();
                self.items.iter().any(|item| under.items.get(item).is_some_and(|met| *met > 0))
            };
            if met {
                return;
            }
            tokio::task::yield_now().await;
        }
    }
}

impl Drop for Way {
    fn drop(&mut self) {
        let mut under = self.under.0.lock().unwrap();
        self.items.iter().for_each(|item| {
            under.items.remove(item);
        });
        self.token.iter().for_each(|token| {
            under.tokens.remove(token);
        });
    }
}

/// The one action in an element of `TransactItems`.
fn sole(action: &Value) -> &Value {
    action.as_object().unwrap().values().next().unwrap()
}

fn item_key(action: &Value) -> String {
    let attributes = if action["Key"].is_object() { &action["Key"] } else { &action["Item"] };
    let names = if attributes["movement"].is_object() { ["movement", "kind"] } else { ["claim", "part"] };
    format!("{} {} {}", action["TableName"], attributes[names[0]], attributes[names[1]])
}
