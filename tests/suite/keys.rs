//! Keys, kinds and digests are a file format: what is written today must be found for ever.

use hookledger::claim::{ClaimKey, Digest, Effect, EffectKind, MovementKey, State, kind_named, owned_key};
use hookledger::money::Currency;
use hookledger::plan::{Entry, Fetch, Kind, Occurrence, ParkReason, Plan, Sign};
use hookledger::time::UnixMs;
use proptest::prelude::*;

fn occurrence(scope: &str, id: &str) -> Occurrence {
    Occurrence { scope: scope.into(), id: id.into() }
}

fn payment(id: &str, magnitude_minor: i64) -> Entry {
    let currency = Currency::parse("usd").unwrap();
    Entry::new(Occurrence::unique(id), Kind::Payment, magnitude_minor, currency, UnixMs::new(1)).unwrap()
}

fn effect(plan: Plan) -> Effect {
    Effect::of(&plan.write().unwrap(), b"content")
}

#[test]
fn keys_are_spelled_as_ever() {
    let claim = |scope: &str, id: &str| ClaimKey::new("stripe", scope, id).as_str().to_owned();
    assert_eq!(claim("", "evt_1"), "stripe::evt_1");
    assert_eq!(claim("acct_1", "evt_1"), "stripe:acct_1:evt_1");
    assert_eq!(claim("a:b", "c#d%e"), "stripe:a%3Ab:c%23d%25e");
    assert_eq!(claim("", "ünïcode ✓"), "stripe::ünïcode ✓");
    assert_eq!(claim("", &"x".repeat(512)), format!("stripe::{}", "x".repeat(512)));
    assert_eq!(claim("", &"x".repeat(513)), format!("stripe::{}", Digest::of("x".repeat(513).as_bytes()).to_hex()));
    assert_eq!(MovementKey::new("stripe", &occurrence("", "ch_1")).as_str(), "stripe::ch_1");
    assert_eq!(MovementKey::new("adyen", &occurrence("Shop", "P:1")).as_str(), "adyen:Shop:P%3A1");
    assert_eq!(owned_key("stripe", "acct_1", "cus_1"), "stripe:acct_1:cus_1");
}

#[test]
fn kinds_states_and_reasons_are_spelled_as_ever() {
    let kinds = Kind::ALL.map(|kind| (kind.name(), kind.sign()));
    assert_eq!(
        kinds,
        [
            ("payment", Sign::Plus),
            ("refund", Sign::Minus),
            ("refund_reversed", Sign::Plus),
            ("payout", Sign::Minus),
            ("payout_reversed", Sign::Plus),
            ("dispute", Sign::Minus),
            ("dispute_reversed", Sign::Plus),
            ("invoice_link", Sign::Zero),
            ("payment_reversed", Sign::Minus),
        ]
    );
    assert!(Kind::ALL.into_iter().all(|kind| kind_named(kind.name()) == Some(kind)));
    assert_eq!(State::ALL.map(State::name), ["received", "processing", "parked", "done"]);
    assert_eq!(EffectKind::ALL.map(EffectKind::name), ["settle", "defer", "park"]);
    let reasons = ["unreadable", "bytes_lost", "conflict", "spent", "held", "person"];
    assert_eq!(ParkReason::ALL.map(ParkReason::name), reasons);
}

#[test]
fn effects_are_digested_as_ever() {
    let settled = effect(Plan::settle(vec![payment("ch_1", 5_000).account(Some("cus_1"))]));
    let deferred = effect(Plan::defer(Fetch::ParentEntry(Occurrence::unique("ch_1")), vec![payment("re_1", 5)]));
    let fetched = effect(Plan::defer(Fetch::Object("/v1/charges/ch_1".into()), vec![]));
    let parked = effect(Plan::unreadable("why"));
    let digests = [settled, deferred, fetched, parked].map(|effect| (effect.kind.name(), effect.digest.to_hex()));
    let golden = include_str!("golden/effects.txt");
    let printed: String = digests.iter().map(|(kind, digest)| format!("{kind} {digest}\n")).collect();
    assert_eq!(printed, golden, "an effect digest changed: raise EFFECT_VERSION and add to the golden file");
}

#[test]
fn an_effect_is_its_movements_and_nothing_else() {
    let base = || payment("ch_1", 5_000);
    let of = |entries| effect(Plan::settle(entries));
    let mut later = base();
    later.occurred_at = UnixMs::new(2);
    assert_eq!(of(vec![base()]), of(vec![later]));
    assert_eq!(of(vec![base()]), of(vec![base().invoice(Some("in_1"))]));
    assert_eq!(of(vec![base(), payment("ch_2", 1)]), of(vec![payment("ch_2", 1), base()]));
    assert_ne!(of(vec![base()]), of(vec![payment("ch_1", 5_001)]));
    assert_ne!(of(vec![base()]), of(vec![payment("ch_2", 5_000)]));
    assert_ne!(of(vec![base()]), of(vec![base().account(Some("cus_1"))]));
    assert_ne!(of(vec![base()]), of(vec![base(), payment("ch_2", 1)]));
    let mut other_currency = base();
    other_currency.currency = Currency::parse("jpy").unwrap();
    assert_ne!(of(vec![base()]), of(vec![other_currency]));
}

#[test]
fn effects_of_unlike_kinds_are_not_compared() {
    let settle = Plan::settle(vec![payment("ch_1", 1)]).write().unwrap();
    let defer = Plan::defer(Fetch::Object("/v1/x".into()), vec![]).write().unwrap();
    assert_eq!(Effect::in_kind(EffectKind::Defer, &settle, b""), None);
    assert_eq!(Effect::in_kind(EffectKind::Settle, &defer, b""), None);
    assert!(Effect::in_kind(EffectKind::Park, &settle, b"").is_some());
}

/// Parts that are likely to run into each other.
fn part() -> impl Strategy<Value = String> {
    prop_oneof![
        "[:%#a]{0,4}",
        Just("%3A".to_owned()),
        Just("%253A".to_owned()),
        "[:%a]{510,516}",
        "\\PC{0,8}",
        "[a-z0-9_]{1,12}",
    ]
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(2_000))]

    #[test]
    fn other_parts_make_another_key(a in (part(), part()), b in (part(), part())) {
        let key = |parts: &(String, String)| ClaimKey::new("p", &parts.0, &parts.1);
        prop_assert_eq!(key(&a) == key(&b), a == b);
        let movement = |parts: &(String, String)| MovementKey::new("p", &occurrence(&parts.0, &parts.1));
        prop_assert_eq!(movement(&a) == movement(&b), a == b);
    }

    #[test]
    fn keys_fit_where_they_are_stored(a in part(), b in part()) {
        prop_assert!(ClaimKey::new("provider", &a, &b).as_str().len() <= 1_100);
    }

    #[test]
    fn every_amount_keeps_its_magnitude_and_gets_its_sign(magnitude_minor in 0..=i64::MAX, at in 0..Kind::ALL.len()) {
        let kind = Kind::ALL[at];
        let currency = Currency::parse("eur").unwrap();
        let entry = Entry::new(Occurrence::unique("x"), kind, magnitude_minor, currency, UnixMs::new(0)).unwrap();
        match kind.sign() {
            Sign::Plus => prop_assert_eq!(entry.amount_minor, magnitude_minor),
            Sign::Minus => prop_assert_eq!(entry.amount_minor, -magnitude_minor),
            Sign::Zero => prop_assert_eq!((entry.amount_minor, entry.linked_minor), (0, Some(magnitude_minor))),
        }
    }
}
