//! The active secrets of one provider, as they change: loaded anew from time to time, and once when a signature fits none of
//! them, because that is what a rotation looks like from here. While they cannot be loaded the last good ones stay.

use std::pin::Pin;
use std::sync::{Arc, Mutex, PoisonError};

use crate::request::KeySet;
use crate::time::UnixMs;

/// Where secrets are kept, for as long as this process runs.
pub trait KeySource: Send + Sync + 'static {
    /// The active secrets now. Errors: why they cannot be had, without any of them.
    fn load(&self) -> Pin<Box<dyn Future<Output = Result<KeySet, String>> + Send + '_>>;
}

/// How often secrets are loaded.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Refresh {
    /// After this long they are loaded anew, in milliseconds.
    pub every_ms: u64,
    /// Signatures that fit none of them load them anew at most this often, in milliseconds: anybody can send those.
    pub after_miss_ms: u64,
}

impl Default for Refresh {
    fn default() -> Self {
        Self { every_ms: 300_000, after_miss_ms: 30_000 }
    }
}

/// The active secrets of one provider.
pub struct Keys {
    source: Option<(Box<dyn KeySource>, Refresh)>,
    state: Mutex<State>,
}

struct State {
    keys: Arc<KeySet>,
    /// When they were last loaded, or loading them was last begun.
    tried_at: UnixMs,
}

impl Keys {
    /// Secrets that stay as they are until the process ends.
    pub fn fixed(keys: KeySet) -> Self {
        Self { source: None, state: Mutex::new(State { keys: Arc::new(keys), tried_at: UnixMs::new(0) }) }
    }

    /// Secrets of `source`, which gave `keys` at `loaded_at`.
    pub fn from_source(keys: KeySet, source: Box<dyn KeySource>, refresh: Refresh, loaded_at: UnixMs) -> Self {
        let state = State { keys: Arc::new(keys), tried_at: loaded_at };
        Self { source: Some((source, refresh)), state: Mutex::new(state) }
    }

    /// The secrets to verify with, loaded anew when their time has come.
    pub async fn current(&self, now: UnixMs) -> Arc<KeySet> {
        match &self.source {
            Some((_, refresh)) if self.begin(now, refresh.every_ms) => self.load().await,
            _ => {}
        }
        self.held()
    }

    /// The secrets after a signature fitted none of `seen`. `None`: they are the same.
    pub async fn after_miss(&self, seen: &KeySet, now: UnixMs) -> Option<Arc<KeySet>> {
        match &self.source {
            Some((_, refresh)) if self.begin(now, refresh.after_miss_ms) => self.load().await,
            _ => {}
        }
        let held = self.held();
        (*held != *seen).then_some(held)
    }

    /// The secrets as they were loaded last.
    pub fn held(&self) -> Arc<KeySet> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner).keys.clone()
    }

    /// Whether to load now: one of those who ask does, the others go on with what there is.
    fn begin(&self, now: UnixMs, after_ms: u64) -> bool {
        let mut state = self.state.lock().unwrap_or_else(PoisonError::into_inner);
        let due = state.tried_at.ms_until(now) >= after_ms;
        if due {
            state.tried_at = now;
        }
        due
    }

    async fn load(&self) {
        let Some((source, _)) = &self.source else { return };
        match source.load().await {
            Ok(keys) => self.state.lock().unwrap_or_else(PoisonError::into_inner).keys = Arc::new(keys),
            Err(why) => tracing::warn!(
                reason = why,
                todo = "nothing for a while: the secrets loaded last are used; see whether the secret still exists and may be read",
                "the secrets could not be loaded anew"
            ),
        }
    }
}

#[cfg(test)]
mod tests {
    use std::sync::atomic::{AtomicUsize, Ordering};

    use super::*;

    struct Shelf {
        now: Arc<Mutex<Result<KeySet, String>>>,
        loads: Arc<AtomicUsize>,
    }

    impl KeySource for Shelf {
        fn load(&self) -> Pin<Box<dyn Future<Output = Result<KeySet, String>> + Send + '_>> {
            self.loads.fetch_add(1, Ordering::SeqCst);
            let now = self.now.lock().unwrap().clone();
            Box::pin(async move { now })
        }
    }

    fn set(list: &str) -> KeySet {
        KeySet::parse(list).unwrap()
    }

    struct Place {
        keys: Keys,
        now: Arc<Mutex<Result<KeySet, String>>>,
        loads: Arc<AtomicUsize>,
    }

    fn place() -> Place {
        let now = Arc::new(Mutex::new(Ok(set("old"))));
        let loads = Arc::new(AtomicUsize::new(0));
        let shelf = Shelf { now: now.clone(), loads: loads.clone() };
        let keys = Keys::from_source(set("old"), Box::new(shelf), Refresh::default(), UnixMs::new(0));
        Place { keys, now, loads }
    }

    #[tokio::test]
    async fn a_rotation_is_seen_by_the_first_signature_that_fits_nothing() {
        let Place { keys, now, loads } = place();
        *now.lock().unwrap() = Ok(set("old,new"));
        assert_eq!(*keys.current(UnixMs::new(30_000)).await, set("old"));
        let fresh = keys.after_miss(&set("old"), UnixMs::new(30_000)).await;
        assert_eq!(*fresh.unwrap(), set("old,new"));
        assert_eq!(loads.load(Ordering::SeqCst), 1);
        // A flood of wrong signatures loads nothing.
        for ms in 30_001..30_100 {
            assert!(keys.after_miss(&set("old,new"), UnixMs::new(ms)).await.is_none());
        }
        assert_eq!(loads.load(Ordering::SeqCst), 1);
    }

    #[tokio::test]
    async fn secrets_are_loaded_anew_in_time_and_the_last_good_ones_stay() {
        let Place { keys, now, loads } = place();
        *now.lock().unwrap() = Err("away".to_owned());
        assert_eq!(*keys.current(UnixMs::new(299_999)).await, set("old"));
        assert_eq!(loads.load(Ordering::SeqCst), 0);
        assert_eq!(*keys.current(UnixMs::new(300_000)).await, set("old"));
        assert_eq!(loads.load(Ordering::SeqCst), 1);
        *now.lock().unwrap() = Ok(set("new"));
        assert_eq!(*keys.current(UnixMs::new(600_000)).await, set("new"));
    }

    #[tokio::test]
    async fn fixed_secrets_stay() {
        let keys = Keys::fixed(set("a"));
        assert_eq!(*keys.current(UnixMs::new(i64::MAX)).await, set("a"));
        assert!(keys.after_miss(&set("a"), UnixMs::new(i64::MAX)).await.is_none());
    }
}
