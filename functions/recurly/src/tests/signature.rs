//! Signatures that Recurly's library made or refuses.

use hookledger::request::{Headers, Unverified};
use hookledger::time::{UnixMs, UnixS};
use serde_json::Value;

use super::{signed, verify};
use crate::signature::HEADER;

const VECTORS: &str = include_str!("../../../../tests/vectors/recurly.json");

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
    assert_eq!((vectors.len(), valid), (6, 2));
}

#[test]
fn nothing_beyond_five_minutes_is_tolerated() {
    for signed_ms in [1_000_000_i64, 1_000_001, 1_000_499, 1_000_999] {
        for distance_ms in [-300_999, -300_001, -299_001, -298_000, 0, 298_000, 299_001, 300_001, 300_999] {
            let now = UnixMs::new(signed_ms + distance_ms);
            let verified = verify(signed(b"{}", UnixMs::new(signed_ms)), b"{}", "s", Some(now));
            if distance_ms.abs() > 300_000 {
                assert!(verified.is_err(), "{signed_ms} {distance_ms}");
            }
            if distance_ms.abs() < 299_000 {
                assert!(verified.is_ok(), "{signed_ms} {distance_ms}");
            }
        }
    }
}

#[test]
fn any_of_several_codes_is_enough() {
    let header = signed(b"{}", UnixMs::new(5_000)).get(HEADER).unwrap().to_owned();
    let (stamp, code) = header.split_once(',').unwrap();
    let check = |header: String| verify(Headers::new([(HEADER, header)]), b"{}", "s", None).err();
    assert_eq!(check(format!("{stamp},{code}")), None);
    assert_eq!(check(format!("{stamp},{},{code}", "0".repeat(64))), None);
    assert_eq!(check(format!("{stamp},potato, {code}")), None);
    assert_eq!(check(format!("{stamp},{}", "0".repeat(64))), Some(Unverified::NoMatch));
    assert_eq!(check(format!("0{stamp},{code}")), Some(Unverified::NoMatch), "the text is signed");
    let malformed = |problem| Some(Unverified::MalformedHeader(HEADER, problem));
    assert_eq!(check(format!("{stamp},potato")), malformed("no code that is hex"));
    assert_eq!(check(stamp.to_owned()), malformed("no code"));
    for odd in ["", "+5000", "-5000", " 5000", "5e3", "5000.0", "99999999999999999999"] {
        assert_eq!(check(format!("{odd},{code}")), malformed("no count of milliseconds in front"), "{odd:?}");
    }
    assert_eq!(verify(Headers::default(), b"{}", "s", None).err(), Some(Unverified::MissingHeader(HEADER)));
    assert_eq!(verify(signed(b"{}", UnixMs::new(5)), b"{}", "old, s", None).err(), None);
}
