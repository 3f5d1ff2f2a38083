//! What every provider reads with.

use hookledger::claim::key_part;
use hookledger::json::{Object, canonical, tag};
use hookledger::money::{Currency, ISO_4217};
use hookledger::request::{Algorithm, KeySet, decode_base64, decode_hex, encode_base64, encode_hex, form};
use hookledger::time::{RetryAfter, UnixMs};

use super::NOW;

/// How deep a document is walked through.
const DEPTH_MAX: usize = 6;

pub(super) fn parse(input: &[u8]) {
    json(input);
    if let Some(pairs) = form(input) {
        let bytes: usize = pairs.iter().map(|(name, value)| name.len() + value.len()).sum();
        assert!(bytes <= input.len(), "a form that grew");
    }
    let Ok(text) = std::str::from_utf8(input) else { return };
    for line in text.split('\n').take(8) {
        amount(line);
        time(line);
        encodings(line);
        secrets(line);
        assert_eq!(key_part(line), key_part(line), "one key");
    }
}

fn json(input: &[u8]) {
    let (whole, part) = (canonical(input, &[]), canonical(input, &["id"]));
    assert_eq!(canonical(input, &[]), whole, "one canonical form");
    assert!(whole.is_none() || part.is_some(), "a document that is none without a field");
    if let Ok(object) = Object::parse(input) {
        walk(&object, DEPTH_MAX);
    }
    tag(input, "t1", |field, text| field == "id" || text.starts_with("evt_"));
}

fn walk(object: &Object<'_>, depth: usize) {
    for name in ["id", "type", "amount", "data", "object", "currency", "created", "event", "livemode", "events"] {
        let integer = object.integer(name).ok();
        if let (Some(integer), Some(raw)) = (integer, object.raw(name)) {
            assert!(raw == "-0" || raw == integer.to_string(), "a number that is read as another");
        }
        if let Ok(integer) = object.integer_text(name) {
            assert!(object.text(name).is_ok_and(|text| text.parse() == Ok(integer)), "a text that is read as another");
        }
        object.text_opt(name).ok();
        object.time(name).ok();
        object.time_s(name).ok();
        object.flag(name).ok();
        object.list(name).ok();
        Currency::read(object, name).ok();
        if depth > 0 {
            object.object_opt(name).ok().flatten().iter().for_each(|inner| walk(inner, depth - 1));
            object.objects(name).into_iter().flatten().for_each(|inner| walk(&inner, depth - 1));
        }
    }
}

/// What is read as an amount has the digits of its text, and no others.
fn amount(line: &str) {
    let (text, code) = line.split_once(' ').unwrap_or((line, "EUR"));
    let Some(currency) = Currency::parse(code) else { return };
    let Some(minor) = ISO_4217.minor(text, currency) else { return };
    let (sign, digits) = text.strip_prefix('-').map_or(("", text), |digits| ("-", digits));
    let (whole, fraction) = digits.split_once('.').unwrap_or((digits, ""));
    let decimals = usize::try_from(ISO_4217.of(currency)).unwrap_or(0);
    let fraction = fraction.trim_end_matches('0');
    let all = format!("{whole}{fraction}{}", "0".repeat(decimals.saturating_sub(fraction.len())));
    let all = all.trim_start_matches('0');
    let all = if all.is_empty() { "0".to_owned() } else { format!("{sign}{all}") };
    assert_eq!(minor.to_string(), all, "an amount that is read as another");
}

fn time(line: &str) {
    if let Some(at) = UnixMs::parse_rfc3339(line) {
        assert_eq!(UnixMs::parse_rfc3339(&at.rfc3339()), Some(at), "a time that is written as another");
    }
    if let Some(after) = RetryAfter::parse(line) {
        after.moment(NOW);
    }
}

fn encodings(line: &str) {
    if let Some(bytes) = decode_hex(line) {
        assert_eq!(encode_hex(&bytes), line.to_ascii_lowercase(), "hex that is another's");
    }
    if let Some(bytes) = decode_base64(line) {
        assert_eq!(encode_base64(&bytes), line, "base64 that is another's");
    }
}

fn secrets(line: &str) {
    let Ok(keys) = KeySet::parse(line) else { return };
    assert!(keys.first().is_some(), "no secret in a list of secrets");
    keys.problem(&[Algorithm::HmacSha256Base64Key, Algorithm::Ed25519, Algorithm::HmacSha256HexKey]);
    keys.problem(&[Algorithm::HmacSha1HashedKey]);
}
