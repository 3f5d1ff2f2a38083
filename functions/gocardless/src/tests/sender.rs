//! Sample events, sent again as new facts.

use hookledger::provider::Provider as _;
use serde_json::Value;

use super::{event, events_in, files, line};
use crate::GoCardless;

#[test]
fn a_refreshed_delivery_is_the_same_story_about_something_new() {
    for (name, body) in files() {
        let fresh = GoCardless.refresh(&body, "t1");
        assert_eq!(String::from_utf8(fresh.clone()).unwrap().replace("_t1", "").as_bytes(), body, "{name}");
        let fresh: Value = serde_json::from_slice(&fresh).unwrap();
        for (old, new) in events_in(&name).iter().zip(fresh["events"].as_array().unwrap()) {
            let (old, new) = (event(old), event(new));
            assert_eq!((old.scope, old.problem.clone()), (new.scope, new.problem), "{name}");
            if old.problem.is_none() {
                assert_eq!(new.id, format!("{}_t1", old.id), "{name}");
                let meaning = |body| line(&GoCardless.interpret(&event(body)));
                let (old, new): (Value, Value) = (parsed(&old.kept.body), parsed(&new.kept.body));
                assert_eq!(meaning(&old), meaning(&new).replace("_t1", ""), "{name}");
            }
        }
    }
}

fn parsed(body: &[u8]) -> Value {
    serde_json::from_slice(body).unwrap()
}

#[test]
fn those_who_take_part_stay_who_they_are() {
    let fresh = GoCardless.refresh(
        br#"{"a":["EV1","PM1A","RF9","PO0"],"b":["MD1","CU1","CR1","OR1","WB1"],"EVENT":"PO","c":"PMx1"}"#,
        "t",
    );
    let expected =
        br#"{"a":["EV1_t","PM1A_t","RF9_t","PO0_t"],"b":["MD1","CU1","CR1","OR1","WB1"],"EVENT":"PO","c":"PMx1"}"#;
    assert_eq!(fresh, expected);
}
