//! Whose signatures count, and the challenge.

use hookledger::provider::Provider as _;
use hookledger::request::{Algorithm, KeySet, Secret, Unverified};
use serde_json::Value;

use super::{SECRET, files, request, verify};
use crate::Braintree;
use crate::signature::{payload, posted};

const VECTORS: &str = include_str!("../../../../tests/vectors/braintree.json");

fn code(key: &str, text: &str) -> String {
    let text = bytes::Bytes::copy_from_slice(text.as_bytes());
    let code = Algorithm::HmacSha1HashedKey.sign(&[text], &Secret::new(key)).unwrap();
    hookledger::request::encode_hex(&code)
}

#[test]
fn every_vector_is_accepted_or_refused_as_braintree_does() {
    let vectors: Vec<Value> = serde_json::from_str(VECTORS).unwrap();
    let mut valid = 0;
    for vector in &vectors {
        let text = |name: &str| vector[name].as_str().unwrap();
        let verified = verify(text("body").as_bytes(), text("secret"));
        assert_eq!(verified.is_ok(), text("expect") == "valid", "{}: {verified:?}", text("note"));
        valid += usize::from(verified.is_ok());
    }
    assert_eq!((vectors.len(), valid), (3, 2));
}

#[test]
fn only_the_pair_of_our_own_public_key_counts() {
    let payload = "PG5vdGlmaWNhdGlvbi8+\n";
    let right = code(SECRET, payload);
    let with = |pairs: &str| verify(&posted(payload, pairs), SECRET).map(|_| ());
    assert_eq!(with(&format!("violin_public|{right}")), Ok(()));
    assert_eq!(with(&format!("other|00&x&|&violin_public|{right}&violin_public|00")), Ok(()));
    assert_eq!(with(&format!("other|{right}")), Err(Unverified::NoMatch));
    assert_eq!(with(&format!("violin_public|{}", code("violin_public|other", payload))), Err(Unverified::NoMatch));
    let unread = Err(Unverified::Unsigned("bt_signature is not a short list of key|code"));
    assert_eq!(with("violin_public|potato"), unread);
    assert_eq!(with(&format!("violin_public|{right}&").repeat(17)), unread);
    let rotated = verify(&posted(payload, &format!("violin_public|{right}")), &format!("a|b, shop@{SECRET}"));
    assert_eq!(rotated.unwrap().label(), Some("shop"));
}

#[test]
fn a_line_break_that_was_lost_at_the_end_is_put_back() {
    let (sent, came) = ("PG5vdGlmaWNhdGlvbi8+\n", "PG5vdGlmaWNhdGlvbi8+");
    let pairs = |text: &str| format!("violin_public|{}", code(SECRET, text));
    assert!(verify(&posted(came, &pairs(sent)), SECRET).is_ok());
    assert_eq!(verify(&posted(sent, &pairs(came)), SECRET).unwrap_err(), Unverified::NoMatch);
}

#[test]
fn what_is_not_the_form_is_refused_before_any_code_is_made() {
    let refused = |body: &[u8]| verify(body, SECRET).unwrap_err();
    let no_payload = Unverified::Unsigned("not a form with one bt_payload");
    for body in ["", "{}", "bt_signature=a%7C00", "bt_payload=YQ&bt_payload=YQ&bt_signature=a%7C00", "bt_payload=%f"] {
        assert_eq!(refused(body.as_bytes()), no_payload, "{body}");
    }
    assert_eq!(refused(b"bt_payload=YQ%3D%3D"), Unverified::Unsigned("not a form with one bt_signature"));
    for odd in ["YQ!", "Y Q", "Y%00", "Y%C3%A9", "Y%0D%0A", "a+b"] {
        let body = format!("bt_signature=a%7C00&bt_payload={odd}");
        assert_eq!(refused(body.as_bytes()), Unverified::Unsigned("bt_payload is not base64"), "{odd}");
    }
    let got = request("GET", "", &Braintree.seal(b"<notification/>", &Secret::new(SECRET)));
    assert_eq!(Braintree.signature(&got).err(), Some(Unverified::Unsigned("a notification is posted")));
}

#[test]
fn what_we_sign_for_anybody_is_no_payload() {
    let challenge = "20f9f8ed05f77439fe955c977e4c8a53";
    let keys = KeySet::parse(SECRET).unwrap();
    let answer = Braintree.handshake(&request("GET", &format!("bt_challenge={challenge}"), b""), &keys).unwrap();
    let pair = String::from_utf8(answer.body.to_vec()).unwrap();
    assert_eq!(pair, format!("violin_public|{}", code(SECRET, challenge)));
    assert_eq!(
        verify(&posted(challenge, &pair), SECRET).unwrap_err(),
        Unverified::Unsigned("bt_payload is a challenge")
    );
    for near in [format!("{challenge}\n"), challenge.to_uppercase(), format!("{challenge}00")] {
        assert_eq!(verify(&posted(&near, &pair), SECRET).unwrap_err(), Unverified::NoMatch, "{near}");
    }
}

#[test]
fn a_challenge_is_answered_with_the_first_secret() {
    let keys = KeySet::parse("integration_public_key|integration_private_key, other|one").unwrap();
    let answer = |method: &str, query: &str| Braintree.handshake(&request(method, query, b""), &keys);
    let known = answer("GET", "a=b&bt_challenge=20f9f8ed05f77439fe955c977e4c8a53").unwrap();
    assert_eq!((known.status, known.content_type.as_str()), (200, "text/plain"));
    assert_eq!(known.body, "integration_public_key|d9b899556c966b3f06945ec21311865d35df3ce4");
    assert!(answer("GET", &format!("bt_challenge={}", "a".repeat(20))).is_some());
    let digits = |count| format!("bt_challenge={}", "a".repeat(count));
    let twice = format!("{}&{}", digits(20), digits(20));
    for query in
        [digits(19), digits(33), digits(20).replace("aa", "AA"), digits(20).replace("aa", "g0"), twice, String::new()]
    {
        assert_eq!(answer("GET", &query), None, "{query}");
    }
    assert_eq!(answer("POST", &digits(20)), None);
}

#[test]
fn a_secret_is_two_keys() {
    let problem = |list: &str| KeySet::parse(list).unwrap().problem(Braintree.algorithms());
    assert_eq!(problem(Braintree.development_secret()), None);
    for half in ["private", "|private", "public|"] {
        assert_eq!(problem(half), Some((1, "is not of the form public|private")), "{half}");
    }
}

#[test]
fn one_changed_bit_is_refused() {
    let body = Braintree.seal(&files()["check"], &Secret::new(SECRET));
    assert!(verify(&body, SECRET).is_ok());
    let whole = payload(&body);
    for at in 0..body.len() {
        let mut changed = body.clone();
        changed[at] ^= 1;
        // Otherwise it is the same form, written in another way.
        assert!(verify(&changed, SECRET).is_err() || payload(&changed) == whole, "{at}");
    }
}
