//! The payment that a refund or a dispute belongs to, as far as its own event does not tell.

use hookledger::json::{FieldError, Object};
use hookledger::plan::{Defer, Fetch, Fetched, Plan, Read};

use crate::object;

/// What a deferred event means once something was read for it: the payment's entry, or the payment itself where no entry
/// came. Nothing of this is worth keeping an event for a person.
pub(crate) fn resume(defer: &Defer, read: &Read) -> Plan {
    match (&read.fetch, &read.fetched) {
        (_, Fetched::ParentEntry(Some(entry))) => settled(defer, entry.account.clone()),
        (_, Fetched::ParentEntry(None)) => match id(defer).and_then(path) {
            Some(path) => Plan::defer(Fetch::ObjectIfKeyed(path), defer.known().to_vec()),
            None => settled(defer, None),
        },
        (Fetch::ObjectIfKeyed(_), Fetched::Object(answer)) => match payment(answer, id(defer)) {
            Ok(Payment::Elsewhere) => Plan::record(),
            Ok(Payment::Of(account)) => settled(defer, account),
            Err(_) => settled(defer, None),
        },
        (_, Fetched::NoObject) => settled(defer, None),
        _ => Plan::unreadable("the answer is of a kind that this event did not ask for"),
    }
}

/// A payment, as the API knows it.
enum Payment {
    /// It moved no money at Square, so nothing that undoes it did.
    Elsewhere,
    /// Its account.
    Of(Option<String>),
}

fn payment(answer: &[u8], id: Option<&str>) -> Result<Payment, FieldError> {
    let payment = Object::parse(answer)?.object("payment")?;
    if id != Some(payment.text("id")?.as_ref()) {
        return Err(payment.error("id", "not the payment that was asked for"));
    }
    if object::paid_elsewhere(&payment)? {
        return Ok(Payment::Elsewhere);
    }
    let account = payment.text_opt("customer_id")?.map(|id| id.into_owned());
    Ok(Payment::Of(account.filter(|id| !id.is_empty())))
}

fn settled(defer: &Defer, account: Option<String>) -> Plan {
    Plan::settle(defer.known().iter().map(|entry| entry.clone().account(account.clone())).collect())
}

fn id(defer: &Defer) -> Option<&str> {
    defer.known().first()?.parent.as_ref().map(|parent| parent.id.as_str())
}

/// Goes out with our key, so nothing but a plain id is taken.
fn path(id: &str) -> Option<String> {
    let plain = |byte: u8| byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'-');
    (!id.is_empty() && id.bytes().all(plain)).then(|| format!("/v2/payments/{id}"))
}
