//! The SDK's client: retries and timeouts said aloud, TLS on ring.

use std::time::Duration;

use aws_config::timeout::TimeoutConfig;
use aws_config::{BehaviorVersion, SdkConfig};
use aws_sdk_dynamodb::Client;
use aws_sdk_dynamodb::config::retry::RetryConfig;
use aws_sdk_dynamodb::error::{DisplayErrorContext, ProvideErrorMetadata, SdkError};
use aws_smithy_http_client::tls::{Provider, rustls_provider::CryptoMode};

use super::StoreError;

/// How patient a single call is. The whole operation ends with the delivery's deadline.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Tuning {
    /// To connect, in milliseconds.
    pub connect_ms: u64,
    /// For one attempt, in milliseconds.
    pub attempt_ms: u64,
    /// Attempts the SDK makes under one token.
    pub attempts: u32,
    /// Its first backoff, in milliseconds.
    pub backoff_ms: u64,
}

impl Default for Tuning {
    fn default() -> Self {
        Self { connect_ms: 1_000, attempt_ms: 1_500, attempts: 3, backoff_ms: 50 }
    }
}

/// What every client on Lambda starts from: region and credentials of the environment, one TLS stack, one pool of
/// connections.
pub async fn sdk() -> SdkConfig {
    let tls = Provider::Rustls(CryptoMode::Ring);
    let http = aws_smithy_http_client::Builder::new().tls_provider(tls).build_https();
    aws_config::defaults(BehaviorVersion::v2026_01_12()).http_client(http).load().await
}

impl Tuning {
    /// A client of `sdk` with these times.
    pub fn client(self, sdk: &SdkConfig) -> Client {
        let timeouts = TimeoutConfig::builder()
            .connect_timeout(Duration::from_millis(self.connect_ms))
            .operation_attempt_timeout(Duration::from_millis(self.attempt_ms))
            .build();
        let retries = RetryConfig::standard()
            .with_max_attempts(self.attempts)
            .with_initial_backoff(Duration::from_millis(self.backoff_ms))
            .with_max_backoff(Duration::from_millis(self.backoff_ms.saturating_mul(8)));
        let config = aws_sdk_dynamodb::config::Builder::from(sdk).timeout_config(timeouts).retry_config(retries);
        Client::from_conf(config.build())
    }
}

/// What an SDK error means to us. Its message goes to the log at debug level only: it can print items.
pub(super) fn classify<E>(error: &SdkError<E>) -> StoreError
where
    E: ProvideErrorMetadata + std::error::Error + 'static,
{
    match error {
        SdkError::ConstructionFailure(_) => StoreError::Refused("a request that cannot be built".into()),
        SdkError::TimeoutError(_) => StoreError::NoAnswer("timeout"),
        SdkError::DispatchFailure(failure) if failure.is_timeout() => StoreError::NoAnswer("timeout"),
        SdkError::DispatchFailure(failure) if failure.is_io() => StoreError::NoAnswer("connection"),
        SdkError::DispatchFailure(_) => {
            // No item can be in it: nothing was sent.
            tracing::error!(error = %DisplayErrorContext(error), "no request could be sent to DynamoDB");
            StoreError::Refused("credentials or configuration".into())
        }
        SdkError::ResponseError(_) => StoreError::NoAnswer("unreadable answer"),
        SdkError::ServiceError(service) => by_code(service.err().code(), service.raw().status().as_u16()),
        _ => StoreError::Refused("an unknown kind of error".into()),
    }
}

fn by_code(code: Option<&str>, status: u16) -> StoreError {
    match code {
        Some("ValidationException" | "ValidationError") => StoreError::Invalid,
        Some(code @ ("ProvisionedThroughputExceededException" | "ThrottlingException" | "RequestLimitExceeded")) => {
            StoreError::Throttled(code.to_owned())
        }
        Some("TransactionInProgressException" | "TransactionConflictException") => {
            StoreError::Throttled("a transaction in progress".to_owned())
        }
        Some("InternalServerError" | "ServiceUnavailable") => StoreError::NoAnswer("internal error"),
        _ if status >= 500 => StoreError::NoAnswer("internal error"),
        Some(code) => StoreError::Refused(code.to_owned()),
        None => StoreError::Refused("an error without a code, as what is not DynamoDB would".to_owned()),
    }
}
