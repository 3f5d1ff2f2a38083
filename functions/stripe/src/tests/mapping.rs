//! What every sample event means.

use hookledger::plan::{Fetch, Fetched, Occurrence, ParentEntry, Plan, Read};
use hookledger::provider::Provider as _;

use super::{entries, event, file, files, interpret, line, object_of, resume};
use crate::Stripe;

const REFUND_1_OUT: &str = "account of ch_3ThGuitar0000001 \
    | re_3ThGuitarBack001/refund -1500 USD under ch_3ThGuitar0000001";
const REFUND_1_BACK: &str = "account of ch_3ThGuitar0000001 \
    | re_3ThGuitarBack001/refund -1500 USD under ch_3ThGuitar0000001 \
    | re_3ThGuitarBack001/refund_reversed +1500 USD under ch_3ThGuitar0000001";
const REFUND_2_OUT: &str = "account of ch_3ThYen0000000001 \
    | re_3ThYenBack000001/refund -2000 JPY under ch_3ThYen0000000001";
const REFUND_2_BACK: &str = "account of ch_3ThYen0000000001 \
    | re_3ThYenBack000001/refund -2000 JPY under ch_3ThYen0000000001 \
    | re_3ThYenBack000001/refund_reversed +2000 JPY under ch_3ThYen0000000001";
const DISPUTE_1_OUT: &str = "account of ch_3ThAmp0000000001 \
    | txn_1ThAmpDispOut01/dispute -9900 USD under ch_3ThAmp0000000001";
const DISPUTE_2_OUT: &str = "account of ch_3ThYen0000000001 \
    | txn_1ThYenDispOut01/dispute -3000 JPY under ch_3ThYen0000000001";
const DISPUTE_2_BACK: &str = "account of ch_3ThYen0000000001 \
    | txn_1ThYenDispOut01/dispute -3000 JPY under ch_3ThYen0000000001 \
    | txn_1ThYenDispBack1/dispute_reversed +3000 JPY under ch_3ThYen0000000001";
const PAYOUT_1_OUT: &str = "settle | po_1ThMonday0000001/payout -120050 EUR";
const PAYOUT_1_BACK: &str = "settle \
    | po_1ThMonday0000001/payout -120050 EUR \
    | po_1ThMonday0000001/payout_reversed +120050 EUR";
const PAYOUT_2_OUT: &str = "settle | po_1ThTuesday000001/payout -5000 USD";
const PAYOUT_2_BACK: &str = "settle \
    | po_1ThTuesday000001/payout -5000 USD \
    | po_1ThTuesday000001/payout_reversed +5000 USD";

const MEANINGS: [(&str, &str); 43] = [
    ("broken_amount_text", "park unreadable: data.object.amount_captured: not a 64-bit integer"),
    ("charge_captured_partial", "settle | ch_3ThHotel00000001/payment +7000 USD of cus_TkLenaVoss004"),
    ("charge_failed", "ignore event_type"),
    ("charge_refund_updated_failed_1", REFUND_1_BACK),
    ("charge_refunded", "ignore event_type"),
    ("charge_succeeded", "settle | ch_3ThGuitar0000001/payment +4200 USD of cus_TkMiraHolt001"),
    ("charge_succeeded_connect", "settle | ch_3ThConn000000001/payment +7300 GBP of cus_TkNoraFinch05"),
    ("charge_succeeded_disputed_1", "settle | ch_3ThAmp0000000001/payment +9900 USD of cus_TkJonasWeil02"),
    ("charge_succeeded_guest", "settle | ch_3ThGuest00000001/payment +1999 EUR"),
    ("charge_succeeded_jpy", "settle | ch_3ThYen0000000001/payment +5000 JPY of cus_TkKenjiMori03"),
    ("charge_succeeded_test_mode", "settle | ch_3ThTest000000001/payment +999900 USD of cus_TkTestOnly0006"),
    ("charge_succeeded_uncaptured", "ignore nothing_moved"),
    ("customer_created", "ignore event_type"),
    ("dispute_closed_lost_1", DISPUTE_1_OUT),
    ("dispute_closed_won_2", DISPUTE_2_BACK),
    ("dispute_created_1", "ignore nothing_moved"),
    ("dispute_created_2", DISPUTE_2_OUT),
    ("dispute_funds_reinstated_2", DISPUTE_2_BACK),
    ("dispute_funds_withdrawn_1", DISPUTE_1_OUT),
    ("dispute_funds_withdrawn_2", DISPUTE_2_OUT),
    ("dispute_updated_2", DISPUTE_2_OUT),
    ("invoice_paid", "ignore event_type"),
    ("invoice_payment_paid", "settle | inpay_1ThStrings001/invoice_link +0 USD pays in_1ThStrings000001 linked 2500"),
    (
        "invoice_payment_paid_by_charge",
        "settle | inpay_1ThStrings002/invoice_link +0 USD under ch_3ThStrings000002 pays in_1ThStrings000002 linked 1700",
    ),
    ("payment_intent_succeeded", "ignore event_type"),
    ("payout_canceled_2", PAYOUT_2_BACK),
    ("payout_created_1", PAYOUT_1_OUT),
    ("payout_created_2", PAYOUT_2_OUT),
    ("payout_failed_1", PAYOUT_1_BACK),
    ("payout_paid_1", PAYOUT_1_OUT),
    ("refund_created_2", REFUND_2_OUT),
    ("refund_created_pending_1", "ignore nothing_moved"),
    ("refund_created_without_charge", "settle | pyr_1ThNoCharge0001/refund -800 EUR"),
    ("refund_failed_1", REFUND_1_BACK),
    ("refund_released_authorisation", "ignore nothing_moved"),
    ("refund_updated_canceled_2", REFUND_2_BACK),
    ("refund_updated_canceled_unmoved", "ignore nothing_moved"),
    ("refund_updated_succeeded_1", REFUND_1_OUT),
    ("thin_charge_succeeded", "fetch /v1/charges/ch_3ThGuitar0000001"),
    ("thin_meter_error", "ignore event_type"),
    ("thin_payout_paid_connect", "fetch /v1/payouts/po_1ThConn000000001"),
    ("thin_refund_updated", "fetch /v1/refunds/re_3ThGuitarBack001?expand[]=charge"),
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
fn the_account_comes_from_the_charge_s_entry() {
    let resume = |name: &str, parent| line(&resume(&event(file(name)), Fetched::ParentEntry(parent)));
    let known = Some(ParentEntry { account: Some("cus_TkMiraHolt001".into()) });
    for (name, settled) in [
        ("refund_failed_1", REFUND_1_BACK),
        ("refund_updated_succeeded_1", REFUND_1_OUT),
        ("dispute_closed_won_2", DISPUTE_2_BACK),
    ] {
        let (_, parts) = settled.split_once(" | ").unwrap();
        let of_mira = parts.replace(" under", " of cus_TkMiraHolt001 under");
        assert_eq!(resume(name, known.clone()), format!("settle | {of_mira}"));
        assert_eq!(resume(name, Some(ParentEntry { account: None })), format!("settle | {parts}"));
        // The charge itself is read then.
        let charge = parts.rsplit("under ").next().unwrap();
        assert_eq!(resume(name, None), format!("fetch /v1/charges/{charge} if possible | {parts}"));
    }
}

#[test]
fn without_the_charge_s_entry_the_account_comes_from_the_charge() {
    let asked = Fetch::ObjectIfKeyed("/v1/charges/ch_3ThGuitar0000001".to_owned());
    let answered = |fetched| {
        let none = Read {
            fetch: Fetch::ParentEntry(Occurrence::unique("ch_3ThGuitar0000001")),
            fetched: Fetched::ParentEntry(None),
        };
        let read = [none, Read { fetch: asked.clone(), fetched }];
        line(&Stripe.resume(&event(file("refund_updated_succeeded_1")), &read))
    };
    let (_, parts) = REFUND_1_OUT.split_once(" | ").unwrap();
    let (of_mira, without) =
        (format!("settle | {}", parts.replace(" under", " of cus_TkMiraHolt001 under")), format!("settle | {parts}"));
    let charge = object_of("charge_succeeded");
    let edited = |name: &str, to: serde_json::Value| {
        let mut charge = charge.clone();
        charge[name] = to;
        answered(Fetched::Object(charge.to_string().into_bytes()))
    };
    assert_eq!(answered(Fetched::Object(charge.to_string().into_bytes())), of_mira);
    assert_eq!(edited("customer", serde_json::json!({"id": "cus_TkMiraHolt001", "object": "customer"})), of_mira);
    assert_eq!(answered(Fetched::NoObject), without);
    assert_eq!(edited("customer", serde_json::Value::Null), without);
    // Nothing is parked for want of an account.
    assert_eq!(edited("customer", 7.into()), without);
    assert_eq!(edited("id", "ch_another".into()), without);
    assert_eq!(edited("object", "customer".into()), without);
    assert_eq!(answered(Fetched::Object(b"<html>".to_vec())), without);
}

#[test]
fn only_an_id_is_asked_for_with_our_key() {
    for bad in ["../account", "ch_1/refund", "ch_1?expand[]=x", "ch 1", "ch_1%2f", "ch_1#x", "chärge"] {
        let body = super::edited("refund_updated_succeeded_1", "ch_3ThGuitar0000001", bad);
        let plan = line(&resume(&event(body), Fetched::ParentEntry(None)));
        assert!(plan.starts_with("settle | ") && !plan.contains(" of "), "{bad}: {plan}");
    }
}

#[test]
fn an_event_that_asks_nothing_takes_nothing_from_an_answer() {
    let answer = Fetched::ParentEntry(Some(ParentEntry { account: Some("cus_other".into()) }));
    for name in ["charge_succeeded_guest", "payout_failed_1", "refund_created_without_charge", "invoice_paid"] {
        let event = event(file(name));
        assert_eq!(resume(&event, answer.clone()), Stripe.interpret(&event), "{name}");
    }
    let stray = resume(&event(file("refund_failed_1")), Fetched::Object(b"{}".to_vec()));
    assert_eq!(line(&stray), "park unreadable: the answer is of a kind that this event did not ask for");
}

#[test]
fn nothing_is_told_by_the_plans_themselves() {
    for (name, body) in files() {
        if let Plan::Settle(settle) = interpret(body) {
            assert!(settle.messages().is_empty(), "{name}");
        }
    }
}

#[test]
fn an_entry_happened_when_its_object_was_created() {
    let at =
        |name: &str| entries(&interpret(file(name))).iter().map(|entry| entry.occurred_at.get()).collect::<Vec<_>>();
    assert_eq!(at("charge_captured_partial"), [1_796_000_200_000]);
    assert_eq!(at("refund_failed_1"), [1_796_005_000_000; 2]);
    assert_eq!(at("payout_failed_1"), [1_796_080_000_000; 2]);
    assert_eq!(at("dispute_closed_won_2"), [1_796_041_001_000, 1_796_910_000_000]);
}
