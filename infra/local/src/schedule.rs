//! The scheduled runs inside the stack: the watch over open work, and the audit of the ledger.

use std::time::Duration;

use hookledger::audit::{self, Audit};
use hookledger::runtime::SystemClock;
use hookledger::stuck::{self, Watch, log_rows};
use hookledger::time::{Clock as _, UnixMs};
use tokio::sync::watch;
use tokio::time::{MissedTickBehavior, interval};

use crate::database::until;

/// How long one run may take.
const RUN_MS: u64 = 30_000;

/// Something that the schedule runs.
pub(crate) trait Scheduled: Send + Sync {
    /// What a run finds.
    type Found: Send;

    /// One run.
    fn run_once(&self, ends: UnixMs) -> impl Future<Output = Self::Found> + Send;

    /// What there is to say. The same findings give the same line.
    fn line(found: &Self::Found) -> Option<String>;

    /// Says it to people.
    fn say(found: &Self::Found, line: &str);
}

impl Scheduled for Watch {
    type Found = stuck::Report;

    async fn run_once(&self, ends: UnixMs) -> Self::Found {
        self.run(ends).await
    }

    fn line(found: &Self::Found) -> Option<String> {
        found.line()
    }

    fn say(found: &Self::Found, line: &str) {
        log_rows(found);
        tracing::info!(reason = line, todo = "`cargo run -- stuck` shows more", "open work");
    }
}

impl Scheduled for Audit {
    type Found = audit::Report;

    async fn run_once(&self, ends: UnixMs) -> Self::Found {
        self.scan(self.segment_now(), ends).await
    }

    fn line(found: &Self::Found) -> Option<String> {
        found.line()
    }

    fn say(_: &Self::Found, line: &str) {
        tracing::error!(reason = line, todo = "`cargo run -- audit` shows more", "the audit of the ledger");
    }
}

/// Runs now and then `every`, until `stopped`, with a line where there is something new to say.
pub(crate) async fn run<S: Scheduled>(what: S, every: Duration, stopped: watch::Receiver<bool>) {
    let mut ticks = interval(every);
    ticks.set_missed_tick_behavior(MissedTickBehavior::Delay);
    let running = async {
        let mut said: Option<String> = None;
        loop {
            ticks.tick().await;
            let found = what.run_once(SystemClock.now().plus_ms(RUN_MS)).await;
            let line = S::line(&found);
            if let Some(line) = line.as_deref().filter(|line| said.as_deref() != Some(*line)) {
                S::say(&found, line);
            }
            said = line;
        }
    };
    tokio::select! {
        () = running => {}
        () = until(stopped) => {}
    }
}
