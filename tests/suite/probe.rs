//! A signed delivery that only asks whether it would be received.

use bytes::Bytes;
use hookledger::receive::PROBE;
use hookledger::request::{Headers, UnverifiedRequest};
use hookledger_tests::{Fault, World, every, header, sample, samples};

/// The same, asking.
fn asking(request: UnverifiedRequest) -> UnverifiedRequest {
    let headers: Vec<_> = request.headers.iter().map(|(name, value)| (name.to_owned(), value.to_owned())).collect();
    let headers = headers.iter().map(|(name, value)| (name.as_str(), value.as_str())).chain([(PROBE, "1")]);
    UnverifiedRequest { headers: Headers::new(headers), ..request }
}

#[tokio::test]
async fn it_is_verified_reads_once_and_writes_nothing() {
    for provider in hookledger_worker::providers().into_iter().filter(|provider| provider.cannot_sign().is_none()) {
        let (profile, secret) = (provider.profile(), provider.development_secret());
        let world = World::builder().shared_provider(provider).secrets(secret).build().await;
        for (name, body) in samples(profile.name) {
            let calls = world.calls();
            let answer = world.receive(asking(world.request(&body))).await;
            if header(&answer, PROBE).is_none() {
                assert_eq!(
                    (answer.reply.status, world.calls()),
                    (200, calls),
                    "a challenge is answered as ever: {name}"
                );
                continue;
            }
            assert_eq!(answer.reply.status, profile.transport.in_flight_status, "its sender comes again: {name}");
            assert_eq!(world.calls() - calls, 1, "{name}");
        }
        assert_eq!((world.claims().await.len(), world.ledger().await.len()), (0, 0), "{}", profile.name);
    }
}

#[tokio::test]
async fn whoever_cannot_sign_learns_nothing_and_what_was_probed_is_received_as_ever() {
    let world = World::stripe().await;
    let body = sample("stripe", "charge_succeeded");
    let genuine = world.request(&body);
    let forged = UnverifiedRequest { body: Bytes::from_static(b"{}"), ..genuine.clone() };
    let refused = world.receive(asking(forged)).await;
    assert_eq!((refused.reply.status, header(&refused, PROBE), world.calls()), (401, None, 0));

    world.receive(asking(genuine.clone())).await;
    assert_eq!(world.receive(genuine).await.reply.status, 200);
    assert_eq!(world.ledger().await.len(), 1);
}

#[tokio::test]
async fn a_store_that_is_away_is_no_yes() {
    let world = World::builder().provider(hookledger_stripe::Stripe).no_retries().build().await;
    world.wire.inject(every(), Fault::Refuse);
    let answer = world.receive(asking(world.request(sample("stripe", "charge_succeeded")))).await;
    assert_eq!((answer.reply.status, header(&answer, PROBE)), (503, None));
}
