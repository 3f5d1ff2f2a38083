//! A sender's events, mapped.

use std::collections::BTreeMap;

use hookledger::plan::{Kind, Occurrence, Plan};
use hookledger::provider::Provider as _;

use super::{files, identify, line, mapped, with};
use crate::StandardWebhooks;

const REFUND: &str = "ref_guitar0417/refund -1500 EUR of mira-holt under pay_guitar0417 at 1796116500000";
const REVERSED: &str = "ref_guitar0417/refund_reversed +1500 EUR of mira-holt under pay_guitar0417 at 1796116500000";

#[test]
fn every_file_means_what_is_written_here() {
    let meant: Vec<_> = files().into_iter().map(|(name, body)| (name, line(&mapped(), &body))).collect();
    let back = format!("{REFUND} | {REVERSED}");
    let expected = [
        ("customer_created", "record"),
        ("payment_succeeded", "pay_guitar0417/payment +42000 EUR of mira-holt at 1796061849000"),
        ("payment_succeeded_guest_jpy", "pay_strings0009/payment +5000 JPY at 1796062200000"),
        ("payment_succeeded_odd_amount", "park: data.amount: not a 64-bit integer"),
        ("refund_failed", back.as_str()),
        ("refund_succeeded", REFUND),
    ];
    assert_eq!(meant, expected.map(|(name, meaning)| (name.to_owned(), meaning.to_owned())));
}

#[test]
fn every_order_and_every_subset_of_a_life_cycle_converges() {
    let cycle = ["payment_succeeded", "refund_succeeded", "refund_failed"];
    let book = |names: &[&str]| {
        let mut ledger = BTreeMap::<(Occurrence, Kind), _>::new();
        for name in names {
            let Plan::Settle(settle) = mapped().interpret(&identify(&mapped(), &files()[*name])) else {
                panic!("{name}")
            };
            for entry in settle.entries() {
                let held = ledger.entry((entry.occurrence.clone(), entry.kind)).or_insert_with(|| entry.clone());
                assert_eq!(held, entry, "{name}");
            }
        }
        ledger
    };
    let whole = book(&cycle);
    assert_eq!(whole.values().map(|entry| entry.amount_minor).sum::<i64>(), 42_000);
    for order in [[0, 1, 2], [0, 2, 1], [1, 0, 2], [1, 2, 0], [2, 0, 1], [2, 1, 0]] {
        assert_eq!(book(&order.map(|at| cycle[at])), whole, "{order:?}");
    }
    assert_eq!(book(&["refund_failed", "payment_succeeded"]), whole);
    assert_eq!(book(&["refund_failed"]).len(), 2);
    assert!(book(&["refund_succeeded"]).into_iter().all(|(movement, entry)| whole[&movement] == entry));
}

#[test]
fn a_field_that_cannot_be_read_waits_for_a_person() {
    let payment = String::from_utf8(files().remove("payment_succeeded").unwrap()).unwrap();
    let edited = |from: &str, to: &str| {
        assert!(payment.contains(from), "{from}");
        line(&mapped(), payment.replace(from, to).as_bytes())
    };
    for (from, to, why) in [
        (r#""pay_guitar0417""#, "null", "data.id: missing"),
        (r#""pay_guitar0417""#, r#""""#, "data.id: empty"),
        (r#""pay_guitar0417""#, "true", "data.id: not a text"),
        ("42000", "-42000", "data.amount: negative"),
        ("42000", "null", "data.amount: missing"),
        ("42000", r#""42000.00""#, "data.amount: not a 64-bit integer in a text"),
        (r#""EUR""#, r#""EURO""#, "data.currency: not a currency code"),
        (r#""EUR""#, "978", "data.currency: not a text"),
        (r#""2026-11-30T18:04:09Z""#, r#""2026-11-30""#, "data.created_at: not an RFC 3339 time"),
        (r#""2026-11-30T18:04:09Z""#, "1796061849000", "data.created_at: not a time"),
        (r#""2026-11-30T18:04:09Z""#, "null", "data.created_at: missing"),
        (r#""mira-holt""#, r#""""#, "data.customer: empty"),
        (r#""mira-holt""#, "{}", "data.customer: not a text"),
        (r#""data""#, r#""other""#, "data.currency: missing"),
        (r#""payment.succeeded""#, "7", "type: not a text"),
        (r#""type""#, r#""kind""#, "type: missing"),
    ] {
        assert_eq!(edited(from, to), format!("park: {why}"), "{from} {to}");
    }
    assert_eq!(edited(r#""payment.succeeded""#, r#""payment.succeeded ""#), "record", "types are compared exactly");
    assert_eq!(edited(r#""pay_guitar0417""#, "417"), "417/payment +42000 EUR of mira-holt at 1796061849000");
}

#[test]
fn fields_stand_where_the_mapping_says() {
    let provider = with(
        r#"{"type": "/meta/event~1type", "rules": [{"when": "paid", "kind": "payment", "id": "/items/1/ref", "amount": "/sum",
            "unit": "major", "currency": "EUR", "occurred_at": "/at", "invoice": "/bill~0no"}]}"#,
    );
    let body = br#"{"meta": {"event/type": "paid"}, "items": [{"ref": "a"}, {"ref": "b"}], "sum": 12.50, "at": 1, "bill~no": 7}"#;
    assert_eq!(line(&provider, body), "b/payment +1250 EUR pays 7 at 1000");
    let text = String::from_utf8(body.to_vec()).unwrap();
    assert_eq!(line(&provider, text.replace(r#", {"ref": "b"}"#, "").as_bytes()), "park: items.1.ref: missing");
    assert_eq!(line(&provider, text.replace("\"bill~no\": 7", "\"x\": 7").as_bytes()), "b/payment +1250 EUR at 1000");
    assert_eq!(line(&provider, br#"{"meta": {}}"#), "park: meta.event/type: missing");
    assert_eq!(line(&provider, br#"{"meta": 7}"#), "park: meta: not a JSON object");
}

#[test]
fn a_mapping_is_checked_at_the_start() {
    let rule = r#"{"when": "paid", "kind": "payment", "id": "/id", "amount": "/n", "unit": "minor", "currency": "/c", "occurred_at": "/at"}"#;
    let set = |mapping: &str| StandardWebhooks::default().set("MAPPING", mapping).err();
    let edited = |from: &str, to: &str| {
        assert!(rule.contains(from), "{from}");
        set(&format!(r#"{{"rules": [{}]}}"#, rule.replace(from, to))).unwrap_or("nothing")
    };
    assert_eq!(edited("paid", "paid"), "nothing");
    assert_eq!(edited(r#""when": "paid", "#, ""), "has a rule without when");
    assert_eq!(edited(r#""paid""#, r#""""#), "has a rule with a field that is not a text, or empty");
    assert_eq!(edited(r#""paid""#, "7"), "has a rule with a field that is not a text, or empty");
    assert!(edited(r#""payment""#, r#""Payment""#).starts_with("has a rule whose kind is none of the ledger's"));
    assert_eq!(edited(r#""minor""#, r#""cents""#), "has a rule whose unit is neither minor nor major");
    assert_eq!(edited(r#""/c""#, r#""EURO""#), "has a rule whose currency is neither a pointer nor a currency code");
    assert_eq!(edited(r#""/id""#, r#""id""#), "has a pointer that does not begin with a slash");
    assert_eq!(edited(r#""/n""#, r#""/n~2""#), "has a pointer with a ~ that is neither ~0 nor ~1");
    assert!(edited(r#""paid""#, r#""paid", "acount": "/a""#).starts_with("has a rule with a field other than"));
    for name in ["kind", "id", "amount", "unit", "currency", "occurred_at"] {
        let renamed = edited(&format!("\"{name}\":"), "\"parent\":");
        assert_eq!(renamed, format!("has a rule without {name}"));
    }
    for (mapping, why) in [
        ("", "is not a JSON object"),
        ("[]", "is not a JSON object"),
        ("{", "is not a JSON object"),
        ("{}", "has no list of rules"),
        (r#"{"rules": []}"#, "has no list of rules"),
        (r#"{"rules": [7]}"#, "has a rule that is not an object"),
        (r#"{"type": 7}"#, "has a type that is not a pointer"),
        (r#"{"rule": []}"#, "has a field other than type and rules"),
    ] {
        assert_eq!(set(mapping), Some(why), "{mapping}");
    }
    let twice = format!(r#"{{"rules": [{rule}, {rule}]}}"#);
    assert_eq!(set(&twice), Some("has two rules that would book one movement of one event"));
    assert_eq!(StandardWebhooks::default().set("OTHER", "x"), Err("is unknown"));
}
