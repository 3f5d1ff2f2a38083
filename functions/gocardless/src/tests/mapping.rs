//! What every sample event means, and what it means once everything is read.

use serde_json::{Value, json};

use super::{Api, event, events_in, files, line, mandate, only, payment, settle};
use crate::GoCardless;
use hookledger::provider::Provider as _;

const LIST: &str = "fetch /events?payment=PM0HKLRENT001&limit=500";

const MEANINGS: [(&str, &[&str]); 20] = [
    ("batch", &["ignore event_type", "fetch /events?payment=PM0HKLGYM0004&limit=500", "fetch /payouts/PO0HKLWEEK46"]),
    (
        "batch_poison",
        &[
            "fetch /events?payment=PM0HKLGYM0005&limit=500",
            "park unreadable: links.payment: not an id",
            "park unreadable: body: not a JSON object",
            "fetch /payouts/PO0HKLWEEK48",
        ],
    ),
    ("mandates_created", &["ignore event_type"]),
    ("payments_chargeback_cancelled", &[LIST]),
    ("payments_charged_back", &[LIST]),
    ("payments_confirmed", &[LIST]),
    ("payments_confirmed_again", &[LIST]),
    ("payments_confirmed_organisation", &["fetch /events?payment=PM0HKLORG0003&limit=500"]),
    ("payments_failed", &["fetch /events?payment=PM0HKLGYM0002&limit=500"]),
    ("payments_failed_late", &[LIST]),
    ("payments_late_failure_settled", &[LIST]),
    ("payments_paid_out", &[LIST]),
    ("payments_resubmission_requested", &["ignore event_type"]),
    ("payments_submitted", &["ignore event_type"]),
    ("payouts_paid", &["fetch /payouts/PO0HKLWEEK45"]),
    ("refunds_created", &["ignore event_type"]),
    ("refunds_failed", &["fetch /refunds/RF0HKLHALF001"]),
    ("refunds_funds_returned", &["fetch /refunds/RF0HKLHALF001"]),
    ("refunds_paid", &["fetch /refunds/RF0HKLHALF001"]),
    ("refunds_refund_settled", &["fetch /refunds/RF0HKLHALF001"]),
];

#[test]
fn every_file_means_what_is_written_here() {
    let meant = |name: &str| {
        events_in(name).iter().map(|one| line(&GoCardless.interpret(&event(one)))).collect::<Vec<String>>()
    };
    let meant: Vec<_> = files().keys().map(|name| (name.clone(), meant(name))).collect();
    let text = |lines: &[&str]| lines.iter().map(|line| (*line).to_owned()).collect::<Vec<_>>();
    let expected: Vec<_> = MEANINGS.iter().map(|(name, lines)| ((*name).to_owned(), text(lines))).collect();
    assert_eq!(meant, expected);
}

fn refund(links: &Value) -> Value {
    json!({"refunds": {"id": "RF0HKLHALF001", "amount": 625, "currency": "EUR", "reference": null,
        "created_at": "2026-11-10T12:00:00.000Z", "links": links}})
}

fn of_refund(name: &str, links: &Value) -> (String, Vec<String>) {
    let mut api = Api::default();
    api.put("/refunds/RF0HKLHALF001", &refund(links));
    api.put("/payments/PM0HKLRENT001", &payment("PM0HKLRENT001")).put("/mandates/MD0HKLANNA001", &mandate());
    let (plan, paths) = settle(&event(&only(name)), &api);
    (line(&plan), paths)
}

const OUT: &str = "settle | RF0HKLHALF001/refund -625 EUR of CU0HKLANNA001";
const BACK: &str = "settle | RF0HKLHALF001/refund -625 EUR of CU0HKLANNA001 \
    | RF0HKLHALF001/refund_reversed +625 EUR of CU0HKLANNA001";

#[test]
fn a_refund_is_booked_with_its_return_and_its_customer() {
    let links = json!({"payment": "PM0HKLRENT001", "mandate": "MD0HKLANNA001"});
    for (name, line) in [
        ("refunds_paid", OUT),
        ("refunds_refund_settled", OUT),
        ("refunds_failed", BACK),
        ("refunds_funds_returned", BACK),
    ] {
        let paths = ["/refunds/RF0HKLHALF001", "/mandates/MD0HKLANNA001"].map(str::to_owned).to_vec();
        assert_eq!(of_refund(name, &links), (line.to_owned(), paths), "{name}");
    }
}

#[test]
fn a_refund_without_its_mandate_takes_its_payment_s() {
    let (line, paths) = of_refund("refunds_paid", &json!({"payment": "PM0HKLRENT001"}));
    assert_eq!((line.as_str(), paths.len()), (OUT, 3));
    let (line, paths) = of_refund("refunds_paid", &json!({}));
    assert_eq!((line.as_str(), paths.len()), ("settle | RF0HKLHALF001/refund -625 EUR", 1));
}

#[test]
fn a_payout_is_ours_and_has_no_customer() {
    let payout = json!({"payouts": {"id": "PO0HKLWEEK45", "amount": 98_750, "deducted_fees": 250, "currency": "EUR",
        "payout_type": "merchant", "status": "paid", "created_at": "2026-11-09T06:00:00.000Z",
        "links": {"creditor": "CR0HKL1"}}});
    let mut api = Api::default();
    api.put("/payouts/PO0HKLWEEK45", &payout);
    let (plan, paths) = settle(&event(&only("payouts_paid")), &api);
    assert_eq!((line(&plan).as_str(), paths.len()), ("settle | PO0HKLWEEK45/payout -98750 EUR", 1));
}

#[test]
fn entries_say_when_it_happened_whichever_event_books_them() {
    let mut api = Api::default();
    api.payment("PM0HKLRENT001", &[only("payments_confirmed"), only("payments_charged_back")]);
    for name in ["payments_confirmed", "payments_charged_back"] {
        let (plan, _) = settle(&event(&only(name)), &api);
        let at: Vec<String> = super::entries(&plan).iter().map(|entry| entry.occurred_at.rfc3339()).collect();
        assert_eq!(at, ["2026-11-06T09:00:00.000Z", "2026-11-12T10:30:00.000Z"], "{name}");
    }
}
