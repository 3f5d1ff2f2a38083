//! Two deliveries, step by step, in every order, with a fault at every step: enumerated, each in a world of its own.
//!
//! A step is a call to the store; under contention a transaction is two, so that the other delivery can fall between its
//! beginning and its effect. A script says what is chosen at each step; what it leaves open is chosen first come, and
//! the next script changes the last choice that has an alternative. Switching away from a delivery that could go on is
//! bounded, as is the depth up to which alternatives are tried.

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex};

use futures_util::FutureExt as _;
use futures_util::future::{BoxFuture, join, select};
use hookledger::claim::State;
use hookledger::receive::Answer;
use hookledger_tests::{
    Builder, Call, DELIVERY, Director, ErrorAnswer, Fact, Fault, Latch, Point, Settled, TestProvider, World, profile,
    settle,
};
use tokio::sync::{Notify, oneshot};

/// How often a delivery that could go on is left for the other one.
const SWITCHES_MAX: usize = 2;

/// Up to this step alternatives are tried: enough for two deliveries that do not wait for each other for long.
const DEPTH_MAX: usize = 12;

/// Short, so that a delivery that waits for the other one soon gives up.
const INVOCATION_MS: u64 = 1_200;

/// What goes wrong.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Mishap {
    Refused,
    AnswerLost,
    /// The process ends before the call is sent.
    CrashBefore,
    /// The process ends after the call took effect.
    CrashAfter,
    Throttled,
}

const MISHAPS: [Mishap; 5] =
    [Mishap::Refused, Mishap::AnswerLost, Mishap::CrashBefore, Mishap::CrashAfter, Mishap::Throttled];

/// One choice: who goes on, and what happens to its call.
type Choice = (usize, Option<Mishap>);

/// Lets one delivery go on at a time.
#[derive(Default)]
struct Turns {
    state: Mutex<Waiting>,
    changed: Notify,
}

#[derive(Default)]
struct Waiting {
    at: BTreeMap<usize, (Point, oneshot::Sender<Option<Fault>>)>,
    over: usize,
}

impl Director for Turns {
    fn step<'a>(&'a self, call: &'a Call, point: Point) -> BoxFuture<'a, Option<Fault>> {
        async move {
            let delivery = call.delivery?;
            let (go, gone) = oneshot::channel();
            self.state.lock().unwrap().at.insert(delivery, (point, go));
            self.changed.notify_one();
            gone.await.unwrap()
        }
        .boxed()
    }
}

impl Turns {
    fn end(&self, delivery: usize) {
        let mut state = self.state.lock().unwrap();
        state.at.remove(&delivery);
        state.over += 1;
        self.changed.notify_one();
    }

    /// Who waits, once nobody runs.
    async fn waiting(&self) -> Vec<(usize, Point)> {
        loop {
            {
                let state = self.state.lock().unwrap();
                if state.at.len() + state.over == 2 {
                    return state.at.iter().map(|(delivery, (point, _))| (*delivery, *point)).collect();
                }
            }
            self.changed.notified().await;
        }
    }

    fn go(&self, delivery: usize, fault: Option<Fault>) {
        let (_, go) = self.state.lock().unwrap().at.remove(&delivery).unwrap();
        go.send(fault).unwrap();
    }
}

/// What was chosen in a world, and among how many.
#[derive(Default)]
struct Script {
    chosen: Vec<(usize, usize)>,
}

impl Script {
    fn choose(&mut self, step: usize, choices: usize) -> usize {
        match self.chosen.get_mut(step) {
            // Waiting is random, so a step may offer less than it did.
            Some((chosen, of)) => {
                (*chosen, *of) = ((*chosen).min(choices - 1), choices);
                *chosen
            }
            None => {
                self.chosen.push((0, choices));
                0
            }
        }
    }

    /// The next one, or none.
    fn next(mut self, steps: usize) -> Option<Self> {
        self.chosen.truncate(steps.min(DEPTH_MAX));
        while let Some((chosen, choices)) = self.chosen.pop() {
            if chosen + 1 < choices {
                self.chosen.push((chosen + 1, choices));
                return Some(self);
            }
        }
        None
    }
}

/// What two deliveries find, bring and leave.
struct Scene {
    name: &'static str,
    before: Vec<Fact>,
    learns: bool,
    deliveries: [Fact; 2],
    /// What may be in the ledger in the end.
    booked: Vec<Vec<(&'static str, i64)>>,
}

fn scenes() -> Vec<Scene> {
    let scene = |name, deliveries| Scene { name, before: vec![], learns: false, deliveries, booked: vec![] };
    let one = || settle("e1", "m1", 500);
    let m1 = ("test::m1", 500);
    let later = Fact { then: "settle".into(), ..Fact::new("e1", "later").moving("m1", "payment", 500) };
    let deferred = Fact { parent: "m0".into(), ..Fact::new("e1", "defer").moving("r1", "refund", 5) };
    vec![
        Scene { booked: vec![vec![m1]], ..scene("one event twice", [one(), one()]) },
        Scene { booked: vec![vec![m1]], ..scene("two events of one movement", [one(), settle("e2", "m1", 500)]) },
        Scene {
            booked: vec![vec![m1, ("test::m2", 2), ("test::m3", 3)]],
            ..scene(
                "two events that share one of their movements",
                [one().moving("m2", "payment", 2), settle("e2", "m1", 500).moving("m3", "payment", 3)],
            )
        },
        Scene {
            booked: vec![vec![m1], vec![("test::m1", 700)]],
            ..scene("two contents under one id", [one(), settle("e1", "m1", 700)])
        },
        Scene { booked: vec![vec![("test::r1", -5)]], ..scene("a deferred event twice", [deferred.clone(), deferred]) },
        Scene {
            before: vec![later.clone()],
            learns: true,
            booked: vec![vec![m1]],
            ..scene("a parked event brought back twice", [later.clone(), later])
        },
    ]
}

struct Play<'a> {
    scene: &'a Scene,
    mishaps_max: usize,
    world: World,
    turns: Arc<Turns>,
    crashes: [Notify; 2],
}

impl<'a> Play<'a> {
    async fn stage(scene: &'a Scene, mishaps_max: usize, builder: Builder) -> Self {
        let provider = Arc::new(TestProvider::new(profile()));
        let world = builder.shared_provider(provider.clone()).build().await;
        for fact in &scene.before {
            world.deliver(fact.body()).await;
        }
        if scene.learns {
            provider.learn();
        }
        let turns = Arc::new(Turns::default());
        world.wire.direct(turns.clone());
        Self { scene, mishaps_max, world, turns, crashes: [Notify::new(), Notify::new()] }
    }

    /// One delivery, in a process of its own: its answer, if it lives to give one.
    async fn delivery(&self, at: usize) -> Option<Answer> {
        let process = self.world.process();
        let request = self.world.request(self.scene.deliveries[at].body());
        let ends = self.world.now().plus_ms(INVOCATION_MS);
        let receive = DELIVERY.scope(at, process.receive(request, ends)).map(Some);
        let crash = self.crashes[at].notified().map(|()| None);
        let answer = select(Box::pin(receive), Box::pin(crash)).await.factor_first().0;
        self.turns.end(at);
        answer
    }

    /// Chooses until both deliveries are over. Says how many steps that took.
    async fn direct(&self, script: &mut Script) -> usize {
        let (mut last, mut switches, mut mishaps) = (None, 0, 0);
        for step in 0.. {
            let waiting = self.turns.waiting().await;
            if waiting.is_empty() {
                return step;
            }
            let choices = choices(&waiting, last, switches < SWITCHES_MAX, mishaps < self.mishaps_max);
            let (delivery, mishap) = choices[script.choose(step, choices.len())];
            let could_go_on = last.is_some_and(|last| waiting.iter().any(|(waiting, _)| *waiting == last));
            switches += usize::from(could_go_on && last != Some(delivery));
            mishaps += usize::from(mishap.is_some());
            last = Some(delivery);
            self.go(delivery, mishap).await;
        }
        unreachable!("every delivery ends")
    }

    async fn go(&self, delivery: usize, mishap: Option<Mishap>) {
        let fault = match mishap {
            None => None,
            Some(Mishap::Refused) => Some(Fault::Refuse),
            Some(Mishap::AnswerLost) => Some(Fault::DropAnswer),
            Some(Mishap::Throttled) => Some(Fault::Answer(ErrorAnswer::named("ThrottlingException"))),
            Some(Mishap::CrashBefore) => {
                self.crashes[delivery].notify_one();
                return self.gone(delivery).await;
            }
            Some(Mishap::CrashAfter) => {
                // The request is on its way whatever becomes of its sender: it takes effect at once.
                let latch = Latch::new();
                self.turns.go(delivery, Some(Fault::Late(latch.clone())));
                latch.came().await;
                self.crashes[delivery].notify_one();
                self.gone(delivery).await;
                return self.world.wire.release_late(&latch).await;
            }
        };
        self.turns.go(delivery, fault);
    }

    /// Waits until a crashed delivery's future is dropped.
    async fn gone(&self, delivery: usize) {
        let over = self.turns.state.lock().unwrap().over;
        while self.turns.state.lock().unwrap().over == over {
            assert!(delivery < 2);
            self.turns.changed.notified().await;
        }
        self.turns.changed.notify_one();
    }

    /// Plays one script. Says how many steps there were.
    async fn run(&self, script: &mut Script) -> usize {
        let both = join(self.delivery(0), self.delivery(1));
        let (answers, steps) = join(both, self.direct(script)).await;
        self.world.wire.heal();
        let what = || format!("{}: {:?}", self.scene.name, script.chosen);
        for (answer, fact) in [answers.0, answers.1].iter().zip(&self.scene.deliveries) {
            if let Some(answer) = answer {
                assert!([200, 409, 422, 503].contains(&answer.reply.status), "{}", what());
                if answer.reply.status == 200 {
                    assert!(self.world.claim(&fact.id).await.is_some(), "acknowledged without a claim: {}", what());
                }
            }
        }
        self.check(&what).await;
        steps
    }

    /// After a redelivery of both everything is as it should be.
    async fn check(&self, what: &dyn Fn() -> String) {
        let world = &self.world;
        let mut statuses = Vec::new();
        for fact in &self.scene.deliveries {
            statuses.push(world.deliver(fact.body()).await.reply.status);
        }
        let two_contents = self.scene.name == "two contents under one id";
        statuses.sort_unstable();
        assert_eq!(statuses, if two_contents { [200, 422] } else { [200, 200] }, "{}", what());
        for claim in world.claims().await {
            if claim.state == State::Received {
                let settled = world.settle_deferred(&claim.key).await.unwrap();
                assert!(matches!(settled, Settled::Completed(_)), "{}", what());
            }
        }
        let booked: Vec<(String, i64)> = world.booked().await.into_iter().map(|(id, _, minor)| (id, minor)).collect();
        let is_booked = |expected: &Vec<(&str, i64)>| {
            booked.iter().map(|(id, minor)| (id.as_str(), *minor)).eq(expected.iter().copied())
        };
        assert!(self.scene.booked.iter().any(is_booked), "{booked:?} in {}", what());
        for claim in world.claims().await {
            let story = world.story(&claim.key).await;
            assert_eq!((claim.state, story.kept), (State::Done, None), "{}", what());
            assert_eq!(story.siblings.len(), usize::from(two_contents), "{}", what());
        }
    }
}

/// Who may go on: the last one first, so that a script that leaves it open switches as little as it can.
fn choices(waiting: &[(usize, Point)], last: Option<usize>, may_switch: bool, mishap_left: bool) -> Vec<Choice> {
    let goes_on = waiting.iter().find(|(delivery, _)| Some(*delivery) == last);
    let others = waiting.iter().filter(|(delivery, _)| Some(*delivery) != last);
    let others = others.filter(|_| goes_on.is_none() || may_switch);
    let candidates: Vec<&(usize, Point)> = goes_on.into_iter().chain(others).collect();
    let mut choices: Vec<Choice> = candidates.iter().map(|(delivery, _)| (*delivery, None)).collect();
    for (delivery, point) in candidates {
        if mishap_left && *point == Point::Begin {
            choices.extend(MISHAPS.map(|mishap| (*delivery, Some(mishap))));
        }
    }
    choices
}

/// Plays every script of a scene. Says how many worlds that were.
async fn explore(scene: &Scene, mishaps_max: usize, builder: fn() -> Builder) -> usize {
    let mut script = Script::default();
    let mut worlds = 0;
    loop {
        let steps = Play::stage(scene, mishaps_max, builder()).await.run(&mut script).await;
        worlds += 1;
        match script.next(steps) {
            Some(next) => script = next,
            None => return worlds,
        }
    }
}

async fn explore_all(name: &str, mishaps_max: usize, builder: fn() -> Builder) {
    let mut total = 0;
    for scene in scenes() {
        let worlds = explore(&scene, mishaps_max, builder).await;
        println!("{name}, {}: {worlds} worlds", scene.name);
        total += worlds;
    }
    assert!((100..=2_500).contains(&total), "{name}: {total} worlds");
}

#[tokio::test]
async fn every_order_and_two_faults_of_whole_calls() {
    explore_all("whole calls", 2, || World::builder().no_retries()).await;
}

#[tokio::test]
async fn every_order_and_fault_of_calls_that_the_sdk_retries() {
    explore_all("retried calls", 1, World::builder).await;
}

#[tokio::test]
async fn every_order_and_fault_of_overlapping_transactions() {
    explore_all("overlapping", 1, || World::builder().no_retries().contention()).await;
}
