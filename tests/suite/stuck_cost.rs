//! What a scheduled run costs: what is open, however much is done or parked, counted in read units as DynamoDB charges
//! them.

use std::collections::HashMap;

use aws_sdk_dynamodb::types::ReturnConsumedCapacity;
use dynoxide::types::AttributeValue as Value;
use dynoxide::{ImportOptions, Item};
use hookledger::claim::{ClaimKey, Digest};
use hookledger::items::{CLAIM_PART, OPEN_INDEX, SHARDS, Shelf};
use hookledger_tests::World;

const DONE: usize = 100_000;
const PARKED: usize = 20_000;
const OPEN: [&str; 3] = ["e1", "e2", "e3"];

/// The index is read eventually consistent: half a unit for each of 64 shards that holds nothing or up to 4 KB.
const LEAST_UNITS: f64 = 32.0;

/// What the queries of a shard cost, each, and how many items they found.
type Costs = HashMap<String, (Vec<f64>, i32)>;

fn row(event_id: &str, state: &str) -> Item {
    let key = ClaimKey::new("test", "", event_id);
    let text = |text: &str| Value::S(text.to_owned());
    let attributes =
        [("claim", key.as_str()), ("part", CLAIM_PART), ("state", state), ("owner", "made-up"), ("provider", "test")];
    attributes.into_iter().map(|(name, value)| (name.to_owned(), text(value))).collect()
}

fn done(at: usize) -> Item {
    let mut row = row(&format!("done-{at}"), "done");
    row.insert("completed_at_ms".to_owned(), Value::N("1796000000000".to_owned()));
    row.insert("expires_at".to_owned(), Value::N("1800000000".to_owned()));
    row
}

/// Parked long ago: before anything that is due.
fn parked(at: usize) -> Item {
    let event_id = format!("parked-{at}");
    let mut row = row(&event_id, "parked");
    let shard = Digest::of(ClaimKey::new("test", "", &event_id).as_str().as_bytes()).as_bytes()[0] % SHARDS;
    row.insert("shard".to_owned(), Value::S(Shelf::Parked.shard(shard)));
    row.insert("due_at_ms".to_owned(), Value::N(format!("{}", 1_790_000_000_000_usize + at)));
    row.insert("open_since_ms".to_owned(), Value::N("1790000000000".to_owned()));
    row
}

/// What the queries of the last run cost, by shard.
async fn read_units(world: &World) -> Costs {
    let mut units = Costs::new();
    for call in world.wire.calls().iter().filter(|call| call.operation == "Query") {
        let shard = call.body["ExpressionAttributeValues"][":shard"]["S"].as_str().unwrap();
        let query = world.client.query().table_name(&world.tables.claims).index_name(OPEN_INDEX);
        let query = query.key_condition_expression("#s = :s").expression_attribute_names("#s", "shard");
        let shard_value = aws_sdk_dynamodb::types::AttributeValue::S(shard.to_owned());
        let query = query.expression_attribute_values(":s", shard_value);
        let limit = i32::try_from(call.body["Limit"].as_i64().unwrap()).unwrap();
        let answer = query.limit(limit).return_consumed_capacity(ReturnConsumedCapacity::Total).send().await.unwrap();
        let cost = answer.consumed_capacity().unwrap().capacity_units().unwrap();
        let (costs, found) = units.entry(shard.to_owned()).or_default();
        costs.push(cost);
        *found += answer.count();
    }
    units
}

fn sum(units: &Costs, shelf: &str) -> f64 {
    units.iter().filter(|(shard, _)| shard.starts_with(shelf)).flat_map(|(_, (costs, _))| costs).sum()
}

async fn run(world: &World) -> hookledger::stuck::Report {
    world.wire.clear();
    world.watched().await
}

#[tokio::test]
async fn a_run_costs_what_is_open() {
    let world = World::new().await;
    for event_id in OPEN {
        world.owe(event_id).await;
    }
    world.advance_s(301);
    run(&world).await;
    let alone = read_units(&world).await;
    assert_eq!(alone.len(), usize::from(SHARDS) * 2);
    assert_eq!((sum(&alone, "open"), sum(&alone, "parked")), (LEAST_UNITS, LEAST_UNITS));

    world.import((0..DONE).map(done).collect());
    let report = run(&world).await;
    assert_eq!(read_units(&world).await, alone, "{DONE} done claims cost nothing");
    let calls: Vec<_> = world.wire.calls().into_iter().map(|call| call.operation).collect();
    let of = |operation: &str| calls.iter().filter(|call| *call == operation).count();
    assert_eq!((of("Query"), of("TransactWriteItems"), calls.len()), (128, OPEN.len(), 128 + OPEN.len()));
    assert_eq!((report.counts.open, report.acted.redriven), (3, 3));

    world.import((0..PARKED).map(parked).collect());
    let report = run(&world).await;
    assert_eq!(world.wire.count_of("Query"), 128, "one query a shard");
    let crowded = read_units(&world).await;
    assert_eq!(sum(&crowded, "open"), sum(&alone, "open"), "what is parked makes what is open no dearer");
    assert!(crowded.values().all(|(_, found)| *found <= 200), "{crowded:?}");
    assert_eq!((report.counts.stuck_claims, report.acted.redriven), (3, 3), "the parked ones starve nothing");
    let counted: i32 =
        crowded.iter().filter(|(shard, _)| shard.starts_with("parked")).map(|(_, (_, found))| found).sum();
    assert_eq!((report.counts.parked_claims, report.more), (u64::try_from(counted).unwrap(), true));
    assert!(counted > 12_000, "64 shards hold about 312 each, of which 200 are counted: {counted}");
    assert_eq!((report.parked.len(), report.stuck.len()), (50, 3), "log lines are bounded");
    println!("open {} units, parked {} units", sum(&crowded, "open"), sum(&crowded, "parked"));
}

impl Import for World {
    fn import(&self, rows: Vec<Item>) {
        self.database().import_items(&self.tables.claims, rows, ImportOptions::default()).unwrap();
    }
}

/// Rows into the database directly, without a request for each.
trait Import {
    fn import(&self, rows: Vec<Item>);
}
