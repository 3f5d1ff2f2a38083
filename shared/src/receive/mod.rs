//! The road of one delivery: verify, identify, interpret, commit, answer. One way, no return.

mod outcome;
mod report;

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;

use futures_util::FutureExt as _;
use futures_util::stream::{self, StreamExt as _};

use crate::certificates::{CertificateError, Certificates};
use crate::claim::{ClaimKey, Digest};
use crate::gate::{Done, Gate};
use crate::items::{NewClaim, Payload};
use crate::keys::Keys;
use crate::metrics::Metrics;
use crate::outbox::Outbox;
use crate::plan::{Ignored, Plan, Write};
use crate::provider::{Event, EventMode, Kept, Mode, Provider, Reply};
use crate::request::{Signature, Unverified, UnverifiedRequest, VerifiedRequest};
use crate::store::{Commit, Store, Verdict};
use crate::time::{Clock, UnixMs, UnixS};

pub use outcome::{Answer, Outcome};

/// A signed delivery with this header asks whether it would be received: it is verified, the store is reached, and nothing is
/// written. The header is not signed, so the answer is no success: who puts it on a real delivery gets that delivery refused, and
/// its sender comes again, or sees that it failed.
pub const PROBE: &str = "hookledger-probe";

/// Left of the deadline for the answer to travel.
const MARGIN_MS: u64 = 500;

/// How many events of one delivery are committed side by side.
const SIDE_BY_SIDE: usize = 8;

/// Receives the deliveries of one provider.
pub struct Receiver {
    /// The provider.
    pub provider: Arc<dyn Provider>,
    /// Its active secrets.
    pub keys: Keys,
    /// The certificates its requests are signed with, where they are.
    pub certificates: Certificates,
    /// What this deployment books.
    pub mode: Mode,
    /// The tables.
    pub store: Store,
    /// Memory of done claims.
    pub gate: Gate,
    /// Where metric lines go.
    pub metrics: Metrics,
    /// The time.
    pub clock: Arc<dyn Clock>,
    /// Who is told.
    pub outbox: Outbox,
}

/// One event and what became of it.
#[derive(Debug)]
pub(crate) struct Handled {
    key: ClaimKey,
    event_type: String,
    outcome: Outcome,
    conflicts: u32,
    took_ms: u64,
}

impl Receiver {
    /// Answers a delivery. `invocation_ends` is when this process stops being given time.
    pub async fn receive(&self, request: UnverifiedRequest, invocation_ends: UnixMs) -> Answer {
        let road = AssertUnwindSafe(self.road(request, invocation_ends));
        match road.catch_unwind().await {
            Ok(answer) => answer,
            Err(_) => self.refuse(Outcome::Panicked),
        }
    }

    /// Answers a delivery that got no further than its envelope.
    pub fn refuse(&self, outcome: Outcome) -> Answer {
        self.report_request(&outcome);
        outcome.answer(self.provider.profile())
    }

    async fn road(&self, request: UnverifiedRequest, invocation_ends: UnixMs) -> Answer {
        let began = self.clock.now();
        let deadline = self.deadline(began, invocation_ends);
        let verified = match self.verify(request, began, deadline).await {
            Ok(verified) => verified,
            Err(outcome) => return self.refuse(outcome),
        };
        if !verified.is_ping() && verified.headers().get(PROBE).is_some() {
            return self.refuse(self.probe(deadline).await);
        }
        let events = match self.identify(&verified) {
            Ok(events) => events,
            Err(outcome) => return self.refuse(outcome),
        };
        if verified.is_ping() && !events.iter().all(|event| self.only_looks(event)) {
            return self.refuse(Outcome::Unverified(Unverified::NotSigned));
        }
        // Collected first: a closure kept in the stream would keep the compiler from seeing that this future is `Send`.
        let handling: Vec<_> = events.iter().map(|event| self.handle(event, deadline)).collect();
        let mut handled: Vec<Handled> = stream::iter(handling).buffered(SIDE_BY_SIDE).collect().await;
        handled.iter().for_each(|handled| self.report_event(handled));
        match handled.len() {
            1 => {
                let Handled { key, outcome, .. } = handled.remove(0);
                outcome.answer(self.provider.profile()).about(&key)
            }
            _ => Outcome::answer_all(handled.into_iter().map(|handled| handled.outcome), self.provider.profile()),
        }
    }

    async fn probe(&self, deadline: UnixMs) -> Outcome {
        self.store.warm(deadline).await.map_or_else(Outcome::Unavailable, |()| Outcome::Probed)
    }

    /// The earlier of ours and the provider's deadline, less the way back.
    fn deadline(&self, began: UnixMs, invocation_ends: UnixMs) -> UnixMs {
        let provider_waits_until = began.plus_ms(self.provider.profile().transport.deadline_ms);
        let ends = invocation_ends.min(provider_waits_until);
        UnixMs::new(ends.get().saturating_sub_unsigned(MARGIN_MS))
    }

    /// Everything that is decided without believing the request: where it goes, its size, a challenge, its signature.
    async fn verify(
        &self,
        request: UnverifiedRequest,
        now: UnixMs,
        deadline: UnixMs,
    ) -> Result<VerifiedRequest, Outcome> {
        let profile = self.provider.profile();
        if !routed(&request.path, profile.name) {
            return Err(Outcome::NotFound);
        }
        if !profile.transport.methods.contains(&request.method.as_str()) {
            return Err(Outcome::MethodNotAllowed);
        }
        if !Payload::fits(&request.body) {
            return Err(Outcome::TooLarge);
        }
        let keys = self.keys.current(now).await;
        if let Some(reply) = self.provider.handshake(&request, &keys) {
            return Err(Outcome::Handshake(reply));
        }
        if request.body.is_empty() {
            return Err(Outcome::Malformed("the body is empty"));
        }
        if self.provider.is_ping(&request) {
            return Ok(request.into_ping());
        }
        let signature = self.provider.signature(&request).map_err(Outcome::Unverified)?;
        let signature = self.certified(signature, now, deadline).await?;
        let proof = match signature.check(&keys, now) {
            Err(Unverified::NoMatch) => match self.keys.after_miss(&keys, now).await {
                Some(keys) => signature.check(&keys, now),
                None => Err(Unverified::NoMatch),
            },
            checked => checked,
        };
        proof.map(|proof| request.proven(proof)).map_err(Outcome::Unverified)
    }

    /// The same with the certificates that it names, where they are the sender's.
    async fn certified(&self, mut signature: Signature, now: UnixMs, deadline: UnixMs) -> Result<Signature, Outcome> {
        let urls: Vec<String> = signature.certificate_urls().map(str::to_owned).collect();
        for url in urls {
            let refused = |why| Outcome::Unverified(Unverified::Uncertified(why));
            let rules = self.provider.certificates().ok_or(refused("this sender has none"))?;
            let certificate = self.certificates.get(&url, rules, now, deadline).await;
            let certificate = certificate.map_err(|error| match error {
                CertificateError::Refused(why) => refused(why),
                CertificateError::Unreachable(why) => Outcome::NoCertificate(why),
            })?;
            signature = signature.certified(&url, &certificate);
        }
        Ok(signature)
    }

    /// Whether an event that nobody signed leads to no more than a look at what it names.
    fn only_looks(&self, event: &Event) -> bool {
        match self.plan(event) {
            Plan::Ignore(_) => true,
            Plan::Defer(defer) => defer.known().is_empty(),
            Plan::Settle(_) | Plan::Park(_) => false,
        }
    }

    /// The events of a delivery, each once: byte-equal repetitions of one event are merged.
    fn identify(&self, request: &VerifiedRequest) -> Result<Vec<Event>, Outcome> {
        let found = catch_unwind(AssertUnwindSafe(|| self.provider.identify(request)));
        let mut events: Vec<Event> = Vec::new();
        for event in found.unwrap_or_else(|_| vec![unidentified(request, "identifying it failed by a fault of ours")]) {
            let event = if event.id.is_empty() { unidentified(request, "its id is empty") } else { event };
            if !events.contains(&event) {
                events.push(event);
            }
        }
        if events.is_empty() { Err(Outcome::Malformed("it holds no event")) } else { Ok(events) }
    }

    async fn handle(&self, event: &Event, deadline: UnixMs) -> Handled {
        let began = self.clock.now();
        let claim = NewClaim::new(self.provider.as_ref(), event);
        let (outcome, conflicts) = self.decide(event, &claim, deadline).await;
        let took_ms = began.ms_until(self.clock.now());
        let event_type = claim.event_type().to_owned();
        Handled { key: claim.key, event_type, outcome, conflicts, took_ms }
    }

    async fn decide(&self, event: &Event, claim: &NewClaim<'_>, deadline: UnixMs) -> (Outcome, u32) {
        if let Some(reply) = self.gate.answer(&claim.key, claim.raw_digest, self.clock.now().to_s()) {
            return (Outcome::ReplayedFromMemory(reply), 0);
        }
        let write = match self.plan(event).write() {
            Ok(write) => write,
            Err(why) => return (Outcome::Ignored(why), 0),
        };
        let Commit { verdict, conflicts } = self.store.commit(claim, write, deadline).await;
        self.remember(claim, &verdict);
        (Outcome::of(verdict), conflicts)
    }

    /// What the event means, here. A provider's panic is one of the things a retry cannot change.
    fn plan(&self, event: &Event) -> Plan {
        if let Some(problem) = &event.problem {
            return Plan::unreadable(problem);
        }
        if self.mode.ignores(event.mode) {
            return Plan::Ignore(Ignored::OtherMode);
        }
        if event.mode == EventMode::Missing {
            return Plan::unreadable("it does not say whether it is a test");
        }
        let plan = catch_unwind(AssertUnwindSafe(|| self.provider.interpret(event)));
        let plan = plan.unwrap_or_else(|_| Plan::unreadable("interpreting it failed by a fault of ours"));
        self.outbox.fill(self.provider.profile().name, event, plan)
    }

    /// Only what is done goes into memory: nothing else is sure to stay as it is.
    fn remember(&self, claim: &NewClaim<'_>, verdict: &Verdict) {
        let (reply, expires_at): (&Reply, UnixS) = match verdict {
            Verdict::Won { write: Write::Settle(_), reply, expires_at, .. } => (reply, *expires_at),
            Verdict::Replayed { row, drift: false, .. } => match row.expires_at {
                Some(expires_at) => (&row.reply, expires_at),
                None => return,
            },
            _ => return,
        };
        let done = Done { raw_digest: claim.raw_digest, reply: reply.clone(), expires_at };
        self.gate.remember(claim.key.clone(), done);
    }
}

/// A stage or a mapping may stand before our path.
fn routed(path: &str, name: &str) -> bool {
    let path = path.strip_suffix('/').unwrap_or(path);
    path.strip_suffix(name).is_some_and(|before| before.ends_with("/webhooks/"))
}

/// A verified delivery whose events cannot be told: kept whole, under the digest of its bytes.
fn unidentified(request: &VerifiedRequest, problem: &str) -> Event {
    Event {
        id: Digest::of(request.body()).to_hex(),
        scope: String::new(),
        event_type: String::new(),
        mode: EventMode::Ours,
        kept: Kept { body: request.body().clone(), headers: Vec::new() },
        problem: Some(problem.to_owned()),
    }
}
