//! The edges of an item.

use super::{edited, file, interpret, line};

/// What a file means once one text of it is replaced.
fn meant(name: &str, from: &str, to: &str) -> String {
    line(&interpret(edited(name, from, to)))
}

#[test]
fn amounts_are_64_bit_integers_and_nothing_else() {
    let amount = |text: &str| meant("authorisation", r#""value": 4200"#, &format!(r#""value": {text}"#));
    for text in ["9223372036854775807", "9007199254740993", "\"9007199254740993\""] {
        assert!(amount(text).contains(&format!("+{} EUR", text.trim_matches('"'))), "{text}");
    }
    for text in ["9223372036854775808", "42.0", "4.2e3", "true", "[4200]"] {
        assert_eq!(amount(text), "park unreadable: amount.value: not a 64-bit integer", "{text}");
    }
    assert_eq!(amount("\"42.0\""), "park unreadable: amount.value: not a 64-bit integer in a text");
    assert_eq!(amount("null"), "park unreadable: amount.value: missing");
    assert_eq!(amount("-1"), "park unreadable: amount.value: negative");
    let none = meant("refund", r#""amount""#, r#""other""#);
    assert_eq!(none, "park unreadable: amount: missing");
}

#[test]
fn currencies_are_three_letters_and_keep_adyen_s_decimals() {
    let currency = |code: &str| meant("refund", r#""currency": "EUR""#, &format!(r#""currency": {code}"#));
    for code in ["CLP", "CVE", "IDR", "ISK", "KWD", "JPY"] {
        assert!(currency(&format!("\"{code}\"")).contains(&format!("-1500 {code}")), "{code}");
    }
    for code in [r#""""#, r#""EU""#, r#""EURO""#] {
        assert_eq!(currency(code), "park unreadable: amount.currency: not a currency code", "{code}");
    }
    assert_eq!(currency("null"), "park unreadable: amount.currency: missing");
}

#[test]
fn an_outcome_is_true_or_false() {
    let success = |name: &str, to: &str| meant(name, r#""success": "true""#, &format!(r#""success": {to}"#));
    assert_eq!(success("refund", r#""false""#), "record");
    assert_eq!(success("refund", "true"), line(&interpret(file("refund"))));
    for odd in [r#""""#, r#""TRUE""#, r#""yes""#, "null", "1"] {
        assert_eq!(success("refund", odd), "park unreadable: success: neither true nor false", "{odd}");
        assert_eq!(success("unknown_code", odd), "ignore event_type", "{odd}");
    }
}

#[test]
fn a_failed_capture_must_name_its_payment_where_there_is_no_capture() {
    let nameless = meant("capture_failed", r#""originalReference": "HG7GUITAR0000001""#, r#""originalReference": """#);
    assert_eq!(nameless, "park unreadable: an id is empty");
}

#[test]
fn ids_that_an_item_cannot_hold_are_kept_for_a_person() {
    let id = |to: &str| meant("authorisation", "HG7GUITAR0000001", to);
    assert_eq!(id(&"x".repeat(2_049)), "park unreadable: a text is longer than 2048 bytes");
    assert!(id(&"x".repeat(2_048)).starts_with("settle"));
    assert!(id("a%b#c").contains("a%b#c/payment"));
}
