//! A movement of money, and our entry about it.

use super::Uncommittable;
use crate::money::Currency;
use crate::time::UnixMs;

/// A text of the provider's that goes into an item beside its key. Longer ones are refused, never cut.
pub(super) const TEXT_BYTES_MAX: usize = 2_048;

/// One movement of money, named as the provider names it.
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Occurrence {
    /// From signed bytes or the matched secret; empty where the provider's ids are unique by themselves.
    pub scope: String,
    /// The provider's id of this occurrence.
    pub id: String,
}

impl Occurrence {
    /// An occurrence whose id is unique by itself.
    pub fn unique(id: impl Into<String>) -> Self {
        Self { scope: String::new(), id: id.into() }
    }
}

/// How money moves. A file format: added to, never respelled. The kind carries the sign.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Kind {
    /// Money from a customer: +.
    Payment,
    /// Money back to a customer: −.
    Refund,
    /// A refund that came back: +.
    RefundReversed,
    /// Money to our bank: −.
    Payout,
    /// A payout that came back: +.
    PayoutReversed,
    /// Money withdrawn in a dispute: −.
    Dispute,
    /// Money a dispute gave back: +.
    DisputeReversed,
    /// Says which invoice a payment settled; moves nothing, carries the amount beside the sum.
    InvoiceLink,
    /// Money of a payment that went back to the customer because the payment failed after all: −.
    PaymentReversed,
}

/// The direction of a kind.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Sign {
    /// Adds to the account.
    Plus,
    /// Takes from the account.
    Minus,
    /// Moves nothing.
    Zero,
}

impl Kind {
    /// Every kind.
    pub const ALL: [Self; 9] = [
        Self::Payment,
        Self::Refund,
        Self::RefundReversed,
        Self::Payout,
        Self::PayoutReversed,
        Self::Dispute,
        Self::DisputeReversed,
        Self::InvoiceLink,
        Self::PaymentReversed,
    ];

    /// As the ledger spells it.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Payment => "payment",
            Self::Refund => "refund",
            Self::RefundReversed => "refund_reversed",
            Self::Payout => "payout",
            Self::PayoutReversed => "payout_reversed",
            Self::Dispute => "dispute",
            Self::DisputeReversed => "dispute_reversed",
            Self::InvoiceLink => "invoice_link",
            Self::PaymentReversed => "payment_reversed",
        }
    }

    /// Which way the money goes.
    pub const fn sign(self) -> Sign {
        match self {
            Self::Payment | Self::RefundReversed | Self::PayoutReversed | Self::DisputeReversed => Sign::Plus,
            Self::Refund | Self::Payout | Self::Dispute | Self::PaymentReversed => Sign::Minus,
            Self::InvoiceLink => Sign::Zero,
        }
    }
}

/// Our record of a movement. Built from a magnitude: the kind gives the sign.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Entry {
    /// What moved.
    pub occurrence: Occurrence,
    /// How.
    pub kind: Kind,
    /// Signed, in the provider's minor units.
    pub amount_minor: i64,
    /// In which currency.
    pub currency: Currency,
    /// The customer's account at the provider, where known.
    pub account: Option<String>,
    /// The movement this one undoes or belongs to.
    pub parent: Option<Occurrence>,
    /// The invoice, where known.
    pub invoice: Option<String>,
    /// For [`Kind::InvoiceLink`]: the amount that was linked, in minor units; in no sum.
    pub linked_minor: Option<i64>,
    /// When it happened at the provider.
    pub occurred_at: UnixMs,
}

impl Entry {
    /// A movement of `magnitude_minor` (not negative) minor units.
    pub fn new(
        occurrence: Occurrence,
        kind: Kind,
        magnitude_minor: i64,
        currency: Currency,
        occurred_at: UnixMs,
    ) -> Result<Self, Uncommittable> {
        if magnitude_minor < 0 {
            return Err(Uncommittable::NegativeMagnitude);
        }
        let (amount_minor, linked_minor) = match kind.sign() {
            Sign::Plus => (magnitude_minor, None),
            Sign::Minus => (-magnitude_minor, None),
            Sign::Zero => (0, Some(magnitude_minor)),
        };
        let (account, parent, invoice) = (None, None, None);
        Ok(Self { occurrence, kind, amount_minor, currency, account, parent, invoice, linked_minor, occurred_at })
    }

    /// With the customer's account.
    pub fn account(mut self, account: Option<impl Into<String>>) -> Self {
        self.account = account.map(Into::into);
        self
    }

    /// With the movement it undoes or belongs to.
    pub fn parent(mut self, parent: Option<Occurrence>) -> Self {
        self.parent = parent;
        self
    }

    /// With its invoice.
    pub fn invoice(mut self, invoice: Option<impl Into<String>>) -> Self {
        self.invoice = invoice.map(Into::into);
        self
    }

    pub(super) fn check(&self) -> Result<(), Uncommittable> {
        let Self { occurrence, account, parent, invoice, .. } = self;
        let ids = [Some(&occurrence.id), account.as_ref(), invoice.as_ref(), parent.as_ref().map(|parent| &parent.id)];
        for id in ids.into_iter().flatten() {
            if id.is_empty() {
                return Err(Uncommittable::EmptyId);
            }
            if id.len() > TEXT_BYTES_MAX {
                return Err(Uncommittable::LongText);
            }
        }
        Ok(())
    }
}
