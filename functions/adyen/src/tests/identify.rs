//! Names, scopes and modes.

use std::collections::HashSet;

use hookledger::claim::Digest;
use hookledger::provider::{EventMode, Provider as _};
use hookledger::request::{KeySet, Secret};
use hookledger::time::UnixMs;

use super::vectors::request;
use super::{adyen, edited, event, events, file, files};

#[test]
fn a_verified_delivery_is_one_event_per_item_with_its_exact_bytes() {
    let secret = adyen().development_secret();
    let body = adyen().seal(&file("batch"), &Secret::new(secret));
    let request = request(&[], std::str::from_utf8(&body).unwrap());
    let signature = adyen().signature(&request).unwrap();
    assert_eq!(signature.parts.len(), 4);
    let verified = request.verify(&signature, &KeySet::parse(secret).unwrap(), UnixMs::new(0)).unwrap();
    let events = adyen().identify(&verified);
    let ids: Vec<&str> = events.iter().map(|event| event.id.as_str()).collect();
    let named_by_bytes = Digest::of(&events[1].kept.body).to_hex();
    let expected = [
        "HG7BATCH00000026:AUTHORISATION:true",
        &named_by_bytes,
        "dispute_report.csv:REPORT_AVAILABLE:true",
        "HG7BATCH00000028:REFUND:true",
    ];
    assert_eq!(ids, expected);
    let text = String::from_utf8(body).unwrap();
    for event in &events {
        assert_eq!(event.mode, EventMode::Live);
        assert!(text.contains(std::str::from_utf8(&event.kept.body).unwrap()));
    }
    assert_eq!((events[0].scope.as_str(), events[0].event_type.as_str()), ("HoltGuitarsEU", "AUTHORISATION"));
    let problem = "pspReference: holds a colon, so what was signed could be read in two ways";
    assert_eq!((events[1].scope.as_str(), events[1].problem.as_deref()), ("", Some(problem)));
}

#[test]
fn every_item_has_a_name_of_its_own() {
    let mut seen = HashSet::new();
    for (name, body) in files() {
        for event in events(body) {
            assert!(seen.insert((event.scope, event.id.clone())), "{name}: {} stands twice", event.id);
        }
    }
}

#[test]
fn the_outcome_is_part_of_the_name_and_unsigned_fields_are_not() {
    let id = |from: &str, to: &str| event(edited("refund", from, to)).id;
    assert_eq!(id("reason", "reason"), "HG7BACK000000016:REFUND:true");
    assert_eq!(id(r#""success": "true""#, r#""success": "false""#), "HG7BACK000000016:REFUND:false");
    assert_eq!(id("2026-11-28", "2026-11-29"), "HG7BACK000000016:REFUND:true");
    assert_eq!(id("guitar-1001", "guitar-1002"), "HG7BACK000000016:REFUND:true");
}

#[test]
fn seven_signed_fields_hold_no_colon_and_the_merchant_s_reference_may() {
    let refund = [
        ("pspReference", "HG7BACK000000016"),
        ("originalReference", "HG7GUITAR0000001"),
        ("merchantAccountCode", "HoltGuitarsEU"),
        ("eventCode", "REFUND"),
        ("success", "true"),
    ];
    for (field, value) in refund {
        let body = edited("refund", &format!("\"{field}\": \"{value}\""), &format!("\"{field}\": \"{value}:x\""));
        let (digest, event) = (Digest::of(&event(body.clone()).kept.body).to_hex(), event(body));
        assert_eq!((event.id, event.scope.as_str()), (digest, ""), "{field}");
        let problem = format!("{field}: holds a colon, so what was signed could be read in two ways");
        assert_eq!(event.problem, Some(problem));
    }
    assert_eq!(event(edited("refund", "guitar-1001", "guitar:1001")).problem, None);
}

#[test]
fn the_mode_is_said_once_for_all_items_and_what_does_not_say_it_keeps_no_name() {
    assert_eq!(event(file("authorisation_test_mode")).mode, EventMode::Test);
    let live = |to: &str| event(edited("refund", r#""live": "true""#, &format!(r#""live": {to}"#)));
    assert_eq!(live("true").mode, EventMode::Live);
    for missing in ["null", "1", r#""yes""#, r#""""#] {
        let event = live(missing);
        assert_eq!((event.mode, event.problem.as_deref()), (EventMode::Missing, Some("live: neither true nor false")));
        assert_eq!(event.id, Digest::of(&event.kept.body).to_hex());
    }
}

#[test]
fn what_has_no_usable_name_is_named_by_its_bytes() {
    let of = |item: &str| format!(r#"{{"live":"true","notificationItems":[{{"NotificationRequestItem":{item}}}]}}"#);
    for (item, problem) in [
        ("{}", "pspReference: missing"),
        (r#"{"pspReference":""}"#, "pspReference: missing"),
        (r#"{"pspReference":"P"}"#, "merchantAccountCode: missing"),
        (r#"{"pspReference":"P","merchantAccountCode":"M"}"#, "eventCode: missing"),
        (r#"{"pspReference":"P","pspReference":"Q"}"#, "body: a name stands twice"),
        ("[]", "body: not a JSON object"),
    ] {
        let event = event(of(item));
        assert_eq!((event.id, event.problem.as_deref()), (Digest::of(item.as_bytes()).to_hex(), Some(problem)));
    }
    for (body, problem) in [
        ("", "body: not a JSON object"),
        ("{\"live\":", "body: not valid JSON"),
        (r#"{"live":"true"}"#, "notificationItems: missing"),
        (r#"{"live":"true","notificationItems":[]}"#, "notificationItems: empty"),
        (r#"{"live":"true","notificationItems":[{}]}"#, "notificationItems[0].NotificationRequestItem: missing"),
        (r#"{"live":"true","notificationItems":{}}"#, "notificationItems: not a list"),
    ] {
        let event = event(body);
        assert_eq!((event.id, event.problem.as_deref()), (Digest::of(body.as_bytes()).to_hex(), Some(problem)));
    }
    assert_eq!(event(b"{\"a\":\"\xff\"}".as_slice()).problem.as_deref(), Some("body: not UTF-8"));
}
