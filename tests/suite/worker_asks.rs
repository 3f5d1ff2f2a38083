//! A mapping that asks on: five objects in one lease, never the same twice; and one that fails by a fault of ours.

use std::sync::atomic::{AtomicUsize, Ordering};

use hookledger::claim::State;
use hookledger::plan::{Fetch, ParkReason, Plan, Read};
use hookledger::provider::{Event, Profile, Provider};
use hookledger::request::{Secret, Signature, Unverified, UnverifiedRequest, VerifiedRequest};
use hookledger::time::UnixMs;
use hookledger::work::{Settings, Worked};
use hookledger_tests::{TestApi, TestProvider, World, profile, settle};
use serde_json::json;

/// Asks for `objects` objects, one after the other, and then does as the event says. `pages` repeat after so many.
struct Asking {
    inner: TestProvider,
    objects: usize,
    pages: usize,
    asked: AtomicUsize,
}

impl Asking {
    fn new(objects: usize, pages: usize) -> Self {
        Self { inner: TestProvider::new(profile()), objects, pages, asked: AtomicUsize::new(0) }
    }

    fn ask(&self) -> Plan {
        let at = self.asked.fetch_add(1, Ordering::SeqCst) % self.pages;
        Plan::defer(Fetch::Object(format!("/objects/{at}")), Vec::new())
    }
}

impl Provider for Asking {
    fn profile(&self) -> &'static Profile {
        self.inner.profile()
    }

    fn signature(&self, request: &UnverifiedRequest) -> Result<Signature, Unverified> {
        self.inner.signature(request)
    }

    fn identify(&self, request: &VerifiedRequest) -> Vec<Event> {
        self.inner.identify(request)
    }

    fn interpret(&self, _: &Event) -> Plan {
        self.asked.store(0, Ordering::SeqCst);
        self.ask()
    }

    fn resume(&self, event: &Event, _: &[Read]) -> Plan {
        if self.asked.load(Ordering::SeqCst) < self.objects { self.ask() } else { self.inner.interpret(event) }
    }

    fn api_url(&self) -> Option<&'static str> {
        Some("https://api.test.example")
    }

    fn sign(&self, body: &[u8], secret: &Secret, at: UnixMs) -> Vec<(String, String)> {
        self.inner.sign(body, secret, at)
    }

    fn refresh(&self, body: &[u8], tag: &str) -> Vec<u8> {
        self.inner.refresh(body, tag)
    }
}

/// Works on an event of a provider that asks so, and says what became of it and how many objects were read.
async fn work(provider: Asking, body: Vec<u8>) -> (World, Worked, usize) {
    let world = World::builder().provider(provider).build().await;
    let api = TestApi::start().await;
    api.answer_with(&json!({}));
    assert_eq!(world.deliver(body).await.reply.status, 200);
    let worker = world.worker_with(Settings::default(), Some(api.url()));
    let worked = world.work(&worker, &world.key("e1")).await;
    (world, worked, api.asked().len())
}

#[tokio::test]
async fn five_objects_may_be_read_in_one_lease() {
    let (world, worked, read) = work(Asking::new(5, 99), settle("e1", "m1", 500).body()).await;
    assert_eq!((worked, read), (Worked::Settled { known: 0, account_unknown: false }, 5));
    assert_eq!(world.booked().await, [("test::m1".into(), "payment", 500)]);
    assert_eq!(world.claim("e1").await.unwrap().attempt, 1);
}

#[tokio::test]
async fn a_sixth_object_or_the_same_again_is_not_read() {
    for (provider, expected) in [(Asking::new(6, 99), 5), (Asking::new(5, 3), 3)] {
        let (world, worked, read) = work(provider, settle("e1", "m1", 500).body()).await;
        assert!(matches!(worked, Worked::Parked { reason: ParkReason::Unreadable, .. }), "{worked:?}");
        assert_eq!(read, expected);
        assert_eq!(world.booked().await, []);
        let claim = world.claim("e1").await.unwrap();
        assert_eq!((claim.state, claim.park_reason), (State::Parked, Some(ParkReason::Unreadable)));
    }
}

#[tokio::test]
async fn a_fault_in_the_mapping_is_kept_for_a_person() {
    let panics = hookledger_tests::Fact::new("e1", "panic").body();
    let (world, worked, _) = work(Asking::new(1, 99), panics).await;
    assert!(matches!(&worked, Worked::Parked { why, .. } if why.contains("fault of ours")), "{worked:?}");
    assert!(world.story(&world.key("e1")).await.kept.is_some());
}
