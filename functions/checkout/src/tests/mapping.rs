//! What every sample event means, and the edges of the rules.

use hookledger::plan::Plan;
use hookledger::provider::Provider as _;

use super::{edited, entries, event, file, files, interpret, line};
use crate::Checkout;

const MEANINGS: [(&str, &str); 26] = [
    ("broken_amount", "park unreadable: data.amount: not a 64-bit integer"),
    ("dispute_accepted_2", "settle | dsp_guitar0002/dispute -1200 EUR under pay_guitar001"),
    ("dispute_arbitration_lost_2", "record"),
    (
        "dispute_canceled_3",
        "settle \
         | dsp_guitar0003/dispute -900 EUR under pay_guitar001 \
         | dsp_guitar0003/dispute_reversed +900 EUR under pay_guitar001",
    ),
    ("dispute_evidence_required_1", "settle | dsp_guitar0001/dispute -3000 EUR under pay_guitar001"),
    ("dispute_evidence_required_2", "settle | dsp_guitar0002/dispute -1200 EUR under pay_guitar001"),
    ("dispute_evidence_required_3", "settle | dsp_guitar0003/dispute -900 EUR under pay_guitar001"),
    ("dispute_evidence_submitted_1", "record"),
    ("dispute_expired_2", "settle | dsp_guitar0002/dispute -1200 EUR under pay_guitar001"),
    ("dispute_lost_2", "settle | dsp_guitar0002/dispute -1200 EUR under pay_guitar001"),
    ("dispute_resolved", "record"),
    (
        "dispute_won_1",
        "settle \
         | dsp_guitar0001/dispute -3000 EUR under pay_guitar001 \
         | dsp_guitar0001/dispute_reversed +3000 EUR under pay_guitar001",
    ),
    ("payment_approved", "ignore event_type"),
    (
        "payment_captured_customer",
        "settle | act_yencap01/payment +5000 JPY of cus_miraholt0000000000000001 under pay_yenamp002",
    ),
    ("payment_captured_debit", "settle | act_achcap01/payment +6000 USD under pay_achdeb004"),
    ("payment_captured_part_1", "settle | act_guitarcap0001/payment +3000 EUR under pay_guitar001"),
    ("payment_captured_part_2", "settle | act_guitarcap0002/payment +1200 EUR under pay_guitar001"),
    ("payment_captured_three_decimals", "settle | act_dinarcap1/payment +12340 KWD under pay_dinar0005"),
    ("payment_declined", "ignore event_type"),
    ("payment_paid", "settle | pay_payout003/payout -8130 GBP"),
    ("payment_refund_declined", "ignore event_type"),
    ("payment_refunded", "settle | act_guitarref0001/refund -1500 EUR under pay_guitar001"),
    ("payment_returned_debit", "settle | act_achback1/payment_reversed -6000 USD under pay_achdeb004"),
    (
        "payment_returned_payout",
        "settle \
         | pay_payout003/payout -8130 GBP \
         | pay_payout003/payout_reversed +8130 GBP",
    ),
    (
        "payment_returned_unclear",
        "park unreadable: data.source, data.destination: do not say whether a payment or a payout came back",
    ),
    ("truncated", "park unreadable: body: not valid JSON"),
];

#[test]
fn every_file_means_what_is_written_here() {
    let meant: Vec<(String, String)> = files().into_iter().map(|(name, body)| (name, line(&interpret(body)))).collect();
    let expected: Vec<(String, String)> =
        MEANINGS.into_iter().map(|(name, meaning)| (name.to_owned(), meaning.to_owned())).collect();
    assert_eq!(meant, expected);
}

/// What a file means once one text of it is replaced.
fn meant(name: &str, from: &str, to: &str) -> String {
    line(&interpret(edited(name, from, to)))
}

#[test]
fn amounts_are_64_bit_integers_and_nothing_else() {
    let amount = |text: &str| meant("payment_refunded", r#""amount": 1500"#, &format!(r#""amount": {text}"#));
    assert!(amount("9223372036854775807").contains("-9223372036854775807 EUR"));
    assert!(amount("9007199254740993").contains("-9007199254740993 EUR"));
    for text in ["9223372036854775808", "15.0", "1.5e3", "\"1500\"", "true", "[1500]"] {
        assert_eq!(amount(text), "park unreadable: data.amount: not a 64-bit integer", "{text}");
    }
    assert_eq!(amount("null"), "park unreadable: data.amount: missing");
    assert_eq!(amount("-1"), "park unreadable: data.amount: negative");
}

#[test]
fn currencies_are_three_letters_and_keep_checkout_s_decimals() {
    let currency = |code: &str| meant("payment_refunded", r#""currency": "EUR""#, &format!(r#""currency": {code}"#));
    for code in ["CLP", "ISK", "KWD", "eur"] {
        assert!(currency(&format!("\"{code}\"")).contains(&format!("-1500 {}", code.to_uppercase())), "{code}");
    }
    for code in [r#""""#, r#""EU""#, r#""EURO""#] {
        assert_eq!(currency(code), "park unreadable: data.currency: not a currency code", "{code}");
    }
}

#[test]
fn a_money_event_without_its_fields_is_kept() {
    let without = |name: &str, field: &str| meant(name, &format!("\"{field}\":"), &format!("\"no_{field}\":"));
    let kept = |field: &str| format!("park unreadable: {field}: missing");
    assert_eq!(without("payment_refunded", "action_id"), kept("data.action_id"));
    assert_eq!(without("payment_refunded", "currency"), kept("data.currency"));
    assert_eq!(without("payment_refunded", "data"), kept("data"));
    assert_eq!(without("payment_refunded", "type"), kept("type"));
    assert_eq!(without("dispute_won_1", "payment_id"), kept("data.payment_id"));
    assert_eq!(without("dispute_won_1", "created_on"), kept("timestamp"));
    assert_eq!(meant("payment_refunded", "act_guitarref0000000000000001", ""), "park unreadable: an id is empty");
    let long = meant("payment_refunded", "act_guitarref0000000000000001", &"x".repeat(2_049));
    assert_eq!(long, "park unreadable: a text is longer than 2048 bytes");
}

#[test]
fn a_return_is_booked_only_where_its_direction_is_certain() {
    let (payment, payout) = ("payment_returned_debit", "payment_returned_payout");
    let unclear = "park unreadable: data.source, data.destination: do not say whether a payment or a payout came back";
    assert!(meant(payment, r#""type": "ach""#, r#""type": "currency_account""#).contains("payout_reversed +6000"));
    assert_eq!(meant(payment, r#""type": "ach""#, r#""kind": "ach""#), unclear);
    assert!(meant(payout, r#""source": {"#, r#""other": {"#).contains("payout_reversed +8130"));
    assert_eq!(meant(payout, r#""type": "currency_account""#, r#""type": "card""#), unclear);
    assert!(meant(payout, r#""destination": {"#, r#""other": {"#).contains("payout_reversed +8130"));
}

#[test]
fn an_entry_happened_when_it_was_processed_or_else_when_the_event_did() {
    let at = |body: Vec<u8>| entries(&interpret(body))[0].occurred_at.get();
    assert_eq!(at(file("payment_captured_part_1")), 1_795_166_127_469);
    assert_eq!(at(edited("payment_captured_part_1", "processed_on", "other")), 1_795_166_132_357);
    assert_eq!(at(file("dispute_evidence_required_1")), 1_796_138_432_582);
    let odd = meant("payment_captured_part_1", "2026-11-20T09:15:27.4695512Z", "today");
    assert_eq!(odd, "park unreadable: data.processed_on: not an RFC 3339 time");
}

#[test]
fn what_is_not_known_has_no_effect_and_disputes_leave_a_trace() {
    for other in ["payment_voided", "card_verified", "something_new", ""] {
        assert_eq!(meant("payment_refunded", "payment_refunded", other), "ignore event_type", "{other}");
    }
    assert_eq!(meant("dispute_won_1", "dispute_won", "dispute_something_new"), "record");
}

#[test]
fn nothing_is_read_and_nothing_told() {
    for (name, body) in files() {
        let resumed = line(&Checkout.resume(&event(body.clone()), &[]));
        assert_eq!(resumed, "park unreadable: something was read that this event did not ask for", "{name}");
        if let Plan::Settle(settle) = interpret(body) {
            assert!(settle.messages().is_empty(), "{name}");
        }
    }
}
