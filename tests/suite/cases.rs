//! What a person sees: lines that name the event and what to do, and nothing that was sent or shared in secret.

use std::fmt::{self, Write as _};
use std::sync::{Arc, Mutex, OnceLock};

use hookledger::claim::State;
use hookledger::items::Item;
use hookledger::metrics::Metric;
use hookledger::receive::{Answer, Outcome};
use hookledger_tests::{
    Call, ErrorAnswer, Fact, Fault, Reason, TestProvider, World, each, header, nth, profile, sample, settle,
};
use tracing::field::{Field, Visit};
use tracing::span::{Attributes, Id, Record};
use tracing::subscriber::DefaultGuard;
use tracing::{Dispatch, Event, Level, Metadata, Subscriber};

/// A made-up card number, as somebody might write it into any field.
const CARD: &str = "4000056655665556";

/// A made-up person, in letters of several scripts.
const PERSON: &str = "Zoë Ωmega 山田";

const SECRET: &str = "whsec_hush_hush";

/// Every line that a function writes at its loudest: ours at any level, others' from WARN on.
#[derive(Clone, Default)]
struct Lines(Arc<Mutex<Vec<String>>>);

impl Lines {
    fn capture() -> (Self, DefaultGuard) {
        // While a process has had a single subscriber, a line that another thread is first to reach is judged by that
        // thread's, which is none, and stays off everywhere.
        static SECOND: OnceLock<Dispatch> = OnceLock::new();
        SECOND.get_or_init(|| Dispatch::new(Self::default()));
        let lines = Self::default();
        let guard = tracing::subscriber::set_default(lines.clone());
        (lines, guard)
    }

    fn take(&self) -> Vec<String> {
        std::mem::take(&mut self.0.lock().unwrap())
    }
}

struct Text(String);

impl Visit for Text {
    fn record_debug(&mut self, field: &Field, value: &dyn fmt::Debug) {
        write!(self.0, " {}={value:?}", field.name()).unwrap();
    }
}

impl Subscriber for Lines {
    fn enabled(&self, metadata: &Metadata<'_>) -> bool {
        let target = metadata.target();
        // The emulator is no part of a function.
        let ours = target.starts_with("hookledger");
        ours || (*metadata.level() <= Level::WARN && !target.starts_with("dynoxide"))
    }

    fn new_span(&self, _: &Attributes<'_>) -> Id {
        Id::from_u64(1)
    }

    fn record(&self, _: &Id, _: &Record<'_>) {}

    fn record_follows_from(&self, _: &Id, _: &Id) {}

    fn event(&self, event: &Event<'_>) {
        let mut text = Text(event.metadata().level().to_string());
        event.record(&mut text);
        self.0.lock().unwrap().push(text.0);
    }

    fn enter(&self, _: &Id) {}

    fn exit(&self, _: &Id) {}
}

/// Nothing of what only the sender and the tables may hold.
fn is_discreet(world: &World, lines: &Lines, answers: &[Answer]) {
    let answers = answers.iter().map(|answer| format!("{answer:?}{}", String::from_utf8_lossy(&answer.reply.body)));
    let metrics = world.metrics.lines().into_iter().map(|line| line.to_string());
    let said: Vec<String> = lines.take().into_iter().chain(metrics).chain(answers).collect();
    for line in &said {
        for hidden in [CARD, PERSON, SECRET, "hush", "\\u{3a9}", "\\u{5c71}"] {
            assert!(!line.contains(hidden), "{hidden} in {line}");
        }
    }
}

fn telling(fact: Fact) -> Fact {
    Fact { note: format!("{CARD} {PERSON}"), ..fact }
}

#[tokio::test]
async fn nothing_that_was_sent_and_no_secret_is_ever_printed() {
    let (lines, _guard) = Lines::capture();
    let world = World::builder().secrets(SECRET).gate_bytes(100_000).no_retries().build().await;
    let mut answers = Vec::new();
    let acts = ["settle", "defer", "park", "ignore", "panic", "unheard-of"];
    for (at, act) in acts.into_iter().enumerate() {
        let fact = Fact { parent: "m0".into(), ..Fact::new(&format!("e{at}"), act) };
        let fact = telling(fact.moving(&format!("m{at}"), "payment", 500));
        let other = telling(Fact { attempt: 2, ..fact.clone() }.moving("other", "payment", 7));
        for body in [fact.body(), fact.body(), other.body(), other.body()] {
            answers.push(world.deliver(body).await);
        }
    }
    answers.push(world.deliver(telling(settle("e7", "m0", 900)).body()).await);
    for body in [format!("{CARD} {PERSON}"), format!(r#""panic" {CARD}"#), format!(r#"{{"id":"{CARD}""#)] {
        answers.push(world.deliver(body).await);
    }
    let mut forged = world.request(telling(settle("e8", "m8", 1)).body());
    forged.body = telling(settle("e8", "m8", 2)).body().into();
    answers.push(world.receive(forged).await);
    for error in ErrorAnswer::all() {
        world.wire.inject(nth(0), Fault::Answer(error));
        answers.push(world.deliver(telling(settle("e9", "m9", 1)).body()).await);
        world.wire.heal();
    }
    for fault in [Fault::Refuse, Fault::DropAnswer] {
        world.wire.inject(nth(0), fault);
        answers.push(world.deliver(telling(settle("e10", "m10", 1)).body()).await);
        world.wire.heal();
    }
    assert!(answers.iter().any(|answer| answer.reply.status == 503));
    assert!(lines.0.lock().unwrap().len() > acts.len(), "lines are captured");
    is_discreet(&world, &lines, &answers);
}

#[tokio::test]
async fn nothing_of_a_stripe_event_is_printed_either() {
    let (lines, _guard) = Lines::capture();
    let world = World::builder().provider(hookledger_stripe::Stripe).secrets(SECRET).no_retries().build().await;
    let whole = String::from_utf8(sample("stripe", "charge_succeeded")).unwrap();
    let mut answers = Vec::new();
    // Where a reader expects a number, a word, an id or an object, something else stands.
    for field in ["object", "livemode", "data", "customer", "amount_captured", "currency", "created", "status"] {
        for value in [format!(r#""{CARD} {PERSON}""#), format!(r#"["{CARD}"]"#), format!("{CARD}{CARD}")] {
            answers.push(world.deliver(with_field(&whole, field, &value)).await);
        }
    }
    assert!(lines.0.lock().unwrap().len() >= answers.len());
    is_discreet(&world, &lines, &answers);
}

/// The first field of this name with another value.
fn with_field(body: &str, field: &str, value: &str) -> String {
    let at = body.find(&format!("\"{field}\"")).unwrap() + field.len() + 2;
    let start = at + body[at..].find(':').unwrap() + 1;
    let rest = body[start..].trim_start();
    let end = match rest.as_bytes()[0] {
        b'"' => 2 + rest[1..].find('"').unwrap(),
        b'{' => rest.rfind('}').unwrap(),
        _ => rest.find([',', '}', '\n']).unwrap(),
    };
    format!("{}{value}{}", &body[..start], &rest[end..])
}

#[tokio::test]
async fn a_line_names_the_event_what_became_of_it_and_what_to_do() {
    let (lines, _guard) = Lines::capture();
    let world = World::builder().no_retries().build().await;
    world.deliver(settle("e1", "m1", 5).body()).await;
    world.deliver(settle("e1", "m1", 6).body()).await;
    world.deliver(settle("e2", "m1", 6).body()).await;
    world.deliver(settle("e3", "m1", 5).body()).await;
    world.deliver(Fact::new("e4", "park").body()).await;
    world.wire.inject(nth(0), Fault::Answer(ErrorAnswer::named("AccessDeniedException")));
    world.deliver(settle("e5", "m5", 5).body()).await;
    world.wire.heal();
    world.wire.inject(nth(0), Fault::Answer(ErrorAnswer::named("ThrottlingException")));
    world.deliver(settle("e6", "m6", 5).body()).await;
    let said = lines.take();
    let wanted = [
        ("e1", "applied", "INFO"),
        ("e1", "mismatch", "WARN"),
        ("e2", "parked", "ERROR"),
        ("e3", "applied", "WARN"),
        ("e4", "parked", "ERROR"),
        ("e5", "unavailable", "ERROR"),
        ("e6", "unavailable", "WARN"),
    ];
    for (event, outcome, level) in wanted {
        let claim = format!("claim=\"test::{event}\"");
        let of_event = said.iter().filter(|line| line.contains(&claim) && line.contains(outcome)).collect::<Vec<_>>();
        assert_eq!(of_event.len(), 1, "{event} {outcome}: {said:#?}");
        let line = of_event[0];
        assert!(line.starts_with(level), "{line}");
        assert!(level == "INFO" || line.contains("todo="), "{line}");
    }
    assert_eq!(world.metrics.total(Metric::KnownMovements), 1, "an alarm, and the line about e3 explains it");
}

#[tokio::test]
async fn a_long_event_type_does_not_fill_the_log() {
    let (lines, _guard) = Lines::capture();
    let world = World::stripe().await;
    let event_type = "ü".repeat(100_000);
    let body = String::from_utf8(sample("stripe", "payout_paid_1")).unwrap().replace("payout.paid", &event_type);
    assert_eq!(world.deliver(body).await.reply.status, 200);
    let line = lines.take().pop().unwrap();
    assert!(line.contains("applied") && line.len() < 1_000, "{} bytes", line.len());
    assert_eq!(world.claims().await[0].event_type, "ü".repeat(64));
}

#[tokio::test]
async fn a_parked_claim_whose_return_is_contended_comes_back_all_the_same() {
    let provider = Arc::new(TestProvider::new(profile()));
    let world = World::builder().shared_provider(provider.clone()).build().await;
    let fact = Fact { then: "settle".into(), ..Fact::new("e1", "later").moving("m1", "payment", 500) };
    world.deliver(fact.body()).await;
    provider.learn();
    world.wire.clear();
    // The question whether it is known, then the second commit: somebody else stands in its way and goes.
    let conflict = Fault::Answer(ErrorAnswer::cancelled(&[Reason::CONFLICT, Reason::NONE, Reason::NONE]));
    world.wire.inject(nth(1), conflict);
    let answer = world.deliver(fact.body()).await;
    assert_eq!((answer.reply.status, header(&answer, "hookledger-replay")), (200, None));
    assert_eq!(world.claim("e1").await.unwrap().state, State::Done);
    assert_eq!(world.booked().await, [("test::m1".into(), "payment", 500)]);
}

#[tokio::test]
async fn a_parked_claim_whose_return_stays_contended_is_sent_again() {
    let provider = Arc::new(TestProvider::new(profile()));
    let world = World::builder().shared_provider(provider.clone()).build().await;
    let fact = Fact { then: "settle".into(), ..Fact::new("e1", "later").moving("m1", "payment", 500) };
    world.deliver(fact.body()).await;
    provider.learn();
    let mut first = true;
    let conflict = Fault::Answer(ErrorAnswer::cancelled(&[Reason::CONFLICT, Reason::NONE, Reason::NONE]));
    let later = move |call: &Call| call.operation == "TransactWriteItems" && !std::mem::take(&mut first);
    world.wire.inject(Box::new(later), conflict);
    assert_eq!(world.deliver(fact.body()).await.reply.status, 409);
    assert_eq!(world.claim("e1").await.unwrap().state, State::Parked);
    world.wire.heal();
    assert_eq!(world.deliver(fact.body()).await.reply.status, 200);
    assert_eq!(world.booked().await.len(), 1);
}

#[tokio::test]
async fn a_fault_before_any_event_is_said_without_one() {
    let (lines, _guard) = Lines::capture();
    let world = World::new().await;
    for outcome in [Outcome::TooLarge, Outcome::Panicked, Outcome::MalformedEnvelope("why")] {
        let name = outcome.name();
        world.receiver.refuse(outcome);
        let line = lines.take().pop().unwrap();
        assert!(line.contains(name) && line.contains("todo=") && !line.starts_with("INFO"), "{line}");
    }
}

#[tokio::test]
async fn an_answer_is_given_before_the_sender_stops_waiting() {
    let world = World::new().await;
    world.wire.inject(each("TransactWriteItems"), Fault::Answer(ErrorAnswer::cancelled(&[Reason::CONFLICT; 2])));
    let began = world.now();
    // The invocation would last longer than the sender waits, here and the other way round.
    assert_eq!(world.deliver(settle("e1", "m1", 5).body()).await.reply.status, 409);
    assert!(began.ms_until(world.now()) < profile().transport.deadline_ms, "{} ms", began.ms_until(world.now()));
    let (began, request) = (world.now(), world.request(settle("e2", "m2", 5).body()));
    world.receiver.receive(request, began.plus_ms(2_000)).await;
    assert!(began.ms_until(world.now()) < 2_000, "{} ms", began.ms_until(world.now()));
}

#[tokio::test]
async fn open_and_parked_work_lie_in_their_own_shards_and_done_work_in_none() {
    let world = World::new().await;
    world.deliver(settle("e1", "m1", 5).body()).await;
    world.deliver(settle("e1", "m1", 6).body()).await;
    world.deliver(Fact::new("e2", "park").body()).await;
    world.deliver(Fact { parent: "m1".into(), ..Fact::new("e3", "defer").moving("r1", "refund", 5) }.body()).await;
    let rows = world.client.scan().table_name(&world.tables.claims).send().await.unwrap().items.unwrap();
    let text = |row: &Item, name: &str| row.get(name).map(|value| value.as_s().unwrap().clone()).unwrap_or_default();
    let mut shards: Vec<(String, String)> = rows
        .iter()
        .filter(|row| row.contains_key("state"))
        .map(|row| {
            let part = text(row, "part").split('#').next().unwrap().to_owned();
            let shard = text(row, "shard").split('#').next().unwrap().to_owned();
            (format!("{} {part}", text(row, "claim")), shard)
        })
        .collect();
    shards.sort();
    let expected = [
        ("test::e1 claim", ""),
        ("test::e1 mismatch", "parked"),
        ("test::e2 claim", "parked"),
        ("test::e3 claim", "open"),
    ];
    assert_eq!(shards, expected.map(|(row, shard)| (row.to_owned(), shard.to_owned())));
}
