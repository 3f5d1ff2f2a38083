//! Signatures that the libraries of the specification and of Svix made or refuse.

use hookledger::provider::Provider as _;
use hookledger::request::{Headers, KeySet, Secret, Unverified};
use hookledger::time::{UnixMs, UnixS};
use serde_json::Value;

use super::{SECRET, signed, verify};
use crate::StandardWebhooks;

const VECTORS: &str = include_str!("../../../../tests/vectors/standard-webhooks.json");

#[test]
fn every_vector_is_accepted_or_refused_as_by_the_libraries() {
    let vectors: Vec<Value> = serde_json::from_str(VECTORS).unwrap();
    let mut valid = 0;
    for vector in &vectors {
        let text = |name: &str| vector[name].as_str().unwrap();
        let headers = vector["headers"].as_object().unwrap();
        let headers = Headers::new(headers.iter().map(|(name, value)| (name.as_str(), value.as_str().unwrap())));
        let now = vector["now"].as_i64().map(|now_s| UnixS::new(now_s).to_ms());
        let verified = verify(headers, text("body").as_bytes(), text("secret"), now);
        assert_eq!(verified.is_ok(), text("expect") == "valid", "{}", text("note"));
        let secret = KeySet::parse(text("secret")).unwrap();
        assert_eq!(secret.problem(StandardWebhooks::default().algorithms()), None, "{}", text("note"));
        valid += usize::from(verified.is_ok());
    }
    assert_eq!((vectors.len(), valid), (33, 15));
}

#[test]
fn the_tolerance_is_five_minutes_both_ways() {
    let at = |now_s: i64| {
        let now = Some(UnixS::new(now_s).to_ms());
        verify(signed(b"{}", UnixS::new(10_000).to_ms()), b"{}", SECRET, now).err()
    };
    assert_eq!((at(10_300), at(9_700)), (None, None));
    assert_eq!(at(10_301), Some(Unverified::Stale { age_s: 301, tolerance_s: 300 }));
    assert_eq!(at(9_699), Some(Unverified::FromTheFuture { ahead_s: 301, tolerance_s: 300 }));
}

/// The headers of `{}`, signed at second 5.
fn good() -> [(&'static str, String); 3] {
    let headers = signed(b"{}", UnixMs::new(5_000));
    ["webhook-id", "webhook-timestamp", "webhook-signature"].map(|name| (name, headers.get(name).unwrap().to_owned()))
}

fn check(headers: impl IntoIterator<Item = (&'static str, String)>) -> Option<Unverified> {
    verify(Headers::new(headers), b"{}", SECRET, None).err()
}

#[test]
fn all_three_headers_are_of_one_family() {
    let [id, stamp, code] = good();
    let svix = |(name, value): (&'static str, String)| match name {
        "webhook-id" => ("svix-id", value),
        "webhook-timestamp" => ("svix-timestamp", value),
        _ => ("svix-signature", value),
    };
    assert_eq!(check([id.clone(), stamp.clone(), code.clone()]), None);
    assert_eq!(check([id.clone(), stamp.clone(), code.clone()].map(svix)), None);
    let missing = |name| Some(Unverified::MissingHeader(name));
    assert_eq!(check([svix(id.clone()), stamp.clone(), code.clone()]), missing("webhook-id"));
    assert_eq!(check([id.clone(), svix(stamp.clone()), code.clone()]), missing("webhook-timestamp"));
    assert_eq!(check([id.clone(), stamp.clone(), svix(code.clone())]), missing("webhook-signature"));
    assert_eq!(check([stamp.clone(), code.clone()].map(svix)), missing("svix-id"));
    assert_eq!(check([]), missing("webhook-id"));
    let other =
        [("svix-id", "other".to_owned()), ("svix-timestamp", "5".to_owned()), ("svix-signature", "v1,AA==".to_owned())];
    let both = Headers::new([id.clone(), stamp, code].into_iter().chain(other));
    let verified = verify(both, b"{}", SECRET, None).unwrap();
    assert_eq!(
        StandardWebhooks::default().identify(&verified)[0].id,
        id.1,
        "the id is of the family that was verified"
    );
}

#[test]
fn a_signature_is_refused_for_what_is_wrong_with_it() {
    let [id, stamp, code] = good();
    let with_code = |text: &str| check([id.clone(), stamp.clone(), ("webhook-signature", text.to_owned())]);
    let unreadable = Some(Unverified::MalformedHeader("webhook-signature", "no v1 or v1a that is base64"));
    for odd in ["", "v1", "v2,AAAA", "v1,p*tato", code.1.strip_prefix("v1,").unwrap()] {
        assert_eq!(with_code(odd), unreadable, "{odd}");
    }
    assert_eq!(with_code(&format!("v1a,AAAA v3 v2,x {}", code.1)), None);
    assert_eq!(with_code("v1,"), Some(Unverified::NoMatch));
    let with_stamp = |text: &str| check([id.clone(), ("webhook-timestamp", text.to_owned()), code.clone()]);
    for odd in ["+5", "-5", " 5", "5e0", "5.0", "99999999999999999999"] {
        let problem = Some(Unverified::MalformedHeader("webhook-timestamp", "not a count of seconds"));
        assert_eq!(with_stamp(odd), problem, "{odd}");
    }
    assert_eq!(with_stamp("05"), Some(Unverified::NoMatch), "the text is signed");
    let with_id = |text: &str| check([("webhook-id", text.to_owned()), stamp.clone(), code.clone()]);
    assert_eq!(with_id("msg_other"), Some(Unverified::NoMatch));
    assert_eq!(with_id(""), Some(Unverified::MalformedHeader("webhook-id", "empty")));
    let twice = good().into_iter().chain([("webhook-id", "other".to_owned())]);
    assert_eq!(check(twice), Some(Unverified::MalformedHeader("webhook-id", "stands twice")));
    let listed_twice = [("webhook-signature", "v1,AAAA".to_owned())].into_iter().chain(good());
    assert_eq!(check(listed_twice), None, "a list may come in several headers");
}

#[test]
fn secrets_are_keys_of_either_kind() {
    let problem = |list: &str| KeySet::parse(list).unwrap().problem(StandardWebhooks::default().algorithms());
    let public = "whpk_PUAXw+hDiVqStwqnTRt+vJyYLM8uxJaMwM1V8Sr0Zgw=";
    assert_eq!(problem(&format!("{SECRET}, shop@{public}")), None);
    assert_eq!(problem(StandardWebhooks::default().development_secret()), None);
    assert!(problem("whsk_PUAXw+hDiVqStwqnTRt+vJyYLM8uxJaMwM1V8Sr0Zgw=").is_some(), "the sender's private key");
    assert!(problem("whsec_AAAA").is_some());
    assert_eq!(StandardWebhooks::default().sign(b"{}", &Secret::new(public), UnixMs::new(0)), []);
    let rotating = verify(signed(b"{}", UnixMs::new(5_000)), b"{}", &format!("{public}, {SECRET}"), None);
    assert!(rotating.is_ok());
}
