//! What a provider's API is shown: our key, or a token that was given for it.

use std::collections::HashMap;
use std::sync::{Mutex, PoisonError};

use aws_smithy_runtime_api::client::orchestrator::HttpRequest;
use aws_smithy_types::body::SdkBody;
use http::HeaderValue;
use http::header::{ACCEPT, AUTHORIZATION, CONTENT_TYPE};

use crate::json::Object;
use crate::request::encode_base64;
use crate::time::UnixMs;

/// A token is not used any more when it has this little left: the request must arrive before its end.
const MARGIN_MS: u64 = 60_000;

/// A key. Never printed.
#[derive(Clone, Debug)]
pub struct ApiKey {
    bearer: HeaderValue,
    basic: HeaderValue,
    is_pair: bool,
}

impl ApiKey {
    /// `None`: it is blank, or holds what no header can.
    pub fn new(key: &str) -> Option<Self> {
        let key = key.trim();
        if key.is_empty() {
            return None;
        }
        let basic = secret("Basic", &encode_base64(key.as_bytes()))?;
        let is_pair = key.split_once(':').is_some_and(|(id, secret)| !id.is_empty() && !secret.is_empty());
        Some(Self { bearer: secret("Bearer", key)?, basic, is_pair })
    }

    /// Whether it is of the form `id:secret`.
    pub fn is_pair(&self) -> bool {
        self.is_pair
    }

    pub(super) fn bearer(&self) -> HeaderValue {
        self.bearer.clone()
    }
}

fn secret(scheme: &str, text: &str) -> Option<HeaderValue> {
    let mut value = HeaderValue::from_str(&format!("{scheme} {text}")).ok()?;
    value.set_sensitive(true);
    Some(value)
}

/// A request for a token (RFC 6749, 4.4.2).
pub(super) fn token_request(url: &str, key: &ApiKey) -> Option<HttpRequest> {
    let request = http::Request::post(url)
        .header(AUTHORIZATION, key.basic.clone())
        .header(CONTENT_TYPE, "application/x-www-form-urlencoded")
        .header(ACCEPT, "application/json");
    request.body(SdkBody::from("grant_type=client_credentials")).ok()?.try_into().ok()
}

/// Tokens that hold, by provider's name.
#[derive(Debug, Default)]
pub(super) struct Tokens(Mutex<HashMap<String, Token>>);

#[derive(Clone, Debug)]
struct Token {
    bearer: HeaderValue,
    use_until: UnixMs,
}

impl Tokens {
    pub(super) fn held(&self, provider: &str, now: UnixMs) -> Option<HeaderValue> {
        let held = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        held.get(provider).filter(|token| now < token.use_until).map(|token| token.bearer.clone())
    }

    /// Keeps the token that an API gave (RFC 6749, 5.1) for as long as it says. `None`: there is none in the answer.
    pub(super) fn keep(&self, provider: &str, answer: &[u8], now: UnixMs) -> Option<HeaderValue> {
        let answer = Object::parse(answer).ok()?;
        let bearer = secret("Bearer", &answer.text("access_token").ok().filter(|token| !token.is_empty())?)?;
        let holds_s = answer.integer_opt("expires_in").ok().flatten().unwrap_or_default();
        let holds_ms = u64::try_from(holds_s).unwrap_or_default().saturating_mul(1_000);
        let token = Token { bearer: bearer.clone(), use_until: now.plus_ms(holds_ms.saturating_sub(MARGIN_MS)) };
        self.0.lock().unwrap_or_else(PoisonError::into_inner).insert(provider.to_owned(), token);
        Some(bearer)
    }

    /// After the API refused it.
    pub(super) fn forget(&self, provider: &str) {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).remove(provider);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const NOW: UnixMs = UnixMs::new(1_796_000_000_000);

    #[test]
    fn a_token_is_used_for_as_long_as_it_is_said_to_hold_less_a_minute() {
        let tokens = Tokens::default();
        assert_eq!(tokens.held("p", NOW), None);
        let given = tokens.keep("p", br#"{"access_token":"A21AA","token_type":"Bearer","expires_in":3600}"#, NOW);
        assert_eq!(given.unwrap(), "Bearer A21AA");
        assert!(tokens.held("p", NOW.plus_ms(3_539_999)).is_some() && tokens.held("q", NOW).is_none());
        assert_eq!(tokens.held("p", NOW.plus_ms(3_540_000)), None);
        assert!(!format!("{tokens:?}").contains("A21AA"), "{tokens:?}");
        tokens.forget("p");
        assert_eq!(tokens.held("p", NOW), None);
    }

    #[test]
    fn a_token_that_does_not_say_how_long_it_holds_is_used_once() {
        let tokens = Tokens::default();
        for times in ["", r#","expires_in":0"#, r#","expires_in":-5"#, r#","expires_in":"soon""#] {
            assert!(tokens.keep("p", format!(r#"{{"access_token":"a"{times}}}"#).as_bytes(), NOW).is_some());
            assert_eq!(tokens.held("p", NOW), None, "{times}");
        }
        for none in ["", "[]", "{}", r#"{"access_token":""}"#, r#"{"access_token":1}"#, r#"{"access_token":"a\nb"}"#] {
            assert_eq!(tokens.keep("p", none.as_bytes(), NOW), None, "{none}");
        }
    }

    #[test]
    fn a_key_is_a_pair_where_it_has_two_parts() {
        let is_pair = |key: &str| ApiKey::new(key).unwrap().is_pair();
        assert!(is_pair("id:secret") && is_pair("id:se:cret"));
        assert!(!is_pair("key") && !is_pair(":secret") && !is_pair("id:"));
        assert_eq!(ApiKey::new(" id:secret\n").unwrap().basic, "Basic aWQ6c2VjcmV0");
    }
}
