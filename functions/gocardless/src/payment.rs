//! A payment: its whole history is the plan, so that any one of its events ends in the same ledger.

use hookledger::json::Object;
use hookledger::plan::{Entry, Ignored, Kind, Occurrence, Plan};

use crate::account;
use crate::api::{Reads, Stop, entry, link, link_opt};
use crate::list::{self, Listed};

/// The actions that tell of money, also where it moved before them. All others come before any money, or cost a fee.
pub(crate) const TELLING: [&str; 7] = [
    "confirmed",
    "failed",
    "charged_back",
    "chargeback_cancelled",
    "paid_out",
    "chargeback_settled",
    "late_failure_settled",
];

pub(crate) fn plan(event: &Object<'_>, reads: Reads<'_>) -> Result<Plan, Stop> {
    let (id, own) = (link(event, "payment")?, Listed::read(event)?);
    let history = list::of_payment(reads, &id, own)?;
    let movements = movements(&history)?;
    if movements.is_empty() {
        return Ok(Plan::Ignore(Ignored::NothingMoved));
    }
    let payment = reads.resource("payments", &id)?;
    let account = account::of_mandate(reads, link_opt(&payment, "mandate")?)?;
    let booked = |moved: Movement<'_>| -> Result<Entry, Stop> {
        let of = entry(&payment, moved.event.id.as_str().into(), moved.kind, moved.event.at)?;
        let parent = moved.parent.map(|parent| Occurrence::unique(&parent.id));
        Ok(of.account(account.clone()).parent(parent))
    };
    Ok(Plan::settle(movements.into_iter().map(booked).collect::<Result<_, _>>()?))
}

/// The whole amount, one way or the other.
struct Movement<'a> {
    kind: Kind,
    event: &'a Listed,
    parent: Option<&'a Listed>,
}

/// Where the customer's money is.
enum Money<'a> {
    /// Not collected yet.
    There,
    /// With us, or with GoCardless for us, since this event.
    Here(&'a Listed),
    /// Collected by this event, and back with the customer.
    Back { collected: &'a Listed, charged_back: bool },
}

/// Money is either here or not: an event that says again what is so already moves nothing. `failed` moves money only
/// after `confirmed`; `paid_out` and the two `settled` move it between GoCardless and us.
fn movements(history: &[Listed]) -> Result<Vec<Movement<'_>>, Stop> {
    let mut money = Money::There;
    let mut movements = Vec::new();
    for event in history {
        let mut moved = |kind, parent| movements.push(Movement { kind, event, parent });
        money = match (event.action.as_str(), money) {
            ("confirmed", Money::There | Money::Back { .. }) => {
                moved(Kind::Payment, None);
                Money::Here(event)
            }
            ("failed", Money::Here(collected)) => {
                moved(Kind::PaymentReversed, Some(collected));
                Money::Back { collected, charged_back: false }
            }
            ("charged_back", Money::Here(collected)) => {
                moved(Kind::Dispute, Some(collected));
                Money::Back { collected, charged_back: true }
            }
            ("chargeback_cancelled", Money::Back { collected, charged_back: true }) => {
                moved(Kind::DisputeReversed, Some(collected));
                Money::Here(collected)
            }
            ("failed", Money::There) => Money::There,
            (action, Money::There) if TELLING.contains(&action) => {
                return Err(Stop::Park("its list of events begins after its money came: the confirmation is missing"));
            }
            (_, money) => money,
        };
    }
    Ok(movements)
}
