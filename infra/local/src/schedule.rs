//! The scheduled runs inside the stack: the watch over open work, and the audit of the ledger.

use std::time::Duration;

use hookledger::audit::Audit;
use hookledger::runtime::SystemClock;
use hookledger::stuck::Watch;
use hookledger::time::{Clock as _, UnixMs};
use tokio::sync::watch;
use tokio::time::{MissedTickBehavior, interval};

use crate::database::until;

/// How long one run may take.
const RUN_MS: u64 = 30_000;

/// Something that the schedule runs.
pub(crate) trait Scheduled: Send + Sync {
    /// One run, and what it has to say.
    fn run_once(&self, ends: UnixMs) -> impl Future<Output = Option<String>> + Send;

    /// Says it to people.
    fn say(&self, line: &str);
}

impl Scheduled for Watch {
    async fn run_once(&self, ends: UnixMs) -> Option<String> {
        self.run(ends).await.line()
    }

    fn say(&self, line: &str) {
        tracing::info!(reason = line, todo = "`cargo run -- stuck` shows more", "open work");
    }
}

impl Scheduled for Audit {
    async fn run_once(&self, ends: UnixMs) -> Option<String> {
        self.scan(self.segment_now(), ends).await.line()
    }

    fn say(&self, line: &str) {
        tracing::error!(reason = line, todo = "`cargo run -- audit` shows more", "the audit of the ledger");
    }
}

/// Runs now and then `every`, until `stopped`, with a line where there is something new to say.
pub(crate) async fn run(what: impl Scheduled, every: Duration, stopped: watch::Receiver<bool>) {
    let mut ticks = interval(every);
    ticks.set_missed_tick_behavior(MissedTickBehavior::Delay);
    let running = async {
        let mut said: Option<String> = None;
        loop {
            ticks.tick().await;
            let line = what.run_once(SystemClock.now().plus_ms(RUN_MS)).await;
            if let Some(line) = line.as_deref().filter(|line| said.as_deref() != Some(*line)) {
                what.say(line);
            }
            said = line;
        }
    };
    tokio::select! {
        () = running => {}
        () = until(stopped) => {}
    }
}
