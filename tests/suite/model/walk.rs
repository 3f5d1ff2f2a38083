//! Random walks through the model, taken by the real code as well: after each step the rows say the same.

use std::sync::Arc;

use hookledger::claim::ClaimKey;
use hookledger::items::ClaimRow;
use hookledger::plan::{Message, OnLost, ParkReason, Settle};
use hookledger::provider::{DAY_S, Lifetime, Profile};
use hookledger::store::{Lease, Tuning};
use hookledger::time::UnixMs;
use hookledger_tests::{Fact, Fault, TestProvider, World, payment, profile};
use serde_json::json;

use super::compare::compare;
use super::config::{ATTEMPTS_MAX, Config, LEASE, Plan, RETENTION, Tell, Wish};
use super::explore::start;
use super::oversee;
use super::real::{Actors, Home};
use super::scenarios::scenarios;
use super::state::{Change, Delivering, Delivery, Overseer, Reason, State, WATCH, Working, Write};
use super::steps::{Act, Fate, Step, Who, steps, take};

/// A tick is long enough for what is kept to outlive every resend.
pub(super) const TICK_S: u64 = 6 * DAY_S;
const STEPS: usize = 40;
/// So often the SDK may ask again.
const LOST_MAX: u8 = 5;

/// One deployment that takes the model's steps.
pub(super) struct Walk {
    pub(super) cfg: Config,
    pub(super) world: Arc<World>,
    provider: Arc<TestProvider>,
    actors: Actors,
    pub(super) held: [Option<ClaimRow>; 2],
    lost: [u8; 6],
}

/// The event of a content, as the test provider sends it.
pub(super) fn fact(cfg: &Config, at: usize) -> Fact {
    let content = cfg.contents[at];
    let act = if content.plan == Plan::Settle { "settle" } else { "defer" };
    let tell = if cfg.tell == Tell::Nothing { vec![] } else { vec!["sink".to_owned()] };
    let fact = Fact {
        tell,
        parent: "m-parent".into(),
        // Contents that differ in nothing else differ in what the profile calls volatile.
        attempt: u32::try_from(at).unwrap(),
        ..Fact::new(&event_id(content.event), act)
    };
    let fact = fact.moving("m", "payment", i64::from(content.amount));
    if content.later { Fact { act: "later".into(), then: act.into(), ..fact } } else { fact }
}

pub(super) fn event_id(event: usize) -> String {
    format!("e{event}")
}

fn actor(who: Who) -> usize {
    match who {
        Who::Delivery(slot) => slot,
        Who::Worker(slot) => 2 + slot,
        Who::Watch => 4,
        Who::Person => 5,
        Who::World => unreachable!("the world is no actor"),
    }
}

impl Walk {
    async fn begin(cfg: Config) -> Self {
        let lifetime = Lifetime::new(DAY_S, DAY_S, u64::try_from(RETENTION).unwrap() * TICK_S);
        let provider = Arc::new(TestProvider::new(Profile { lifetime, ..profile() }));
        let tuning =
            Tuning { connect_ms: 10_000, attempt_ms: 60_000, attempts: u32::from(LOST_MAX) + 2, backoff_ms: 1 };
        let world = World::builder().shared_provider(provider.clone()).tuning(tuning).build().await;
        for content in cfg.before {
            assert_eq!(world.deliver(fact(&cfg, *content).body()).await.reply.status, 200);
        }
        world.wire.forget_tokens();
        let actors = Actors::default();
        world.wire.direct(actors.stops.clone());
        let walk = Self { cfg, world: Arc::new(world), provider, actors, held: [None, None], lost: [0; 6] };
        walk.hold().await;
        walk
    }

    pub(super) fn key(&self, row: usize) -> ClaimKey {
        self.world.key(&event_id(row))
    }

    /// Far enough for any walk: no deadline is part of the model.
    fn deadline(&self) -> UnixMs {
        self.in_ticks(1_000)
    }

    pub(super) fn in_ticks(&self, ticks: i64) -> UnixMs {
        let tick_ms = i64::try_from(TICK_S).unwrap() * 1_000;
        UnixMs::new(self.world.now().get() + ticks * tick_ms)
    }

    /// A provider whose events must not run again by themselves says so when they are claimed.
    async fn hold(&self) {
        use aws_sdk_dynamodb::types::AttributeValue;
        let text = AttributeValue::S(OnLost::Hold.name().to_owned());
        for claim in self.world.claims().await.iter().filter(|claim| self.cfg.hold && claim.due_at.is_some()) {
            self.world.write(&claim.key, "claim", &[("on_lost", text.clone())]).await;
        }
    }

    /// Takes a step that leads from `before` to `after`.
    async fn take(&mut self, before: &State, step: Step, after: &State) {
        match step.who {
            Who::World => return self.of_the_world(step.act).await,
            who if step.act == Act::Crash => {
                self.actors.crash(actor(who)).await;
                return self.forget(who);
            }
            Who::Worker(slot) if step.act == Act::Read => return self.read(slot, after).await,
            _ => {}
        }
        let true_now = self.world.now();
        self.world.set_now(self.in_ticks(step.now.into()));
        let home = match step.act {
            Act::Send => None,
            act => self.start(before, step.who, act).await,
        };
        self.world.set_now(true_now);
        // The watch and a person only read when they begin.
        let reads = matches!(step.act, Act::Watch(_) | Act::Wish(..));
        let home = if reads { home } else { self.send(step.who, step.fate).await };
        self.arrive(step, home, before, after);
        self.hold().await;
    }

    async fn send(&mut self, who: Who, fate: Fate) -> Option<Home> {
        let actor = actor(who);
        let lost = &mut self.lost[actor];
        *lost = if fate == Fate::Lost { *lost + 1 } else { 0 };
        let fault = (fate != Fate::Heard).then_some(Fault::DropAnswer);
        let home = self.actors.go(actor, fault).await;
        if fate == Fate::Unheard {
            self.actors.crash(actor).await;
            self.forget(who);
            return None;
        }
        home
    }

    fn forget(&mut self, who: Who) {
        if let Who::Worker(slot) = who {
            self.held[slot] = None;
        }
    }

    /// Whoever is at home in the model is so in truth, with the same news.
    fn arrive(&mut self, step: Step, home: Option<Home>, before: &State, after: &State) {
        if step.fate == Fate::Unheard {
            return;
        }
        let runs = self.actors.is_running(actor(step.who));
        match step.who {
            Who::Delivery(slot) => {
                assert_eq!(runs, after.deliveries[slot] != Delivery::IDLE, "{step:?}: {home:?}");
                let was_unlike = before.deliveries[slot].doing == Delivering::Sibling { unlike: true };
                let status = if was_unlike { 422 } else { 200 };
                assert!(
                    home.as_ref().is_none_or(|home| *home == Home::Answered(status)),
                    "{step:?}: {home:?}, {before:?}"
                );
            }
            Who::Worker(slot) => {
                let doing = after.workers[slot].doing;
                assert_eq!(runs, matches!(doing, Working::Lease | Working::Write(_)), "{step:?}: {home:?}");
                if let Some(Home::Leased(row)) = home {
                    assert_eq!(row.is_some(), doing == Working::Held, "{step:?}");
                    self.held[slot] = row.map(|row| *row);
                } else if doing == Working::Idle {
                    self.held[slot] = None;
                }
            }
            Who::Watch => assert_eq!(runs, after.overseers[WATCH] != Overseer::IDLE, "{step:?}: {home:?}"),
            Who::Person => assert_eq!(runs, after.overseers[1] != Overseer::IDLE, "{step:?}: {home:?}"),
            Who::World => {}
        }
    }

    async fn of_the_world(&self, act: Act) {
        match act {
            Act::Tick => self.world.advance_s(TICK_S),
            Act::Delete(_) => assert_eq!(self.world.sweep_ttl(), 1),
            Act::Learn => self.provider.learn(),
            Act::Vanish(event) => {
                let key = hookledger::items::row_key(&self.key(event), "payload#00");
                let delete = self.world.client.delete_item().table_name(&self.world.tables.claims);
                delete.set_key(Some(key)).send().await.unwrap();
            }
            other => unreachable!("{other:?}"),
        }
    }

    async fn read(&self, slot: usize, after: &State) {
        let story = self.world.eyes.story(&self.held[slot].as_ref().unwrap().key, self.deadline()).await;
        let bytes = story.is_ok_and(|story| story.kept.is_some());
        assert_eq!(after.workers[slot].doing, Working::Ready { bytes });
    }

    /// Starts what an actor begins; it stops before its first write.
    async fn start(&mut self, before: &State, who: Who, act: Act) -> Option<Home> {
        let (world, deadline) = (Arc::clone(&self.world), self.deadline());
        let actor = actor(who);
        match (who, act) {
            (Who::Delivery(slot), _) => {
                let body = fact(&self.cfg, self.cfg.deliveries[slot]).body();
                let task = async move {
                    let answer = world.process().receive(world.request(body), deadline).await;
                    Home::Answered(answer.reply.status)
                };
                self.actors.start(actor, task).await
            }
            (_, Act::Lease(row)) => {
                let (key, ends) = (self.key(row), self.in_ticks(LEASE.into()));
                let task = async move {
                    let store = &world.receiver.store;
                    let lease = store.lease(&key, ends, u32::from(ATTEMPTS_MAX), deadline).await.unwrap();
                    Home::Leased(match lease {
                        Lease::Ours(row) => Some(row),
                        Lease::NotOurs => None,
                    })
                };
                self.actors.start(actor, task).await
            }
            (Who::Worker(slot), Act::Write(write)) => {
                let row = self.held[slot].clone().unwrap();
                let settle = self.settle(usize::from(before.workers[slot].content));
                self.write(actor, row, write, settle).await
            }
            (_, Act::Watch(_)) => {
                let mut watch = world.watch();
                watch.limits.attempts_max = u32::from(ATTEMPTS_MAX);
                let task = async move {
                    watch.run(deadline).await;
                    Home::Wrote
                };
                self.actors.start(actor, task).await
            }
            (_, Act::Wish(row, wish)) => self.ask(actor, row, wish).await,
            (who, act) => unreachable!("{who:?} {act:?}"),
        }
    }

    fn settle(&self, content: usize) -> Settle {
        let entry = payment("m", i64::from(self.cfg.contents[content].amount));
        let about = Some((entry.occurrence.clone(), entry.kind));
        let message =
            Message { name: "test.told", about, sink: "sink".into(), body: "{}".into(), on_lost: OnLost::Rerun };
        let messages = if self.cfg.tell == Tell::Nothing { vec![] } else { vec![message] };
        Settle::new(vec![entry], messages).unwrap()
    }

    async fn write(&mut self, actor: usize, row: ClaimRow, write: Write, settle: Settle) -> Option<Home> {
        let (world, deadline) = (Arc::clone(&self.world), self.deadline());
        let due_at = if let Write::Release { wait } = write { self.in_ticks(wait.into()) } else { deadline };
        let retention_s = u64::try_from(RETENTION).unwrap() * TICK_S;
        let task = async move {
            let store = &world.receiver.store;
            match write {
                Write::Complete { .. } => {
                    store.complete(&row, &settle, retention_s, deadline).await.unwrap();
                }
                Write::Release { .. } => {
                    store.release(&row, (due_at, None), "later", deadline).await.unwrap();
                }
                Write::Park(reason) => {
                    store.park(&row, reason_of(reason).unwrap(), "it cannot be", deadline).await.unwrap();
                }
            }
            Home::Wrote
        };
        self.actors.start(actor, task).await
    }

    async fn ask(&mut self, actor: usize, row: usize, wish: Wish) -> Option<Home> {
        let (world, deadline) = (Arc::clone(&self.world), self.deadline());
        let key = self.key(row).as_str().to_owned();
        let action = match wish {
            Wish::Retry => json!({"action": "retry", "key": key}),
            Wish::Park => json!({"action": "park", "key": key}),
            Wish::ResolveNothing => json!({"action": "resolve", "key": key, "by": "kim", "note": "by hand"}),
            Wish::ResolveMissing => {
                json!({"action": "resolve", "key": key, "by": "kim", "note": "by hand", "book": "missing"})
            }
        };
        let mut watch = world.watch();
        watch.limits.retention_s = u64::try_from(RETENTION).unwrap() * TICK_S;
        let task = async move {
            let action = hookledger::stuck::Action::read(action).unwrap();
            watch.perform(action, deadline).await.unwrap();
            Home::Wrote
        };
        self.actors.start(actor, task).await
    }
}

pub(super) fn reason_of(reason: Reason) -> Option<ParkReason> {
    match reason {
        Reason::None => None,
        Reason::Unreadable => Some(ParkReason::Unreadable),
        Reason::BytesLost => Some(ParkReason::BytesLost),
        Reason::Conflict => Some(ParkReason::Conflict),
        Reason::Spent => Some(ParkReason::Spent),
        Reason::Held => Some(ParkReason::Held),
        Reason::Person => Some(ParkReason::Person),
    }
}

/// Whether the real code can be led through this step. It takes its time when it prepares a write, and no delivery lives as
/// long as a tick; DynamoDB knows no token again here; messages have no worker.
fn can_be_led(s: &State, cfg: &Config, step: Step, lost: &[u8; 6]) -> bool {
    let takes_time = |change: Change| matches!(change, Change::BringBack(_) | Change::Close);
    let can_wait = s.deliveries.iter().all(|delivery| *delivery == Delivery::IDLE)
        && s.workers.iter().all(|worker| !matches!(worker.doing, Working::Lease | Working::Write(_)))
        && s.overseers.iter().all(|overseer| !overseer.doing.is_some_and(takes_time));
    let acts = |now| s.rows.iter().flatten().filter(move |row| oversee::step(row, cfg, now).is_some()).count();
    match step.act {
        Act::Tick => can_wait,
        Act::SendKnown => false,
        Act::Send if step.now != 0 => false,
        // Its deadline is told by the clock it began with.
        Act::Begin if step.now != 0 => {
            take(*s, cfg, step).deliveries.iter().all(|delivery| *delivery == Delivery::IDLE)
        }
        Act::Lease(row) | Act::Wish(row, _) if row >= super::state::CLAIMS => false,
        Act::Watch(_) => acts(step.now) == 1,
        Act::Delete(row) => s.rows[row].is_some_and(|row| row.expires == Some(-1)) && expired(s) == 1,
        _ if step.fate == Fate::Lost => !cfg.skew && lost[actor(step.who)] < LOST_MAX,
        _ => true,
    }
}

fn expired(s: &State) -> usize {
    s.rows.iter().flatten().filter(|row| row.expires.is_some_and(|expires| expires <= 0)).count()
}

/// Walks through one scenario, by the seed's chances.
pub(super) async fn walk(cfg: Config, mut seed: u64) -> Vec<Step> {
    let mut walk = Walk::begin(cfg).await;
    let (mut state, mut taken, mut here) = (start(&cfg), Vec::new(), Vec::new());
    compare(&walk, &state, &taken).await;
    for _ in 0..STEPS {
        steps(&state, &cfg, &mut here);
        here.retain(|step| can_be_led(&state, &cfg, *step, &walk.lost));
        seed = seed.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        let chosen = here[usize::try_from(seed >> 33).unwrap() % here.len()];
        taken.push(chosen);
        let next = take(state, &cfg, chosen);
        walk.take(&state, chosen, &next).await;
        compare(&walk, &next, &taken).await;
        state = next;
    }
    walk.actors.crash_all().await;
    taken
}

/// The scenarios whose messages the test provider can send.
pub(super) fn walkable() -> Vec<Config> {
    scenarios().into_iter().filter(|cfg| cfg.tell != Tell::Event).collect()
}
