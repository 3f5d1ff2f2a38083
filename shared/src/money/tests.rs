use proptest::prelude::*;

use super::*;

#[test]
fn codes_are_three_letters() {
    assert_eq!(Currency::parse("usd").unwrap().code(), "USD");
    for bad in ["", "us", "usdt", "u1d", "€€€", "us\n"] {
        assert_eq!(Currency::parse(bad), None, "{bad:?}");
    }
}

#[test]
fn decimals_are_exact_or_refused() {
    let minor = |text: &str, code: &str| ISO_4217.minor(text, Currency::parse(code).unwrap());
    for (text, code, expected) in [
        ("12.5", "EUR", Some(1_250)),
        ("12", "EUR", Some(1_200)),
        ("-0.01", "EUR", Some(-1)),
        ("0.10", "EUR", Some(10)),
        ("7", "JPY", Some(7)),
        ("7.00", "JPY", Some(7)),
        ("7.5", "JPY", None),
        ("1.234", "KWD", Some(1_234)),
        ("1.234", "EUR", None),
        ("1.2300", "EUR", Some(123)),
        ("92233720368547758.07", "EUR", Some(i64::MAX)),
        ("92233720368547758.08", "EUR", None),
    ] {
        assert_eq!(minor(text, code), expected, "{text} {code}");
    }
    for bad in ["", ".", "1.", ".5", "+1", "1e2", "1,5", " 1", "--1", "1.2.3", "١"] {
        assert_eq!(minor(bad, "EUR"), None, "{bad:?}");
    }
}

/// Currencies with no, two, three decimals.
const CODES: [(&str, u32); 6] = [("JPY", 0), ("KRW", 0), ("EUR", 2), ("USD", 2), ("KWD", 3), ("BHD", 3)];

fn minor(text: &str, code: &str) -> Option<i64> {
    ISO_4217.minor(text, Currency::parse(code).unwrap())
}

/// How a provider writes an amount, by integers alone.
fn decimal(minor: i128, decimals: u32) -> String {
    let (sign, magnitude) = (if minor < 0 { "-" } else { "" }, minor.unsigned_abs());
    let unit = 10_u128.pow(decimals);
    match decimals {
        0 => format!("{sign}{magnitude}"),
        _ => format!("{sign}{}.{:0>width$}", magnitude / unit, magnitude % unit, width = decimals as usize),
    }
}

/// What a text means, by another road: all of its digits as one number, if they fit the currency.
fn meant(text: &str, decimals: u32) -> Option<i64> {
    let (sign, digits) = text.strip_prefix('-').map_or((1, text), |digits| (-1, digits));
    let (whole, fraction) = digits.split_once('.').unwrap_or((digits, "0"));
    if [whole, fraction].iter().any(|part| part.is_empty() || !part.bytes().all(|byte| byte.is_ascii_digit())) {
        return None;
    }
    let scale = u32::try_from(fraction.len()).unwrap();
    let all: i128 = format!("{whole}{fraction}").parse().ok()?;
    let in_minor = sign * all.checked_mul(10_i128.pow(decimals))?;
    let unit = 10_i128.pow(scale);
    (in_minor % unit == 0).then_some(in_minor / unit).and_then(|minor| i64::try_from(minor).ok())
}

#[test]
fn the_exceptions_are_codes_each_once_and_in_order() {
    let all = [ISO_4217.zero, ISO_4217.three].concat();
    assert!(all.iter().all(|code| Currency::parse(code).is_some_and(|currency| currency.code() == *code)));
    for list in [ISO_4217.zero, ISO_4217.three] {
        assert!(list.is_sorted_by(|left, right| left < right), "{list:?}");
    }
    assert!(ISO_4217.zero.iter().all(|code| !ISO_4217.three.contains(code)));
    for (code, decimals) in CODES {
        assert_eq!(ISO_4217.of(Currency::parse(code).unwrap()), decimals, "{code}");
    }
    // A provider's own list counts, not the standard.
    let own = Decimals { zero: &["EUR"], three: &["JPY"] };
    let own = |text: &str, code: &str| own.minor(text, Currency::parse(code).unwrap());
    assert_eq!((own("7", "EUR"), own("7.001", "JPY"), own("7.01", "KWD")), (Some(7), Some(7_001), Some(701)));
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(2_000))]

    #[test]
    fn every_amount_survives_being_written_as_a_decimal(amount: i64, which in 0..CODES.len()) {
        let (code, decimals) = CODES[which];
        let text = decimal(amount.into(), decimals);
        prop_assert_eq!(minor(&text, code), Some(amount), "{} {}", text, code);
        // Zeros in front and beyond the currency's decimals say nothing.
        let dot = if decimals == 0 { "." } else { "" };
        prop_assert_eq!(minor(&format!("{text}{dot}000"), code), Some(amount));
        let (sign, digits) = text.strip_prefix('-').map_or(("", text.as_str()), |digits| ("-", digits));
        prop_assert_eq!(minor(&format!("{sign}00{digits}"), code), Some(amount));
    }

    #[test]
    fn what_is_finer_than_the_currency_is_refused(amount: i64, digit in 1..10_u8, which in 0..CODES.len()) {
        let (code, decimals) = CODES[which];
        let dot = if decimals == 0 { "." } else { "" };
        let finer = format!("{}{dot}{digit}", decimal(amount.into(), decimals));
        prop_assert_eq!(minor(&finer, code), None, "{} {}", finer, code);
    }

    #[test]
    fn what_is_out_of_range_is_refused_and_never_wraps(beyond in 1..i128::from(u64::MAX), which in 0..CODES.len()) {
        let (code, decimals) = CODES[which];
        let above = decimal(i128::from(i64::MAX) + beyond, decimals);
        let below = decimal(i128::from(i64::MIN) - beyond, decimals);
        prop_assert_eq!((minor(&above, code), minor(&below, code)), (None, None), "{} {}", above, below);
    }

    #[test]
    fn any_text_is_what_its_digits_say_or_refused(text in "-?[0-9]{0,21}[.,e]?[0-9]{0,5}", which in 0..CODES.len()) {
        let (code, decimals) = CODES[which];
        prop_assert_eq!(minor(&text, code), meant(&text, decimals), "{} {}", text, code);
    }

    #[test]
    fn no_text_breaks_it(text in any::<String>(), code in any::<String>()) {
        let currency = Currency::parse(&code);
        prop_assert_eq!(currency.is_some(), code.len() == 3 && code.bytes().all(|byte| byte.is_ascii_alphabetic()));
        prop_assert_eq!(minor(&text, "EUR"), meant(&text, 2));
    }

    /// A number in JSON is read as it is written; one that has a fraction or an exponent is no count of minor units.
    #[test]
    fn a_number_is_an_integer_or_refused(amount: i64, fraction in 0..100_u8, exponent in 0..4_u8) {
        let read = |number: &str| {
            let text = format!(r#"{{"amount":{number}}}"#);
            Object::parse(text.as_bytes()).unwrap().integer("amount").ok()
        };
        prop_assert_eq!(read(&amount.to_string()), Some(amount));
        prop_assert_eq!(read(&format!("{amount}.{fraction}")), None);
        prop_assert_eq!(read(&format!("{amount}e{exponent}")), None);
        prop_assert_eq!(read(&format!("\"{amount}\"")), None);
        let beyond = i128::from(amount) + if amount < 0 { i128::from(i64::MIN) - 1 } else { i128::from(i64::MAX) + 1 };
        prop_assert_eq!(read(&beyond.to_string()), None);
    }
}
