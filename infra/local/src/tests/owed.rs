use std::sync::Arc;
use std::time::Duration;

use bytes::Bytes;
use hookledger::claim::{ClaimKey, State};
use hookledger::request::Secret;
use hookledger::runtime::SystemClock;
use hookledger::store::Store;
use hookledger::time::Clock as _;
use http::Request;
use http_body_util::Full;
use hyper_util::client::legacy::Client;
use hyper_util::rt::TokioExecutor;

use crate::{Options, Settings, Stack, database, registry};

const CHARGE: &[u8] = include_bytes!("../../../../events/stripe/charge_succeeded.json");
const REFUND: &[u8] = include_bytes!("../../../../events/stripe/refund_updated_succeeded_1.json");

async fn deliver(stack: &Stack, body: &'static [u8]) -> u16 {
    let provider = registry::provider("stripe").unwrap();
    let mut request = Request::post(format!("http://{}/webhooks/stripe", stack.http_address()));
    for (name, value) in provider.sign(body, &Secret::new(provider.development_secret()), SystemClock.now()) {
        request = request.header(name, value);
    }
    let request = request.body(Full::new(Bytes::from_static(body))).unwrap();
    Client::builder(TokioExecutor::new()).build_http().request(request).await.unwrap().status().as_u16()
}

/// Asks until the refund is settled, for at most this long.
async fn settled(stack: &Stack, within: Duration) -> bool {
    let store = Store::new(database::client(stack.dynamodb_address()), stack.tables().clone(), Arc::new(SystemClock));
    let key = ClaimKey::new("stripe", "", "evt_3ThBackGone00001");
    let asking = async {
        let mut ticks = tokio::time::interval(Duration::from_millis(50));
        loop {
            ticks.tick().await;
            let claim = store.claim(&key, SystemClock.now().plus_ms(5_000)).await.unwrap().unwrap();
            if claim.state == State::Done {
                return;
            }
        }
    };
    tokio::time::timeout(within, asking).await.is_ok()
}

#[tokio::test]
async fn a_deferred_event_is_settled_by_the_stream() {
    // So long that only the stream can have told of it.
    let schedule_every = Duration::from_secs(3_600);
    let stack =
        Stack::start(Options { schedule_every, ..Options::on_free_ports(Settings::development()) }).await.unwrap();
    assert_eq!((deliver(&stack, CHARGE).await, deliver(&stack, REFUND).await), (200, 200));
    assert!(settled(&stack, Duration::from_secs(20)).await);
    stack.stop().await;
}

#[tokio::test]
async fn a_deferred_event_that_waits_for_another_is_settled_by_the_schedule() {
    let schedule_every = Duration::from_secs(1);
    let stack =
        Stack::start(Options { schedule_every, ..Options::on_free_ports(Settings::development()) }).await.unwrap();
    assert_eq!((deliver(&stack, REFUND).await, deliver(&stack, CHARGE).await), (200, 200));
    assert!(settled(&stack, Duration::from_secs(60)).await);
    stack.stop().await;
}
