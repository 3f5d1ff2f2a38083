//! The real rows in the words of the model.

use std::collections::HashMap;

use hookledger::claim::{Digest, State as Stands};
use hookledger::items::{ClaimRow, Item, OpenRow, SHARD};

use super::config::Config;
use super::state::{At, Book, CLAIMS, Shelf, State};
use super::steps::Step;
use super::walk::{TICK_S, Walk, event_id, fact, reason_of};

/// What can be seen of a claim from outside.
#[derive(Debug, PartialEq)]
struct View {
    at: At,
    reason: Option<hookledger::plan::ParkReason>,
    attempt: u32,
    due: Option<i64>,
    expires: Option<i64>,
    reruns: Option<bool>,
    content: usize,
    parts: bool,
    shelf: Shelf,
    book: Book,
    existed: bool,
}

/// Everything that can be seen of an event.
#[derive(Debug, Default, PartialEq)]
struct Event {
    claim: Option<View>,
    parts: bool,
    sibling: bool,
    message: bool,
}

/// Fails where the real rows say anything else than the model.
pub(super) async fn compare(walk: &Walk, s: &State, taken: &[Step]) {
    let rows = all_rows(walk).await;
    for event in 0..CLAIMS {
        let real = real(walk, rows.get(&event_id(event)).map_or(&[][..], Vec::as_slice));
        assert_eq!(real, model(s, &walk.cfg, event), "{}: {}", walk.cfg.name, super::told(taken));
    }
    let entries = walk.world.ledger().await;
    let amounts: Vec<i64> = entries.iter().map(|entry| entry.held.amount_minor).collect();
    assert_eq!(amounts, s.entry.map(i64::from).into_iter().collect::<Vec<_>>(), "{}", super::told(taken));
    for (slot, held) in walk.held.iter().enumerate() {
        let Some(held) = held else { continue };
        let claim = walk.world.eyes.claim(&held.key, walk.world.deadline()).await.unwrap();
        let stands = claim.is_some_and(|claim| claim.owner == held.owner);
        assert_eq!(stands, s.workers[slot].fence, "{}: {}", walk.cfg.name, super::told(taken));
    }
}

/// Every row of the claims table, by event.
async fn all_rows(walk: &Walk) -> HashMap<String, Vec<Item>> {
    let scan = walk.world.client.scan().table_name(&walk.world.tables.claims).send().await.unwrap();
    let mut rows: HashMap<String, Vec<Item>> = HashMap::new();
    for item in scan.items() {
        let key = item["claim"].as_s().unwrap().rsplit(':').next().unwrap().to_owned();
        rows.entry(key).or_default().push(item.clone());
    }
    rows
}

fn real(walk: &Walk, rows: &[Item]) -> Event {
    let is = |row: &Item, prefix: &str| row["part"].as_s().unwrap().starts_with(prefix);
    let any = |prefix: &str| rows.iter().any(|row| is(row, prefix));
    let claim = rows.iter().find(|row| is(row, "claim")).map(|row| view(walk, row));
    Event { claim, parts: any("payload#"), sibling: any("mismatch#"), message: any("message#") }
}

fn view(walk: &Walk, item: &Item) -> View {
    let (row, open) = (ClaimRow::decode(item).unwrap(), OpenRow::decode(item).unwrap());
    let now = walk.world.now();
    let tick = i64::try_from(TICK_S).unwrap();
    let whole = |distance: i64| {
        assert_eq!(distance % tick, 0, "the clocks of model and world part");
        (distance / tick).max(-1)
    };
    let at = match row.state {
        Stands::Received => At::Received,
        Stands::Processing => At::Processing,
        Stands::Parked => At::Parked,
        Stands::Done => At::Done,
    };
    let is_owed = matches!(at, At::Received | At::Processing);
    let shelf = match item.get(SHARD).map(|shard| shard.as_s().unwrap().split('#').next().unwrap()) {
        Some("open") => Shelf::Open,
        Some("parked") => Shelf::Parked,
        other => {
            assert_eq!(other, None);
            Shelf::None
        }
    };
    let contents = 0..walk.cfg.contents.len();
    View {
        at,
        reason: row.park_reason,
        attempt: row.attempt,
        due: row.due_at.filter(|_| is_owed).map(|due_at| whole((due_at.get() - now.get()) / 1_000)),
        expires: row.expires_at.map(|expires_at| whole(expires_at.get() - now.to_s().get())),
        reruns: (at != At::Done).then_some(open.reruns),
        content: contents
            .into_iter()
            .find(|at| Digest::of(&fact(&walk.cfg, *at).body()) == row.raw_digest)
            .expect("one of the contents"),
        parts: row.payload_parts > 0,
        shelf,
        book: row.resolution.map_or(Book::None, |resolution| match resolution.book {
            hookledger::items::Book::Missing => Book::Missing,
            hookledger::items::Book::Nothing => Book::Nothing,
        }),
        existed: row.entries.iter().any(|entry| entry.existed),
    }
}

fn model(s: &State, cfg: &Config, event: usize) -> Event {
    let claim = s.rows[event].map(|row| View {
        at: row.at,
        reason: reason_of(row.reason),
        attempt: row.attempt.into(),
        due: matches!(row.at, At::Received | At::Processing).then_some(row.due.into()),
        expires: row.expires.map(i64::from),
        reruns: (row.at != At::Done).then_some(!cfg.hold),
        content: row.content.into(),
        parts: row.parts,
        shelf: row.shelf,
        book: row.book,
        existed: row.existed,
    });
    Event { claim, parts: s.parts[event], sibling: s.siblings[event], message: s.rows[CLAIMS + event].is_some() }
}
