//! The challenge Slack sends before it accepts an address (docs.slack.dev, `url_verification`). It is answered to anybody:
//! it says nothing but that somebody answers here.

use bytes::Bytes;
use hookledger::json::Object;
use hookledger::provider::Reply;
use hookledger::request::UnverifiedRequest;

/// The type that is a challenge.
pub(crate) const TYPE: &str = "url_verification";

/// Longer requests are no challenge.
const REQUEST_BYTES_MAX: usize = 4_096;

/// The text to answer with. `None`: the request is no challenge, and has to be signed as every other.
pub(crate) fn answer(request: &UnverifiedRequest) -> Option<Reply> {
    let json = request.headers.get("content-type").is_some_and(is_json);
    if request.method != "POST" || !json || request.body.len() > REQUEST_BYTES_MAX {
        return None;
    }
    let body = Object::parse(&request.body).ok()?;
    if body.text("type").ok()? != TYPE {
        return None;
    }
    let challenge = body.text("challenge").ok().filter(|text| is_challenge(text))?;
    let challenge = Bytes::copy_from_slice(challenge.as_bytes());
    Some(Reply { status: 200, body: challenge, content_type: "text/plain".to_owned() })
}

fn is_json(content_type: &str) -> bool {
    content_type.split(';').next().is_some_and(|kind| kind.trim().eq_ignore_ascii_case("application/json"))
}

/// Random letters and digits. Nothing else is echoed: what a stranger makes us say must mean nothing to anybody.
fn is_challenge(text: &str) -> bool {
    let plain = |byte: u8| byte.is_ascii_alphanumeric() || matches!(byte, b'-' | b'_' | b'.');
    (1..=Reply::BODY_BYTES_MAX).contains(&text.len()) && text.bytes().all(plain)
}
