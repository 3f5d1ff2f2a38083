//! A provider whose events say in plain words what they mean, for cases that no real one produces at will.

use std::sync::atomic::{AtomicBool, Ordering};

use bytes::Bytes;
use hookledger::claim::{Digest, kind_named};
use hookledger::money::Currency;
use hookledger::plan::{Entry, Fetch, Fetched, Ignored, Message, Occurrence, OnLost, Plan, Read, Settle};
use hookledger::provider::{DAY_S, Event, EventMode, Identity, Kept, Lifetime, Profile, Provider, Reply, Transport};
use hookledger::request::{
    Algorithm, KeySet, Secret, Signature, Signed, Unverified, UnverifiedRequest, VerifiedRequest, decode_hex,
    encode_hex,
};
use hookledger::time::UnixMs;
use serde::Deserialize;
use serde_json::value::RawValue;

use crate::body::{Fact, Move};

const HEADER: &str = "test-signature";
const CHALLENGE: &str = "test-challenge";

/// When its movements happened.
const OCCURRED: UnixMs = UnixMs::new(1_796_000_000_000);

/// The profile to start from.
pub fn profile() -> Profile {
    Profile {
        name: "test",
        transport: Transport {
            methods: &["POST"],
            success: Reply::fixed(200, "[ok]").of_type("text/plain"),
            in_flight_status: 409,
            mismatch_status: 422,
            deadline_ms: 10_000,
        },
        identity: Identity { kept_headers: &["x-topic"], volatile_fields: &["attempt"], overlapping_families: false },
        lifetime: Lifetime::new(3 * DAY_S, 5 * DAY_S, 12 * DAY_S),
    }
}

/// Reads [`Fact`]s, one or a batch. Signs with an HMAC in `test-signature`; a request with `test-challenge` is a
/// handshake and is answered with what stands in it. `hold` is deferred, and waits for a person when its run is lost.
pub struct TestProvider {
    profile: &'static Profile,
    learned: AtomicBool,
}

impl TestProvider {
    /// With this profile.
    pub fn new(profile: Profile) -> Self {
        // A profile is a constant; a test makes few of them and ends.
        Self { profile: Box::leak(Box::new(profile)), learned: AtomicBool::new(false) }
    }

    /// From now on it can read events that say `later`, as after a deploy.
    pub fn learn(&self) {
        self.learned.store(true, Ordering::SeqCst);
    }

    fn plan(&self, act: &str, fact: &Fact) -> Plan {
        match act {
            "settle" => settled(fact, None),
            "defer" | "hold" => {
                let entries = fact.entries.iter().map(|entry| booked(entry, None)).collect();
                Plan::defer(Fetch::ParentEntry(Occurrence::unique(&fact.parent)), entries)
            }
            "later" if self.learned.load(Ordering::SeqCst) => self.plan(&fact.then, fact),
            "later" => Plan::unreadable("not learned yet"),
            "park" => Plan::unreadable("the event says so"),
            "ignore" => Plan::Ignore(Ignored::EventType),
            "panic" => panic!("the event says so"),
            other => Plan::unreadable(format!("unknown act {other}")),
        }
    }
}

impl Provider for TestProvider {
    fn profile(&self) -> &'static Profile {
        self.profile
    }

    fn handshake(&self, request: &UnverifiedRequest, _keys: &KeySet) -> Option<Reply> {
        let challenge = request.headers.get(CHALLENGE)?;
        Some(Reply {
            status: 200,
            body: Bytes::copy_from_slice(challenge.as_bytes()),
            content_type: "text/plain".to_owned(),
        })
    }

    fn signature(&self, request: &UnverifiedRequest) -> Result<Signature, Unverified> {
        let code = request.headers.get(HEADER).ok_or(Unverified::MissingHeader(HEADER))?;
        let code = decode_hex(code).ok_or(Unverified::MalformedHeader(HEADER, "not hex"))?;
        let message = vec![request.body.clone()];
        let signed = Signed::new(message, Algorithm::HmacSha256, vec![code]);
        Ok(Signature { parts: vec![signed], stamp: None })
    }

    fn identify(&self, request: &VerifiedRequest) -> Vec<Event> {
        #[derive(Deserialize)]
        struct Batch<'a> {
            #[serde(borrow)]
            events: Vec<&'a RawValue>,
        }
        let body = request.body();
        assert!(!body.starts_with(br#""panic""#), "the body says so");
        match serde_json::from_slice::<Batch<'_>>(body) {
            Ok(batch) => {
                batch.events.iter().map(|raw| event(Bytes::copy_from_slice(raw.get().as_bytes()), request)).collect()
            }
            Err(_) => vec![event(body.clone(), request)],
        }
    }

    fn interpret(&self, event: &Event) -> Plan {
        let fact: Fact = serde_json::from_slice(&event.kept.body).unwrap();
        self.plan(&fact.act, &fact)
    }

    fn resume(&self, event: &Event, read: &[Read]) -> Plan {
        let fact: Fact = serde_json::from_slice(&event.kept.body).unwrap();
        match read.last().map(|read| &read.fetched) {
            Some(Fetched::ParentEntry(parent)) => {
                settled(&fact, parent.as_ref().and_then(|parent| parent.account.as_deref()))
            }
            _ => Plan::unreadable("it did not ask for an object"),
        }
    }

    fn on_lost(&self, event_type: &str) -> OnLost {
        if event_type == "hold" { OnLost::Hold } else { OnLost::Rerun }
    }

    fn sign(&self, body: &[u8], secret: &Secret, _at: UnixMs) -> Vec<(String, String)> {
        let code = Algorithm::HmacSha256.sign(&[Bytes::copy_from_slice(body)], secret).unwrap();
        vec![(HEADER.to_owned(), encode_hex(&code))]
    }

    fn refresh(&self, body: &[u8], tag: &str) -> Vec<u8> {
        let mut fact: Fact = serde_json::from_slice(body).unwrap();
        let tagged = |id: &mut String| *id = format!("{id}_{tag}");
        tagged(&mut fact.id);
        fact.entries.iter_mut().for_each(|entry| tagged(&mut entry.id));
        fact.body()
    }
}

fn event(body: Bytes, request: &VerifiedRequest) -> Event {
    let digest = Digest::of(&body).to_hex();
    let headers = request.headers().get("x-topic").map(|topic| ("x-topic".to_owned(), topic.to_owned()));
    let kept = Kept { body, headers: headers.into_iter().collect() };
    let (fact, problem) = match serde_json::from_slice::<Fact>(&kept.body) {
        Ok(fact) => (fact, None),
        Err(_) => (Fact { id: digest, ..Fact::default() }, Some("not one of ours".to_owned())),
    };
    let mode = match fact.mode.as_str() {
        "live" => EventMode::Live,
        "test" => EventMode::Test,
        "missing" => EventMode::Missing,
        _ => EventMode::Ours,
    };
    let scope = request.label().map_or(fact.scope, str::to_owned);
    Event { id: fact.id, scope, event_type: fact.act, mode, kept, problem }
}

fn settled(fact: &Fact, account: Option<&str>) -> Plan {
    let entries: Vec<Entry> = fact.entries.iter().map(|entry| booked(entry, account)).collect();
    let about = entries.first().map(|entry| (entry.occurrence.clone(), entry.kind));
    let message = |sink: &String| Message {
        name: "test.told",
        about: about.clone(),
        sink: sink.clone(),
        body: r#"{"told":true}"#.to_owned(),
        on_lost: OnLost::Rerun,
    };
    let messages = fact.tell.iter().map(message).collect();
    Settle::new(entries, messages).map_or_else(Plan::from, Plan::Settle)
}

fn booked(entry: &Move, account: Option<&str>) -> Entry {
    let own = (!entry.account.is_empty()).then_some(entry.account.as_str());
    let kind = kind_named(&entry.kind).unwrap();
    let currency = Currency::parse(&entry.currency).unwrap();
    let occurrence = Occurrence::unique(&entry.id);
    Entry::new(occurrence, kind, entry.magnitude_minor, currency, OCCURRED).unwrap().account(own.or(account))
}
