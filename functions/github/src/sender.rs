//! What GitHub would send: for the local stack and the tests.

use hookledger::claim::Digest;
use hookledger::json::Object;
use hookledger::request::Secret;

use crate::delivery::{GUID, TOPIC};
use crate::signature;

/// A field that only this topic's payloads have. The first that is there decides.
const TELLS: [(&str, &str); 7] = [
    ("zen", "ping"),
    ("marketplace_purchase", "marketplace_purchase"),
    ("sponsorship", "sponsorship"),
    ("pull_request", "pull_request"),
    ("issue", "issues"),
    ("commits", "push"),
    ("starred_at", "star"),
];

/// Where no field tells: a topic that any payload may come under.
const ELSE: &str = "repository_dispatch";

/// Signature, topic and GUID. The topic stands in no body, so it is told by the body's fields; the GUID is made of the body,
/// as every redelivery has the same.
pub(crate) fn headers(body: &[u8], secret: &Secret) -> Vec<(String, String)> {
    vec![signature::make(body, secret), (TOPIC.to_owned(), topic(body).to_owned()), (GUID.to_owned(), guid(body))]
}

fn guid(body: &[u8]) -> String {
    let digest = Digest::of(body).to_hex();
    let parts = [0..8, 8..12, 12..16, 16..20, 20..32].map(|range| digest.get(range).unwrap_or_default());
    parts.join("-")
}

fn topic(body: &[u8]) -> &'static str {
    let Ok(payload) = Object::parse(body) else { return ELSE };
    let told = TELLS.into_iter().find(|(field, _)| payload.raw(field).is_some());
    told.map_or(ELSE, |(_, topic)| topic)
}

/// The same with a field in front that GitHub does not send: an event is named by its bytes.
pub(crate) fn refresh(body: &[u8], tag: &str) -> Vec<u8> {
    match body.iter().position(|byte| *byte == b'{') {
        Some(at) => {
            let (before, after) = body.split_at(at + 1);
            let comma = if after.trim_ascii_start().starts_with(b"}") { "" } else { "," };
            [before, format!("\"hookledger_tag\":\"{tag}\"{comma}").as_bytes(), after].concat()
        }
        None => [body, b"&hookledger_tag=", tag.as_bytes()].concat(),
    }
}
