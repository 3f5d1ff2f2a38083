//! How long a claim is remembered, and that the ledger remembers longer.

use hookledger::claim::State;
use hookledger_tests::{Fact, World, header, profile, sample, settle};

use crate::rows;

fn retention_s() -> u64 {
    profile().lifetime.retention_s
}

fn is_replay(answer: &hookledger::receive::Answer) -> bool {
    header(answer, "hookledger-replay") == Some("true")
}

/// Delivers again after the claim expired: claimed anew, booked never again.
async fn claimed_again(world: &World, fact: &Fact) {
    let before = rows::ledger(world).await;
    let answer = world.deliver(fact.body()).await;
    assert_eq!((answer.reply.status, is_replay(&answer)), (200, false));
    assert_eq!(rows::ledger(world).await, before);
    let claim = world.claim(&fact.id).await.unwrap();
    assert_eq!((claim.state, claim.claimed_at, claim.entries[0].existed), (State::Done, world.now(), true));
    assert!(is_replay(&world.deliver(fact.body()).await));
}

#[tokio::test]
async fn after_it_expired_a_claim_can_be_taken_again_and_the_ledger_still_refuses() {
    for (swept, gate_bytes) in [(true, 0), (false, 0), (true, 1 << 20), (false, 1 << 20)] {
        let world = World::builder().gate_bytes(gate_bytes).build().await;
        let fact = settle("e1", "m1", 500);
        world.deliver(fact.body()).await;
        world.advance_s(retention_s() - 1);
        assert_eq!(world.sweep_ttl(), 0);
        assert!(is_replay(&world.deliver(fact.body()).await), "a second before it expires");
        world.advance_s(1);
        if swept {
            // DynamoDB deletes what lies in the past, some time after.
            world.advance_s(1);
            assert_eq!(world.sweep_ttl(), 1);
        }
        claimed_again(&world, &fact).await;
    }
}

#[tokio::test]
async fn where_nothing_is_ever_swept_the_same_holds_for_years() {
    let world = World::new().await;
    let fact = settle("e1", "m1", 500);
    world.deliver(fact.body()).await;
    for _ in 0..5 {
        world.advance_s(400 * 86_400);
        claimed_again(&world, &fact).await;
    }
    assert_eq!((world.claims().await.len(), world.booked().await.len()), (1, 1));
}

#[tokio::test]
async fn an_expired_claim_may_come_back_as_another_content() {
    let world = World::new().await;
    world.deliver(settle("e1", "m1", 500).body()).await;
    world.advance_s(retention_s());
    let other = world.deliver(settle("e1", "m1", 501).body()).await;
    assert_eq!((other.reply.status, is_replay(&other)), (200, false));
    assert_eq!(world.claim("e1").await.unwrap().state, State::Parked, "the ledger still contradicts it");
    assert_eq!(world.booked().await, [("test::m1".to_owned(), "payment", 500)]);
}

#[tokio::test]
async fn the_expiry_is_a_number_of_seconds_and_as_far_off_as_the_retention() {
    let stripe = World::stripe().await;
    stripe.deliver(sample("stripe", "charge_succeeded")).await;
    let test = World::new().await;
    test.deliver(settle("e1", "m1", 500).body()).await;
    let parent = Fact { parent: "m1".into(), ..Fact::new("e2", "defer").moving("r1", "refund", 1) };
    test.deliver(parent.body()).await;
    test.advance_s(17);
    test.settle_deferred(&test.key("e2")).await.unwrap();
    for (world, id) in [(&stripe, "evt_3ThGuitarPaid001"), (&test, "e1"), (&test, "e2")] {
        let row = rows::claim(world, id).await;
        let number = |name: &str| row[name].as_n().unwrap().parse::<i64>().unwrap();
        let retention_s = i64::try_from(world.receiver.provider.profile().lifetime.retention_s).unwrap();
        let kept_s = number("expires_at") - number("completed_at_ms") / 1_000;
        assert!((retention_s - 1..=retention_s + 1).contains(&kept_s), "{id}: {kept_s} s");
    }
}

#[tokio::test]
async fn nothing_that_is_unfinished_ever_expires() {
    let world = World::new().await;
    world.deliver(settle("e0", "m0", 1).body()).await;
    let open = [
        Fact { parent: "m0".into(), ..Fact::new("e1", "defer").moving("r1", "refund", 1) },
        Fact::new("e2", "park"),
        Fact::new("e3", "panic"),
        settle("e4", "m0", 2),
        Fact { tell: vec!["bus".into()], ..settle("e5", "m5", 1) },
    ];
    for fact in &open {
        world.deliver(fact.body()).await;
        world.deliver(Fact { note: "another".into(), ..fact.clone() }.moving("m9", "payment", 9).body()).await;
    }
    let mut unfinished = 0;
    for fact in &open {
        for (part, row) in rows::of(&world, &world.key(&fact.id)).await {
            let done = row.get("state") == Some(&rows::s("done"));
            assert_eq!(row.contains_key("expires_at"), done, "{} {part}", fact.id);
            assert_eq!(row.contains_key("shard"), !done && row.contains_key("state"), "{} {part}", fact.id);
            unfinished += usize::from(!done);
        }
    }
    assert!(unfinished >= 14, "{unfinished}");
    world.advance_s(4_000 * 86_400);
    assert_eq!(world.sweep_ttl(), 2, "the claims of e0 and e5");
    for fact in &open[..4] {
        assert!(is_replay(&world.deliver(fact.body()).await));
    }
    for row in rows::ledger(&world).await {
        assert!(!row.contains_key("expires_at"));
    }
}
