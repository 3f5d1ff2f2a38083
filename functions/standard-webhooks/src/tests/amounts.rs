//! Every boundary of an amount, in both units.

use super::{line, with};

/// What `amount`, as it is written in JSON, is booked as.
fn booked(unit: &str, currency: &str, amount: &str) -> Result<i64, String> {
    let provider = with(&format!(
        r#"{{"rules": [{{"when": "p", "kind": "payment", "id": "/id", "amount": "/n", "unit": "{unit}", "currency": "{currency}",
            "occurred_at": "/at"}}]}}"#
    ));
    let meaning = line(&provider, format!(r#"{{"type": "p", "id": "a", "n": {amount}, "at": 0}}"#).as_bytes());
    match meaning.strip_prefix("a/payment ") {
        Some(rest) => Ok(rest.split(' ').next().unwrap().parse().unwrap()),
        None => Err(meaning.strip_prefix("park: n: ").unwrap().to_owned()),
    }
}

#[test]
fn minor_units_are_whole_numbers() {
    for (amount, minor) in [("0", 0), ("1", 1), ("\"1\"", 1), ("9007199254740993", 9_007_199_254_740_993)] {
        assert_eq!(booked("minor", "EUR", amount), Ok(minor), "{amount}");
    }
    assert_eq!(booked("minor", "EUR", "9223372036854775807"), Ok(i64::MAX));
    assert_eq!(booked("minor", "EUR", "\"9223372036854775807\""), Ok(i64::MAX));
    for amount in ["9223372036854775808", "1.0", "1e2", "true", "[]"] {
        assert_eq!(booked("minor", "EUR", amount), Err("not a 64-bit integer".to_owned()), "{amount}");
    }
    for amount in ["\"9223372036854775808\"", "\"1.0\"", "\"1e2\"", "\"+1\"", "\" 1\"", "\"\"", "\"\u{661}\""] {
        assert_eq!(booked("minor", "EUR", amount), Err("not a 64-bit integer in a text".to_owned()), "{amount}");
    }
    for amount in ["-1", "\"-1\"", "-9223372036854775808"] {
        assert_eq!(booked("minor", "EUR", amount), Err("negative".to_owned()), "{amount}");
    }
}

#[test]
fn major_units_are_exact_decimals() {
    for (currency, amount, minor) in [
        ("EUR", "12.5", 1_250),
        ("EUR", "\"12.50\"", 1_250),
        ("EUR", "12", 1_200),
        ("EUR", "0.1", 10),
        ("EUR", "\"0.10\"", 10),
        ("JPY", "5000", 5_000),
        ("JPY", "\"5000.00\"", 5_000),
        ("KWD", "1.234", 1_234),
        ("EUR", "92233720368547758.07", i64::MAX),
    ] {
        assert_eq!(booked("major", currency, amount), Ok(minor), "{currency} {amount}");
    }
    for (currency, amount) in [
        ("EUR", "1.234"),
        ("JPY", "1.5"),
        ("EUR", "1e2"),
        ("EUR", "\"1,50\""),
        ("EUR", "\"+1\""),
        ("EUR", "\"1.\""),
        ("EUR", "true"),
        ("EUR", "92233720368547758.08"),
    ] {
        let refused = Err("not an amount in this currency".to_owned());
        assert_eq!(booked("major", currency, amount), refused, "{currency} {amount}");
    }
    assert_eq!(booked("major", "EUR", "null"), Err("missing".to_owned()));
    assert_eq!(booked("major", "EUR", "\"-0.01\""), Err("negative".to_owned()));
}
