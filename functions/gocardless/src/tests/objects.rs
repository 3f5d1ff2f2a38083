//! The edges: pages, ids, amounts, and answers that are not what was asked for.

use hookledger::plan::{Fetch, Fetched, Read};
use hookledger::provider::Provider as _;
use serde_json::{Value, json};

use super::{Api, event, line, mandate, only, payment, settle};
use crate::GoCardless;

const PAYMENT: &str = "PM0HKLRENT001";
const SETTLED: &str = "settle | EV0HKL00CONF1/payment +1250 EUR of CU0HKLANNA001";

fn api() -> Api {
    let mut api = Api::default();
    api.payment(PAYMENT, &[only("payments_confirmed")]);
    api
}

/// What the confirmation means with one answer of the API replaced.
fn with(path: &str, answer: &Value) -> String {
    let mut api = api();
    api.put(path, answer);
    line(&settle(&event(&only("payments_confirmed")), &api).0)
}

fn page(events: &[Value], after: &Value) -> Value {
    json!({"events": events, "meta": {"cursors": {"before": null, "after": after}, "limit": 500}})
}

#[test]
fn a_second_page_is_read_and_a_third_is_not() {
    let first = format!("/events?payment={PAYMENT}&limit=500");
    let mut api = api();
    api.put(&first, &page(&[only("payments_charged_back")], &json!("EV0HKL00BACK1")));
    let second = format!("{first}&after=EV0HKL00BACK1");
    api.put(&second, &page(&[only("payments_confirmed")], &Value::Null));
    let (plan, paths) = settle(&event(&only("payments_charged_back")), &api);
    assert!(line(&plan).contains("/dispute -1250 EUR of CU0HKLANNA001 under EV0HKL00CONF1"), "{}", line(&plan));
    assert_eq!(paths, [first.as_str(), &second, "/payments/PM0HKLRENT001", "/mandates/MD0HKLANNA001"]);
    api.put(&second, &page(&[only("payments_confirmed")], &json!("EV0HKL00CONF1")));
    let (plan, paths) = settle(&event(&only("payments_charged_back")), &api);
    let why = "park unreadable: the payment has more events than are read (1000)";
    assert_eq!((line(&plan).as_str(), paths.len()), (why, 2));
}

#[test]
fn a_cursor_is_not_trusted_with_our_key() {
    let list = format!("/events?payment={PAYMENT}&limit=500");
    for cursor in ["EV1&payment=PM2", "a b", "", "EV1#", "../x"] {
        let why = "park unreadable: meta.cursors.after: not a cursor";
        assert_eq!(with(&list, &page(&[only("payments_confirmed")], &json!(cursor))), why, "{cursor}");
    }
}

#[test]
fn events_of_other_resources_and_payments_are_passed_over() {
    let list = format!("/events?payment={PAYMENT}&limit=500");
    let mut others = vec![only("refunds_paid"), only("payments_failed"), only("payments_confirmed")];
    others[0]["links"] = json!({"refund": "RF1", "payment": PAYMENT});
    assert_eq!(with(&list, &page(&others, &Value::Null)), SETTLED);
}

#[test]
fn only_ids_go_into_paths() {
    for bad in ["", "PM1/../x", "PM1?a=b", "PM1&limit=1", "PM 1", "PM1%2f", "PM1#", "PM1\r\nhost: x", "päyment"] {
        let mut confirmed = only("payments_confirmed");
        confirmed["links"]["payment"] = json!(bad);
        let why = "park unreadable: links.payment: not an id";
        assert_eq!(line(&GoCardless.interpret(&event(&confirmed))), why, "{bad:?}");
    }
    for (name, link) in [("payments_confirmed", "payment"), ("refunds_paid", "refund"), ("payouts_paid", "payout")] {
        let mut without = only(name);
        without["links"] = json!({});
        let why = format!("park unreadable: links.{link}: missing");
        assert_eq!(line(&GoCardless.interpret(&event(&without))), why);
        without["links"] = json!({ link: 7 });
        let why = format!("park unreadable: links.{link}: not a text");
        assert_eq!(line(&GoCardless.interpret(&event(&without))), why);
    }
}

#[test]
fn an_event_that_cannot_be_read_is_parked_when_it_comes() {
    for (field, value, why) in [
        ("created_at", json!("yesterday"), "created_at: not an RFC 3339 time"),
        ("created_at", json!("1969-12-31T23:59:59Z"), "created_at: before 1970"),
        ("created_at", Value::Null, "created_at: missing"),
        ("action", Value::Null, "action: missing"),
        ("resource_type", json!(["payments"]), "resource_type: not a text"),
    ] {
        let mut confirmed = only("payments_confirmed");
        confirmed[field] = value;
        assert_eq!(line(&GoCardless.interpret(&event(&confirmed))), format!("park unreadable: {why}"));
    }
}

#[test]
fn amounts_and_currencies_are_what_they_are_or_nothing_is_booked() {
    let path = format!("/payments/{PAYMENT}");
    let changed = |name: &str, value: Value| {
        let mut payment = payment(PAYMENT);
        payment["payments"][name] = value;
        with(&path, &payment)
    };
    assert!(changed("amount", json!(9_007_199_254_740_993_i64)).contains("+9007199254740993 EUR"));
    assert!(changed("currency", json!("gbp")).contains("+1250 GBP"));
    for (name, value, why) in [
        ("amount", json!("1250"), "payments.amount: not a 64-bit integer"),
        ("amount", json!(12.5), "payments.amount: not a 64-bit integer"),
        ("amount", json!(-1), "payments.amount: negative"),
        ("amount", Value::Null, "payments.amount: missing"),
        ("currency", json!("EURO"), "payments.currency: not a currency code"),
        ("id", json!("PM0HKLOTHER"), "payments.id: not the one that was asked for"),
    ] {
        assert_eq!(changed(name, value), format!("park unreadable: {why}"));
    }
    assert_eq!(with(&path, &json!({"error": {}})), "park unreadable: payments: missing");
}

#[test]
fn money_is_never_parked_for_want_of_its_account() {
    let without = "settle | EV0HKL00CONF1/payment +1250 EUR";
    let path = "/mandates/MD0HKLANNA001";
    let changed = |name: &str, value: Value| {
        let mut mandate = mandate();
        mandate["mandates"][name] = value;
        with(path, &mandate)
    };
    assert_eq!(changed("status", json!("cancelled")), SETTLED);
    assert_eq!(changed("links", json!({})), without);
    assert_eq!(changed("links", json!({"customer": 7})), without);
    assert_eq!(changed("id", json!("MD0HKLOTHER")), without);
    assert_eq!(with(path, &json!([])), without);
    let mut gone = api();
    gone.0.remove(path);
    assert_eq!(line(&settle(&event(&only("payments_confirmed")), &gone).0), without);
    let mut single = payment(PAYMENT);
    single["payments"]["links"] = json!({"creditor": "CR0HKL1"});
    assert_eq!(with(&format!("/payments/{PAYMENT}"), &single), without, "a payment without a mandate");
}

#[test]
fn a_stray_answer_is_not_used() {
    let fetch = Fetch::Object(format!("/events?payment={PAYMENT}&limit=500"));
    let read = [Read { fetch, fetched: Fetched::ParentEntry(None) }];
    let why = "park unreadable: the answer is of a kind that this event did not ask for";
    assert_eq!(line(&GoCardless.resume(&event(&only("payments_confirmed")), &read)), why);
}
