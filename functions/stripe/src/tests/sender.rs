//! Sample events, sent again as new facts.

use hookledger::provider::Provider as _;

use super::{entries, event, file, files, interpret, line};
use crate::Stripe;

fn refreshed(body: &[u8]) -> Vec<u8> {
    Stripe.refresh(body, "t1")
}

#[test]
fn a_refreshed_event_is_the_same_story_about_something_new() {
    for (name, body) in files() {
        let (old, new) = (event(body.clone()), event(refreshed(&body)));
        assert_ne!(old.id, new.id, "{name}");
        assert_eq!((old.scope, old.mode, old.problem), (new.scope, new.mode, new.problem), "{name}");
        let (old, new) = (interpret(body.clone()), interpret(refreshed(&body)));
        assert_eq!(line(&old), line(&new).replace("_t1", ""), "{name}");
        for (old, new) in entries(&old).iter().zip(entries(&new)) {
            assert_eq!(new.occurrence.id, format!("{}_t1", old.occurrence.id), "{name}");
            assert_eq!(new.account, old.account, "{name}");
            let tagged = |id: &String| format!("{id}_t1");
            assert_eq!(
                new.parent.as_ref().map(|parent| parent.id.clone()),
                old.parent.as_ref().map(|parent| tagged(&parent.id))
            );
            assert_eq!(new.invoice, old.invoice.as_ref().map(tagged), "{name}");
        }
    }
}

#[test]
fn all_but_the_ids_stays_byte_for_byte() {
    for (name, body) in files() {
        let fresh = String::from_utf8(refreshed(&body)).unwrap();
        assert_eq!(fresh.replace("_t1", "").as_bytes(), body, "{name}");
    }
    let odd =
        br#"{ "a":"in_transit", "b":"x\"ch_1\\", "c":["ch_1"],"url":"\/v1\/charges\/ch_1", "s":"pi_1-2", "n":1.50}"#;
    let fresh = br#"{ "a":"in_transit", "b":"x\"ch_1\\", "c":["ch_1_t1"],"url":"\/v1\/charges\/ch_1_t1", "s":"pi_1-2", "n":1.50}"#;
    assert_eq!(refreshed(odd), fresh);
    assert_eq!(refreshed(b"\"evt_1"), b"\"evt_1_t1");
    assert_eq!(refreshed(b"no \xff text"), b"no \xff text");
}

#[test]
fn people_and_accounts_stay_who_they_are() {
    let text = String::from_utf8(refreshed(&file("charge_succeeded_connect"))).unwrap();
    for kept in
        ["\"cus_TkNoraFinch05\"", "\"acct_1ThWorkshopAnna\"", "\"pm_1ThPyMcardHolt042\"", "\"req_8HkQ2LmWv0Xs3d\""]
    {
        assert!(text.contains(kept), "{kept}");
    }
    let tagged = |tag| Stripe.refresh(&file("charge_succeeded"), tag);
    assert_ne!(tagged("a"), tagged("b"));
}
