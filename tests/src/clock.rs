//! A clock that is set by hand.

use std::pin::Pin;
use std::sync::Arc;
use std::sync::atomic::{AtomicI64, Ordering};

use hookledger::time::{Clock, UnixMs};

/// The time of a world, for the product and for its database.
///
/// Sleeping takes no real time: the sleeper lets others run, then moves the clock to its own moment of waking, if it is
/// not past that already. Sleeps that overlap therefore cost their longest, as real ones do, and a back-off always ends.
#[derive(Clone, Debug)]
pub struct ManualClock {
    now_ms: Arc<AtomicI64>,
    database: dynoxide::storage_backend::ManualClock,
}

/// How often a sleeper lets others run first.
const YIELDS: usize = 8;

impl ManualClock {
    /// A clock that shows `now`.
    pub fn new(now: UnixMs) -> Self {
        let clock = Self { now_ms: Arc::default(), database: dynoxide::storage_backend::ManualClock::new(0) };
        clock.set(now);
        clock
    }

    /// Sets the time, back as well as forth.
    pub fn set(&self, now: UnixMs) {
        self.now_ms.store(now.get(), Ordering::SeqCst);
        self.tell_database();
    }

    /// Moves the time on.
    pub fn advance_ms(&self, ms: u64) {
        self.now_ms.fetch_add(i64::try_from(ms).unwrap(), Ordering::SeqCst);
        self.tell_database();
    }

    /// The same time, as the database reads it.
    pub(crate) fn of_database(&self) -> Arc<dyn dynoxide::storage_backend::Clock> {
        self.database.arc()
    }

    fn reach(&self, moment: UnixMs) {
        self.now_ms.fetch_max(moment.get(), Ordering::SeqCst);
        self.tell_database();
    }

    fn tell_database(&self) {
        self.database.set(u64::try_from(self.now().to_s().get()).unwrap_or(0));
    }
}

impl Clock for ManualClock {
    fn now(&self) -> UnixMs {
        UnixMs::new(self.now_ms.load(Ordering::SeqCst))
    }

    fn sleep_ms(&self, ms: u64) -> Pin<Box<dyn Future<Output = ()> + Send + '_>> {
        let wakes = self.now().plus_ms(ms);
        Box::pin(async move {
            for _ in 0..YIELDS {
                tokio::task::yield_now().await;
            }
            self.reach(wakes);
        })
    }
}
