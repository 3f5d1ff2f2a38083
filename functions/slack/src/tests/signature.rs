//! Signatures that Slack's library makes or refuses.

use hookledger::request::{Headers, Unverified};
use hookledger::time::{UnixMs, UnixS};
use serde_json::Value;

use super::{signed, verify};
use crate::signature::{HEADER, STAMP};

const VECTORS: &str = include_str!("../../../../tests/vectors/slack.json");

#[test]
fn every_vector_is_accepted_or_refused_as_by_the_sdk() {
    let vectors: Vec<Value> = serde_json::from_str(VECTORS).unwrap();
    let mut valid = 0;
    for vector in &vectors {
        let text = |name: &str| vector[name].as_str().unwrap();
        let headers = vector["headers"].as_object().unwrap();
        let headers = Headers::new(headers.iter().map(|(name, value)| (name.as_str(), value.as_str().unwrap())));
        let now = vector["now"].as_i64().map(|now_s| UnixS::new(now_s).to_ms());
        let verified = verify(headers, text("body").as_bytes(), text("secret"), now);
        assert_eq!(verified.is_ok(), text("expect") == "valid", "{}", text("note"));
        valid += usize::from(verified.is_ok());
    }
    assert_eq!((vectors.len(), valid), (3, 1));
}

#[test]
fn the_tolerance_is_five_minutes_both_ways() {
    let at = |now_s: i64| {
        let now = Some(UnixS::new(now_s).to_ms());
        verify(signed(b"{}", UnixS::new(10_000).to_ms()), b"{}", "s", now).err()
    };
    assert_eq!((at(10_300), at(9_700)), (None, None));
    assert_eq!(at(10_301), Some(Unverified::Stale { age_s: 301, tolerance_s: 300 }));
    assert_eq!(at(9_699), Some(Unverified::FromTheFuture { ahead_s: 301, tolerance_s: 300 }));
}

#[test]
fn a_signature_is_refused_for_what_is_wrong_with_it() {
    let good = signed(b"{}", UnixMs::new(5_000));
    let (code, stamp) = (good.get(HEADER).unwrap(), good.get(STAMP).unwrap());
    let check =
        |code: &str, stamp: &str| verify(Headers::new([(HEADER, code), (STAMP, stamp)]), b"{}", "s", None).err();
    assert_eq!(check(code, stamp), None);
    assert_eq!(check(&code.replace("v0=", "v1="), stamp), Some(Unverified::MalformedHeader(HEADER, "no v0=")));
    assert_eq!(check("v0=potato", stamp), Some(Unverified::MalformedHeader(HEADER, "not hex")));
    assert_eq!(check("v0=", stamp), Some(Unverified::NoMatch));
    assert_eq!(check(code, &format!("0{stamp}")), Some(Unverified::NoMatch), "the text is signed");
    for odd in ["", "+5", "-5", " 5", "5e0", "5.0", "99999999999999999999"] {
        assert_eq!(check(code, odd), Some(Unverified::MalformedHeader(STAMP, "not a count of seconds")), "{odd:?}");
    }
    let only = |name: &str, value: &str| verify(Headers::new([(name, value)]), b"{}", "s", None).err();
    assert_eq!(only(HEADER, code), Some(Unverified::MissingHeader(STAMP)));
    assert_eq!(only(STAMP, stamp), Some(Unverified::MissingHeader(HEADER)));
    assert_eq!(verify(signed(b"{}", UnixMs::new(5_000)), b"{}", "old, s", None).err(), None);
    assert_eq!(verify(signed(b"{}", UnixMs::new(5_000)), b"{}", "other", None).err(), Some(Unverified::NoMatch));
}
