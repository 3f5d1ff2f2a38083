//! Reads an object of a provider's API: the one place that sends our key. What it says goes nowhere but to the provider's
//! own mapping; neither bodies nor keys come into errors or logs.

use std::collections::HashMap;
use std::time::Duration;

use aws_smithy_http_client::Connector;
use aws_smithy_runtime_api::client::http::HttpConnector as _;
use aws_smithy_runtime_api::client::orchestrator::{HttpRequest, HttpResponse};
use aws_smithy_types::body::SdkBody;
use http::HeaderValue;
use http::header::{AUTHORIZATION, RETRY_AFTER};

use super::auth::{self, ApiKey, Tokens};
use crate::outside::{self, BodyError};
use crate::provider::{ApiAuth, Event, Provider};
use crate::time::{RetryAfter, UnixMs};

const CONNECT: Duration = Duration::from_secs(3);

/// Far above any object that tells of money; below what would hurt a small function's memory.
const BODY_BYTES_MAX: usize = 4 * 1_024 * 1_024;

/// Where a provider's API is, and the key that opens it.
#[derive(Clone, Debug)]
pub struct Api {
    /// Scheme and host, without a slash at the end.
    pub url: String,
    /// `None`: the API cannot be asked.
    pub key: Option<ApiKey>,
}

/// Reads objects by HTTP GET.
#[derive(Debug)]
pub struct Fetcher {
    connector: Connector,
    apis: HashMap<String, Api>,
    tokens: Tokens,
}

/// Why there is no object.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum FetchError {
    /// It may be there later, or is ours to mend: try again.
    #[error("{why}")]
    Transient {
        /// What stands in the way.
        why: String,
        /// When the API wants to be asked again, where it says so.
        retry_after: Option<RetryAfter>,
    },
    /// It will be the same next time.
    #[error("{0}")]
    Permanent(String),
}

impl Fetcher {
    /// Reads from these APIs, by provider's name.
    pub fn new(apis: HashMap<String, Api>) -> Self {
        Self { connector: outside::connector(CONNECT), apis, tokens: Tokens::default() }
    }

    /// Whether `provider`'s API can be asked.
    pub(super) fn has_key(&self, provider: &str) -> bool {
        self.apis.get(provider).is_some_and(|api| api.key.is_some())
    }

    /// The object at `path` of `provider`'s API, asked for at `now`, within `left`. Redirects are not followed: the key goes to one host only.
    pub(super) async fn get(
        &self,
        provider: &dyn Provider,
        event: &Event,
        path: &str,
        now: UnixMs,
        left: Duration,
    ) -> Result<Vec<u8>, FetchError> {
        let name = provider.profile().name;
        let api = self.apis.get(name).ok_or_else(|| transient(format!("no API of {name} is configured")))?;
        let key = api.key.as_ref().ok_or_else(|| transient(format!("no API key of {name} is configured")))?;
        let reading = async {
            let auth = self.authorization(provider, api, key, now).await?;
            let answer = self.ask(request(api, auth, path, provider.api_headers(event))?).await?;
            let status = answer.status().as_u16();
            if status == 401 {
                self.tokens.forget(name);
            }
            judge(status, answer.headers().get(RETRY_AFTER.as_str()))?;
            body(answer).await
        };
        let answered = tokio::time::timeout(left, reading).await;
        answered.unwrap_or_else(|_| Err(transient("the API did not answer in time".to_owned())))
    }

    async fn ask(&self, request: HttpRequest) -> Result<HttpResponse, FetchError> {
        let answer = self.connector.call(request).await;
        answer.map_err(|_| transient("the API cannot be reached".to_owned()))
    }

    /// What the API is shown: the key, or a token that was given for it.
    async fn authorization(
        &self,
        provider: &dyn Provider,
        api: &Api,
        key: &ApiKey,
        now: UnixMs,
    ) -> Result<HeaderValue, FetchError> {
        let ApiAuth::ClientCredentials { path } = provider.api_auth() else { return Ok(key.bearer()) };
        let name = provider.profile().name;
        if let Some(token) = self.tokens.held(name, now) {
            return Ok(token);
        }
        let request = auth::token_request(&format!("{}{path}", api.url), key);
        let request = request.ok_or_else(|| transient("no token can be asked for".to_owned()))?;
        let answer = self.ask(request).await?;
        // Whatever it answers is about our key, and says nothing of the event.
        let status = answer.status().as_u16();
        let again = answer.headers().get(RETRY_AFTER.as_str()).and_then(RetryAfter::parse);
        if status != 200 {
            let why = format!("the API answered {status} to the key");
            return Err(FetchError::Transient { why, retry_after: again.filter(|_| matches!(status, 429 | 503)) });
        }
        let given = self.tokens.keep(name, &body(answer).await?, now);
        given.ok_or_else(|| transient("the API gave no token that can be read".to_owned()))
    }
}

fn transient(why: String) -> FetchError {
    FetchError::Transient { why, retry_after: None }
}

fn request(api: &Api, auth: HeaderValue, path: &str, headers: Vec<(&str, String)>) -> Result<HttpRequest, FetchError> {
    let mut request = http::Request::get(format!("{}{path}", api.url)).header(AUTHORIZATION, auth);
    for (name, value) in headers {
        request = request.header(name, value);
    }
    let request = request.body(SdkBody::empty()).ok().and_then(|request| request.try_into().ok());
    request.ok_or_else(|| FetchError::Permanent("the object's path cannot be asked for".to_owned()))
}

/// 401 and 403 are about our key, a redirect is about our configuration: neither says anything of the event. How long to
/// wait is believed of an API that is too busy, and of no other answer.
fn judge(status: u16, retry_after: Option<&str>) -> Result<(), FetchError> {
    let why = format!("the API answered {status}");
    match status {
        200 => Ok(()),
        429 | 503 => Err(FetchError::Transient { why, retry_after: retry_after.and_then(RetryAfter::parse) }),
        300..=399 | 401 | 403 | 408 | 409 | 425 | 500..=599 => Err(transient(why)),
        _ => Err(FetchError::Permanent(why)),
    }
}

async fn body(answer: HttpResponse) -> Result<Vec<u8>, FetchError> {
    outside::body(answer, BODY_BYTES_MAX).await.map_err(|error| match error {
        BodyError::BrokeOff => transient("the API's answer broke off".to_owned()),
        BodyError::TooLarge => FetchError::Permanent(format!("the API's answer is larger than {BODY_BYTES_MAX} bytes")),
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::time::UnixMs;

    #[test]
    fn a_key_is_never_printed() {
        let api = Api { url: "https://api.example".to_owned(), key: ApiKey::new(" made_up_key\n") };
        assert!(api.key.is_some() && !format!("{api:?}").contains("made_up_key"), "{api:?}");
        assert!(ApiKey::new(" ").is_none() && ApiKey::new("a\nb").is_none());
    }

    #[test]
    fn what_is_ours_to_mend_is_tried_again() {
        let transient = |status| matches!(judge(status, None), Err(FetchError::Transient { .. }));
        assert!([301, 401, 403, 408, 429, 500, 503].into_iter().all(transient));
        assert!(![200, 204, 400, 404, 410].into_iter().any(transient));
        assert_eq!(judge(200, Some("5")), Ok(()));
    }

    #[test]
    fn a_busy_api_says_when_to_come_again() {
        let waits = |status, text| match judge(status, Some(text)) {
            Err(FetchError::Transient { retry_after, .. }) => retry_after.map(|after| after.moment(UnixMs::new(500))),
            other => panic!("{other:?}"),
        };
        assert_eq!(waits(429, "120"), Some(UnixMs::new(120_500)));
        assert_eq!(waits(503, " 0 "), Some(UnixMs::new(500)));
        assert_eq!(waits(429, "Sun, 06 Nov 1994 08:49:37 GMT"), Some(UnixMs::new(784_111_777_000)));
        assert_eq!([waits(429, "-1"), waits(429, "1.5"), waits(429, "soon"), waits(500, "120")], [None; 4]);
        assert!(waits(429, "18446744073709551615") > Some(UnixMs::new(1_796_000_000_000)));
    }
}
