//! The edges of the rules for objects.

use super::{edited, entries, interpret, line};

/// What a file means once one text of it is replaced.
fn meant(name: &str, from: &str, to: &str) -> String {
    line(&interpret(edited(name, from, to)))
}

fn unreadable(field: &str) -> String {
    format!("park unreadable: data.object.{field}")
}

#[test]
fn amounts_are_64_bit_integers_and_nothing_else() {
    let amount =
        |text: &str| meant("charge_succeeded", r#""amount_captured": 4200"#, &format!(r#""amount_captured": {text}"#));
    assert!(amount("9223372036854775807").contains("+9223372036854775807 USD"));
    assert!(amount("9007199254740993").contains("+9007199254740993 USD"));
    let not_integer = unreadable("amount_captured: not a 64-bit integer");
    for text in ["9223372036854775808", "42.0", "4.2e3", "\"4200\"", "true", "[4200]"] {
        assert_eq!(amount(text), not_integer, "{text}");
    }
    assert_eq!(amount("null"), unreadable("amount_captured: missing"));
    assert_eq!(amount("-1"), unreadable("amount_captured: negative"));
}

#[test]
fn a_sign_that_the_kind_should_carry_is_refused() {
    for name in ["refund_failed_1", "payout_created_1"] {
        assert_eq!(meant(name, r#""amount": 1"#, r#""amount": -1"#), unreadable("amount: negative"), "{name}");
    }
    let link = meant("invoice_payment_paid", r#""amount_paid": 2500"#, r#""amount_paid": -2500"#);
    assert_eq!(link, unreadable("amount_paid: negative"));
}

#[test]
fn currencies_are_three_letters() {
    let currency = |code: &str| meant("charge_succeeded", r#""currency": "usd""#, &format!(r#""currency": {code}"#));
    assert!(currency(r#""isk""#).contains("+4200 ISK"), "Stripe's integer stays, whatever its decimals");
    assert!(currency(r#""kwd""#).contains("+4200 KWD"));
    assert!(currency(r#""Eur""#).contains("+4200 EUR"));
    for code in [r#""""#, r#""us""#, r#""usdc""#, r#""€""#] {
        assert_eq!(currency(code), unreadable("currency: not a currency code"), "{code}");
    }
    assert_eq!(currency("null"), unreadable("currency: missing"));
}

#[test]
fn a_charge_is_cash_when_it_is_captured_and_succeeded() {
    let status = |to: &str| meant("charge_succeeded", r#""status": "succeeded""#, &format!(r#""status": {to}"#));
    assert_eq!(status(r#""pending""#), "ignore nothing_moved");
    assert_eq!(status(r#""failed""#), "ignore nothing_moved");
    assert_eq!(status(r#""settled""#), unreadable("status: unknown"));
    assert_eq!(status("null"), unreadable("status: missing"));
    let captured = |to: &str| meant("charge_succeeded", r#""captured": true"#, &format!(r#""captured": {to}"#));
    assert_eq!(captured("false"), "ignore nothing_moved");
    assert_eq!(captured("null"), unreadable("captured: missing"));
    for later in ["charge.updated", "charge.refunded", "charge.pending", "charge.expired"] {
        assert_eq!(meant("charge_succeeded", "charge.succeeded", later), "ignore event_type", "{later}");
    }
}

#[test]
fn refunds_and_payouts_do_not_listen_to_their_status_or_event() {
    for name in ["refund_updated_succeeded_1", "refund_failed_1", "payout_created_1", "payout_failed_1"] {
        let plan = line(&interpret(super::file(name)));
        let status = super::object_of(name)["status"].to_string();
        for other in ["pending", "succeeded", "failed", "canceled", "of tomorrow"] {
            let said = meant(name, &format!(r#""status": {status}"#), &format!(r#""status": "{other}""#));
            assert_eq!(said, plan, "{name} {other}");
        }
    }
    let renamed = meant("refund_failed_1", "refund.failed", "refund.of_tomorrow");
    assert_eq!(renamed, line(&interpret(super::file("refund_failed_1"))));
}

#[test]
fn a_return_without_its_departure_books_both() {
    let plan =
        meant("refund_failed_1", r#""balance_transaction": "txn_3ThGuitarOut001""#, r#""balance_transaction": null"#);
    assert_eq!(plan, line(&interpret(super::file("refund_failed_1"))));
}

#[test]
fn expandable_fields_are_an_id_or_an_object() {
    let customer =
        |to: &str| meant("charge_succeeded", r#""customer": "cus_TkMiraHolt001""#, &format!(r#""customer": {to}"#));
    assert!(customer(r#"{"id":"cus_9","object":"customer","deleted":true}"#).ends_with("of cus_9"));
    assert_eq!(customer("{}"), unreadable("customer.id: missing"));
    assert_eq!(customer("7"), unreadable("customer: not a text"));
    assert_eq!(customer(r#""""#), unreadable("customer: empty"));
    let charge =
        |to: &str| meant("refund_failed_1", r#""charge": "ch_3ThGuitar0000001""#, &format!(r#""charge": {to}"#));
    let whole = charge(r#"{"id":"ch_3ThGuitar0000001","object":"charge","customer":"cus_9"}"#);
    assert!(
        whole.starts_with("settle | ") && whole.matches("of cus_9 under ch_3ThGuitar0000001").count() == 2,
        "{whole}"
    );
    let guest = charge(r#"{"id":"ch_3ThGuitar0000001","object":"charge","customer":null}"#);
    assert!(guest.starts_with("settle | ") && !guest.contains(" of "), "{guest}");
    assert!(charge("null").starts_with("settle | re_"));
    assert_eq!(charge("[]"), unreadable("charge: not a text"));
}

#[test]
fn a_dispute_is_its_transactions() {
    let list = |to: &str| {
        let mut event: serde_json::Value = serde_json::from_slice(&super::file("dispute_created_1")).unwrap();
        event["data"]["object"]["balance_transactions"] = serde_json::from_str(to).unwrap();
        line(&interpret(event.to_string()))
    };
    let one = |id: &str, amount: &str| {
        format!(r#"{{"id":"{id}","amount":{amount},"fee":1500,"currency":"eur","created":5}}"#)
    };
    assert_eq!(list("[]"), "ignore nothing_moved");
    assert_eq!(list(&format!("[{}]", one("txn_1", "0"))), "ignore nothing_moved");
    assert_eq!(
        list(&format!("[{},{}]", one("txn_1", "-5"), one("txn_2", "3"))),
        "account of ch_3ThAmp0000000001 | txn_1/dispute -5 EUR under ch_3ThAmp0000000001 \
         | txn_2/dispute_reversed +3 EUR under ch_3ThAmp0000000001"
    );
    let low = list(&format!("[{}]", one("txn_1", "-9223372036854775808")));
    assert_eq!(low, unreadable("balance_transactions[0].amount: out of range"));
    let same = list(&format!("[{},{}]", one("txn_1", "-5"), one("txn_1", "-5")));
    assert_eq!(same, "park unreadable: one movement stands twice in the event");
    assert_eq!(list("null"), unreadable("balance_transactions: missing"));
    assert_eq!(list(r#"["txn_1"]"#), unreadable("balance_transactions[0]: not a JSON object"));
}

#[test]
fn an_invoice_payment_links_once_it_is_paid() {
    let status = |to: &str| meant("invoice_payment_paid", r#""status": "paid""#, &format!(r#""status": "{to}""#));
    assert_eq!(status("open"), "ignore nothing_moved");
    assert_eq!(status("canceled"), "ignore nothing_moved");
    assert_eq!(status("refunded"), unreadable("status: unknown"));
    let unpaid = meant("invoice_payment_paid", r#""amount_paid": 2500"#, r#""amount_paid": null"#);
    assert_eq!(unpaid, unreadable("amount_paid: missing"));
}

#[test]
fn an_envelope_that_is_neither_kind_is_kept() {
    let object = |to: &str| meant("charge_succeeded", r#""object": "event""#, &format!(r#""object": {to}"#));
    assert_eq!(object(r#""v3.event""#), "park unreadable: object: neither a snapshot event nor a thin one");
    assert_eq!(object("null"), "park unreadable: object: missing");
    // A snapshot under a thin event's name is read as a thin event, and has nothing to point at.
    let pointless = "park unreadable: related_object: missing where the type tells of money";
    assert_eq!(object(r#""v2.core.event""#), pointless);
    let thin = meant("thin_charge_succeeded", r#""object": "v2.core.event""#, r#""object": "event""#);
    assert_eq!(thin, "park unreadable: data: missing");
    let untyped = meant("charge_succeeded", r#""type": "charge.succeeded""#, r#""type": null"#);
    assert_eq!(untyped, "park unreadable: type: missing");
    let nested = meant("charge_succeeded", r#""object": "charge""#, r#""object": null"#);
    assert_eq!(nested, unreadable("object: missing"));
}

#[test]
fn ids_that_an_item_cannot_hold_are_kept_for_a_person() {
    let id = |to: &str| meant("charge_succeeded_guest", r#""id": "ch_3ThGuest00000001""#, &format!(r#""id": "{to}""#));
    assert_eq!(id(""), "park unreadable: an id is empty");
    assert_eq!(id(&"x".repeat(2_049)), "park unreadable: a text is longer than 2048 bytes");
    assert!(id(&"x".repeat(2_048)).starts_with("settle"));
    let plan = interpret(edited("charge_succeeded_guest", r#""id": "ch_3ThGuest00000001""#, r#""id": "a:b\u0041""#));
    assert_eq!(entries(&plan)[0].occurrence.id, "a:bA");
}

#[test]
fn a_time_that_no_calendar_has_is_refused() {
    let created = |text: &str| meant("charge_succeeded", r#""created": 1796000000"#, &format!(r#""created": {text}"#));
    assert!(created("253402300799").contains("+4200 USD"));
    for text in ["253402300800", "9223372036854775807", "-1"] {
        assert_eq!(created(text), unreadable("created: not a time"), "{text}");
    }
}
