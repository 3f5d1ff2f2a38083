//! From deliveries to plans, without a store.

mod identify;
mod signatures;

use std::collections::BTreeMap;

use bytes::Bytes;
use hookledger::plan::{Ignored, Plan};
use hookledger::provider::{Event, EventMode, Provider as _};
use hookledger::request::{Headers, KeySet, Secret, Unverified, UnverifiedRequest, VerifiedRequest};
use hookledger::time::UnixMs;

use crate::Braintree;

const SECRET: &str = "violin_public|violin_private";

/// Every file under `events/braintree`, by name without extension.
fn files() -> BTreeMap<String, Vec<u8>> {
    let folder = concat!(env!("CARGO_MANIFEST_DIR"), "/../../events/braintree");
    let read = |path: std::path::PathBuf| {
        let name = path.file_stem().unwrap().to_str().unwrap().to_owned();
        (name, std::fs::read(path).unwrap())
    };
    std::fs::read_dir(folder).unwrap().map(|file| read(file.unwrap().path())).collect()
}

fn request(method: &str, query: &str, body: &[u8]) -> UnverifiedRequest {
    UnverifiedRequest {
        method: method.into(),
        path: "/webhooks/braintree".into(),
        query: query.into(),
        headers: Headers::default(),
        body: Bytes::copy_from_slice(body),
    }
}

fn verify(body: &[u8], secrets: &str) -> Result<VerifiedRequest, Unverified> {
    let request = request("POST", "", body);
    let signature = Braintree.signature(&request)?;
    request.verify(&signature, &KeySet::parse(secrets).unwrap(), UnixMs::new(0))
}

/// The event of a notification as Braintree would send it.
fn event(notification: &[u8]) -> Event {
    let body = Braintree.seal(notification, &Secret::new(SECRET));
    let mut events = Braintree.identify(&verify(&body, &format!("shop@{SECRET}")).unwrap());
    assert_eq!(events.len(), 1);
    events.remove(0)
}

#[test]
fn all_but_a_check_is_recorded_under_what_it_is_about() {
    let mut meant = BTreeMap::new();
    for (name, notification) in files() {
        let event = event(&notification);
        assert_eq!((event.mode, event.problem.as_deref()), (EventMode::Ours, None), "{name}");
        assert_eq!(event.kept.body, notification, "{name}");
        let plan = Braintree.interpret(&event);
        assert!(plan == Plan::record() || plan == Plan::Ignore(Ignored::EventType), "{name}: {plan:?}");
        meant.insert(name, (event.scope, event.id, plan == Plan::record()));
    }
    let digest = |name: &str| hookledger::claim::Digest::of(&files()[name]).to_hex();
    let expected = [
        ("account_updater_daily_report", "shop", "account_updater_daily_report.2026-12-01T05:00:00Z.{}", true),
        ("check", "shop", "check.2026-11-30T09:00:00Z.{}", false),
        ("disbursement", "shop", "disbursement.2026-12-01T04:10:00Z.d2u7mm5c", true),
        ("disbursement_of_sub_merchant", "cello_lessons", "disbursement.2026-12-01T04:10:00Z.d2u7mm5c", true),
        ("dispute_lost", "shop", "dispute_lost.2026-12-20T08:00:00Z.k4mz8pq2", true),
        ("refund_failed", "shop", "refund_failed.2026-12-02T09:30:00Z.2bq9rx4t", true),
        (
            "subscription_charged_successfully",
            "shop",
            "subscription_charged_successfully.2026-11-30T10:05:00Z.rosin-club_17",
            true,
        ),
        ("transaction_disbursed", "shop", "transaction_disbursed.2026-12-01T04:00:00Z.7hk2vn8q", true),
        ("transaction_settled", "shop", "transaction_settled.2026-11-30T10:00:00Z.7hk2vn8q", true),
    ];
    let expected = expected.map(|(name, scope, id, recorded)| {
        (name.to_owned(), (scope.to_owned(), id.replace("{}", &digest(name)), recorded))
    });
    assert_eq!(meant, BTreeMap::from(expected));
}

#[test]
fn a_refreshed_notification_is_another_one_of_the_same_kind() {
    for (name, notification) in files() {
        let (before, after) = (event(&notification), event(&Braintree.refresh(&notification, "t1")));
        assert_ne!(before.id, after.id, "{name}");
        let rest = |event: Event| (event.scope, event.event_type, event.mode, event.problem);
        assert_eq!(rest(before), rest(after), "{name}");
    }
}
