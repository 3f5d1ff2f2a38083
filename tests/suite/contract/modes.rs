//! Play money is not booked as real money, nor real money where play money is.

use hookledger::provider::{EventMode, Mode};

use super::{Listed, all};

fn modes(listed: &Listed, body: &[u8]) -> Vec<EventMode> {
    listed.events(body).iter().filter(|event| event.problem.is_none()).map(|event| event.mode).collect()
}

#[tokio::test]
async fn events_of_the_other_mode_are_ignored_and_nothing_is_written() {
    let mut tells = Vec::new();
    for listed in all() {
        for (deployed, other) in [(Mode::Test, EventMode::Live), (Mode::Live, EventMode::Test)] {
            let desk = listed.desk(deployed).await;
            let others = listed.samples.iter().filter(|(_, body)| {
                let modes = modes(&listed, body);
                !modes.is_empty() && modes.len() == listed.events(body).len() && modes.iter().all(|mode| *mode == other)
            });
            for (sample, body) in others {
                let answer = desk.deliver(&listed, body).await;
                let success = listed.provider.profile().transport.success.into();
                assert_eq!(answer.reply, success, "{} {sample}", listed.name);
                tells.push((listed.name, other));
            }
            assert_eq!(desk.world.calls(), 0, "{}", listed.name);
        }
    }
    tells.sort_by_key(|(name, other)| (*name, *other == EventMode::Live));
    tells.dedup();
    let both: Vec<_> = tells.iter().filter(|(_, other)| *other == EventMode::Test).map(|(name, _)| *name).collect();
    let live: Vec<_> = tells.iter().filter(|(_, other)| *other == EventMode::Live).map(|(name, _)| *name).collect();
    assert_eq!(both, live, "who tells a mode has a sample of each");
    assert!(both.len() >= 3, "{both:?}");
}

#[test]
fn a_mode_that_is_missing_is_never_taken_for_ours() {
    let (mut sometimes, mut allowed) = (Vec::new(), Vec::new());
    for listed in all() {
        let told: Vec<_> = listed.samples.values().flat_map(|body| modes(&listed, body)).collect();
        let tells = told.iter().any(|mode| matches!(mode, EventMode::Live | EventMode::Test));
        if tells && told.contains(&EventMode::Ours) {
            sometimes.push(listed.name);
        }
        // Where only some kinds of events say it, what comes without is of a secret that belongs to one mode.
        if listed.row.tells_mode_sometimes {
            allowed.push(listed.name);
        }
    }
    assert_eq!(sometimes, allowed);
}
