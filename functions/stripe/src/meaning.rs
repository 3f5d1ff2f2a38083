//! What an object says about money, and the plan that follows.

use hookledger::plan::{Entry, Fetch, Fetched, Ignored, Occurrence, Plan, Read};

use crate::{UNASKED, charge};

/// What an object says about money.
pub(crate) enum Meaning {
    /// Nothing that is booked.
    Nothing(Ignored),
    /// Money moved.
    Moved {
        /// Never empty.
        entries: Vec<Entry>,
        /// The charge whose entry knows the account, where the object does not.
        account_of: Option<Occurrence>,
    },
}

impl Meaning {
    /// `entries`, or that nothing moved where there are none.
    pub(crate) fn moved(entries: Vec<Entry>, account_of: Option<Occurrence>) -> Self {
        if entries.is_empty() { Self::Nothing(Ignored::NothingMoved) } else { Self::Moved { entries, account_of } }
    }

    /// As an event first means it: the account is asked for.
    pub(crate) fn plan(self) -> Plan {
        match self {
            Self::Nothing(ignored) => Plan::Ignore(ignored),
            Self::Moved { entries, account_of: None } => Plan::settle(entries),
            Self::Moved { entries, account_of: Some(charge) } => Plan::defer(Fetch::ParentEntry(charge), entries),
        }
    }

    /// Once something was read for it: the charge's entry, or the charge itself where the entry did not come.
    pub(crate) fn resumed(self, read: &Read) -> Plan {
        match (&read.fetch, &read.fetched) {
            (_, Fetched::ParentEntry(Some(entry))) => self.settled(entry.account.clone()),
            (_, Fetched::ParentEntry(None)) => self.without_entry(),
            (_, Fetched::NoObject) => self.settled(None),
            (Fetch::ObjectIfKeyed(_), Fetched::Object(answer)) => {
                let account = self.account_of().and_then(|of| charge::customer(answer, of));
                self.settled(account)
            }
            _ => Plan::unreadable(UNASKED),
        }
    }

    /// The charge is asked for, where its id is one.
    fn without_entry(self) -> Plan {
        match (self.account_of().and_then(charge::path), self) {
            (Some(path), Self::Moved { entries, .. }) => Plan::defer(Fetch::ObjectIfKeyed(path), entries),
            (_, meaning) => meaning.settled(None),
        }
    }

    fn account_of(&self) -> Option<&Occurrence> {
        match self {
            Self::Moved { account_of, .. } => account_of.as_ref(),
            Self::Nothing(_) => None,
        }
    }

    /// Once nothing more is asked: with the `account` that was found, if any.
    pub(crate) fn settled(self, account: Option<String>) -> Plan {
        match self {
            Self::Nothing(ignored) => Plan::Ignore(ignored),
            Self::Moved { entries, account_of: None } => Plan::settle(entries),
            Self::Moved { entries, account_of: Some(_) } => {
                Plan::settle(entries.into_iter().map(|entry| entry.account(account.clone())).collect())
            }
        }
    }
}
