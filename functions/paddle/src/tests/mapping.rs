//! What every sample event means.

use hookledger::provider::Provider as _;

use super::{entries, event, file, files, interpret, line, meant};
use crate::Paddle;

const MEANINGS: [(&str, &str); 22] = [
    (
        "adjustment_created_approved",
        "settle | adj_01hmadeupback000000000000002/refund -300 USD of ctm_01hmadeupmiraholt0000000001 under txn_01hmadeuplessons00000000001",
    ),
    (
        "adjustment_created_chargeback_2",
        "settle | adj_01hmadeupcharge0000000000006/dispute -5000 JPY of ctm_01hmadeupkenjimori000000002 under txn_01hmadeupyen000000000000004",
    ),
    (
        "adjustment_created_chargeback_reverse_2",
        "settle | adj_01hmadeupcharge0000000000007/dispute_reversed +5000 JPY of ctm_01hmadeupkenjimori000000002 under txn_01hmadeupyen000000000000004",
    ),
    ("adjustment_created_chargeback_warning", "record"),
    ("adjustment_created_credit", "record"),
    ("adjustment_created_credit_reverse", "record"),
    ("adjustment_created_pending_1", "ignore nothing_moved"),
    (
        "adjustment_updated_approved_1",
        "settle | adj_01hmadeupback000000000000001/refund -1500 USD of ctm_01hmadeupmiraholt0000000001 under txn_01hmadeuplessons00000000001",
    ),
    (
        "adjustment_updated_chargeback_reversed_2",
        "settle | adj_01hmadeupcharge0000000000006/dispute -5000 JPY of ctm_01hmadeupkenjimori000000002 under txn_01hmadeupyen000000000000004",
    ),
    ("adjustment_updated_refund_reversed", "park unreadable: data.status: unknown for this action"),
    ("adjustment_updated_rejected", "record"),
    ("broken_amount_number", "park unreadable: data.details.totals.grand_total: not a text"),
    ("customer_created", "ignore event_type"),
    ("payout_created_1", "ignore event_type"),
    ("payout_paid_1", "settle | pay_01hmadeuppayout00000000001/payout -120050 EUR"),
    (
        "transaction_completed_1",
        "settle | txn_01hmadeuplessons00000000001/payment +4200 USD of ctm_01hmadeupmiraholt0000000001 pays inv_01hmadeuplessons00000000001",
    ),
    (
        "transaction_completed_jpy",
        "settle | txn_01hmadeupyen000000000000004/payment +5000 JPY of ctm_01hmadeupkenjimori000000002",
    ),
    ("transaction_completed_nothing", "ignore nothing_moved"),
    (
        "transaction_completed_with_credit",
        "settle | txn_01hmadeupcredit000000000002/payment +15500 USD of ctm_01hmadeupmiraholt0000000001 pays inv_01hmadeupcredit000000000002",
    ),
    ("transaction_paid_1", "ignore event_type"),
    ("transaction_payment_failed", "ignore event_type"),
    ("truncated", "park unreadable: body: not valid JSON"),
];

#[test]
fn every_file_means_what_is_written_here() {
    let meant: Vec<(String, String)> = files().into_iter().map(|(name, body)| (name, line(&interpret(body)))).collect();
    let expected: Vec<(String, String)> =
        MEANINGS.into_iter().map(|(name, meaning)| (name.to_owned(), meaning.to_owned())).collect();
    assert_eq!(meant, expected);
}

#[test]
fn nothing_is_ever_read_besides() {
    for (name, body) in files() {
        let event = event(body);
        assert_eq!(Paddle.resume(&event, &[]), Paddle.interpret(&event), "{name}");
    }
}

#[test]
fn amounts_are_64_bit_integers_in_texts_and_nothing_else() {
    let amount =
        |text: &str| meant("transaction_completed_1", r#""grand_total": "4200""#, &format!(r#""grand_total": {text}"#));
    assert!(amount(r#""9223372036854775807""#).contains("+9223372036854775807 USD"));
    assert!(amount(r#""9007199254740993""#).contains("+9007199254740993 USD"));
    let field = "park unreadable: data.details.totals.grand_total";
    for text in ["9223372036854775808", "42.00", "4.2e3", "+4200", " 4200", "", "٣", "--1"] {
        assert_eq!(amount(&format!("\"{text}\"")), format!("{field}: not a 64-bit integer in a text"), "{text}");
    }
    assert_eq!(amount("null"), format!("{field}: missing"));
    assert_eq!(amount(r#""-1""#), format!("{field}: negative"));
    let payout = meant("payout_paid_1", r#""120050""#, r#""-120050""#);
    assert_eq!(payout, "park unreadable: data.amount: negative");
}

#[test]
fn what_moved_is_what_was_left_after_credit() {
    let paid = meant("transaction_completed_with_credit", r#""grand_total": "15500""#, r#""grand_total": "0""#);
    assert_eq!(paid, "ignore nothing_moved");
}

#[test]
fn currencies_are_three_letters_and_keep_paddle_s_units() {
    let currency =
        |code: &str| meant("payout_paid_1", r#""currency_code": "EUR""#, &format!(r#""currency_code": {code}"#));
    assert!(currency(r#""krw""#).contains("-120050 KRW"));
    for code in [r#""""#, r#""EURO""#, r#""€""#] {
        assert_eq!(currency(code), "park unreadable: data.currency_code: not a currency code", "{code}");
    }
    assert_eq!(currency("null"), "park unreadable: data.currency_code: missing");
}

#[test]
fn unknown_actions_and_states_are_kept_for_a_person() {
    let refund = |from: &str, to: &str| meant("adjustment_updated_approved_1", from, to);
    assert_eq!(refund(r#""refund""#, r#""levy""#), "park unreadable: data.action: unknown");
    assert_eq!(refund(r#""approved""#, r#""sent""#), "park unreadable: data.status: unknown for this action");
    let again = meant("adjustment_created_chargeback_reverse_2", r#""approved""#, r#""reversed""#);
    assert_eq!(again, "park unreadable: data.status: unknown for this action");
    let early = meant("transaction_completed_1", r#""status": "completed""#, r#""status": "paid""#);
    assert_eq!(early, "park unreadable: data.status: not completed");
    assert_eq!(meant("payout_paid_1", r#""paid""#, r#""unpaid""#), "park unreadable: data.status: not paid");
    let guest = meant("transaction_completed_jpy", r#""ctm_01hmadeupkenjimori000000002""#, "null");
    assert_eq!(guest, "settle | txn_01hmadeupyen000000000000004/payment +5000 JPY");
}

#[test]
fn a_payment_happened_when_it_was_completed_and_an_adjustment_when_it_was_created() {
    let at = |name: &str| {
        entries(&interpret(file(name))).iter().map(|entry| entry.occurred_at.rfc3339()).collect::<Vec<_>>()
    };
    assert_eq!(at("transaction_completed_1"), ["2026-11-30T09:15:45.366Z"]);
    assert_eq!(at("adjustment_updated_approved_1"), ["2026-11-30T10:08:43.297Z"]);
    let no_time = meant("payout_paid_1", r#""2026-11-30T09:15:45.366122Z""#, "null");
    assert_eq!(no_time, "park unreadable: occurred_at: missing");
}
