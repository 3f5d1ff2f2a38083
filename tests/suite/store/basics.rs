//! New, again, something else, parked, brought back, contradicted.

use hookledger::claim::State;
use hookledger::metrics::Metric;
use hookledger::plan::ParkReason;
use hookledger_tests::{Fact, header, settle};

use super::Place;

fn is_replay(answer: &hookledger::receive::Answer) -> bool {
    answer.reply.status == 200 && header(answer, "hookledger-replay") == Some("true")
}

#[tokio::test]
async fn a_new_event_is_booked_and_a_duplicate_is_replayed() {
    let place = Place::new().await;
    let fact = settle("e1", "m1", 500).account("a");
    let first = place.deliver(&fact).await;
    assert_eq!((first.reply.status, is_replay(&first)), (200, false));
    for _ in 0..3 {
        let again = place.deliver(&fact).await;
        assert_eq!((&again.reply, is_replay(&again)), (&first.reply, true));
    }
    assert!(is_replay(&place.deliver(&Fact { attempt: 2, ..fact }).await));
    assert_eq!(place.booked().await, [("test::m1".to_owned(), "payment", 500)]);
    assert_eq!((place.metrics.results("applied"), place.metrics.results("replayed")), (1, 4));
    let claim = place.claim("e1").await.unwrap();
    assert_eq!((claim.state, claim.entries.len(), claim.payload_parts), (State::Done, 1, 0));
}

#[tokio::test]
async fn another_effect_is_a_mismatch_and_kept_once() {
    let place = Place::new().await;
    place.deliver(&settle("e1", "m1", 500)).await;
    for _ in 0..3 {
        assert_eq!(place.deliver(&settle("e1", "m1", 501)).await.reply.status, 422);
        assert!(is_replay(&place.deliver(&settle("e1", "m1", 500)).await));
    }
    let siblings = place.story("e1").await.siblings;
    assert_eq!((siblings.len(), &siblings[0].kept.body[..]), (1, &settle("e1", "m1", 501).body()[..]));
    assert_eq!(place.metrics.total(Metric::Mismatches), 1);
    assert_eq!(place.booked().await.len(), 1);
}

#[tokio::test]
async fn a_parked_event_comes_back_when_it_can_be_read() {
    let place = Place::new().await;
    let later = |id: &str, then: &str| Fact { then: then.into(), parent: "p".into(), ..Fact::new(id, "later") };
    let settles = later("e1", "settle").moving("m1", "payment", 500);
    let defers = later("e2", "defer").moving("r1", "refund", 5);
    for fact in [&settles, &defers] {
        place.deliver(fact).await;
        assert!(is_replay(&place.deliver(fact).await));
        let story = place.story(&fact.id).await;
        assert_eq!((story.claim.unwrap().state, story.kept.unwrap().body), (State::Parked, fact.body().into()));
    }
    place.provider.learn();
    for (fact, state) in [(&settles, State::Done), (&defers, State::Received)] {
        let revived = place.deliver(fact).await;
        assert_eq!((revived.reply.status, is_replay(&revived)), (200, false));
        assert!(is_replay(&place.deliver(fact).await));
        let story = place.story(&fact.id).await;
        assert_eq!(story.claim.unwrap().state, state);
        assert_eq!(story.kept.is_some(), state == State::Received);
    }
    assert_eq!(place.booked().await.len(), 1);
}

#[tokio::test]
async fn an_entry_that_is_known_is_not_booked_again() {
    let place = Place::new().await;
    place.deliver(&settle("e1", "m1", 500)).await;
    let second = settle("e2", "m1", 500).moving("m2", "refund", 1);
    assert_eq!(place.deliver(&second).await.reply.status, 200);
    let existed: Vec<bool> = place.claim("e2").await.unwrap().entries.iter().map(|entry| entry.existed).collect();
    assert_eq!(existed, [true, false]);
    assert_eq!(place.booked().await.len(), 2);
    assert_eq!(place.metrics.total(Metric::KnownMovements), 1);
}

#[tokio::test]
async fn what_contradicts_the_ledger_is_parked_as_a_conflict() {
    let place = Place::new().await;
    place.deliver(&settle("e1", "m1", 500)).await;
    let other = settle("e2", "m1", 600).moving("m2", "payment", 1);
    assert_eq!(place.deliver(&other).await.reply.status, 200);
    let claim = place.claim("e2").await.unwrap();
    assert_eq!((claim.state, claim.park_reason), (State::Parked, Some(ParkReason::Conflict)));
    assert_eq!(place.booked().await, [("test::m1".to_owned(), "payment", 500)]);
    let later = Fact { then: "settle".into(), ..Fact::new("e3", "later").moving("m1", "payment", 600) };
    place.deliver(&later).await;
    place.provider.learn();
    assert_eq!(place.deliver(&later).await.reply.status, 200);
    assert_eq!(place.claim("e3").await.unwrap().park_reason, Some(ParkReason::Conflict));
    assert_eq!(place.story("e3").await.kept.unwrap().body, later.body());
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn of_many_at_once_one_books() {
    let place = std::sync::Arc::new(Place::new().await);
    let fact = settle("e1", "m1", 500);
    let deliveries = (0..16).map(|_| {
        let (place, fact) = (place.clone(), fact.clone());
        tokio::spawn(async move { place.deliver(&fact).await.reply.status })
    });
    for status in futures_util::future::join_all(deliveries).await {
        assert!([200, 409].contains(&status.unwrap()));
    }
    assert!(is_replay(&place.deliver(&fact).await));
    assert_eq!((place.booked().await.len(), place.metrics.results("applied")), (1, 1));
}
