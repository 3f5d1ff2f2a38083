//! Whatever error the store gives, at whatever call: nothing is acknowledged whose row is not there, and once the error
//! is over the event is booked.

use std::sync::Arc;

use hookledger::claim::State;
use hookledger::metrics::Metric;
use hookledger::receive::Answer;
use hookledger::store::Tuning;
use hookledger_tests::{
    Builder, ErrorAnswer, Fact, Fault, Reason, TestProvider, When, World, every, nth, profile, settle,
};

/// A delivery after some others.
#[derive(Clone)]
struct Scene {
    name: &'static str,
    /// Delivered before any fault.
    before: Vec<Fact>,
    /// Whether the provider learns to read `later` before the delivery.
    learns: bool,
    delivery: Fact,
    mismatch_status: u16,
    /// What the ledger holds in the end.
    booked: &'static [(&'static str, i64)],
    /// The claim's state in the end.
    state: State,
    /// What is answered in the end.
    status: u16,
}

fn scenes() -> Vec<Scene> {
    let scene = |name, delivery| Scene {
        name,
        before: vec![],
        learns: false,
        delivery,
        mismatch_status: 422,
        booked: &[],
        state: State::Done,
        status: 200,
    };
    let later = Fact { then: "settle".into(), ..Fact::new("e1", "later").moving("m1", "payment", 500) };
    let deferred = Fact { parent: "m0".into(), ..Fact::new("e1", "defer").moving("r1", "refund", 5) };
    let booked: &[(&str, i64)] = &[("test::m1", 500)];
    let other = Scene {
        before: vec![settle("e1", "m1", 500)],
        booked,
        status: 422,
        ..scene("other effect", settle("e1", "m1", 700))
    };
    vec![
        Scene { booked, ..scene("settle", settle("e1", "m1", 500)) },
        Scene { state: State::Received, ..scene("defer", deferred) },
        Scene { state: State::Parked, ..scene("park", Fact::new("e1", "park")) },
        Scene { before: vec![settle("e1", "m1", 500)], booked, ..scene("duplicate", settle("e1", "m1", 500)) },
        Scene { before: vec![settle("e0", "m1", 500)], booked, ..scene("known movement", settle("e1", "m1", 500)) },
        Scene {
            before: vec![settle("e0", "m1", 500)],
            booked,
            state: State::Parked,
            ..scene("other amount of a known movement", settle("e1", "m1", 700))
        },
        Scene { before: vec![later.clone()], learns: true, booked, ..scene("revive", later.clone()) },
        Scene {
            before: vec![later.clone(), settle("e0", "m1", 700)],
            learns: true,
            booked: &[("test::m1", 700)],
            state: State::Parked,
            ..scene("revive into a conflict", later)
        },
        Scene { mismatch_status: 200, status: 200, ..other.clone() },
        other,
    ]
}

impl Scene {
    async fn stage(&self, builder: Builder) -> World {
        let mut profile = profile();
        profile.transport.mismatch_status = self.mismatch_status;
        let provider = Arc::new(TestProvider::new(profile));
        let world = builder.shared_provider(provider.clone()).build().await;
        for fact in &self.before {
            assert_eq!(world.deliver(fact.body()).await.reply.status, 200, "{}", self.name);
        }
        if self.learns {
            provider.learn();
        }
        world.wire.clear();
        world
    }

    /// Every call of the delivery when nothing fails.
    async fn calls(&self) -> usize {
        let world = self.stage(World::builder()).await;
        assert_eq!(world.deliver(self.delivery.body()).await.reply.status, self.status, "{}", self.name);
        self.is_right(&world, "without a fault").await;
        world.calls()
    }

    /// An acknowledgement stands on rows.
    async fn is_durable(&self, world: &World, answer: &Answer, fault: &str) {
        let acknowledged = answer.reply.status < 300 || answer.reply.status == 422;
        if !acknowledged {
            assert!([409, 503].contains(&answer.reply.status), "{}: {fault}: {}", self.name, answer.reply.status);
            return;
        }
        let story = world.story(&world.key("e1")).await;
        let claim = story.claim.unwrap_or_else(|| panic!("{}: {fault}: acknowledged without a claim", self.name));
        match claim.state {
            State::Done => assert_eq!(world.booked().await.len(), self.booked.len(), "{}: {fault}", self.name),
            State::Received | State::Parked => {
                assert!(story.kept.is_some(), "{}: {fault}: no bytes are kept", self.name);
            }
            State::Processing => panic!("nobody works here"),
        }
        if self.name == "other effect" {
            assert_eq!(story.siblings.len(), 1, "{fault}: the other content is not kept");
        }
    }

    async fn is_right(&self, world: &World, fault: &str) {
        let booked: Vec<(String, i64)> = world.booked().await.into_iter().map(|(id, _, minor)| (id, minor)).collect();
        let expected: Vec<(String, i64)> = self.booked.iter().map(|(id, minor)| ((*id).to_owned(), *minor)).collect();
        assert_eq!(booked, expected, "{}: {fault}", self.name);
        assert_eq!(world.claim("e1").await.unwrap().state, self.state, "{}: {fault}", self.name);
    }

    /// One world: the fault, the answer, and the same delivery again when the fault is over.
    async fn play(&self, when: When, fault: Fault, builder: Builder) -> Answer {
        let name = format!("{fault:?}");
        let world = self.stage(builder).await;
        world.wire.inject(when, fault);
        let answer = world.deliver(self.delivery.body()).await;
        self.is_durable(&world, &answer, &name).await;
        world.wire.heal();
        let again = world.deliver(self.delivery.body()).await;
        assert_eq!(again.reply.status, self.status, "{}: after {name}", self.name);
        self.is_right(&world, &name).await;
        answer
    }
}

fn faults() -> Vec<Fault> {
    let errors = ErrorAnswer::all().into_iter();
    let mut faults: Vec<Fault> = errors.clone().map(Fault::Answer).collect();
    faults.extend(errors.map(Fault::AnswerAfter));
    faults.extend([Fault::Refuse, Fault::DropAnswer]);
    faults
}

fn once() -> Builder {
    World::builder().no_retries()
}

#[tokio::test]
async fn every_error_at_every_call() {
    let mut worlds = 0;
    for scene in scenes() {
        for position in 0..scene.calls().await {
            for fault in faults() {
                scene.play(nth(position), fault, once()).await;
                worlds += 1;
            }
        }
    }
    println!("{worlds} worlds");
}

#[tokio::test]
async fn an_error_that_stays_is_never_a_success() {
    for scene in scenes() {
        for fault in faults() {
            let answer = scene.play(every(), fault.clone(), once()).await;
            assert_eq!(answer.reply.status, 503, "{}: {fault:?}", scene.name);
        }
    }
}

#[tokio::test]
async fn every_error_once_is_retried_by_the_sdk_or_refused() {
    for scene in scenes() {
        for position in 0..scene.calls().await {
            for fault in faults() {
                scene.play(nth(position), fault, World::builder()).await;
            }
        }
    }
}

#[tokio::test]
async fn an_answer_that_never_comes() {
    // Long enough for an answer that comes on a busy machine; the worlds wait side by side.
    let impatient = |attempts| Tuning { connect_ms: 4_000, attempt_ms: 4_000, attempts, backoff_ms: 1 };
    let scenes = scenes();
    let mut plays = Vec::new();
    for scene in &scenes {
        for position in 0..scene.calls().await {
            for fault in [Fault::Hang, Fault::HangAfter] {
                for attempts in [1, 2] {
                    let builder = World::builder().tuning(impatient(attempts));
                    plays.push(scene.play(nth(position), fault.clone(), builder));
                }
            }
        }
    }
    futures_util::future::join_all(plays).await;
}

#[tokio::test]
async fn what_dynamodb_finds_invalid_is_kept_for_a_person_and_heals() {
    let cancelled = ErrorAnswer::cancelled(&[Reason::code("ValidationError"), Reason::NONE]);
    for error in [ErrorAnswer::named("ValidationException"), cancelled] {
        let scene = scenes().remove(0);
        let world = scene.stage(once()).await;
        world.wire.inject(nth(0), Fault::Answer(error.clone()));
        let answer = world.deliver(scene.delivery.body()).await;
        assert_eq!(answer.reply.status, 200);
        scene.is_durable(&world, &answer, "invalid").await;
        assert_eq!(world.claim("e1").await.unwrap().state, State::Parked);
        assert_eq!(world.metrics.total(Metric::Parked), 1);
        assert_eq!(world.deliver(scene.delivery.body()).await.reply.status, 200);
        scene.is_right(&world, "invalid").await;

        // What cannot even be parked is not acknowledged.
        let world = scene.stage(once()).await;
        world.wire.inject(every(), Fault::Answer(error));
        assert_eq!(world.deliver(scene.delivery.body()).await.reply.status, 503);
        assert_eq!(world.claims().await.len(), 0);
        assert_eq!(world.metrics.total(Metric::StoreFaults), 1);
    }
}

#[tokio::test]
async fn what_a_retry_will_not_mend_alarms() {
    let quiet = ["ThrottlingException", "InternalServerError", "TransactionInProgressException"];
    let loud = ["AccessDeniedException", "ResourceNotFoundException", "SomethingNewException"];
    for (codes, faults) in [(quiet, 0), (loud, 1)] {
        for code in codes {
            let world = once().build().await;
            world.wire.inject(every(), Fault::Answer(ErrorAnswer::named(code)));
            assert_eq!(world.deliver(settle("e1", "m1", 500).body()).await.reply.status, 503, "{code}");
            assert_eq!(world.metrics.total(Metric::StoreFaults), faults, "{code}");
        }
    }
}

/// The caller gave up, the sender came again and was served: then the first request arrives after all.
#[tokio::test]
async fn a_request_that_arrives_late_changes_nothing() {
    for scene in scenes() {
        for position in 0..scene.calls().await {
            let world = scene.stage(once()).await;
            let latch = hookledger_tests::Latch::new();
            world.wire.inject(nth(position), Fault::Late(latch.clone()));
            tokio::select! {
                answer = world.deliver(scene.delivery.body()) => panic!("{}: answered {answer:?}", scene.name),
                () = world.wire.stalled() => {}
            }
            assert_eq!(world.deliver(scene.delivery.body()).await.reply.status, scene.status);
            let claim = world.claim("e1").await;
            world.wire.release_late(&latch).await;
            scene.is_right(&world, "a late request").await;
            assert_eq!(world.claim("e1").await, claim, "{}", scene.name);
        }
    }
}
