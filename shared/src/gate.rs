//! Memory of claims that are done: answers a duplicate without a call. Only what is certain: a miss falls through.

use quick_cache::Weighter;
use quick_cache::sync::Cache;

use crate::claim::{ClaimKey, Digest};
use crate::provider::Reply;
use crate::time::UnixS;

/// About what an entry costs beside its key and reply.
const OVERHEAD_BYTES: usize = 160;

/// A bounded memory of done claims. A done claim does not change before it expires, so what is remembered stays true.
pub struct Gate {
    done: Option<Cache<ClaimKey, Done, Weight>>,
}

/// What is remembered of a done claim.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Done {
    /// The digest of the bytes that were claimed: only the same bytes are answered here.
    pub raw_digest: Digest,
    /// What was answered.
    pub reply: Reply,
    /// From then on the claim counts as absent.
    pub expires_at: UnixS,
}

#[derive(Clone)]
struct Weight;

impl Weighter<ClaimKey, Done> for Weight {
    fn weight(&self, key: &ClaimKey, done: &Done) -> u64 {
        let bytes = key.as_str().len() + done.reply.body.len() + done.reply.content_type.len() + OVERHEAD_BYTES;
        u64::try_from(bytes).unwrap_or(u64::MAX)
    }
}

impl Gate {
    /// Remembers up to `bytes_max` bytes; 0 turns it off.
    pub fn new(bytes_max: usize) -> Self {
        let entries = bytes_max / (2 * OVERHEAD_BYTES);
        let done = (bytes_max > 0)
            .then(|| Cache::with_weighter(entries, u64::try_from(bytes_max).unwrap_or(u64::MAX), Weight));
        Self { done }
    }

    /// The stored reply, if this claim was seen done with the same bytes and has not expired.
    pub fn answer(&self, key: &ClaimKey, raw_digest: Digest, now: UnixS) -> Option<Reply> {
        let done = self.done.as_ref()?.get(key)?;
        (done.raw_digest == raw_digest && now < done.expires_at).then_some(done.reply)
    }

    /// Remembers a claim that the store said is done.
    pub fn remember(&self, key: ClaimKey, done: Done) {
        if let Some(cache) = &self.done {
            cache.insert(key, done);
        }
    }

    /// How many claims are remembered.
    pub fn len(&self) -> usize {
        self.done.as_ref().map_or(0, Cache::len)
    }

    /// Whether nothing is remembered.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use bytes::Bytes;

    fn done(content: &[u8]) -> Done {
        let reply = Reply { status: 200, body: Bytes::from_static(b"ok"), content_type: String::new() };
        Done { raw_digest: Digest::of(content), reply, expires_at: UnixS::new(100) }
    }

    #[test]
    fn only_the_same_bytes_before_the_expiry_are_answered() {
        let gate = Gate::new(10_000);
        let key = ClaimKey::new("p", "", "e");
        gate.remember(key.clone(), done(b"x"));
        assert!(gate.answer(&key, Digest::of(b"x"), UnixS::new(99)).is_some());
        assert!(gate.answer(&key, Digest::of(b"x"), UnixS::new(100)).is_none());
        assert!(gate.answer(&key, Digest::of(b"y"), UnixS::new(99)).is_none());
        assert!(gate.answer(&ClaimKey::new("p", "", "f"), Digest::of(b"x"), UnixS::new(99)).is_none());
    }

    #[test]
    fn it_stays_within_its_bytes_and_can_be_off() {
        let gate = Gate::new(10_000);
        let off = Gate::new(0);
        for at in 0..1_000 {
            let key = ClaimKey::new("p", "", &at.to_string());
            gate.remember(key.clone(), done(b"x"));
            off.remember(key, done(b"x"));
        }
        assert!(gate.len() < 10_000 / OVERHEAD_BYTES, "{}", gate.len());
        assert!(!gate.is_empty() && off.is_empty());
    }
}
