//! GoCardless's API in its moods, and what becomes of an event meanwhile.

use hookledger::claim::State;
use hookledger::metrics::Metric;
use hookledger::plan::ParkReason;
use hookledger::work::{Api, Fetcher, Settings, Worked, Worker};
use hookledger_tests::{API_KEY, ApiAnswer, GoCardlessApi, World, sample};

const PAYMENT: &str = "PM0HKLRENT001";
const EVENT: &str = "EV0HKL00CONF1";
const SETTLED: Worked = Worked::Settled { known: 0, account_unknown: false };

/// A confirmed payment that was accepted, and the API that knows it.
async fn confirmed(settings: Settings) -> (World, Worker, GoCardlessApi) {
    let world = World::gocardless().await;
    let api = GoCardlessApi::start().await;
    api.payment(PAYMENT, &[GoCardlessApi::event("payments_confirmed")]);
    world.deliver(sample("gocardless", "payments_confirmed")).await;
    let worker = world.worker_with(settings, Some(api.api.url()));
    (world, worker, api)
}

async fn work(world: &World, worker: &Worker) -> Worked {
    world.work(worker, &world.key(EVENT)).await
}

#[tokio::test]
async fn list_payment_and_mandate_are_read_in_one_run() {
    let (world, worker, api) = confirmed(Settings::default()).await;
    assert_eq!(work(&world, &worker).await, SETTLED);
    let expected = ["/events?payment=pm0hklrent001&limit=500", "/payments/pm0hklrent001", "/mandates/md0hklanna001"];
    assert_eq!(api.asked(), expected);
    for head in api.api.asked() {
        assert!(head.contains("gocardless-version: 2015-07-06\r\n"), "{head}");
        assert!(head.contains(&format!("authorization: bearer {API_KEY}\r\n")), "{head}");
    }
    assert_eq!(world.booked().await, [("gocardless::EV0HKL00CONF1".to_owned(), "payment", 1_250)]);
}

#[tokio::test]
async fn without_a_key_it_waits_and_says_so() {
    let (world, _, api) = confirmed(Settings::default()).await;
    let keyless = Api { url: api.api.url().to_owned(), key: None };
    let fetcher = Fetcher::new([("gocardless".to_owned(), keyless)].into());
    let worked = work(&world, &Worker { fetcher, ..world.worker() }).await;
    let Worked::Later { why, .. } = worked else { panic!("{worked:?}") };
    assert_eq!(why, "no API key of gocardless is configured");
    assert_eq!((world.claim(EVENT).await.unwrap().state, api.asked().len()), (State::Received, 0));
}

#[tokio::test]
async fn trouble_at_any_step_is_tried_again_from_the_start() {
    let (world, worker, api) = confirmed(Settings { fetch_ms: 2_000, ..Settings::default() }).await;
    let steps = [GoCardlessApi::list_of(PAYMENT), format!("/payments/{PAYMENT}"), "/mandates/MD0HKLANNA001".to_owned()];
    let moods = [ApiAnswer::Full(500, Vec::new()), ApiAnswer::Close, ApiAnswer::Full(401, Vec::new())];
    for (step, mood) in steps.iter().zip(moods) {
        api.api.at(step, mood);
        let worked = work(&world, &worker).await;
        assert!(matches!(worked, Worked::Later { .. }), "{step}: {worked:?}");
        assert_eq!(world.booked().await.len(), 0);
        world.wait_for(&world.key(EVENT)).await;
        api.payment(PAYMENT, &[GoCardlessApi::event("payments_confirmed")]);
    }
    api.lose_mandate(ApiAnswer::Silence);
    let worked = work(&world, &worker).await;
    let Worked::Later { why, .. } = worked else { panic!("{worked:?}") };
    assert_eq!(why, "the API did not answer in time");
}

#[tokio::test]
async fn a_busy_api_is_left_alone_for_as_long_as_it_asks() {
    let settings = Settings { backoff_ms: 1_000, backoff_max_ms: 600_000, ..Settings::default() };
    let (world, worker, api) = confirmed(settings).await;
    let list = GoCardlessApi::list_of(PAYMENT);
    let in_ms = async |answer: ApiAnswer| {
        api.api.at(&list, answer);
        let before = world.now();
        let worked = work(&world, &worker).await;
        let Worked::Later { due_at, .. } = worked else { panic!("{worked:?}") };
        world.wait_for(&world.key(EVENT)).await;
        before.ms_until(due_at)
    };
    assert_eq!(in_ms(ApiAnswer::Busy(429, "120".into())).await, 120_000);
    assert_eq!(in_ms(ApiAnswer::Busy(503, "30".into())).await, 30_000);
    // NOW is a round second, and the worker has moved the clock by 150 of them since.
    let date = world.now().plus_ms(90_000);
    let date = http_date(date.to_s().get());
    assert_eq!(in_ms(ApiAnswer::Busy(429, date)).await, 90_000);
    assert_eq!(in_ms(ApiAnswer::Busy(429, "86400".into())).await, 600_000, "no longer than our own longest wait");
    assert!(in_ms(ApiAnswer::Busy(429, "soon".into())).await <= 16_000);
    assert!(in_ms(ApiAnswer::Busy(500, "500".into())).await <= 32_000, "only an API that is busy is believed");
    api.payment(PAYMENT, &[GoCardlessApi::event("payments_confirmed")]);
    assert_eq!(work(&world, &worker).await, SETTLED);
}

/// `Sun, 06 Nov 1994 08:49:37 GMT`, for a day in 2026.
fn http_date(at_s: i64) -> String {
    let text = hookledger::time::UnixS::new(at_s).to_ms().rfc3339();
    let (date, time) = text.split_once('T').unwrap();
    let months = ["Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"];
    let days = ["Thu", "Fri", "Sat", "Sun", "Mon", "Tue", "Wed"];
    let parts: Vec<&str> = date.split('-').collect();
    let month = months[parts[1].parse::<usize>().unwrap() - 1];
    let day = days[usize::try_from(at_s / 86_400 % 7).unwrap()];
    format!("{day}, {} {month} {} {} GMT", parts[2], parts[0], &time[..8])
}

#[tokio::test]
async fn a_payment_that_the_key_cannot_see_is_for_a_person() {
    let (world, worker, api) = confirmed(Settings::default()).await;
    api.api.at(&format!("/payments/{PAYMENT}"), ApiAnswer::Full(404, Vec::new()));
    let worked = work(&world, &worker).await;
    let Worked::Parked { reason, why } = worked else { panic!("{worked:?}") };
    assert_eq!((reason, why.as_str()), (ParkReason::Unreadable, "the API answered 404"));
    assert_eq!(world.claim(EVENT).await.unwrap().park_reason, Some(ParkReason::Unreadable));
}

#[tokio::test]
async fn money_without_a_mandate_is_booked_and_counted() {
    let (world, worker, api) = confirmed(Settings::default()).await;
    api.lose_mandate(ApiAnswer::Full(404, Vec::new()));
    assert_eq!(work(&world, &worker).await, Worked::Settled { known: 0, account_unknown: true });
    assert_eq!(world.ledger().await[0].account_id, None);
    assert_eq!((world.metrics.total(Metric::AccountUnknown), world.metrics.total(Metric::Parked)), (1, 0));
}

#[tokio::test]
async fn money_is_booked_at_the_last_attempt_also_where_its_mandate_stays_away() {
    let settings = Settings { attempts_max: 2, ..Settings::default() };
    let (world, worker, api) = confirmed(settings).await;
    api.lose_mandate(ApiAnswer::Full(503, Vec::new()));
    assert!(matches!(work(&world, &worker).await, Worked::Later { .. }));
    world.wait_for(&world.key(EVENT)).await;
    assert_eq!(work(&world, &worker).await, Worked::Settled { known: 0, account_unknown: true });
}

#[tokio::test]
async fn a_list_without_an_end_is_for_a_person() {
    let (world, worker, api) = confirmed(Settings::default()).await;
    let list = GoCardlessApi::list_of(PAYMENT);
    let page = |after: &str| {
        let cursors = serde_json::json!({"after": after});
        serde_json::json!({"events": [GoCardlessApi::event("payments_confirmed")], "meta": {"cursors": cursors}})
    };
    api.api.put(&list, &page("EV1"));
    api.api.put(&format!("{list}&after=EV1"), &page("EV2"));
    let worked = work(&world, &worker).await;
    let Worked::Parked { why, .. } = worked else { panic!("{worked:?}") };
    assert_eq!(why, "the payment has more events than are read (1000)");
    assert_eq!(api.asked().len(), 2);
}
