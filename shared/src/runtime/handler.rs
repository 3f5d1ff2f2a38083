//! From the gateway's event to the receiver and back.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;

use futures_util::FutureExt as _;
use lambda_runtime::{Error, LambdaEvent};
use serde_json::Value;
use serde_json::value::RawValue;
use tracing::{Instrument as _, error_span};

use super::{answer, envelope};
use crate::receive::{Outcome, Receiver};
use crate::time::UnixMs;

/// Handles the invocations of one function. Cheap to clone; clones may run side by side.
#[derive(Clone)]
pub struct Handler {
    receiver: Arc<Receiver>,
}

impl Handler {
    /// A handler in front of `receiver`.
    pub fn new(receiver: Arc<Receiver>) -> Self {
        Self { receiver }
    }

    /// Answers an event of a REST API, an HTTP API or a function URL; anything else with 400. Never `Err`: the gateway
    /// would make an answer of its own of it.
    ///
    /// The invocation ends at the context's deadline (milliseconds since the epoch); where that is 0, as outside of
    /// Lambda, the provider's deadline stands alone.
    pub async fn handle(&self, event: LambdaEvent<Box<RawValue>>) -> Result<Value, Error> {
        let LambdaEvent { payload, context, .. } = event;
        let ends = match context.deadline {
            0 => UnixMs::new(i64::MAX),
            ms => UnixMs::new(i64::try_from(ms).unwrap_or(i64::MAX)),
        };
        // At the level of errors, so that no filter takes the id off a line.
        let span = error_span!("invocation", request_id = %context.request_id);
        let answered = AssertUnwindSafe(self.answer(payload.get(), ends)).catch_unwind();
        let answer = async { answered.await.unwrap_or_else(|_| self.after_panic()) };
        Ok(answer.instrument(span).await)
    }

    async fn answer(&self, event: &str, ends: UnixMs) -> Value {
        let answer = match envelope::read(event) {
            Ok(request) => self.receiver.receive(request, ends).await,
            Err(reason) => self.receiver.refuse(Outcome::MalformedEnvelope(reason)),
        };
        answer::write(answer)
    }

    /// The receiver catches its own; this is for what stands around it.
    fn after_panic(&self) -> Value {
        let refused = catch_unwind(AssertUnwindSafe(|| answer::write(self.receiver.refuse(Outcome::Panicked))));
        refused.unwrap_or_else(|_| answer::unavailable())
    }
}
