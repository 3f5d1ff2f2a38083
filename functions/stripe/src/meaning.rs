//! What an object says about money, and the plan that follows.

use hookledger::plan::{Entry, Fetch, Ignored, Occurrence, Plan};

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
