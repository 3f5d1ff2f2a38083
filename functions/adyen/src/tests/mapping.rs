//! What every sample event means.

use hookledger::provider::Provider as _;

use super::{adyen, edited, entries, event, events, file, files, interpret, line, plan};
use crate::Adyen;

const CAPTURED_TWICE: &str = "park unreadable: a capture in an account configured as auto, whose authorisation is booked \
    already: after a failed capture this is the money that came after all, and not booked; else the account is manual, and \
    a retry would book it twice";
const CANCELLED: &str = "park unreadable: a cancelled authorisation in an account configured as auto: it is booked as a \
    payment, and should not be; the account is manual";
const EITHER: &str = "park unreadable: CANCEL_OR_REFUND: only an unsigned field says whether money went back; look the \
    payment up";
const COLON: &str = "park unreadable: pspReference: holds a colon, so what was signed could be read in two ways";

const MEANINGS: [(&str, &[&str]); 33] = [
    ("authorisation", &["settle | HoltGuitarsEU HG7GUITAR0000001/payment +4200 EUR"]),
    ("authorisation_adjusted", &["record"]),
    ("authorisation_card_verified", &["record"]),
    ("authorisation_jpy", &["settle | HoltGuitarsEU HG7YENAMP0000002/payment +5000 JPY"]),
    ("authorisation_refused", &["record"]),
    ("authorisation_test_mode", &["settle | HoltGuitarsEU HG7TESTONLY00005/payment +999900 EUR"]),
    (
        "batch",
        &[
            "settle | HoltGuitarsEU HG7BATCH00000026/payment +1999 EUR",
            COLON,
            "ignore event_type",
            "settle | HoltGuitarsEU HG7BATCH00000028/refund -1999 EUR under HG7BATCH00000026",
        ],
    ),
    ("broken_amount", &["park unreadable: amount.value: not a 64-bit integer"]),
    ("cancel_or_refund", &[EITHER]),
    ("cancellation_in_automatic_account", &[CANCELLED]),
    (
        "capture_failed",
        &["settle | HoltGuitarsEU HG7GUITAR0000001/payment +4200 EUR \
           | HoltGuitarsEU HG7GUITAR0000001/payment_reversed -4200 EUR under HG7GUITAR0000001"],
    ),
    ("capture_in_automatic_account", &[CAPTURED_TWICE]),
    ("chargeback", &["settle | HoltGuitarsEU HG7DISPUTE000021/dispute -4200 EUR under HG7GUITAR0000001"]),
    (
        "chargeback_reversed",
        &["settle | HoltGuitarsEU HG7DISPUTE000021/dispute -4200 EUR under HG7GUITAR0000001 \
           | HoltGuitarsEU HG7DISPUTE000021/dispute_reversed +4200 EUR under HG7GUITAR0000001"],
    ),
    ("colon_in_reference", &[COLON]),
    ("notification_of_chargeback", &["record"]),
    ("payout_thirdparty", &["record"]),
    ("prearbitration_lost", &["record"]),
    ("refund", &["settle | HoltGuitarsEU HG7BACK000000016/refund -1500 EUR under HG7GUITAR0000001"]),
    ("refund_2", &["settle | HoltGuitarsEU HG7BACK000000017/refund -2000 JPY under HG7YENAMP0000002"]),
    (
        "refund_failed",
        &["settle | HoltGuitarsEU HG7BACK000000016/refund -1500 EUR under HG7GUITAR0000001 \
           | HoltGuitarsEU HG7BACK000000016/refund_reversed +1500 EUR under HG7GUITAR0000001"],
    ),
    ("refund_refused", &["record"]),
    ("refund_without_payment", &["record"]),
    (
        "refunded_reversed_2",
        &["settle | HoltGuitarsEU HG7BACK000000017/refund -2000 JPY under HG7YENAMP0000002 \
           | HoltGuitarsEU HG7BACK000000017/refund_reversed +2000 JPY under HG7YENAMP0000002"],
    ),
    ("rental_authorisation", &["record"]),
    ("rental_cancellation", &["record"]),
    ("rental_capture", &["settle | HoltRentals HG7RENTTAKE00011/payment +7000 EUR under HG7RENTAL0000010"]),
    (
        "rental_capture_failed",
        &["settle | HoltRentals HG7RENTTAKE00011/payment +7000 EUR under HG7RENTAL0000010 \
           | HoltRentals HG7RENTTAKE00011/payment_reversed -7000 EUR under HG7RENTAL0000010"],
    ),
    ("rental_capture_refused", &["record"]),
    ("rental_capture_second", &["settle | HoltRentals HG7RENTTAKE00012/payment +1000 EUR under HG7RENTAL0000010"]),
    ("report_available", &["ignore event_type"]),
    (
        "second_chargeback",
        &["settle | HoltGuitarsEU HG7DISPUTE000021/dispute -4200 EUR under HG7GUITAR0000001 \
           | HoltGuitarsEU HG7DISPUTE000021/dispute_reversed +4200 EUR under HG7GUITAR0000001 \
           | HoltGuitarsEU HG7DISPUTE000021:SECOND_CHARGEBACK/dispute -4200 EUR under HG7GUITAR0000001"],
    ),
    ("unknown_code", &["ignore event_type"]),
];

#[test]
fn every_file_means_what_is_written_here() {
    let meant: Vec<(String, Vec<String>)> = files()
        .into_iter()
        .map(|(name, body)| (name, events(body).iter().map(|event| line(&plan(event))).collect()))
        .collect();
    let owned = |meanings: &[&str]| meanings.iter().map(|&meaning| meaning.to_owned()).collect();
    let expected: Vec<(String, Vec<String>)> =
        MEANINGS.into_iter().map(|(name, meanings)| (name.to_owned(), owned(meanings))).collect();
    assert_eq!(meant, expected);
}

#[test]
fn an_account_that_is_not_configured_books_no_payment_and_all_else() {
    let unconfigured = |name: &str| line(&Adyen::default().interpret(&event(file(name))));
    let parked = "park unreadable: merchantAccountCode: not in HOOKLEDGER_ADYEN_CAPTURE; add it there, as auto or \
        manual, and retry";
    for name in ["authorisation", "capture_failed", "rental_capture", "rental_cancellation"] {
        assert_eq!(unconfigured(name), parked, "{name}");
    }
    for name in ["refund_failed", "second_chargeback", "authorisation_refused", "report_available"] {
        assert_eq!(unconfigured(name), line(&interpret(file(name))), "{name}");
    }
}

#[test]
fn the_same_account_captures_in_one_way_only() {
    let captured = |how: &str, name: &str| {
        let mut adyen = Adyen::default();
        adyen.set("CAPTURE", how).unwrap();
        line(&adyen.interpret(&event(file(name))))
    };
    assert_eq!(captured("HoltRentals=auto", "rental_capture"), CAPTURED_TWICE);
    assert_eq!(captured("HoltRentals=auto", "rental_cancellation"), CANCELLED);
    let by_itself = captured("HoltRentals=auto", "rental_authorisation");
    assert_eq!(by_itself, "settle | HoltRentals HG7RENTAL0000010/payment +8000 EUR");
    assert_eq!(captured("HoltGuitarsEU=manual", "authorisation"), "record");
}

#[test]
fn only_what_is_signed_decides_what_is_booked() {
    for (name, body) in files() {
        let text = String::from_utf8(body.clone()).unwrap();
        let mut changed: serde_json::Value = serde_json::from_str(&text).unwrap();
        for wrapper in changed["notificationItems"].as_array_mut().unwrap() {
            let item = wrapper["NotificationRequestItem"].as_object_mut().unwrap();
            item.remove("eventDate");
            item.insert("reason".into(), "tampered".into());
            item.insert("paymentMethod".into(), "tampered".into());
            item.insert("operations".into(), serde_json::json!(["REFUND"]));
            item.insert("additionalData".into(), serde_json::json!({"modification.action": "refund"}));
            if let Some(value) = item["amount"]["value"].as_i64() {
                item["amount"]["value"] = value.to_string().into();
            }
        }
        let changed = events(changed.to_string());
        for (event, changed) in events(body).iter().zip(&changed) {
            assert_eq!(line(&plan(changed)), line(&plan(event)), "{name}");
            if event.problem.is_none() {
                assert_eq!((&changed.id, &changed.scope), (&event.id, &event.scope), "{name}");
            }
        }
    }
}

#[test]
fn a_date_is_a_hint_and_its_absence_refuses_nothing() {
    let at = |body: Vec<u8>| entries(&interpret(body))[0].occurred_at.get();
    let date = "2026-11-20T10:15:00+01:00";
    assert_eq!(at(file("authorisation")), 1_795_166_100_000);
    for odd in ["", "yesterday", "2026-11-20"] {
        assert_eq!(at(edited("authorisation", date, odd)), 0, "{odd:?}");
    }
}

#[test]
fn nothing_is_read_and_nothing_told() {
    for (name, body) in files() {
        for event in events(body) {
            let resumed = line(&adyen().resume(&event, &[]));
            assert_eq!(resumed, "park unreadable: something was read that this event did not ask for", "{name}");
            if let hookledger::plan::Plan::Settle(settle) = plan(&event) {
                assert!(settle.messages().is_empty(), "{name}");
            }
        }
    }
}
