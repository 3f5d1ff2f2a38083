//! A message belongs to its entry: owed once, and not owed where the entry existed.

use hookledger::claim::State;
use hookledger_tests::{Fact, World, header, settle};

use crate::rows;

/// Beyond the retention of the test provider.
const LONG_S: u64 = 13 * 86_400;

fn telling(fact: Fact, sinks: &[&str]) -> Fact {
    Fact { tell: sinks.iter().map(|sink| (*sink).to_owned()).collect(), ..fact }
}

#[tokio::test]
async fn a_message_about_an_entry_that_existed_is_not_owed() {
    let world = World::new().await;
    world.deliver(settle("e1", "m1", 500).body()).await;
    let second = telling(settle("e2", "m1", 500).moving("m2", "payment", 1), &["bus", "queue"]);
    assert_eq!(world.deliver(second.body()).await.reply.status, 200);
    assert_eq!(rows::parts(&world, &world.key("e2")).await, ["claim"]);
    assert_eq!(world.booked().await.len(), 2);
}

#[tokio::test]
async fn a_message_about_a_new_entry_is_owed_beside_one_that_existed() {
    let world = World::new().await;
    world.deliver(settle("e1", "m2", 1).body()).await;
    let second = telling(settle("e2", "m1", 500).moving("m2", "payment", 1), &["bus", "qu:eue#1"]);
    world.deliver(second.body()).await;
    let expected =
        ["claim", "message#test.told#test::m1/payment#bus", "message#test.told#test::m1/payment#qu%3Aeue%231"];
    assert_eq!(rows::parts(&world, &world.key("e2")).await, expected);
    let messages = rows::of(&world, &world.key("e2")).await;
    for message in messages.iter().filter(|(part, _)| part.starts_with("message")).map(|(_, message)| message) {
        assert_eq!(message["state"], rows::s(State::Received.name()));
        assert_eq!((&message["attempt"], &message["body"]), (&rows::n(0), &rows::s(r#"{"told":true}"#)));
        assert_eq!(message["due_at_ms"], rows::n(world.now().get()));
        assert!(message["shard"].as_s().unwrap().starts_with("open#"));
        assert!(!message.contains_key("expires_at"));
    }
    let calls = world.calls();
    world.deliver(second.body()).await;
    assert_eq!(world.calls(), calls + 1);
    assert_eq!(rows::of(&world, &world.key("e2")).await, messages);
}

#[tokio::test]
async fn a_message_about_no_entry_is_owed_once_also_after_its_claim_expired() {
    let world = World::new().await;
    let fact = telling(Fact::new("e1", "settle"), &["bus"]);
    world.deliver(fact.body()).await;
    let part = "message#test.told##bus";
    let before = rows::of(&world, &world.key("e1")).await;
    assert!(before.contains_key(part), "{:?}", before.keys());
    world.advance_s(LONG_S);
    assert_eq!(world.sweep_ttl(), 1);
    assert_eq!(rows::parts(&world, &world.key("e1")).await, [part]);
    let answer = world.deliver(fact.body()).await;
    assert_eq!((answer.reply.status, header(&answer, "hookledger-replay")), (200, None));
    let after = rows::of(&world, &world.key("e1")).await;
    assert_eq!((after.len(), &after[part]), (2, &before[part]));
    assert_eq!(world.claim("e1").await.unwrap().state, State::Done);
}

#[tokio::test]
async fn of_messages_that_are_owed_in_part_the_rest_is_owed() {
    let world = World::new().await;
    world.deliver(telling(Fact::new("e1", "settle"), &["bus"]).body()).await;
    world.advance_s(LONG_S);
    world.sweep_ttl();
    let owed = rows::of(&world, &world.key("e1")).await;
    world.deliver(telling(Fact::new("e1", "settle"), &["bus", "queue"]).body()).await;
    let parts = rows::parts(&world, &world.key("e1")).await;
    assert_eq!(parts, ["claim", "message#test.told##bus", "message#test.told##queue"]);
    assert_eq!(rows::of(&world, &world.key("e1")).await[&parts[1]], owed[&parts[1]]);
}

#[tokio::test]
async fn long_movements_and_sinks_keep_a_messages_key_short_and_apart() {
    let world = World::new().await;
    let (movement, sink) = ("m".repeat(2_000), "s".repeat(2_000));
    let fact = telling(settle("e1", &movement, 1), &[&sink, &format!("{sink}x")]);
    assert_eq!(world.deliver(fact.body()).await.reply.status, 200);
    let parts = rows::parts(&world, &world.key("e1")).await;
    assert_eq!(parts.len(), 3);
    assert!(parts.iter().all(|part| part.len() <= 1_024));
}
