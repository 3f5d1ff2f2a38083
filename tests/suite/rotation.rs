//! Secrets that change while deliveries come in.

use std::pin::Pin;
use std::sync::{Arc, Mutex};

use hookledger::certificates::Certificates;
use hookledger::gate::Gate;
use hookledger::keys::{KeySource, Keys, Refresh};
use hookledger::receive::Receiver;
use hookledger::request::{Headers, KeySet, Secret, UnverifiedRequest};
use hookledger_tests::{NOW, World, settle};

/// A place where somebody rotates a secret by hand.
#[derive(Clone)]
struct Vault(Arc<Mutex<Result<KeySet, String>>>);

impl Vault {
    fn holding(list: &str) -> Self {
        Self(Arc::new(Mutex::new(Ok(KeySet::parse(list).unwrap()))))
    }

    fn hold(&self, list: &str) {
        *self.0.lock().unwrap() = Ok(KeySet::parse(list).unwrap());
    }

    fn be_away(&self) {
        *self.0.lock().unwrap() = Err("away".to_owned());
    }
}

impl KeySource for Vault {
    fn load(&self) -> Pin<Box<dyn Future<Output = Result<KeySet, String>> + Send + '_>> {
        let held = self.0.lock().unwrap().clone();
        Box::pin(async { held })
    }
}

/// A receiver of the world that loads its secrets from `vault`.
fn receiver(world: &World, vault: &Vault) -> Receiver {
    let held = vault.0.lock().unwrap().clone().unwrap();
    Receiver {
        provider: world.receiver.provider.clone(),
        keys: Keys::from_source(held, Box::new(vault.clone()), Refresh::default(), NOW),
        certificates: Certificates::default(),
        mode: world.receiver.mode,
        store: world.receiver.store.clone(),
        gate: Gate::new(0),
        metrics: world.metrics.sink(),
        outbox: hookledger::outbox::Outbox::default(),
        clock: Arc::new(world.clock.clone()),
    }
}

/// The status of a delivery of event `id`, signed with `secret`.
async fn status(world: &World, receiver: &Receiver, id: &str, secret: &str) -> u16 {
    let body = settle(id, &format!("m-{id}"), 100).body();
    let headers = receiver.provider.sign(&body, &Secret::new(secret), world.now());
    let request = UnverifiedRequest { headers: Headers::new(headers), ..world.request(&body) };
    receiver.receive(request, world.deadline()).await.reply.status
}

#[tokio::test]
async fn a_rotation_loses_no_delivery_and_ends_the_old_secret() {
    let world = World::new().await;
    let vault = Vault::holding("old");
    let receiver = receiver(&world, &vault);
    assert_eq!(status(&world, &receiver, "e1", "old").await, 200);
    // Step one: both are active. Whoever signs with the new one is let in at once.
    world.advance_s(60);
    vault.hold("old,new");
    assert_eq!(status(&world, &receiver, "e2", "new").await, 200);
    assert_eq!(status(&world, &receiver, "e3", "old").await, 200);
    // Step two: the old one is retired, and is refused once the secrets were loaded anew.
    vault.hold("new");
    world.advance_s(300);
    assert_eq!(status(&world, &receiver, "e4", "old").await, 401);
    assert_eq!(status(&world, &receiver, "e4", "new").await, 200);
    assert_eq!(world.booked().await.len(), 4);
}

#[tokio::test]
async fn while_the_vault_is_away_the_last_secrets_serve() {
    let world = World::new().await;
    let vault = Vault::holding("s");
    let receiver = receiver(&world, &vault);
    vault.be_away();
    for hour in 0..24 {
        world.advance_s(3_600);
        assert_eq!(status(&world, &receiver, &format!("e{hour}"), "s").await, 200);
        assert_eq!(status(&world, &receiver, "x", "guess").await, 401);
    }
}
