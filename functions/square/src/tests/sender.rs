//! Sample events, sent again as new facts.

use hookledger::provider::Provider as _;

use super::{entries, event, file, files, interpret, line};
use crate::Square;

fn refreshed(body: &[u8]) -> Vec<u8> {
    Square::default().refresh(body, "t1")
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
            let parent = old.parent.as_ref().map(|parent| format!("{}_t1", parent.id));
            assert_eq!(new.parent.as_ref().map(|parent| parent.id.clone()), parent, "{name}");
            assert_eq!(new.invoice, old.invoice.as_ref().map(|invoice| format!("{invoice}_t1")), "{name}");
        }
    }
}

#[test]
fn all_but_the_ids_stays_byte_for_byte() {
    for (name, body) in files() {
        let fresh = String::from_utf8(refreshed(&body)).unwrap();
        assert_eq!(fresh.replace("_t1", "").as_bytes(), body, "{name}");
    }
    assert_eq!(refreshed(b"no \xff text"), b"no \xff text");
}

#[test]
fn people_and_accounts_stay_who_they_are() {
    let text = |name: &str| String::from_utf8(refreshed(&file(name))).unwrap();
    let payment = text("payment_updated_completed_1");
    for kept in ["\"CUSTMIRAHOLT01\"", "\"MLWRKSHPANNA1\"", "\"LOCSTRINGSHOP1\"", "\"vtcompleted00000000000001\""] {
        assert!(payment.contains(kept), "{kept}");
    }
    assert!(text("payout_sent_1").contains("\"bact:OurBank0001\""));
}
