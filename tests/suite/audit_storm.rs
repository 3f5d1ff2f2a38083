//! A storm of everything that is healthy, audited while it blows: nothing is found.

use hookledger::audit::Limits;
use hookledger::metrics::Metric;
use hookledger::plan::ParkReason;
use hookledger::store::Segment;
use hookledger::time::UnixMs;
use hookledger_tests::{Fact, World, batch, samples, settle};
use serde_json::json;

const FOR_EVER: UnixMs = UnixMs::new(i64::MAX);
const ROUNDS: usize = 24;

/// Every kind of delivery there is, some of them the same again.
fn round(at: usize) -> Vec<Vec<u8>> {
    let id = |name: &str| format!("{name}{at}");
    let payment = settle(&id("pay"), &id("m"), 500).account("a");
    let refund = Fact { parent: id("m"), ..Fact::new(&id("back"), "defer").moving(&id("r"), "refund", 200) };
    let told = Fact { tell: vec!["bus".to_owned()], ..settle(&id("told"), &id("t"), 7) };
    let both = settle(&id("both"), &id("m"), 500).account("a").moving(&id("n"), "payment", 3);
    [
        payment.clone(),
        refund.clone(),
        told,
        // The same movement under another event's id, and with another amount.
        both,
        settle(&id("conflict"), &id("m"), 900),
        Fact::new(&id("park"), "park"),
        Fact::new(&id("ignore"), "ignore"),
        payment.clone(),
        // The same id with another effect.
        settle(&id("pay"), &id("m"), 501).account("a"),
        refund,
    ]
    .iter()
    .map(Fact::body)
    .chain([batch(&[payment, settle(&id("b"), &id("b"), 1), settle(&id("c"), &id("c"), 2)])])
    .collect()
}

async fn deliveries(world: &World) {
    for at in 0..ROUNDS {
        let storm = round(at).into_iter().map(|body| world.deliver(body));
        for answer in futures_util::future::join_all(storm).await {
            assert!([200, 409, 422].contains(&answer.reply.status), "{answer:?}");
        }
    }
}

async fn works(world: &World) {
    let worker = world.worker();
    for _ in 0..6 {
        world.work_on_due(&worker).await;
    }
}

/// Small pages, so that much happens between them.
async fn audits(world: &World) {
    let mut audit = world.audit();
    audit.limits = Limits { page_rows: 5, ..audit.limits };
    for _ in 0..6 {
        let report = audit.scan(Segment::ALL, FOR_EVER).await;
        assert_eq!((report.findings, report.unfinished), (vec![], None));
        let records = world.ledger_records();
        assert_eq!(world.feed_audit(&records).await, json!({"batchItemFailures": []}));
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_healthy_storm_gives_zero() {
    let world = World::builder().contention().build().await;
    tokio::join!(deliveries(&world), works(&world), audits(&world));
    // What the storm turned away comes again, and what is still owed is settled.
    for body in (0..ROUNDS).flat_map(round) {
        world.deliver(body).await;
    }
    world.advance_s(7_200);
    world.work_on_due(&world.worker()).await;
    let (claims, ledger) = (world.claims().await, world.ledger().await);
    assert_eq!(ledger.len(), 6 * ROUNDS, "every movement once");
    let parked_for = |reason: ParkReason| claims.iter().filter(|claim| claim.park_reason == Some(reason)).count();
    assert_eq!((parked_for(ParkReason::Unreadable), parked_for(ParkReason::Conflict)), (ROUNDS, ROUNDS));
    assert!(claims.iter().flat_map(|claim| &claim.entries).filter(|booked| booked.existed).count() >= ROUNDS);
    let report = world.scanned().await;
    assert_eq!((report.findings, report.unfinished), (vec![], None));
    assert_eq!(usize::try_from(report.entries).unwrap(), ledger.len());
    assert!(report.listed > report.entries, "what existed is listed as well");
    let records = world.ledger_records();
    assert_eq!(records.len(), ledger.len());
    assert_eq!(world.feed_audit(&records).await, json!({"batchItemFailures": []}));
    for metric in [Metric::LedgerDrift, Metric::LedgerChanged, Metric::AuditUnreadable] {
        assert_eq!(world.metrics.total(metric), 0, "{}", metric.name());
    }
}

#[tokio::test]
async fn every_sample_of_a_real_provider_gives_zero() {
    let world = World::stripe().await;
    for _ in 0..2 {
        for body in samples("stripe").into_values() {
            world.deliver(body).await;
        }
        world.work_on_due(&world.worker()).await;
        world.advance_s(7_200);
    }
    let report = world.scanned().await;
    assert_eq!((report.findings, report.unfinished), (vec![], None));
    assert!(report.entries > 10 && report.listed >= report.entries, "{} {}", report.entries, report.listed);
    assert_eq!(world.feed_audit(&world.ledger_records()).await, json!({"batchItemFailures": []}));
    assert_eq!(world.metrics.total(Metric::LedgerDrift) + world.metrics.total(Metric::LedgerChanged), 0);
}
