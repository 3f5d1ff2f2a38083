//! A sink that is a bus of Amazon EventBridge (docs.aws.amazon.com, "PutEvents").

use std::time::Duration;

use aws_config::SdkConfig;
use aws_config::retry::RetryConfig;
use aws_config::timeout::TimeoutConfig;
use aws_sdk_eventbridge::Client;
use aws_sdk_eventbridge::error::{ProvideErrorMetadata as _, SdkError};
use aws_sdk_eventbridge::operation::put_events::PutEventsError;
use aws_sdk_eventbridge::types::PutEventsRequestEntry;

use super::{Outgoing, SendError, by_client, never_connected};

const SOURCE: &str = "hookledger";
const ATTEMPT: Duration = Duration::from_secs(3);

/// What is wrong with the entry itself, and will be the same next time.
const AT_FAULT: [&str; 4] = ["MalformedDetail", "InvalidArgument", "ValidationException", "PayloadTooLarge"];

pub(super) struct Bus {
    client: Client,
    name: String,
}

impl Bus {
    pub(super) fn new(sdk: &SdkConfig, name: &str) -> Self {
        let timeouts = TimeoutConfig::builder().operation_attempt_timeout(ATTEMPT).build();
        let config = aws_sdk_eventbridge::config::Builder::from(sdk)
            .timeout_config(timeouts)
            .retry_config(RetryConfig::disabled())
            .build();
        Self { client: Client::from_conf(config), name: name.to_owned() }
    }

    /// An entry that failed in an answer of 200 has failed.
    pub(super) async fn send(&self, outgoing: Outgoing<'_>) -> Result<(), SendError> {
        let entry = PutEventsRequestEntry::builder()
            .event_bus_name(&self.name)
            .source(SOURCE)
            .detail_type(outgoing.name)
            .detail(detail(outgoing))
            .build();
        let answer = self.client.put_events().entries(entry).send().await.map_err(|error| failed(&error))?;
        if answer.failed_entry_count() == 0 {
            return Ok(());
        }
        let code = answer.entries().first().and_then(|entry| entry.error_code()).unwrap_or("no code");
        Err(by_code(code))
    }
}

/// The message with its key inside: a bus has no headers.
fn detail(outgoing: Outgoing<'_>) -> String {
    let rest = outgoing.body.strip_prefix('{').unwrap_or(outgoing.body);
    format!(r#"{{"idempotency_key":"{}",{rest}"#, outgoing.key)
}

fn failed(error: &SdkError<PutEventsError>) -> SendError {
    match error {
        // It went wrong inside, before or after the entry was taken. Busy is an answer of its own.
        SdkError::ServiceError(service) if matches!(service.raw().status().as_u16(), 500 | 502 | 504) => {
            SendError::Unknown(format!("EventBridge answered {}", service.raw().status().as_u16()))
        }
        SdkError::ServiceError(service) => by_code(service.err().code().unwrap_or("no code")),
        SdkError::DispatchFailure(failure) if failure.as_connector_error().is_some_and(never_connected) => {
            SendError::refused("EventBridge cannot be reached")
        }
        SdkError::ConstructionFailure(_) => SendError::refused("a request to EventBridge cannot be built"),
        SdkError::DispatchFailure(failure)
            if !failure.is_io()
                && !failure.is_timeout()
                && failure.as_connector_error().and_then(by_client).is_none() =>
        {
            SendError::refused("no request could be sent to EventBridge: credentials or configuration")
        }
        _ => SendError::Unknown("EventBridge did not answer".to_owned()),
    }
}

fn by_code(code: &str) -> SendError {
    let why = format!("EventBridge answered {code}");
    if AT_FAULT.contains(&code) { SendError::Permanent(why) } else { SendError::refused(why) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_key_stands_in_the_detail() {
        let outgoing = Outgoing { key: "k1", name: "n", body: r#"{"version":1}"# };
        assert_eq!(detail(outgoing), r#"{"idempotency_key":"k1","version":1}"#);
    }

    #[test]
    fn what_is_not_the_entrys_fault_is_tried_again() {
        assert!(matches!(by_code("MalformedDetail"), SendError::Permanent(_)));
        for code in ["ThrottlingException", "InternalFailure", "AccessDeniedException", "SomethingNew"] {
            assert!(matches!(by_code(code), SendError::Refused { .. }), "{code}");
        }
    }
}
