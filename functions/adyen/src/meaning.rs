//! What an item means, by its `eventCode`.

use hookledger::json::FieldError;
use hookledger::plan::{Entry, Ignored, Kind, Plan};

use crate::capture::{Capture, Captures};
use crate::item::Item;

/// Codes that tell of money, or may, without saying for certain what moved in their signed fields: claimed, not booked.
const RECORDED: [&str; 16] = [
    "AUTHORISATION_ADJUSTMENT",
    "DISPUTE_OPENED_WITH_CHARGEBACK",
    "NOTIFICATION_OF_CHARGEBACK",
    "PAIDOUT_REVERSED",
    "PAYOUT_DECLINE",
    "PAYOUT_EXPIRE",
    "PAYOUT_THIRDPARTY",
    "POSTPONED_REFUND",
    "PREARBITRATION_ACCEPTED",
    "PREARBITRATION_ISSUER_WITHDRAWN",
    "PREARBITRATION_LOST",
    "PREARBITRATION_WON",
    "REFUND_WITH_DATA",
    "SCHEME_ARBITRATION_LOST",
    "SCHEME_ARBITRATION_WON",
    "VOID_PENDING_REFUND",
];

/// Whose meaning depends on how the account captures.
const TAKING: [&str; 6] = ["AUTHORISATION", "CANCELLATION", "CAPTURE", "CAPTURE_FAILED", "EXPIRE", "TECHNICAL_CANCEL"];

/// What gives money back, or takes it back.
const GIVING: [&str; 7] = [
    "CANCEL_OR_REFUND",
    "CHARGEBACK",
    "CHARGEBACK_REVERSED",
    "REFUND",
    "REFUNDED_REVERSED",
    "REFUND_FAILED",
    "SECOND_CHARGEBACK",
];

/// Codes that are not known have no effect: Adyen adds to them, and a refused item would hold up all that follow.
pub(crate) fn plan(item: &Item<'_>, captures: &Captures) -> Result<Plan, FieldError> {
    let code = item.event_code.as_ref();
    let (taking, giving) = (TAKING.contains(&code), GIVING.contains(&code));
    if RECORDED.contains(&code) {
        Ok(Plan::record())
    } else if !taking && !giving {
        Ok(Plan::Ignore(Ignored::EventType))
    } else if !item.succeeded()? {
        Ok(Plan::record())
    } else if giving {
        given(item)
    } else {
        match captures.of(&item.merchant_account) {
            Some(capture) => taken(item, capture),
            None => Ok(Plan::unreadable(
                "merchantAccountCode: not in HOOKLEDGER_ADYEN_CAPTURE; add it there, as auto or manual, and retry",
            )),
        }
    }
}

/// `CAPTURE_FAILED` repeats the reference of the capture that failed. Where Adyen captures by itself there is no such
/// reference, and it is the payment that is undone.
fn taken(item: &Item<'_>, capture: Capture) -> Result<Plan, FieldError> {
    let own = item.psp_reference.as_ref();
    Ok(match (item.event_code.as_ref(), capture) {
        // A card that was only verified.
        ("AUTHORISATION", Capture::Auto) if item.value_minor()? == 0 => Plan::record(),
        ("AUTHORISATION", Capture::Auto) | ("CAPTURE", Capture::Manual) => {
            Plan::settle(vec![part(item, own, Kind::Payment)?])
        }
        ("CAPTURE_FAILED", Capture::Manual) => {
            Plan::settle(vec![part(item, own, Kind::Payment)?, part(item, own, Kind::PaymentReversed)?])
        }
        ("CAPTURE_FAILED", Capture::Auto) => {
            let payment = item.original_reference.as_ref();
            Plan::settle(vec![item.entry(payment, Kind::Payment)?, part(item, payment, Kind::PaymentReversed)?])
        }
        (_, Capture::Manual) => Plan::record(),
        ("CAPTURE", Capture::Auto) => Plan::unreadable(
            "a capture in an account configured as auto, whose authorisation is booked already: after a failed capture this is \
             the money that came after all, and not booked; else the account is manual, and a retry would book it twice",
        ),
        (_, Capture::Auto) => Plan::unreadable(
            "a cancelled authorisation in an account configured as auto: it is booked as a payment, and should not be; the \
             account is manual",
        ),
    })
}

/// All events about a refund have one reference, all about a dispute too.
fn given(item: &Item<'_>) -> Result<Plan, FieldError> {
    let own = item.psp_reference.as_ref();
    let again = format!("{own}:SECOND_CHARGEBACK");
    let entries = match item.event_code.as_ref() {
        "REFUND" => vec![part(item, own, Kind::Refund)?],
        "REFUND_FAILED" | "REFUNDED_REVERSED" => {
            vec![part(item, own, Kind::Refund)?, part(item, own, Kind::RefundReversed)?]
        }
        "CHARGEBACK" => vec![part(item, own, Kind::Dispute)?],
        "CHARGEBACK_REVERSED" => vec![part(item, own, Kind::Dispute)?, part(item, own, Kind::DisputeReversed)?],
        // What is taken a second time was taken before, and given back.
        "SECOND_CHARGEBACK" => vec![
            part(item, own, Kind::Dispute)?,
            part(item, own, Kind::DisputeReversed)?,
            part(item, &again, Kind::Dispute)?,
        ],
        _ => {
            return Ok(Plan::unreadable(
                "CANCEL_OR_REFUND: only an unsigned field says whether money went back; look the payment up",
            ));
        }
    };
    Ok(Plan::settle(entries))
}

/// An entry that belongs to the payment the item names.
fn part(item: &Item<'_>, reference: &str, kind: Kind) -> Result<Entry, FieldError> {
    let payment = item.original_reference.as_ref();
    let parent = (!payment.is_empty()).then(|| item.occurrence(payment));
    Ok(item.entry(reference, kind)?.parent(parent))
}
