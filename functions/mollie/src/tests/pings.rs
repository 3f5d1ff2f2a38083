//! What is a ping, and what it leads to.

use bytes::Bytes;
use hookledger::plan::{Fetch, Fetched, Ignored, Plan, Read};
use hookledger::provider::{Event, EventMode, Kept, Provider as _};
use hookledger::request::Headers;

use super::{HEADER, mollie, request};

const PING: &[u8] = b"id=tr_7UhSN1zuXS";

fn is_ping(classic: &str, headers: Headers, body: &[u8]) -> bool {
    mollie(classic).is_ping(&request(headers, body))
}

fn ping(body: &[u8]) -> Event {
    Event {
        id: "tr_7UhSN1zuXS.call".into(),
        scope: String::new(),
        event_type: "ping".into(),
        mode: EventMode::Ours,
        kept: Kept { body: Bytes::copy_from_slice(body), headers: Vec::new() },
        problem: None,
    }
}

#[test]
fn only_an_unsigned_id_is_one_and_only_where_pings_are_taken() {
    assert!(is_ping("on", Headers::default(), PING));
    assert!(!is_ping("off", Headers::default(), PING));
    assert!(!crate::Mollie::default().is_ping(&request(Headers::default(), PING)));
    assert!(!is_ping("on", Headers::new([(HEADER, "")]), PING));
    assert!(is_ping("on", Headers::default(), b"id=tr%5F7UhSN1zuXS") && is_ping("on", Headers::default(), b"id=ord_1"));
    let long = format!("id=tr_{}", "a".repeat(62));
    let odd: [&[u8]; 14] = [
        b"",
        b"{}",
        br#"{"id":"tr_7UhSN1zuXS"}"#,
        b"id=",
        b"id=tr_",
        b"id=_7UhSN1zuXS",
        b"id=tr_..%2Fx",
        b"id=tr_a/b",
        b"id=tr_a%3Fb",
        b"id=tr_a_b",
        b"id=tr_1&id=tr_2",
        b"id=tr_1&x=",
        b"ID=tr_1",
        long.as_bytes(),
    ];
    for body in odd {
        assert!(!is_ping("on", Headers::default(), body), "{}", String::from_utf8_lossy(body));
    }
}

#[test]
fn a_ping_is_a_look_at_its_payment_and_no_more() {
    let asked = Plan::defer(Fetch::ObjectIfThere("/v2/payments/tr_7UhSN1zuXS".into()), vec![]);
    assert_eq!(mollie("on").interpret(&ping(PING)), asked);
    // It was kept when pings were taken.
    assert_eq!(mollie("off").interpret(&ping(PING)), asked);
    assert_eq!(mollie("on").interpret(&ping(b"id=ord_kEn1PlbGa")), Plan::Ignore(Ignored::EventType));
}

#[test]
fn what_the_look_says_decides() {
    let looked = |fetched: Option<Fetched>| {
        let fetch = Fetch::ObjectIfThere("/v2/payments/tr_7UhSN1zuXS".into());
        let read: Vec<Read> = fetched.into_iter().map(|fetched| Read { fetch: fetch.clone(), fetched }).collect();
        mollie("on").resume(&ping(PING), &read)
    };
    let object = |text: &str| looked(Some(Fetched::Object(text.as_bytes().to_vec())));
    assert_eq!(object(r#"{"resource":"payment","id":"tr_7UhSN1zuXS","status":"paid"}"#), Plan::record());
    assert_eq!(looked(Some(Fetched::NoObject)), Plan::Ignore(Ignored::NothingMoved));
    assert_eq!(object(r#"{"id":"tr_other"}"#), Plan::unreadable("the API answered with another payment"));
    assert_eq!(object("{}"), Plan::unreadable("id: missing"));
    assert_eq!(object("no"), Plan::unreadable("body: not a JSON object"));
    let nothing = Plan::unreadable("nothing was asked for");
    assert_eq!([looked(None), looked(Some(Fetched::ParentEntry(None)))], [nothing.clone(), nothing]);
}

#[test]
fn pings_are_on_or_off() {
    let mut mollie = crate::Mollie::default();
    assert_eq!(mollie.set("CLASSIC", " on "), Ok(()));
    assert_eq!(mollie.set("CLASSIC", "yes"), Err("is neither"));
    assert_eq!(mollie.set("OTHER", "on"), Err("is unknown"));
    assert!(mollie.takes_pings);
    assert_eq!(mollie.set("CLASSIC", "off"), Ok(()));
    assert!(!mollie.takes_pings);
}
