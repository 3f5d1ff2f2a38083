//! Currencies, as the ledger writes them, and amounts. Amounts are integers in the provider's minor units and stay so; a
//! provider that sends decimals has its own rule for how many there are.

use std::fmt;

use crate::json::{FieldError, Object};

/// How many decimals a provider's amounts have, currency by currency: its own list, because they differ.
#[derive(Clone, Copy, Debug)]
pub struct Decimals {
    /// Currencies without a minor unit.
    pub zero: &'static [&'static str],
    /// Currencies with three decimals.
    pub three: &'static [&'static str],
}

/// ISO 4217's, as of 2024 (www.six-group.com, "Data standards", list one).
pub const ISO_4217: Decimals = Decimals {
    zero: &[
        "BIF", "CLP", "DJF", "GNF", "ISK", "JPY", "KMF", "KRW", "PYG", "RWF", "UGX", "UYI", "VND", "VUV", "XAF", "XOF",
        "XPF",
    ],
    three: &["BHD", "IQD", "JOD", "KWD", "LYD", "OMR", "TND"],
};

impl Decimals {
    /// How many decimals an amount in `currency` has.
    pub fn of(&self, currency: Currency) -> u32 {
        match currency.code() {
            code if self.zero.contains(&code) => 0,
            code if self.three.contains(&code) => 3,
            _ => 2,
        }
    }

    /// A decimal text such as `-12.5` in minor units, exactly. `None`: not a plain decimal, finer than the currency, or out
    /// of range. Zeros beyond the currency's decimals are no finer.
    pub fn minor(&self, text: &str, currency: Currency) -> Option<i64> {
        let (sign, digits) = text.strip_prefix('-').map_or(("", text), |digits| ("-", digits));
        let (whole, fraction) = digits.split_once('.').unwrap_or((digits, "0"));
        let all_digits = |part: &str| !part.is_empty() && part.bytes().all(|byte| byte.is_ascii_digit());
        if !all_digits(whole) || !all_digits(fraction) {
            return None;
        }
        let decimals = usize::try_from(self.of(currency)).ok()?;
        let fraction = fraction.trim_end_matches('0');
        if fraction.len() > decimals {
            return None;
        }
        format!("{sign}{whole}{fraction:0<decimals$}").parse().ok()
    }
}

/// A currency code: three letters, upper case.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Currency([u8; 3]);

impl Currency {
    /// Reads a three-letter code in either case.
    pub fn parse(code: &str) -> Option<Self> {
        let letters: [u8; 3] = code.as_bytes().try_into().ok()?;
        letters.iter().all(u8::is_ascii_alphabetic).then(|| Self(letters.map(|letter| letter.to_ascii_uppercase())))
    }

    /// Reads a field that must hold a code.
    pub fn read(object: &Object<'_>, name: &str) -> Result<Self, FieldError> {
        Self::parse(&object.text(name)?).ok_or_else(|| object.error(name, "not a currency code"))
    }

    /// The code, upper case.
    pub fn code(&self) -> &str {
        std::str::from_utf8(&self.0).unwrap_or_default()
    }
}

impl fmt::Display for Currency {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.code())
    }
}

impl fmt::Debug for Currency {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.code())
    }
}

#[cfg(test)]
mod tests;
