//! Many copies at once, behind a barrier, counted in rows. `RACE_ROUNDS` sets the rounds.

use std::collections::BTreeMap;
use std::sync::Arc;

use hookledger::claim::State;
use hookledger::metrics::Metric;
use hookledger::receive::{Answer, Receiver};
use hookledger_tests::{Builder, Fact, TestProvider, World, header, profile, settle};
use tokio::sync::Barrier;

const COPIES: usize = 64;

/// How many processes share the deliveries: each has its own memory.
const PROCESSES: usize = 4;

fn rounds() -> usize {
    let set = std::env::var("RACE_ROUNDS").ok();
    set.map_or(40, |rounds| rounds.parse().expect("RACE_ROUNDS is a number"))
}

fn worlds() -> [(&'static str, Builder); 2] {
    [("serialised", World::builder()), ("contended", World::builder().contention())]
}

/// Delivers all bodies at the same moment. The answers come in the order of the bodies.
async fn storm(world: &Arc<World>, processes: &[Arc<Receiver>], bodies: Vec<Vec<u8>>) -> Vec<Answer> {
    let barrier = Arc::new(Barrier::new(bodies.len()));
    let deliveries = bodies.into_iter().enumerate().map(|(at, body)| {
        let (world, barrier) = (Arc::clone(world), Arc::clone(&barrier));
        let receiver = Arc::clone(&processes[at % processes.len()]);
        tokio::spawn(async move {
            let request = world.request(body);
            barrier.wait().await;
            receiver.receive(request, world.deadline()).await
        })
    });
    futures_util::future::try_join_all(deliveries).await.unwrap()
}

fn only(answers: &[Answer], statuses: &[u16]) {
    for answer in answers {
        assert!(statuses.contains(&answer.reply.status), "{}", answer.reply.status);
    }
}

async fn start(builder: Builder) -> (Arc<World>, Vec<Arc<Receiver>>) {
    let world = Arc::new(builder.build().await);
    let processes = (0..PROCESSES).map(|_| world.process()).collect();
    (world, processes)
}

fn tally(tally: &mut BTreeMap<u16, usize>, answers: &[Answer]) {
    answers.iter().for_each(|answer| *tally.entry(answer.reply.status).or_default() += 1);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn copies_of_one_event() {
    for (name, builder) in worlds() {
        let (world, processes) = start(builder).await;
        let mut statuses = BTreeMap::new();
        for round in 0..rounds() {
            let body = settle(&format!("e{round}"), &format!("m{round}"), 500).body();
            let answers = storm(&world, &processes, vec![body.clone(); COPIES]).await;
            only(&answers, &[200, 409, 503]);
            tally(&mut statuses, &answers);
            let first = |answer: &&Answer| answer.reply.status == 200 && header(answer, "hookledger-replay").is_none();
            assert_eq!(answers.iter().filter(first).count(), 1, "{name}: one delivery wins");
            assert_eq!(world.deliver(&body).await.reply.status, 200);
            assert_eq!(world.ledger().await.len(), round + 1, "{name}: one entry a round");
        }
        let claims = world.claims().await;
        assert_eq!(claims.len(), rounds());
        assert!(claims.iter().all(|claim| claim.state == State::Done));
        assert_eq!(world.metrics.results("applied"), u64::try_from(rounds()).unwrap());
        let conflicts = world.metrics.total(Metric::ConflictRetries);
        println!("{name}: {statuses:?}, {conflicts} conflicts");
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn many_events_of_one_movement() {
    for (name, builder) in worlds() {
        let (world, processes) = start(builder).await;
        let mut statuses = BTreeMap::new();
        for round in 0..rounds().div_ceil(4) {
            let facts: Vec<Vec<u8>> =
                (0..COPIES).map(|at| settle(&format!("e{round}_{at}"), &format!("m{round}"), 500).body()).collect();
            let answers = storm(&world, &processes, facts.clone()).await;
            only(&answers, &[200, 409, 503]);
            tally(&mut statuses, &answers);
            // Those that found no room come again.
            for (answer, fact) in answers.iter().zip(facts) {
                let again = if answer.reply.status == 200 { answer.clone() } else { world.deliver(fact).await };
                assert_eq!(again.reply.status, 200, "{name}");
            }
            assert_eq!(world.ledger().await.len(), round + 1, "{name}: one entry a movement");
        }
        let claims = world.claims().await;
        assert_eq!(claims.len(), rounds().div_ceil(4) * COPIES);
        assert!(claims.iter().all(|claim| claim.state == State::Done));
        let booked = claims.iter().flat_map(|claim| &claim.entries).filter(|entry| !entry.existed).count();
        assert_eq!(booked, rounds().div_ceil(4), "{name}: each movement was booked by one event");
        println!("{name}: {statuses:?}, {} conflicts", world.metrics.total(Metric::ConflictRetries));
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_parked_claim_is_brought_back_once() {
    for contended in [false, true] {
        for round in 0..rounds().div_ceil(8) {
            let provider = Arc::new(TestProvider::new(profile()));
            let builder = World::builder().shared_provider(provider.clone());
            let builder = if contended { builder.contention() } else { builder };
            let (world, processes) = start(builder).await;
            let fact = Fact { then: "settle".into(), ..Fact::new("e1", "later").moving("m1", "payment", 500) };
            world.deliver(fact.body()).await;
            provider.learn();
            only(&storm(&world, &processes, vec![fact.body(); COPIES]).await, &[200, 409, 503]);
            assert_eq!(world.deliver(fact.body()).await.reply.status, 200);
            assert_eq!(world.metrics.results("applied"), 1, "contended: {contended}, round {round}");
            assert_eq!(world.booked().await, [("test::m1".into(), "payment", 500)]);
            let story = world.story(&world.key("e1")).await;
            assert_eq!((story.claim.unwrap().state, story.kept), (State::Done, None));
        }
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn different_contents_under_one_id() {
    for (name, builder) in worlds() {
        let (world, processes) = start(builder).await;
        for round in 0..rounds().div_ceil(8) {
            let amount = |at: usize| i64::try_from(at % 4).unwrap() + 1;
            let fact = |at| settle(&format!("e{round}"), &format!("m{round}"), amount(at)).body();
            world.metrics.clear();
            let answers = storm(&world, &processes, (0..COPIES).map(fact).collect()).await;
            only(&answers, &[200, 409, 422, 503]);
            let accepted = answers.iter().filter(|answer| answer.reply.status == 200).count();
            assert!((1..=COPIES / 4).contains(&accepted), "{name}: {accepted}");
            for at in 0..4 {
                assert!([200, 422].contains(&world.deliver(fact(at)).await.reply.status));
            }
            assert_eq!(world.ledger().await.len(), round + 1);
            assert_eq!(world.story(&world.key(&format!("e{round}"))).await.siblings.len(), 3, "{name}");
            assert_eq!(world.metrics.total(Metric::Mismatches), 3, "{name}: one alarm for each content");
        }
    }
}
