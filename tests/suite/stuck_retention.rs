//! Retention from both ends: kept long enough, and forgotten in the end.

use aws_sdk_dynamodb::types::{AttributeValue, TimeToLiveSpecification};
use hookledger::claim::{ClaimKey, State};
use hookledger::items::CLAIM_PART;
use hookledger::metrics::Metric;
use hookledger::stuck::{Answer, Retention};
use hookledger::time::UnixMs;
use hookledger_tests::{ErrorAnswer, Fault, NOW, World, each, profile, settle};
use serde_json::json;

const DAY_MS: u64 = 86_400_000;

/// Midnight after the world's beginning.
fn midnight() -> UnixMs {
    UnixMs::new((NOW.get() / 86_400_000 + 1) * 86_400_000)
}

async fn check(world: &World) -> Retention {
    match world.ask(json!({"action": "check_retention"})).await.unwrap() {
        Answer::Retention(retention) => retention,
        other => panic!("{other:?}"),
    }
}

async fn expires(world: &World, event_id: &str, at: UnixMs) {
    let second = AttributeValue::N(at.to_s().get().to_string());
    world.write(&world.key(event_id), CLAIM_PART, &[("expires_at", second)]).await;
}

#[tokio::test]
async fn what_is_kept_as_the_profile_says_is_well() {
    let world = World::new().await;
    for at in 0..40 {
        world.deliver(settle(&format!("e{at}"), &format!("m{at}"), 500).body()).await;
    }
    world.set_aside("open").await;
    let retention = check(&world).await;
    assert_eq!((retention.sampled, retention.ttl_on), (40, true), "a small table is looked at as a whole");
    assert_eq!(retention.shortest_s, Some(profile().lifetime.retention_s));
    assert_eq!((retention.too_short, retention.stalled), (0, 0));
    let line = world.metrics.lines().pop().unwrap();
    for metric in [Metric::RetentionTooShort, Metric::TtlStalled, Metric::TtlOff] {
        assert_eq!(line[metric.name()], json!(0), "{}", metric.name());
    }
    assert_eq!(line["ShortestRetentionSeconds"], json!(profile().lifetime.retention_s));
}

#[tokio::test]
async fn what_expires_before_its_provider_sends_no_more_is_told() {
    let world = World::new().await;
    for event_id in ["e1", "e2", "e3"] {
        world.deliver(settle(event_id, &format!("m-{event_id}"), 500).body()).await;
    }
    // Five days may pass until the last resend.
    expires(&world, "e1", NOW.plus_ms(5 * DAY_MS)).await;
    assert_eq!(check(&world).await.too_short, 0);
    expires(&world, "e2", NOW.plus_ms(5 * DAY_MS - 1_000)).await;
    world.metrics.clear();
    let retention = check(&world).await;
    assert_eq!((retention.too_short, retention.shortest_s), (1, Some(5 * 86_400 - 1)));
    assert_eq!(retention.json()["too_short_claim"], "test::e2");
    assert_eq!(world.metrics.total(Metric::RetentionTooShort), 1);
    // Of a provider that this version does not know, nothing can be said but the time itself.
    world.write(&world.key("e2"), CLAIM_PART, &[("provider", AttributeValue::S("newer".to_owned()))]).await;
    let retention = check(&world).await;
    assert_eq!((retention.too_short, retention.shortest_s), (0, Some(5 * 86_400 - 1)));
}

#[tokio::test]
async fn what_is_there_a_week_after_it_expired_is_told() {
    let world = World::new().await;
    world.deliver(settle("e1", "m1", 500).body()).await;
    let expiry = world.claim("e1").await.unwrap().expires_at.unwrap().to_ms();
    world.set_now(expiry.plus_ms(7 * DAY_MS));
    assert_eq!(check(&world).await.stalled, 0);
    world.advance_s(1);
    world.metrics.clear();
    assert_eq!(check(&world).await.stalled, 1);
    assert_eq!(world.metrics.total(Metric::TtlStalled), 1);
    assert_eq!(world.sweep_ttl(), 1);
    assert_eq!(check(&world).await.stalled, 0);
}

#[tokio::test]
async fn ttl_that_is_off_is_told() {
    let world = World::new().await;
    let off = TimeToLiveSpecification::builder().enabled(false).attribute_name("expires_at").build().unwrap();
    let update = world.client.update_time_to_live().table_name(&world.tables.claims).time_to_live_specification(off);
    update.send().await.unwrap();
    let retention = check(&world).await;
    assert_eq!((retention.ttl_on, retention.sampled, retention.shortest_s), (false, 0, None));
    assert_eq!(world.metrics.total(Metric::TtlOff), 1);
    assert!(!world.metrics.lines().pop().unwrap().to_string().contains("ShortestRetentionSeconds"));
}

#[tokio::test]
async fn the_scheduled_run_looks_once_a_day_by_the_time_alone() {
    let world = World::new().await;
    let mut looked = Vec::new();
    for minute in [0, 1, 2, 3, 4, 59, 60, 719, 1_437, 1_438, 1_439, 1_440, 1_441, 1_442, 1_443] {
        world.set_now(midnight().plus_ms(minute * 60_000 + 7_000));
        world.wire.clear();
        world.watched().await;
        looked.extend((world.wire.count_of("DescribeTimeToLive") > 0).then_some(minute));
    }
    assert_eq!(looked, [0, 1, 2, 1_440, 1_441, 1_442], "thrice, in case one fails; twice at once is harmless");
}

#[tokio::test]
async fn a_look_that_fails_hides_no_report() {
    let world = World::builder().no_retries().build().await;
    world.owe("e1").await;
    world.set_now(midnight());
    world.wire.inject(each("Scan"), Fault::Answer(ErrorAnswer::named("AccessDeniedException")));
    world.metrics.clear();
    let report = world.watched().await;
    assert_eq!((report.counts.stuck_claims, report.unread_shards), (1, 0));
    assert_eq!(world.metrics.total(Metric::StuckClaims), 1);
    assert!(!world.metrics.lines().iter().any(|line| line.to_string().contains("TtlOff")), "missing data breaches");
    assert!(world.ask(json!({"action": "check_retention"})).await.is_err());
}

#[tokio::test]
async fn a_large_table_is_sampled_at_a_bounded_price() {
    let world = World::new().await;
    let rows = (0..20_000).map(|at| {
        let text = |text: &str| dynoxide::types::AttributeValue::S(text.to_owned());
        let number = |number: &str| dynoxide::types::AttributeValue::N(number.to_owned());
        let key = ClaimKey::new("test", "", &format!("done-{at}"));
        let row = [
            ("claim", text(key.as_str())),
            ("part", text(CLAIM_PART)),
            ("state", text(State::Done.name())),
            ("provider", text("test")),
            ("completed_at_ms", number("1796000000000")),
            ("expires_at", number("1800000000")),
        ];
        row.into_iter().map(|(name, value)| (name.to_owned(), value)).collect()
    });
    world.database().import_items(&world.tables.claims, rows.collect(), Default::default()).unwrap();
    world.wire.clear();
    let sampled = check(&world).await.sampled;
    assert!((250..=500).contains(&sampled), "{sampled}");
    let scans: Vec<_> = world.wire.calls().into_iter().filter(|call| call.operation == "Scan").collect();
    assert!(scans.len() <= 13 && scans.iter().all(|scan| scan.body["Limit"] == 250), "{}", scans.len());
    let places = |scans: &[hookledger_tests::Call]| -> Vec<_> {
        scans.iter().map(|scan| scan.body["Segment"].clone()).collect()
    };
    let first = places(&scans);
    world.wire.clear();
    check(&world).await;
    let scans: Vec<_> = world.wire.calls().into_iter().filter(|call| call.operation == "Scan").collect();
    assert_ne!(places(&scans), first, "other places each time");
}
