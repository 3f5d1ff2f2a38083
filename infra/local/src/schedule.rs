//! The scheduled run of the watch over open work, inside the stack.

use std::time::Duration;

use hookledger::runtime::SystemClock;
use hookledger::stuck::{Watch, log_rows};
use hookledger::time::Clock as _;
use tokio::sync::watch;
use tokio::time::{MissedTickBehavior, interval};

use crate::database::until;

/// How long one run may take.
const RUN_MS: u64 = 30_000;

/// Runs now and then `every`, until `stopped`, with a line where there is something new to say.
pub(crate) async fn run(watch_over: Watch, every: Duration, stopped: watch::Receiver<bool>) {
    let mut ticks = interval(every);
    ticks.set_missed_tick_behavior(MissedTickBehavior::Delay);
    let running = async {
        let mut said: Option<String> = None;
        loop {
            ticks.tick().await;
            let report = watch_over.run(SystemClock.now().plus_ms(RUN_MS)).await;
            let line = report.line();
            if let Some(line) = line.as_deref().filter(|line| said.as_deref() != Some(*line)) {
                log_rows(&report);
                tracing::info!(reason = line, todo = "`cargo run -- stuck` shows more", "open work");
            }
            said = line;
        }
    };
    tokio::select! {
        () = running => {}
        () = until(stopped) => {}
    }
}
