//! What can go wrong between the product and DynamoDB, and when.

use std::sync::Arc;

use aws_sdk_dynamodb::types::AttributeValue;
use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use hookledger::items::Item;
use serde_json::{Value, json};
use tokio::sync::Semaphore;

use crate::wire::Call;

/// What happens to a call.
#[derive(Clone, Debug)]
pub enum Fault {
    /// The connection is refused: nothing is sent.
    Refuse,
    /// The call takes effect; its answer is lost with the connection.
    DropAnswer,
    /// Nothing is sent; this is answered.
    Answer(ErrorAnswer),
    /// The call takes effect; this is answered.
    AnswerAfter(ErrorAnswer),
    /// Nothing is sent, and no answer ever comes. [`Wire::stalled`](crate::Wire::stalled) tells of it.
    Hang,
    /// The call takes effect, and no answer ever comes. [`Wire::stalled`](crate::Wire::stalled) tells of it.
    HangAfter,
    /// The call waits before it is sent, until the latch opens.
    Hold(Latch),
    /// A transaction is under way, so that others which share an item with it conflict, until the latch opens.
    HoldUnderway(Latch),
    /// The call takes effect; its answer waits until the latch opens.
    HoldAnswer(Latch),
    /// The caller never gets an answer; the call itself is sent once the latch opens, see
    /// [`Wire::release_late`](crate::Wire::release_late).
    Late(Latch),
}

/// When a fault happens: asked for each call, in the order of the calls.
pub type When = Box<dyn FnMut(&Call) -> bool + Send>;

/// Every call.
pub fn every() -> When {
    Box::new(|_| true)
}

/// The `n`th call from now on, counted from 0.
pub fn nth(n: usize) -> When {
    counted(n, |_| true)
}

/// The `n`th call of an operation from now on, counted from 0.
pub fn nth_of(operation: &'static str, n: usize) -> When {
    counted(n, move |call| call.operation == operation)
}

/// Every call of an operation.
pub fn each(operation: &'static str) -> When {
    Box::new(move |call| call.operation == operation)
}

fn counted(n: usize, matches: impl Fn(&Call) -> bool + Send + 'static) -> When {
    let mut seen = 0;
    Box::new(move |call| {
        let hit = matches(call) && seen == n;
        seen += usize::from(matches(call));
        hit
    })
}

/// An error as DynamoDB answers it.
#[derive(Clone, Debug)]
pub struct ErrorAnswer {
    /// HTTP status.
    pub status: u16,
    /// JSON.
    pub body: String,
}

/// Why one action of a transaction was refused.
#[derive(Clone, Debug)]
pub struct Reason {
    code: &'static str,
    item: Option<Value>,
}

impl ErrorAnswer {
    /// An error of this code under status 400.
    pub fn named(code: &str) -> Self {
        Self::with_status(400, code)
    }

    /// An error of this code and status.
    pub fn with_status(status: u16, code: &str) -> Self {
        let body = json!({"__type": format!("com.amazonaws.dynamodb.v20120810#{code}"), "message": "forged"});
        Self { status, body: body.to_string() }
    }

    /// A transaction cancelled for these reasons, one for each action.
    pub fn cancelled(reasons: &[Reason]) -> Self {
        let reasons: Vec<Value> = reasons.iter().map(Reason::json).collect();
        let body = json!({
            "__type": "com.amazonaws.dynamodb.v20120810#TransactionCanceledException",
            "Message": "Transaction cancelled, please refer cancellation reasons for specific reasons",
            "CancellationReasons": reasons,
        });
        Self { status: 400, body: body.to_string() }
    }

    /// Every kind of answer that is not about this event: none of them may be taken for a success.
    pub fn all() -> Vec<Self> {
        let throttled = ["ProvisionedThroughputExceededException", "ThrottlingException", "RequestLimitExceeded"];
        let refused = [
            "AccessDeniedException",
            "ResourceNotFoundException",
            "UnrecognizedClientException",
            "ExpiredTokenException",
            "IdempotentParameterMismatchException",
            "TransactionInProgressException",
            "SomethingNewException",
        ];
        let internal = [(500, "InternalServerError"), (503, "ServiceUnavailable"), (502, "Gateway")];
        let mut all: Vec<Self> = throttled.iter().chain(&refused).map(|code| Self::named(code)).collect();
        all.extend(internal.map(|(status, code)| Self::with_status(status, code)));
        all
    }
}

impl Reason {
    /// No error.
    pub const NONE: Self = Self { code: "None", item: None };
    /// Another transaction is writing the item.
    pub const CONFLICT: Self = Self::code("TransactionConflict");

    /// Any code.
    pub const fn code(code: &'static str) -> Self {
        Self { code, item: None }
    }

    /// A failed condition, with the item that is there (as the service writes it) or without one.
    pub const fn failed(item: Option<Value>) -> Self {
        Self { code: "ConditionalCheckFailed", item }
    }

    fn json(&self) -> Value {
        let mut reason = json!({"Code": self.code});
        if self.code != "None" {
            reason["Message"] = json!("forged");
        }
        if let Some(item) = &self.item {
            reason["Item"] = item.clone();
        }
        reason
    }
}

/// Holds calls until it is opened, and tells when one has come.
#[derive(Clone, Debug)]
pub struct Latch {
    open: Arc<Semaphore>,
    came: Arc<Semaphore>,
}

impl Default for Latch {
    fn default() -> Self {
        Self { open: Arc::new(Semaphore::new(0)), came: Arc::new(Semaphore::new(0)) }
    }
}

impl Latch {
    /// A closed one.
    pub fn new() -> Self {
        Self::default()
    }

    /// Lets every call through, from now on.
    pub fn open(&self) {
        self.open.close();
    }

    /// Waits until one more call has come.
    pub async fn came(&self) {
        self.came.acquire().await.unwrap().forget();
    }

    pub(crate) async fn wait(&self) {
        self.came.add_permits(1);
        assert!(self.open.acquire().await.is_err(), "a latch has no permits");
    }
}

/// An item as the service writes it in JSON.
pub fn item_json(item: &Item) -> Value {
    item.iter().map(|(name, value)| (name.clone(), value_json(value))).collect::<serde_json::Map<_, _>>().into()
}

fn value_json(value: &AttributeValue) -> Value {
    match value {
        AttributeValue::S(text) => json!({"S": text}),
        AttributeValue::N(number) => json!({"N": number}),
        AttributeValue::B(bytes) => json!({"B": STANDARD.encode(bytes)}),
        AttributeValue::Bool(flag) => json!({"BOOL": flag}),
        AttributeValue::L(list) => json!({"L": list.iter().map(value_json).collect::<Vec<_>>()}),
        AttributeValue::M(map) => json!({"M": item_json(map)}),
        other => panic!("not in our items: {other:?}"),
    }
}
