//! A sink that takes a POST, signed as Standard Webhooks' specification says (www.standardwebhooks.com).

use std::sync::Arc;

use aws_smithy_http_client::Connector;
use aws_smithy_runtime_api::client::http::HttpConnector as _;
use aws_smithy_runtime_api::client::orchestrator::HttpRequest;
use aws_smithy_types::body::SdkBody;
use bytes::Bytes;

use super::{Outgoing, SendError, never_connected};
use crate::request::{Algorithm, Secret, encode_base64};
use crate::time::{RetryAfter, UnixMs};

pub(super) struct Post {
    connector: Arc<Connector>,
    url: String,
    secret: Secret,
}

impl Post {
    pub(super) fn new(connector: Arc<Connector>, url: &str, secret: Secret) -> Self {
        Self { connector, url: url.to_owned(), secret }
    }

    /// Redirects are not followed.
    pub(super) async fn send(&self, outgoing: Outgoing<'_>, now: UnixMs) -> Result<(), SendError> {
        let request = self.request(outgoing, now);
        let request = request.ok_or_else(|| SendError::refused("the sink's address or secret cannot be used"))?;
        let answer = self.connector.call(request).await.map_err(|error| match never_connected(&error) {
            true => SendError::refused("the sink cannot be reached"),
            false => SendError::Unknown("the connection to the sink broke off".to_owned()),
        })?;
        judge(answer.status().as_u16(), answer.headers().get("retry-after"))
    }

    fn request(&self, outgoing: Outgoing<'_>, now: UnixMs) -> Option<HttpRequest> {
        let Outgoing { key, body, .. } = outgoing;
        let stamp = now.to_s().get().to_string();
        let message = [Bytes::from(format!("{key}.{stamp}.")), Bytes::copy_from_slice(body.as_bytes())];
        let code = Algorithm::HmacSha256Base64Key.sign(&message, &self.secret)?;
        let request = http::Request::post(&self.url)
            .header("content-type", "application/json")
            .header("idempotency-key", key)
            .header("webhook-id", key)
            .header("webhook-timestamp", stamp)
            .header("webhook-signature", format!("v1,{}", encode_base64(&code)))
            .body(SdkBody::from(body));
        request.ok()?.try_into().ok()
    }
}

/// What is about our configuration or their state says nothing of the message, so it is tried again. Whoever breaks down, or
/// stands before somebody who does, may have taken it first. How long to wait is believed of a sink that is too busy, and of no
/// other answer.
fn judge(status: u16, retry_after: Option<&str>) -> Result<(), SendError> {
    let why = format!("the sink answered {status}");
    match status {
        200..=299 => Ok(()),
        429 | 503 => Err(SendError::Refused { why, retry_after: retry_after.and_then(RetryAfter::parse) }),
        300..=399 | 401..=410 | 425 => Err(SendError::refused(why)),
        500..=599 => Err(SendError::Unknown(why)),
        _ => Err(SendError::Permanent(why)),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_the_message_itself_can_be_at_fault_for_good() {
        let refused = |status| matches!(judge(status, None), Err(SendError::Refused { .. }));
        assert!([301, 401, 403, 404, 408, 409, 410, 425, 429, 503].into_iter().all(refused));
        assert!(
            [500, 502, 504, 524].into_iter().all(|status| matches!(judge(status, None), Err(SendError::Unknown(_))))
        );
        assert!([400, 413, 422].into_iter().all(|status| matches!(judge(status, None), Err(SendError::Permanent(_)))));
        assert!([200, 202, 204].into_iter().all(|status| judge(status, None).is_ok()));
        let busy =
            SendError::Refused { why: "the sink answered 503".to_owned(), retry_after: Some(RetryAfter::Seconds(7)) };
        assert_eq!(judge(503, Some("7")), Err(busy));
    }
}
