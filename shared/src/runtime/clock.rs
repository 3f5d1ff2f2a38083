//! The system's clock.

use std::pin::Pin;
use std::time::{Duration, SystemTime, UNIX_EPOCH};

use crate::time::{Clock, UnixMs};

/// Wall time and Tokio's timer.
#[derive(Clone, Copy, Debug, Default)]
pub struct SystemClock;

impl Clock for SystemClock {
    fn now(&self) -> UnixMs {
        let since_epoch = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or(Duration::ZERO);
        UnixMs::new(i64::try_from(since_epoch.as_millis()).unwrap_or(i64::MAX))
    }

    fn sleep_ms(&self, ms: u64) -> Pin<Box<dyn Future<Output = ()> + Send + '_>> {
        Box::pin(tokio::time::sleep(Duration::from_millis(ms)))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn it_tells_the_time_in_milliseconds() {
        let (early, late) = (1_700_000_000_000, 4_000_000_000_000);
        assert!((early..late).contains(&SystemClock.now().get()), "{:?}", SystemClock.now());
    }
}
