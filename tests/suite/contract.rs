//! What holds of every provider in the registry, by its own sample events: a new one is held to it by being listed.

use std::sync::Arc;

use bytes::Bytes;
use hookledger::provider::{Provider, Reply};
use hookledger::request::{Headers, Secret, UnverifiedRequest};
use hookledger_tests::{World, samples};

async fn world(provider: &Arc<dyn Provider>) -> World {
    let secret = provider.development_secret();
    World::builder().shared_provider(Arc::clone(provider)).secrets(secret).build().await
}

/// A secret of the same form that is not `secret`.
fn another(secret: &str) -> Secret {
    let middle = secret.len() / 2;
    let other = if secret.as_bytes()[middle] == b'1' { "2" } else { "1" };
    Secret::new(format!("{}{other}{}", &secret[..middle], &secret[middle + 1..]))
}

/// By file name.
type Samples = Vec<(String, Vec<u8>)>;

/// The registry, each with its sample events.
fn all() -> Vec<(Arc<dyn Provider>, Samples)> {
    let with_samples = |mut provider: Arc<dyn Provider>| {
        let told = Arc::get_mut(&mut provider).unwrap();
        for setting in told.settings().iter().filter(|setting| !setting.development.is_empty()) {
            told.set(setting.name, setting.development).unwrap();
        }
        let samples: Vec<_> = samples(provider.profile().name).into_iter().collect();
        assert!(samples.len() >= 4, "{} has events to be tried with", provider.profile().name);
        (provider, samples)
    };
    let all: Vec<_> = hookledger_worker::providers().into_iter().map(with_samples).collect();
    assert!(all.len() >= 3);
    all
}

/// Those for whom we can sign.
fn signable() -> Vec<(Arc<dyn Provider>, Samples)> {
    let all = all().into_iter().filter(|(provider, _)| provider.cannot_sign().is_none());
    all.collect()
}

#[test]
fn names_go_into_paths_keys_and_variables_and_answers_beside_every_claim() {
    for (provider, _) in all() {
        let profile = provider.profile();
        let fits = |byte: u8| byte.is_ascii_lowercase() || byte.is_ascii_digit() || byte == b'-';
        assert!(!profile.name.is_empty() && profile.name.bytes().all(fits), "{}", profile.name);
        let success = profile.transport.success;
        assert!(
            (200..300).contains(&success.status) && success.body.len() <= Reply::BODY_BYTES_MAX,
            "{}",
            profile.name
        );
        assert!(provider.api_url().is_none_or(|url| url.starts_with("https://") && !url.ends_with('/')));
    }
}

#[tokio::test]
async fn every_sample_is_answered_with_success_and_replayed_byte_for_byte() {
    for (provider, samples) in signable() {
        let world = world(&provider).await;
        let success: Reply = provider.profile().transport.success.into();
        for (name, body) in &samples {
            let first = world.deliver(body).await;
            assert_eq!(first.reply, success, "{name}");
            let rows = world.rows().await;
            assert_eq!(world.deliver(body).await.reply, first.reply, "{name}");
            assert_eq!(world.rows().await, rows, "{name}: a repetition writes nothing");
        }
    }
}

#[tokio::test]
async fn a_refreshed_sample_is_claimed_beside_the_old_one() {
    for (provider, samples) in signable() {
        for (name, body) in &samples {
            let world = world(&provider).await;
            world.deliver(body).await;
            let claims = world.claims().await.len();
            world.deliver(provider.refresh(body, "t1")).await;
            let fresh = world.claims().await.len() - claims;
            // What has no id at all is told by its bytes, which stay.
            let unnamed = name == "batch_poison";
            assert_eq!(fresh, claims - usize::from(unnamed), "{} {name}", provider.profile().name);
        }
    }
}

#[tokio::test]
async fn what_is_not_signed_by_us_never_reaches_the_store() {
    for (provider, samples) in signable() {
        let world = world(&provider).await;
        for (name, body) in &samples {
            let request = world.request(body);
            let guessed = another(provider.development_secret());
            let sealed = provider.seal(body, &guessed);
            let headers = Headers::new(provider.sign(&sealed, &guessed, world.now()));
            let in_body = headers.iter().next().is_none();
            let mut forged = vec![UnverifiedRequest { headers, body: sealed.into(), ..request.clone() }];
            // A signature that stands in the body says itself what of it is signed.
            if !in_body {
                let changed = Bytes::from([&body[..], b" "].concat());
                forged.push(UnverifiedRequest { headers: Headers::default(), ..request.clone() });
                forged.push(UnverifiedRequest { body: changed, ..request.clone() });
            }
            for request in forged {
                assert_eq!(world.receive(request).await.reply.status, 401, "{} {name}", provider.profile().name);
            }
            assert_eq!(world.receive(UnverifiedRequest { method: "PUT".into(), ..request }).await.reply.status, 405);
        }
        assert_eq!(world.calls(), 0);
    }
}
