//! When an authorisation becomes cash. By default Adyen captures at once and says no more; an account may be set to capture
//! later, and then `CAPTURE` tells of it, under a reference of its own (docs.adyen.com/online-payments/capture). Nothing in
//! an event says which of the two an account does, so it is configured.

use std::collections::BTreeMap;

use hookledger::provider::Setting;

/// `HOOKLEDGER_ADYEN_CAPTURE`.
pub(crate) const SETTING: Setting = Setting {
    name: "CAPTURE",
    todo: "name every merchant account and how it captures, as in MerchantA=auto,MerchantB=manual",
    required: true,
    // The sample events know one account that captures by hand.
    development: "*=auto,HoltRentals=manual",
};

/// Every account that is not named.
const OTHERS: &str = "*";

/// What makes an authorised payment cash.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Capture {
    /// The authorisation itself.
    Auto,
    /// Each capture.
    Manual,
}

/// How each merchant account captures.
#[derive(Clone, Debug, Default)]
pub(crate) struct Captures(BTreeMap<String, Capture>);

impl Captures {
    /// Reads the setting. `*=auto` is allowed, also for real money: an account for which it is wrong is found out by its
    /// first capture, which is kept for a person. `*=manual` is not: an account for which it is wrong would book nothing,
    /// and nobody would see.
    pub(crate) fn parse(list: &str) -> Result<Self, &'static str> {
        let mut captures = BTreeMap::new();
        for item in list.split(',') {
            let (account, capture) =
                item.rsplit_once('=').ok_or("is not a list like MerchantA=auto,MerchantB=manual")?;
            let capture = match (account.trim(), capture.trim()) {
                ("", _) => return Err("has no merchant account before a ="),
                (OTHERS, "manual") => return Err("says *=manual: name the accounts that capture by hand"),
                (_, "auto") => Capture::Auto,
                (_, "manual") => Capture::Manual,
                _ => return Err("says neither auto nor manual behind a ="),
            };
            if captures.insert(account.trim().to_owned(), capture).is_some() {
                return Err("names a merchant account twice");
            }
        }
        Ok(Self(captures))
    }

    /// How this account captures, where it is known.
    pub(crate) fn of(&self, merchant_account: &str) -> Option<Capture> {
        let named = self.0.get(merchant_account).or_else(|| self.0.get(OTHERS));
        named.copied()
    }
}
