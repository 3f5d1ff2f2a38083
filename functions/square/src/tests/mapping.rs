//! What every sample event means.

use hookledger::plan::{Fetch, Fetched, ParentEntry, Plan, Read};
use hookledger::provider::Provider as _;

use super::{edited, entries, event, file, files, interpret, line, meant, square};

const MEANINGS: [(&str, &str); 33] = [
    ("broken_amount_text", "park unreadable: data.object.payment.total_money.amount: not a 64-bit integer"),
    ("dispute_created_1", "record"),
    ("dispute_created_2", "record"),
    ("dispute_inquiry_closed", "record"),
    (
        "dispute_state_changed_lost_1",
        "account of PAYGuitarStrings0001xZY | DISPLOST00001/dispute -5000 USD under PAYGuitarStrings0001xZY",
    ),
    (
        "dispute_state_updated_accepted",
        "account of PAYGuitarStrings0001xZY | DISPACCEPTED3/dispute -700 USD under PAYGuitarStrings0001xZY",
    ),
    (
        "dispute_state_updated_lost_1",
        "account of PAYGuitarStrings0001xZY | DISPLOST00001/dispute -5000 USD under PAYGuitarStrings0001xZY",
    ),
    ("dispute_state_updated_processing_1", "record"),
    (
        "dispute_state_updated_won_2",
        "account of PAYYenGuest000000002xZY | DISPWON000002/dispute -3000 JPY under PAYYenGuest000000002xZY | DISPWON000002/dispute_reversed +3000 JPY under PAYYenGuest000000002xZY",
    ),
    ("invoice_payment_made", "ignore event_type"),
    ("payment_created_approved_1", "ignore nothing_moved"),
    ("payment_created_cash", "record"),
    ("payment_created_completed_guest_jpy", "settle | PAYYenGuest000000002xZY/payment +5000 JPY"),
    ("payment_created_external", "record"),
    ("payment_created_gift_card", "record"),
    ("payment_updated_canceled", "record"),
    ("payment_updated_completed_1", "settle | PAYGuitarStrings0001xZY/payment +5000 USD of CUSTMIRAHOLT01"),
    ("payment_updated_failed", "record"),
    ("payment_updated_refunded_1", "settle | PAYGuitarStrings0001xZY/payment +5000 USD of CUSTMIRAHOLT01"),
    (
        "payout_failed_1",
        "settle | po_monday-0000-0001/payout -120050 EUR | po_monday-0000-0001/payout_reversed +120050 EUR",
    ),
    ("payout_paid_2", "settle | po_tuesday-0000-0002/payout -5000 EUR"),
    ("payout_sent_1", "settle | po_monday-0000-0001/payout -120050 EUR"),
    ("payout_sent_2", "settle | po_tuesday-0000-0002/payout -5000 EUR"),
    ("payout_sent_withdrawal", "park unreadable: data.object.payout.amount_money.amount: negative"),
    ("refund_created_cash", "record"),
    ("refund_created_pending_1", "ignore nothing_moved"),
    ("refund_created_unlinked", "settle | REFUNLINKED0005/refund -650 USD"),
    (
        "refund_updated_completed_1",
        "account of PAYGuitarStrings0001xZY | PAYGuitarStrings0001xZY_BACK0001/refund -1500 USD under PAYGuitarStrings0001xZY",
    ),
    (
        "refund_updated_completed_again_1",
        "account of PAYGuitarStrings0001xZY | PAYGuitarStrings0001xZY_BACK0001/refund -1500 USD under PAYGuitarStrings0001xZY",
    ),
    ("refund_updated_failed", "record"),
    ("refund_updated_rejected", "record"),
    ("truncated", "park unreadable: body: not valid JSON"),
    ("webhooks_test_notification", "ignore event_type"),
];

#[test]
fn every_file_means_what_is_written_here() {
    let meant: Vec<(String, String)> = files().into_iter().map(|(name, body)| (name, line(&interpret(body)))).collect();
    let expected: Vec<(String, String)> =
        MEANINGS.into_iter().map(|(name, meaning)| (name.to_owned(), meaning.to_owned())).collect();
    assert_eq!(meant, expected);
}

fn unreadable(field: &str) -> String {
    format!("park unreadable: data.object.{field}")
}

const STRAY: &str = "park unreadable: the answer is of a kind that this event did not ask for";

/// What a file means once these were read, one after the other.
fn resumed(name: &str, fetched: &[Fetched]) -> String {
    let event = event(file(name));
    let (mut plan, mut read) = (square().interpret(&event), Vec::new());
    for fetched in fetched {
        let Plan::Defer(defer) = &plan else { break };
        read.push(Read { fetch: defer.fetch().clone(), fetched: fetched.clone() });
        plan = square().resume(&event, &read);
    }
    line(&plan)
}

fn parts(name: &str) -> &'static str {
    MEANINGS.iter().find(|(file, _)| *file == name).unwrap().1.split_once(" | ").unwrap().1
}

const UNDOING: [&str; 3] =
    ["refund_updated_completed_1", "dispute_state_updated_lost_1", "dispute_state_updated_won_2"];

#[test]
fn the_account_comes_from_the_payment_s_entry() {
    for name in UNDOING {
        let parts = parts(name);
        let of_mira = parts.replace(" under", " of CUSTMIRAHOLT01 under");
        let entry = |account| Fetched::ParentEntry(Some(ParentEntry { account }));
        assert_eq!(resumed(name, &[entry(Some("CUSTMIRAHOLT01".into()))]), format!("settle | {of_mira}"));
        assert_eq!(resumed(name, &[entry(None)]), format!("settle | {parts}"));
        assert_eq!(resumed(name, &[Fetched::NoObject]), format!("settle | {parts}"));
        assert_eq!(resumed(name, &[Fetched::Object(b"{}".to_vec())]), STRAY);
    }
    let event = event(file("payout_paid_2"));
    let read = Read { fetch: Fetch::ObjectIfKeyed(String::new()), fetched: Fetched::NoObject };
    assert_eq!(square().resume(&event, &[read]), square().interpret(&event));
}

#[test]
fn without_an_entry_the_payment_is_asked_for_if_there_is_a_key() {
    let name = "refund_updated_completed_1";
    let parts = parts(name);
    let nothing = Fetched::ParentEntry(None);
    let asked = format!("fetch /v2/payments/PAYGuitarStrings0001xZY if possible | {parts}");
    assert_eq!(resumed(name, std::slice::from_ref(&nothing)), asked);
    assert_eq!(resumed(name, &[nothing.clone(), Fetched::NoObject]), format!("settle | {parts}"));
    let answer = |fields: &str| {
        let answer = format!(r#"{{"payment":{{"id":"PAYGuitarStrings0001xZY"{fields}}}}}"#);
        resumed(name, &[nothing.clone(), Fetched::Object(answer.into_bytes())])
    };
    let of_mira = parts.replace(" under", " of CUSTMIRAHOLT01 under");
    assert_eq!(answer(r#","customer_id":"CUSTMIRAHOLT01""#), format!("settle | {of_mira}"));
    assert_eq!(answer(r#","customer_id":"""#), format!("settle | {parts}"));
    assert_eq!(answer(r#","card_details":{"card":{"card_brand":"SQUARE_GIFT_CARD"}}"#), "record");
    assert_eq!(answer(r#","card_details":7"#), format!("settle | {parts}"));
    let other = Fetched::Object(br#"{"payment":{"id":"PAYOther","customer_id":"CUSTOTHER"}}"#.to_vec());
    assert_eq!(resumed(name, &[nothing.clone(), other]), format!("settle | {parts}"));
}

#[test]
fn only_a_plain_id_goes_into_a_path() {
    for id in ["../v2/x", "PAY/1", "PAY?1", "PAY 1", "é"] {
        let event = event(edited("dispute_state_updated_lost_1", "PAYGuitarStrings0001xZY", id));
        let read = Read { fetch: Fetch::Object(String::new()), fetched: Fetched::ParentEntry(None) };
        let settled = format!("settle | DISPLOST00001/dispute -5000 USD under {id}");
        assert_eq!(line(&square().resume(&event, &[read])), settled);
    }
}

#[test]
fn amounts_are_64_bit_integers_and_nothing_else() {
    let amount =
        |text: &str| meant("payment_created_completed_guest_jpy", r#""amount": 5000"#, &format!(r#""amount": {text}"#));
    assert!(amount("9223372036854775807").contains("+9223372036854775807 JPY"));
    assert!(amount("9007199254740993").contains("+9007199254740993 JPY"));
    let not_integer = unreadable("payment.total_money.amount: not a 64-bit integer");
    for text in ["9223372036854775808", "50.0", "5e3", "\"5000\"", "true", "[5000]"] {
        assert_eq!(amount(text), not_integer, "{text}");
    }
    assert_eq!(amount("null"), unreadable("payment.total_money.amount: missing"));
    assert_eq!(amount("-1"), unreadable("payment.total_money.amount: negative"));
}

#[test]
fn the_currency_may_stand_under_either_name() {
    let currency = |to: &str| meant("payout_sent_1", r#""currency_code": "EUR""#, to);
    assert_eq!(currency(r#""currency": "KWD""#), "settle | po_monday-0000-0001/payout -120050 KWD");
    assert_eq!(currency(r#""other": "KWD""#), unreadable("payout.amount_money.currency: missing"));
    assert_eq!(currency(r#""currency": "EURO""#), unreadable("payout.amount_money.currency: not a currency code"));
}

#[test]
fn unknown_states_are_kept_for_a_person() {
    for (name, from, field) in [
        ("payment_updated_completed_1", r#""status": "COMPLETED""#, "payment.status"),
        ("refund_updated_completed_1", r#""status": "COMPLETED""#, "refund.status"),
        ("dispute_state_updated_lost_1", r#""state": "LOST""#, "dispute.state"),
        ("payout_paid_2", r#""status": "PAID""#, "payout.status"),
    ] {
        let field_name = field.split_once('.').unwrap().1;
        assert_eq!(meant(name, from, &format!(r#""{field_name}": "NEW""#)), unreadable(&format!("{field}: unknown")));
        assert_eq!(meant(name, from, &format!(r#""{field_name}": null"#)), unreadable(&format!("{field}: missing")));
    }
    let no_merchant = meant("payout_paid_2", r#""merchant_id": "MLWRKSHPANNA1""#, r#""merchant_id": """#);
    assert_eq!(no_merchant, "park unreadable: merchant_id: empty");
    assert_eq!(meant("payout_paid_2", r#""merchant_id""#, r#""merchant""#), "park unreadable: merchant_id: missing");
    assert_eq!(meant("payout_paid_2", "payout.paid", "payout.announced"), "ignore event_type");
}

#[test]
fn an_older_payment_without_a_source_is_square_s_own() {
    let older = edited("payment_updated_completed_1", r#""source_type": "CARD","#, "");
    assert_eq!(line(&interpret(older)), "settle | PAYGuitarStrings0001xZY/payment +5000 USD of CUSTMIRAHOLT01");
}

#[test]
fn an_entry_happened_when_its_object_was_created() {
    let at = |name: &str| {
        entries(&interpret(file(name))).iter().map(|entry| entry.occurred_at.rfc3339()).collect::<Vec<_>>()
    };
    assert_eq!(at("payment_updated_refunded_1"), ["2026-11-30T09:10:00.000Z"]);
    assert_eq!(at("dispute_state_updated_won_2"), ["2026-11-30T13:00:00.000Z"; 2]);
    assert_eq!(
        meant("payout_paid_2", "2026-11-30T20:37:51Z", "today"),
        unreadable("payout.created_at: not an RFC 3339 time")
    );
}
