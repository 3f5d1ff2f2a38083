//! Sample events, sent again as new facts.

use hookledger::provider::Provider as _;
use hookledger::request::Secret;
use hookledger::time::UnixMs;

use super::{adyen, entries, events, file, files, line, plan};

#[test]
fn a_refreshed_event_is_the_same_story_about_something_new() {
    for (name, body) in files() {
        let fresh = events(adyen().refresh(&body, "t1"));
        for (old, new) in events(body).iter().zip(&fresh) {
            assert_ne!(old.id, new.id, "{name}");
            assert_eq!((&old.scope, old.mode, &old.problem), (&new.scope, new.mode, &new.problem), "{name}");
            assert_eq!(line(&plan(old)), line(&plan(new)).replace("_t1", ""), "{name}");
            for (old, new) in entries(&plan(old)).iter().zip(entries(&plan(new))) {
                assert_ne!(old.occurrence, new.occurrence, "{name}");
                assert_eq!(
                    old.parent.is_some(),
                    new.parent.as_ref().is_some_and(|it| it.id.ends_with("_t1")),
                    "{name}"
                );
            }
        }
    }
}

#[test]
fn all_but_the_references_stays_byte_for_byte() {
    for (name, body) in files() {
        let fresh = String::from_utf8(adyen().refresh(&body, "t1")).unwrap();
        assert_eq!(fresh.replace("_t1", "").as_bytes(), body, "{name}");
        assert_eq!(fresh.matches("_t1").count(), references(&body), "{name}");
    }
}

fn references(body: &[u8]) -> usize {
    let text = std::str::from_utf8(body).unwrap();
    text.matches("pspReference\": \"").count() + text.matches("originalReference\": \"").count()
}

#[test]
fn sample_events_are_signed_with_the_development_secret() {
    let secret = Secret::new(adyen().development_secret());
    for (name, body) in files() {
        assert_eq!(String::from_utf8(adyen().seal(&body, &secret)), String::from_utf8(body), "{name}");
    }
}

#[test]
fn codes_stand_in_the_body_and_nowhere_else() {
    let other = Secret::new("00112233445566778899aabbccddeeff");
    let body = file("batch");
    let sealed = adyen().seal(&body, &other);
    assert_ne!(sealed, body);
    assert_eq!(sealed.len(), body.len());
    assert!(adyen().sign(&sealed, &other, UnixMs::new(0)).is_empty());
    for odd in ["", "{", r#"{"notificationItems":[{"NotificationRequestItem":{}}]}"#] {
        assert_eq!(adyen().seal(odd.as_bytes(), &other), odd.as_bytes());
    }
    assert_eq!(adyen().seal(&body, &Secret::new("no hex")), body);
}
