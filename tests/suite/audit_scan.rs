//! The scan both ways: what it finds, what it passes over, and what it costs.

use std::collections::HashMap;

use aws_sdk_dynamodb::types::AttributeValue;
use hookledger::audit::{Audit, Limits, Report, Sort};
use hookledger::metrics::Metric;
use hookledger::provider::DAY_S;
use hookledger::store::Segment;
use hookledger::time::UnixMs;
use hookledger_tests::{ErrorAnswer, Fact, Fault, Latch, World, each, nth_of, settle};
use serde_json::{Value, json};

use crate::rows::{self, s};

const FOR_EVER: UnixMs = UnixMs::new(i64::MAX);

/// What was found, in short: what, movement, claim.
fn found(report: &Report) -> Vec<(Sort, String, String)> {
    let mut found: Vec<_> = report
        .findings
        .iter()
        .map(|finding| {
            let movement = finding.entry.as_ref().map(|entry| entry.movement.to_string());
            let claim = finding.claim.as_ref().map(ToString::to_string);
            (finding.sort, movement.unwrap_or_default(), claim.unwrap_or_default())
        })
        .collect();
    found.sort_by_key(|(_, movement, claim)| (movement.clone(), claim.clone()));
    found
}

fn short(sort: Sort, movement: &str, claim: &str) -> (Sort, String, String) {
    (sort, movement.to_owned(), claim.to_owned())
}

/// An event that books so many movements.
fn many(event_id: &str, entries: usize) -> Fact {
    let book = |fact: Fact, at: usize| fact.moving(&format!("{event_id}-{at}"), "payment", 1);
    (0..entries).fold(Fact::new(event_id, "settle"), book)
}

fn with(world: &World, change: impl FnOnce(&mut Limits)) -> Audit {
    let mut audit = world.audit();
    change(&mut audit.limits);
    audit
}

#[tokio::test]
async fn what_is_planted_is_found_once_whole_and_by_segments() {
    let world = World::new().await;
    for at in 0..20 {
        world.deliver(settle(&format!("e{at}"), &format!("m{at}"), 500).body()).await;
    }
    world.plant_entry("test::planted", Some("test::nobody")).await;
    world.plant_claim("planted", &[("test::gone", false), ("test::gone-too", true)]).await;
    let expected = [
        short(Sort::EntryMissing, "test::gone", "test::planted"),
        short(Sort::EntryMissing, "test::gone-too", "test::planted"),
        short(Sort::ClaimMissing, "test::planted", "test::nobody"),
    ];
    for _ in 0..2 {
        let report = world.scanned().await;
        assert_eq!((found(&report), report.counts.drift), (expected.to_vec(), 3));
        assert_eq!((report.entries, report.claims, report.listed), (21, 21, 22));
    }
    let total = world.audit().limits.segments;
    let (mut all, mut looked_at) = (Vec::new(), (0, 0, 0));
    for number in 0..total {
        let report = world.audit().reported_scan(Segment { number, total }, FOR_EVER).await;
        assert_eq!(report.unfinished, None);
        looked_at = (looked_at.0 + report.entries, looked_at.1 + report.claims, looked_at.2 + report.listed);
        all.extend(found(&report));
    }
    all.sort_by_key(|(_, movement, claim)| (movement.clone(), claim.clone()));
    assert_eq!((all, looked_at), (expected.to_vec(), (21, 21, 22)), "each row lies in one segment");
    assert_eq!(world.metrics.total(Metric::LedgerDrift), 3);
    let incomplete: Vec<_> =
        world.metrics.lines().iter().filter_map(|line| line[Metric::AuditIncomplete.name()].as_u64()).collect();
    assert_eq!(incomplete, vec![0; total as usize], "every run says that it came to its end");
}

#[tokio::test]
async fn every_contradiction_has_its_own_name() {
    let world = World::new().await;
    world.plant_entry("test::a", None).await;
    world.plant_claim("silent", &[]).await;
    world.plant_entry("test::b", Some("test::silent")).await;
    world.owe("open").await;
    world.plant_entry("test::c", Some("test::open")).await;
    world.deliver(settle("other", "d", 500).body()).await;
    world.plant_claim("boast", &[("test::d", false)]).await;
    world.plant_claim("honest", &[("test::d", true)]).await;
    world.plant_claim("odd", &[]).await;
    rows::set(&world, "odd", "entries", s("another version's")).await;
    world.plant_entry("test::e", Some("test::odd")).await;
    // A state of another version: it knows what it means.
    world.plant_claim("newer", &[]).await;
    rows::set(&world, "newer", "state", s("settled")).await;
    world.plant_entry("test::f", Some("test::newer")).await;
    let report = world.scanned().await;
    let expected = [
        short(Sort::ClaimUnreadable, "", "test::odd"),
        short(Sort::NamesNoClaim, "test::a", ""),
        short(Sort::NotListed, "test::b", "test::silent"),
        short(Sort::ClaimOpen, "test::c", "test::open"),
        short(Sort::EntryOfAnother, "test::d", "test::boast"),
        short(Sort::ClaimUnreadable, "test::e", "test::odd"),
    ];
    assert_eq!(found(&report), expected);
    assert_eq!((report.counts.drift, report.counts.unreadable, report.counts.changed), (4, 2, 0));
}

#[tokio::test]
async fn what_appears_between_the_looks_is_no_drift() {
    let world = World::new().await;
    world.plant_claim("e1", &[("test::m1", false)]).await;
    let second_look = Latch::new();
    world.wire.inject(nth_of("BatchGetItem", 1), Fault::Hold(second_look.clone()));
    let appear = async {
        second_look.came().await;
        world.plant_entry("test::m1", Some("test::e1")).await;
        second_look.open();
    };
    let (report, ()) = tokio::join!(world.scanned(), appear);
    assert_eq!((found(&report), report.unfinished, report.listed), (vec![], None, 1));
    assert_eq!(world.wire.count_of("BatchGetItem"), 2);
}

#[tokio::test]
async fn an_entry_outlives_its_claim() {
    let world = World::new().await;
    world.deliver(settle("e1", "m1", 500).body()).await;
    let retention_s = world.receiver.provider.profile().lifetime.retention_s;
    // A day before it expires its claim is still asked for.
    world.advance_s(retention_s - DAY_S - 1);
    let report = world.scanned().await;
    assert_eq!((report.entries, report.old_entries, report.claims, report.counts.all()), (1, 0, 1, 0));
    world.advance_s(1);
    let report = world.scanned().await;
    assert_eq!((report.entries, report.old_entries, report.claims, report.counts.all()), (0, 1, 1, 0));
    world.advance_s(DAY_S);
    let report = world.scanned().await;
    assert_eq!((report.old_entries, report.claims, report.counts.all()), (1, 0, 0), "expired, and still there");
    world.advance_s(1);
    assert_eq!(world.sweep_ttl(), 1);
    world.deliver(settle("e2", "m2", 500).body()).await;
    let report = world.scanned().await;
    assert_eq!((report.entries, report.old_entries, report.claims, report.counts.all()), (1, 1, 1, 0));
    // The same event again, after its claim was forgotten: it lists what existed.
    world.deliver(settle("e1", "m1", 500).body()).await;
    let report = world.scanned().await;
    assert_eq!((report.claims, report.listed, report.counts.all()), (2, 2, 0));
}

#[tokio::test]
async fn a_week_of_hourly_runs_comes_to_every_segment_twice() {
    let world = World::new().await;
    let mut runs: HashMap<u32, usize> = HashMap::new();
    for _ in 0..7 * 24 {
        let segment = world.audit().segment_now();
        assert_eq!(segment.total, world.audit().limits.segments);
        *runs.entry(segment.number).or_default() += 1;
        world.advance_s(3_600);
    }
    assert_eq!(runs.len(), 84);
    assert!(runs.iter().all(|(segment, runs)| *segment < 84 && *runs == 2), "{runs:?}");
}

#[tokio::test]
async fn pages_are_small_paced_and_asked_for_with_at_most_a_hundred_keys() {
    let world = World::new().await;
    for event_id in ["e1", "e2", "e3", "e4"] {
        world.deliver(many(event_id, 60).body()).await;
    }
    world.wire.clear();
    let began = world.now();
    let report = world.scanned().await;
    assert_eq!((report.entries, report.claims, report.listed, report.counts.all()), (240, 4, 240, 0));
    let calls = world.wire.calls();
    let scans: Vec<_> = calls.iter().filter(|call| call.operation == "Scan").collect();
    assert_eq!(scans.len(), 4, "three pages of entries, one of claims");
    assert!(scans.iter().all(|call| call.body["Limit"] == json!(100) && call.body.get("ConsistentRead").is_none()));
    let took_ms = began.ms_until(world.now());
    assert!((200..2_000).contains(&took_ms), "a tenth of a second for each further page, no second look: {took_ms}");
    let keys = |body: &Value, table: &String| body["RequestItems"][table]["Keys"].as_array().map_or(0, Vec::len);
    let reads: Vec<_> = calls.iter().filter(|call| call.operation == "BatchGetItem").collect();
    let of_entries: Vec<_> = reads.iter().map(|call| keys(&call.body, &world.tables.ledger)).collect();
    assert_eq!(of_entries.iter().sum::<usize>(), 240);
    assert_eq!(of_entries.iter().max(), Some(&100), "the limit of a request is met");
    let consistent = |body: &Value| {
        let tables = body["RequestItems"].as_object().unwrap();
        tables.values().all(|table| table["ConsistentRead"] == json!(true))
    };
    assert!(reads.iter().all(|call| consistent(&call.body)));
}

#[tokio::test]
async fn a_run_that_is_not_finished_says_so_and_never_says_zero() {
    let world = World::new().await;
    for at in 0..5 {
        world.deliver(settle(&format!("e{at}"), &format!("m{at}"), 500).body()).await;
    }
    world.metrics.clear();
    let slow = with(&world, |limits| (limits.page_rows, limits.page_every_ms) = (1, 400));
    let report = slow.reported_scan(Segment::ALL, world.now().plus_ms(1_000)).await;
    assert!(report.entries < 5 && report.claims == 0, "{report:?}");
    assert_eq!(report.unfinished.as_deref().map(|why| why.matches("no time left").count()), Some(2));
    let lines = world.metrics.lines();
    assert_eq!((lines.len(), &lines[0][Metric::AuditIncomplete.name()]), (1, &json!(1)));
    assert_eq!(lines[0].get(Metric::LedgerDrift.name()), None);
    assert!(report.json()["unfinished"].as_str().unwrap().contains("ledger"));
}

#[tokio::test]
async fn one_table_that_cannot_be_read_hides_nothing_of_the_other() {
    let world = World::builder().no_retries().build().await;
    world.plant_entry("test::m1", Some("test::nobody")).await;
    world.plant_claim("e2", &[("test::gone", false)]).await;
    let denied = || Fault::Answer(ErrorAnswer::named("AccessDeniedException"));
    for (nth, sort) in [(0, Sort::EntryMissing), (1, Sort::ClaimMissing)] {
        world.metrics.clear();
        world.wire.inject(nth_of("Scan", nth), denied());
        let report = world.audit().reported_scan(Segment::ALL, FOR_EVER).await;
        let sorts: Vec<_> = report.findings.iter().map(|finding| finding.sort).collect();
        assert_eq!(sorts, [sort]);
        assert!(report.unfinished.unwrap().contains("AccessDeniedException"));
        assert_eq!(world.metrics.total(Metric::LedgerDrift), 1);
        assert_eq!(world.metrics.total(Metric::AuditIncomplete), 1);
        world.wire.heal();
    }
    world.wire.inject(each("BatchGetItem"), denied());
    let report = world.scanned().await;
    assert_eq!((report.counts.all(), report.unfinished.is_some()), (0, true), "what was not compared is no finding");
}

#[tokio::test]
async fn a_flood_is_counted_whole_and_named_in_part() {
    let world = World::new().await;
    for at in 0..5 {
        world.plant_entry(&format!("test::m{at}"), None).await;
    }
    let report = with(&world, |limits| limits.named_max = 2).scan(Segment::ALL, FOR_EVER).await;
    assert_eq!((report.counts.drift, report.findings.len(), &report.json()["more"]), (5, 2, &json!(true)));
    assert_eq!(world.wire.count_of("BatchGetItem"), 0, "an entry that names no claim asks for none");
}

#[tokio::test]
async fn an_entry_whose_age_cannot_be_read_is_compared() {
    let world = World::new().await;
    world.plant_entry("test::m1", Some("test::nobody")).await;
    let item = rows::ledger(&world).await.remove(0);
    let mut item: HashMap<String, AttributeValue> = item.into_iter().collect();
    item.remove("recorded_at_ms");
    world.client.put_item().table_name(&world.tables.ledger).set_item(Some(item)).send().await.unwrap();
    assert_eq!(found(&world.scanned().await), [short(Sort::ClaimMissing, "test::m1", "test::nobody")]);
}
