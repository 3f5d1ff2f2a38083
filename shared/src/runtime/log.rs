//! Log lines: JSON with `level` and `timestamp` at the root. Lambda filters by these two; a line without them counts as INFO
//! (docs.aws.amazon.com, "Configuring JSON and plain text log formats").

use std::any::Any;
use std::io::{self, Write as _};
use std::str::FromStr as _;

use tracing::level_filters::LevelFilter;
use tracing_subscriber::Registry;
use tracing_subscriber::filter::Targets;
use tracing_subscriber::fmt::{self, MakeWriter};
use tracing_subscriber::layer::{Layer as _, SubscriberExt as _};
use tracing_subscriber::util::SubscriberInitExt as _;

/// The crates whose lines may be as loud as asked for: all of ours begin with this.
const OURS: &str = "hookledger";

/// Sends log lines, and a line for every panic, to stdout. CloudWatch takes stdout and stderr alike; one stream keeps the
/// order between these and the metric lines.
pub(super) fn init() {
    let level = std::env::var("AWS_LAMBDA_LOG_LEVEL").ok();
    let directives = std::env::var("RUST_LOG").ok();
    let filter = filter(level.as_deref(), directives.as_deref());
    // Fails where a subscriber is set already, which then is the one that was wanted.
    let _ = subscriber(filter, io::stdout).try_init();
    std::panic::set_hook(Box::new(|panic| {
        let place = panic.location().map(ToString::to_string).unwrap_or_default();
        let reason = literal(panic.payload()).unwrap_or("not shown, it may quote an event");
        tracing::error!(place, reason, todo = "mend the code at this place", "a panic");
    }));
}

/// A panic's message, if it was not put together: one that was may quote what was being read.
pub(super) fn literal(payload: &(dyn Any + Send)) -> Option<&'static str> {
    payload.downcast_ref::<&'static str>().copied()
}

/// Writes a metric line, in one piece.
pub(super) fn write_metric(line: &str) {
    // A line that cannot be written must not fail the delivery it tells of.
    let _ = io::stdout().lock().write_all(format!("{line}\n").as_bytes());
}

/// `AWS_LAMBDA_LOG_LEVEL`, else `RUST_LOG`, else INFO. Other crates than ours stay at WARN whatever is asked: the SDK prints
/// whole requests at DEBUG, and with them what was delivered.
pub(super) fn filter(level: Option<&str>, directives: Option<&str>) -> Targets {
    let asked = level.and_then(lambda_level).map(|level| Targets::new().with_default(level));
    let asked = asked.or_else(|| directives.and_then(|text| Targets::from_str(text).ok()));
    let asked = asked.unwrap_or_else(|| Targets::new().with_default(LevelFilter::INFO));
    // A list of levels for others leaves ours as they are.
    let default = asked.default_level().unwrap_or(LevelFilter::INFO);
    let capped = asked.iter().map(|(target, level)| (target.to_owned(), cap(target, level)));
    // Before what was asked for, so that a level for ours by name replaces it.
    Targets::new().with_default(default.min(LevelFilter::WARN)).with_target(OURS, default).with_targets(capped)
}

fn cap(target: &str, level: LevelFilter) -> LevelFilter {
    if target.starts_with(OURS) { level } else { level.min(LevelFilter::WARN) }
}

fn lambda_level(text: &str) -> Option<LevelFilter> {
    // Lambda's list ends with FATAL, above ERROR; nothing here is louder than an error.
    if text.eq_ignore_ascii_case("fatal") { Some(LevelFilter::ERROR) } else { text.parse().ok() }
}

pub(super) fn subscriber<W>(filter: Targets, writer: W) -> impl tracing::Subscriber + Send + Sync
where
    W: for<'a> MakeWriter<'a> + Send + Sync + 'static,
{
    let json = fmt::layer().json().flatten_event(true).with_current_span(true).with_span_list(false);
    Registry::default().with(json.with_writer(writer).with_filter(filter))
}
