//! A body of whatever sense, signed: what it is taken for can be written, and is the same each time.

use hookledger::items::{Guard, NewClaim, Skip, Stroke, Tables, transaction};
use hookledger::plan::{ENTRIES_AND_MESSAGES_MAX, Entry, Fetch, Fetched, ParentEntry, Plan, Read, Sign};
use hookledger::provider::Event;

use super::sender::Sender;
use super::{NOW, cut};

/// DynamoDB's limits of a transaction and of a key.
const ACTIONS_MAX: usize = 100;
const KEY_BYTES_MAX: usize = 2_048;

/// A worker gives up after as many.
const READS_MAX: usize = 5;

/// What the API answers stands behind the body, each behind a zero byte.
pub(super) fn read(sender: &Sender, input: &[u8]) {
    let (headers, rest) = cut(input);
    let mut pieces = rest.split(|byte| *byte == 0);
    let body = pieces.next().unwrap_or_default();
    let answers: Vec<&[u8]> = pieces.collect();
    let Some(request) = sender.delivery(headers, body) else { return };
    let events = sender.provider.identify(&request);
    assert_eq!(sender.provider.identify(&request), events, "identified twice, identified alike");
    assert!(!events.is_empty(), "a delivery without an event");
    for event in &events {
        assert!(!event.id.is_empty(), "an event without an id");
        interpret(sender, event, &answers);
    }
    sender.provider.refresh(body, "t1");
}

fn interpret(sender: &Sender, event: &Event, answers: &[&[u8]]) {
    if event.problem.is_some() {
        return can_be_written(sender, event, Plan::unreadable("it has a problem"));
    }
    let mut plan = sender.provider.interpret(event);
    assert_eq!(sender.provider.interpret(event), plan, "interpreted twice, interpreted alike");
    can_be_written(sender, event, plan.clone());
    let mut read = Vec::new();
    while let (Plan::Defer(defer), true) = (&plan, read.len() < READS_MAX) {
        let fetched = answer(defer.fetch(), answers.get(read.len()).copied());
        read.push(Read { fetch: defer.fetch().clone(), fetched });
        plan = sender.provider.resume(event, &read);
        assert_eq!(sender.provider.resume(event, &read), plan, "resumed twice, resumed alike");
        can_be_written(sender, event, plan.clone());
    }
}

fn answer(fetch: &Fetch, text: Option<&[u8]>) -> Fetched {
    match (fetch, text) {
        (Fetch::ParentEntry(_), None) => Fetched::ParentEntry(None),
        (Fetch::ParentEntry(_), Some(text)) => {
            let account = std::str::from_utf8(text).ok().filter(|text| !text.is_empty());
            Fetched::ParentEntry(Some(ParentEntry { account: account.map(str::to_owned) }))
        }
        (Fetch::Object(path) | Fetch::ObjectIfKeyed(path) | Fetch::ObjectIfThere(path), text) => {
            assert!(is_path(path), "a path that is none: {path:?}");
            text.map_or(Fetched::NoObject, |text| Fetched::Object(text.to_vec()))
        }
    }
}

/// Goes behind a host as it stands.
fn is_path(path: &str) -> bool {
    path.starts_with('/') && !path.contains("..") && path.bytes().all(|byte| byte.is_ascii_graphic() && byte != b'#')
}

/// What the store would be asked to write is within its limits.
fn can_be_written(sender: &Sender, event: &Event, plan: Plan) {
    let Ok(write) = plan.write() else { return };
    let claim = NewClaim::new(sender.provider.as_ref(), event);
    assert!(claim.key.as_str().len() <= KEY_BYTES_MAX, "a claim's key that is too long");
    let entries = match &write {
        hookledger::plan::Write::Settle(settle) => {
            assert!(settle.entries().len() + settle.messages().len() <= ENTRIES_AND_MESSAGES_MAX, "too many entries");
            settle.entries()
        }
        hookledger::plan::Write::Defer(defer) => defer.known(),
        hookledger::plan::Write::Park(park) => {
            assert!(!park.why.is_empty() && park.why.len() < 1_024, "a reason that says too little or too much");
            &[]
        }
    };
    entries.iter().for_each(|entry| has_its_sign(entry));
    let tables = Tables { claims: "claims".to_owned(), ledger: "ledger".to_owned() };
    let stroke = Stroke { owner: "o".to_owned(), now: NOW };
    let made = transaction(&tables, &claim, &write, &Guard::Absent, &Skip::default(), &stroke);
    assert!(made.actions.len() <= ACTIONS_MAX && made.actions.len() == made.roles.len(), "too many actions");
    assert_eq!(claim.effect(&write), claim.effect(&write), "one effect");
}

fn has_its_sign(entry: &Entry) {
    let right = match entry.kind.sign() {
        Sign::Plus => entry.amount_minor >= 0,
        Sign::Minus => entry.amount_minor <= 0,
        Sign::Zero => entry.amount_minor == 0 && entry.linked_minor.is_some_and(|minor| minor >= 0),
    };
    assert!(right, "an amount against its kind: {entry:?}");
}
