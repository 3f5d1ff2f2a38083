//! A client of HTTP for whoever is not AWS: one TLS stack, no redirects, answers of a bounded size.

use std::time::Duration;

use aws_smithy_http_client::Connector;
use aws_smithy_http_client::tls::{Provider as Tls, rustls_provider::CryptoMode};
use aws_smithy_runtime_api::client::http::HttpConnectorSettings;
use aws_smithy_runtime_api::client::orchestrator::HttpResponse;
use aws_smithy_types::byte_stream::ByteStream;

/// Why the body of an answer is not there.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum BodyError {
    /// The connection ended before it.
    #[error("it broke off")]
    BrokeOff,
    /// It is larger than it may be.
    #[error("it is too large")]
    TooLarge,
}

/// A client that waits this long for a connection.
pub fn connector(connect: Duration) -> Connector {
    let settings = HttpConnectorSettings::builder().connect_timeout(connect).build();
    Connector::builder().connector_settings(settings).tls_provider(Tls::Rustls(CryptoMode::Ring)).build()
}

/// The body of an answer, if it has at most `bytes_max`.
pub async fn body(answer: HttpResponse, bytes_max: usize) -> Result<Vec<u8>, BodyError> {
    let mut stream = ByteStream::new(answer.into_body());
    let mut body = Vec::new();
    while let Some(chunk) = stream.next().await {
        let chunk = chunk.map_err(|_| BodyError::BrokeOff)?;
        if body.len() + chunk.len() > bytes_max {
            return Err(BodyError::TooLarge);
        }
        body.extend_from_slice(&chunk);
    }
    Ok(body)
}
