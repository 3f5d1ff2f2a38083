//! Sample events, sent again as new facts.

use hookledger::provider::Provider as _;

use super::{entries, event, file, files, interpret, line};
use crate::Checkout;

fn refreshed(body: &[u8]) -> Vec<u8> {
    Checkout.refresh(body, "t1")
}

#[test]
fn a_refreshed_event_is_the_same_story_about_something_new() {
    for (name, body) in files() {
        let (old, new) = (event(body.clone()), event(refreshed(&body)));
        assert_ne!(old.id, new.id, "{name}");
        assert_eq!((old.event_type, old.mode, old.problem), (new.event_type, new.mode, new.problem), "{name}");
        let (old, new) = (interpret(body.clone()), interpret(refreshed(&body)));
        assert_eq!(line(&old), line(&new).replace("_t1", ""), "{name}");
        for (old, new) in entries(&old).iter().zip(entries(&new)) {
            assert_eq!(new.occurrence.id, format!("{}_t1", old.occurrence.id), "{name}");
            assert_eq!(new.account, old.account, "{name}");
        }
    }
}

#[test]
fn all_but_the_ids_stays_byte_for_byte() {
    for (name, body) in files() {
        let fresh = String::from_utf8(refreshed(&body)).unwrap();
        assert_eq!(fresh.replace("_t1", "").as_bytes(), body, "{name}");
    }
    let text = String::from_utf8(refreshed(&file("dispute_won_1"))).unwrap();
    for kept in ["\"ent_holt00000000000000000001\"", "\"cli_holt00000000000000000001\"", "\"dispute_won\""] {
        assert!(text.contains(kept), "{kept}");
    }
}
