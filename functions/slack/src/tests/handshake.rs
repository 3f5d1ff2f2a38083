//! The challenge, and what is none.

use hookledger::plan::{Ignored, Plan};
use hookledger::provider::{Provider as _, Reply};
use hookledger::request::{Headers, KeySet, UnverifiedRequest};

use super::{identify, request};
use crate::Slack;

const CHALLENGE: &str = r#"{"token":"Jhj5dZrVaK7ZwHHjRyZWjbDl","challenge":"3eZbrw1aBm2rZgRNFdxV2595E9CY3gmdALWMmHkvFXO7tYXAYM8P","type":"url_verification"}"#;

fn answer(request: &UnverifiedRequest) -> Option<Reply> {
    Slack.handshake(request, &KeySet::parse("s").unwrap())
}

fn asked(body: &str) -> UnverifiedRequest {
    request(Headers::new([("Content-Type", "application/json; charset=utf-8")]), body.as_bytes())
}

#[test]
fn a_challenge_is_answered_as_plain_text() {
    let reply = answer(&asked(CHALLENGE)).unwrap();
    assert_eq!((reply.status, reply.content_type.as_str()), (200, "text/plain"));
    assert_eq!(reply.body, "3eZbrw1aBm2rZgRNFdxV2595E9CY3gmdALWMmHkvFXO7tYXAYM8P");
}

#[test]
fn nothing_else_is_a_challenge() {
    let challenge = "3eZbrw1aBm2rZgRNFdxV2595E9CY3gmdALWMmHkvFXO7tYXAYM8P";
    let edited = |from: &str, to: &str| CHALLENGE.replace(from, to);
    for body in [
        edited("url_verification", "URL_verification"),
        edited("url_verification", "event_callback"),
        edited(challenge, ""),
        edited(challenge, "<script>"),
        edited(challenge, "a b"),
        edited(challenge, r"a\u000ab"),
        edited(challenge, &"a".repeat(257)),
        edited(r#""challenge":"#, r#""other":"#),
        edited(r#""token""#, r#""type""#),
        edited("Jhj5", &"a".repeat(4_096)),
        "{}".to_owned(),
        "[]".to_owned(),
        String::new(),
    ] {
        assert_eq!(answer(&asked(&body)), None, "{body}");
    }
    let get = UnverifiedRequest { method: "GET".into(), ..asked(CHALLENGE) };
    assert_eq!(answer(&get), None);
    for headers in [Headers::default(), Headers::new([("Content-Type", "application/x-www-form-urlencoded")])] {
        assert_eq!(answer(&request(headers, CHALLENGE.as_bytes())), None);
    }
}

#[test]
fn a_signed_challenge_that_was_not_answered_has_no_effect() {
    let event = identify(CHALLENGE.as_bytes());
    assert_eq!(event.problem, None);
    assert_eq!(Slack.interpret(&event), Plan::Ignore(Ignored::EventType));
}
