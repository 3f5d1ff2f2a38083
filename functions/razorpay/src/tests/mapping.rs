//! What every sample event means.

use hookledger::plan::{Fetched, ParentEntry, Plan, Read};
use hookledger::provider::Provider as _;

use super::{entries, event, file, files, interpret, line, meant, razorpay};
use crate::Razorpay;

const MEANINGS: [(&str, &str); 31] = [
    ("broken_amount_decimal", "park unreadable: payload.payment.entity.amount: not a 64-bit integer"),
    ("dispute_closed", "record"),
    ("dispute_created_1", "record"),
    (
        "dispute_created_deducted",
        "park unreadable: payload.dispute.entity.amount_deducted: not 0 in a dispute that is not lost",
    ),
    ("dispute_lost_1", "settle | disp_MadeUpLost001/dispute -39000 INR of cust_MadeUpMira001 under pay_MadeUpStr00001"),
    ("dispute_under_review_1", "record"),
    ("dispute_won_2", "record"),
    ("invoice_paid", "ignore event_type"),
    ("order_paid_1", "settle | pay_MadeUpStr00001/payment +420000 INR of cust_MadeUpMira001 pays inv_MadeUpStr00001"),
    ("payment_authorized_1", "ignore event_type"),
    (
        "payment_captured_1",
        "settle | pay_MadeUpStr00001/payment +420000 INR of cust_MadeUpMira001 pays inv_MadeUpStr00001",
    ),
    ("payment_captured_kwd_guest", "settle | pay_MadeUpKwd00002/payment +295990 KWD"),
    ("payment_captured_not_captured", "park unreadable: payload.payment.entity.status: not captured"),
    ("payment_failed", "record"),
    ("payout_downtime_started", "ignore event_type"),
    ("payout_failed", "record"),
    ("payout_initiated_1", "ignore event_type"),
    ("payout_processed_1", "settle | pout_MadeUpWood001/payout -21200 INR"),
    (
        "payout_reversed_1",
        "settle | pout_MadeUpWood001/payout -21200 INR | pout_MadeUpWood001/payout_reversed +21200 INR",
    ),
    ("payout_updated_processed_1", "settle | pout_MadeUpWood001/payout -21200 INR"),
    ("payout_updated_processing_1", "ignore nothing_moved"),
    ("refund_created_1", "ignore event_type"),
    (
        "refund_failed_1",
        "settle | rfnd_MadeUpBack001/refund -150000 INR of cust_MadeUpMira001 under pay_MadeUpStr00001 | rfnd_MadeUpBack001/refund_reversed +150000 INR of cust_MadeUpMira001 under pay_MadeUpStr00001",
    ),
    (
        "refund_processed_1",
        "settle | rfnd_MadeUpBack001/refund -150000 INR of cust_MadeUpMira001 under pay_MadeUpStr00001",
    ),
    ("refund_processed_of_an_authorisation", "record"),
    (
        "refund_processed_of_another_payment",
        "park unreadable: payload.payment.entity.id: not the payment that is named",
    ),
    (
        "refund_processed_without_payment",
        "account of pay_MadeUpStr00001 | rfnd_MadeUpBack002/refund -2000 INR under pay_MadeUpStr00001",
    ),
    ("refund_speed_changed_1", "ignore event_type"),
    ("settlement_processed", "settle | setl_MadeUpMon0001/payout -380000 INR"),
    ("subscription_charged", "ignore event_type"),
    ("truncated", "park unreadable: body: not valid JSON"),
];

#[test]
fn every_file_means_what_is_written_here() {
    let meant: Vec<(String, String)> = files().into_iter().map(|(name, body)| (name, line(&interpret(body)))).collect();
    let expected: Vec<(String, String)> =
        MEANINGS.into_iter().map(|(name, meaning)| (name.to_owned(), meaning.to_owned())).collect();
    assert_eq!(meant, expected);
}

fn unreadable(field: &str) -> String {
    format!("park unreadable: payload.{field}")
}

#[test]
fn the_account_comes_from_the_payment_that_is_sent_along_or_from_its_entry() {
    let event = event(file("refund_processed_without_payment"));
    let Plan::Defer(defer) = razorpay().interpret(&event) else { panic!("not deferred") };
    let resume = |fetched| line(&razorpay().resume(&event, &[Read { fetch: defer.fetch().clone(), fetched }]));
    let known = Fetched::ParentEntry(Some(ParentEntry { account: Some("cust_MadeUpMira001".into()) }));
    let settled = "settle | rfnd_MadeUpBack002/refund -2000 INR";
    assert_eq!(resume(known), format!("{settled} of cust_MadeUpMira001 under pay_MadeUpStr00001"));
    assert_eq!(resume(Fetched::ParentEntry(None)), format!("{settled} under pay_MadeUpStr00001"));
    let stray = "park unreadable: the answer is of a kind that this event did not ask for";
    assert_eq!(resume(Fetched::NoObject), stray);
    let guest = meant("refund_processed_1", r#""customer_id": "cust_MadeUpMira001""#, r#""customer_id": null"#);
    assert_eq!(guest, "settle | rfnd_MadeUpBack001/refund -150000 INR under pay_MadeUpStr00001");
}

#[test]
fn amounts_are_64_bit_integers_and_nothing_else() {
    let amount = |text: &str| meant("payment_captured_1", r#""amount": 420000"#, &format!(r#""amount": {text}"#));
    assert!(amount("9223372036854775807").contains("+9223372036854775807 INR"));
    assert!(amount("9007199254740993").contains("+9007199254740993 INR"));
    for text in ["9223372036854775808", "42.0", "4.2e3", "\"4200\"", "true", "[4200]"] {
        assert_eq!(amount(text), unreadable("payment.entity.amount: not a 64-bit integer"), "{text}");
    }
    assert_eq!(amount("null"), unreadable("payment.entity.amount: missing"));
    assert_eq!(amount("-1"), unreadable("payment.entity.amount: negative"));
    let deducted = meant("dispute_lost_1", r#""amount_deducted": 39000"#, r#""amount_deducted": -1"#);
    assert_eq!(deducted, unreadable("dispute.entity.amount_deducted: negative"));
    let nothing = meant("dispute_lost_1", r#""amount_deducted": 39000"#, r#""amount_deducted": 0"#);
    assert_eq!(nothing, "record");
}

#[test]
fn a_settlement_is_in_the_currency_that_is_set_unless_it_says_one() {
    let settlement = event(file("settlement_processed"));
    let missing =
        unreadable("settlement.entity.currency: missing, and HOOKLEDGER_RAZORPAY_SETTLEMENT_CURRENCY is not set");
    assert_eq!(line(&Razorpay::default().interpret(&settlement)), missing);
    let mut malaysian = Razorpay::default();
    assert_eq!(malaysian.set("SETTLEMENT_CURRENCY", "myr"), Ok(()));
    assert_eq!(line(&malaysian.interpret(&settlement)), "settle | setl_MadeUpMon0001/payout -380000 MYR");
    let says = meant("settlement_processed", r#""utr""#, r#""currency": "USD", "utr""#);
    assert_eq!(says, "settle | setl_MadeUpMon0001/payout -380000 USD");
    assert_eq!(malaysian.set("SETTLEMENT_CURRENCY", "rupee"), Err("is not a currency code"));
    assert_eq!(malaysian.set("URL", "INR"), Err("is unknown"));
    let [setting] = malaysian.settings() else { panic!("one setting") };
    assert!(!setting.required && Razorpay::default().set(setting.name, setting.development).is_ok());
}

#[test]
fn what_contradicts_its_event_is_kept_for_a_person() {
    let refund = meant("refund_processed_1", r#""status": "processed""#, r#""status": "pending""#);
    assert_eq!(refund, unreadable("refund.entity.status: neither processed nor failed"));
    let settlement = meant("settlement_processed", r#""status": "processed""#, r#""status": "failed""#);
    assert_eq!(settlement, unreadable("settlement.entity.status: not processed"));
    let no_account = meant("payment_captured_1", r#""acc_MadeUpWorkshop""#, r#""""#);
    assert_eq!(no_account, "park unreadable: account_id: empty");
    assert_eq!(meant("payment_captured_1", r#""account_id""#, r#""other""#), "park unreadable: account_id: missing");
    let refunded_since = meant("order_paid_1", r#""status": "captured""#, r#""status": "refunded""#);
    assert!(refunded_since.contains("pay_MadeUpStr00001/payment +420000 INR"), "{refunded_since}");
    assert_eq!(meant("payout_processed_1", "payout.processed", "payout.announced"), "ignore event_type");
}

#[test]
fn an_entry_happened_when_its_entity_was_created() {
    let at =
        |name: &str| entries(&interpret(file(name))).iter().map(|entry| entry.occurred_at.get()).collect::<Vec<_>>();
    assert_eq!(at("payment_captured_1"), [1_796_030_000_000]);
    assert_eq!(at("refund_failed_1"), [1_796_037_000_000; 2]);
    assert_eq!(at("dispute_lost_1"), [1_796_050_000_000]);
    assert_eq!(at("payout_updated_processed_1"), [1_796_090_000_000]);
}
