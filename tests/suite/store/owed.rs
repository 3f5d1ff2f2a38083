//! Messages, leases and completions.

use aws_sdk_dynamodb::types::AttributeValue;
use hookledger::claim::State;
use hookledger::plan::{Fetch, Fetched, Occurrence, ParentEntry, ParkReason, Plan, Read, Settle};
use hookledger::provider::{Event, EventMode, Kept, Provider as _};
use hookledger::store::{Completed, Lease};
use hookledger_tests::{Fact, header, profile, settle};

use super::{Place, key};

const RETENTION_S: u64 = 12 * 86_400;

fn deferred() -> Fact {
    Fact { parent: "m1".into(), tell: vec!["bus".into()], ..Fact::new("e1", "defer").moving("r1", "refund", 200) }
}

/// What the event settles once its parent was read.
fn settled(place: &Place, fact: &Fact) -> Settle {
    let event = Event {
        id: fact.id.clone(),
        scope: String::new(),
        event_type: String::new(),
        mode: EventMode::Ours,
        kept: Kept { body: fact.body().into(), headers: vec![] },
        problem: None,
    };
    let parent = Fetched::ParentEntry(Some(ParentEntry { account: Some("a".into()) }));
    let read = Read { fetch: Fetch::ParentEntry(Occurrence::unique(&fact.parent)), fetched: parent };
    let Plan::Settle(settle) = place.provider.resume(&event, &[read]) else { panic!("it settles") };
    settle
}

async fn lease(place: &Place) -> Lease {
    place.store().lease(&key("e1"), place.clock_in(45_000), 24, place.deadline()).await.unwrap()
}

impl Place {
    fn clock_in(&self, ms: u64) -> hookledger::time::UnixMs {
        hookledger::time::Clock::now(&self.clock).plus_ms(ms)
    }
}

#[tokio::test]
async fn a_lease_excludes_others_until_it_ends() {
    let place = Place::new().await;
    assert_eq!(lease(&place).await, Lease::NotOurs, "no such claim, and none is made");
    assert_eq!(place.claim("e1").await, None);
    place.deliver(&deferred()).await;
    let Lease::Ours(first) = lease(&place).await else { panic!("it is due") };
    assert_eq!((first.state, first.attempt, first.due_at), (State::Processing, 1, Some(place.clock_in(45_000))));
    assert_eq!(lease(&place).await, Lease::NotOurs);
    place.clock.advance_ms(45_001);
    let Lease::Ours(second) = lease(&place).await else { panic!("the first one ended") };
    assert_eq!(second.attempt, 2);
    assert_ne!(second.owner, first.owner);
    let settle = settled(&place, &deferred());
    let overtaken = place.store().complete(&first, &settle, RETENTION_S, place.deadline()).await.unwrap();
    assert_eq!((overtaken, place.booked().await), (Completed::Overtaken, vec![]));
    place.clock.advance_ms(45_001);
    let spent = place.store().lease(&key("e1"), place.clock_in(90_000), 2, place.deadline()).await.unwrap();
    assert_eq!(spent, Lease::NotOurs);
    assert!(place.store().park(&second, ParkReason::Spent, "why", place.deadline()).await.unwrap());
    assert!(!place.store().park(&second, ParkReason::Spent, "why", place.deadline()).await.unwrap());
    assert_eq!(place.claim("e1").await.unwrap().park_reason, Some(ParkReason::Spent));
}

#[tokio::test]
async fn a_completion_books_tells_and_tidies_up() {
    let place = Place::new().await;
    place.deliver(&deferred()).await;
    let Lease::Ours(row) = lease(&place).await else { panic!("it is due") };
    let settle = settled(&place, &deferred());
    let done = place.store().complete(&row, &settle, RETENTION_S, place.deadline()).await.unwrap();
    assert_eq!(done, Completed::Done { known: 0 });
    let story = place.story("e1").await;
    let claim = story.claim.unwrap();
    assert_eq!((claim.state, claim.due_at, claim.payload_parts, story.kept), (State::Done, None, 0, None));
    assert_eq!(story.messages, ["message#test.told#test::r1/refund#bus"]);
    assert_eq!(claim.expires_at, Some(place.clock_in(0).to_s().plus_s(RETENTION_S)));
    assert_eq!(place.booked().await, [("test::r1".to_owned(), "refund", -200)]);
    let account = place.store().entries_of_account("test::a", None, place.deadline()).await.unwrap();
    assert_eq!(account.rows.len(), 1);
    let replay = place.deliver(&deferred()).await;
    assert_eq!(header(&replay, "hookledger-replay"), Some("true"));
}

#[tokio::test]
async fn a_completion_meets_what_the_ledger_holds() {
    for (held, expected) in [(200, Completed::Done { known: 1 }), (201, Completed::Conflict)] {
        let place = Place::new().await;
        place.deliver(&deferred()).await;
        place.deliver(&Fact::new("e0", "settle").moving("r1", "refund", held)).await;
        let Lease::Ours(row) = lease(&place).await else { panic!("it is due") };
        let settle = settled(&place, &deferred());
        let completed = place.store().complete(&row, &settle, RETENTION_S, place.deadline()).await.unwrap();
        assert_eq!((completed, place.booked().await.len()), (expected, 1));
        assert_eq!(place.story("e1").await.messages, Vec::<String>::new());
    }
}

#[tokio::test]
async fn a_message_that_is_owed_already_is_owed_once() {
    let place = Place::new().await;
    let telling = Fact { tell: vec!["bus".into(), "queue".into()], ..Fact::new("e1", "settle") };
    place.deliver(&telling).await;
    let gone = [("claim", "test::e1"), ("part", "claim")];
    let gone = gone.map(|(name, value)| (name.to_owned(), AttributeValue::S(value.to_owned())));
    let delete = place.client.delete_item().table_name(&place.tables.claims).set_key(Some(gone.into()));
    delete.send().await.unwrap();
    let again = place.deliver(&telling).await;
    assert_eq!((again.reply.status, header(&again, "hookledger-replay")), (200, None));
    assert_eq!(place.story("e1").await.messages.len(), 2);
}

#[tokio::test]
async fn a_claim_that_expired_counts_as_absent() {
    let place = Place::new().await;
    place.deliver(&settle("e1", "m1", 500)).await;
    place.clock.advance_ms((profile().lifetime.retention_s - 1) * 1_000);
    assert_eq!(header(&place.deliver(&settle("e1", "m1", 500)).await, "hookledger-replay"), Some("true"));
    place.clock.advance_ms(1_000);
    let answer = place.deliver(&settle("e1", "m1", 500)).await;
    assert_eq!((answer.reply.status, header(&answer, "hookledger-replay")), (200, None));
    assert!(place.claim("e1").await.unwrap().entries[0].existed);
    assert_eq!(place.booked().await.len(), 1);
}
