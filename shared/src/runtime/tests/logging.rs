//! What is let through, and how a line looks.

use std::io::{self, Write};
use std::sync::{Arc, Mutex};

use serde_json::Value;
use tracing::Level;
use tracing_subscriber::fmt::MakeWriter;

use super::super::log::{filter, literal, subscriber};
use crate::time::UnixMs;

#[derive(Clone, Default)]
pub(super) struct Lines(Arc<Mutex<Vec<u8>>>);

impl Lines {
    pub(super) fn read(&self) -> Vec<Value> {
        let text = String::from_utf8(self.0.lock().unwrap().clone()).unwrap();
        text.lines().map(|line| serde_json::from_str(line).unwrap()).collect()
    }
}

impl Write for Lines {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.0.lock().unwrap().extend_from_slice(bytes);
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

impl<'a> MakeWriter<'a> for Lines {
    type Writer = Self;

    fn make_writer(&'a self) -> Self {
        self.clone()
    }
}

#[test]
fn other_crates_are_never_louder_than_a_warning() {
    let loudest = [
        (Some("TRACE"), None),
        (None, Some("trace")),
        (None, Some("aws_smithy_runtime=trace,aws_sdk_dynamodb=debug,a=trace,hyper::proto=debug,trace")),
        (Some("DEBUG"), Some("aws_config=trace")),
    ];
    let others =
        ["aws_smithy_runtime::client::orchestrator", "aws_sdk_dynamodb", "aws_config", "hyper::proto", "rustls"];
    for (level, directives) in loudest {
        let filter = filter(level, directives);
        for other in others {
            assert!(!filter.would_enable(other, &Level::INFO), "{other} under {level:?} {directives:?}");
            assert!(filter.would_enable(other, &Level::WARN), "{other} under {level:?} {directives:?}");
        }
        assert!(filter.would_enable("hookledger::store", &Level::DEBUG), "{level:?} {directives:?}");
    }
}

#[test]
fn the_level_is_lambdas_else_rust_logs_else_info() {
    let loudest_of = |level, directives| {
        let filter = filter(level, directives);
        let levels = [Level::TRACE, Level::DEBUG, Level::INFO, Level::WARN, Level::ERROR];
        levels.into_iter().find(|level| filter.would_enable("hookledger::receive", level))
    };
    assert_eq!(loudest_of(None, None), Some(Level::INFO));
    assert_eq!(loudest_of(Some("WARN"), Some("debug")), Some(Level::WARN));
    assert_eq!(loudest_of(Some("FATAL"), None), Some(Level::ERROR));
    assert_eq!(loudest_of(Some("nonsense"), None), Some(Level::INFO));
    assert_eq!(loudest_of(None, Some("debug")), Some(Level::DEBUG));
    assert_eq!(loudest_of(None, Some("warn,hookledger::receive=trace")), Some(Level::TRACE));
    assert_eq!(loudest_of(None, Some("=,=")), Some(Level::INFO));
    assert_eq!(loudest_of(None, Some("aws_config=debug")), Some(Level::INFO));
    assert_eq!(loudest_of(None, Some("off")), None);
}

#[test]
fn a_line_has_what_lambda_filters_by() {
    let lines = Lines::default();
    tracing::subscriber::with_default(subscriber(filter(None, None), lines.clone()), || {
        let _span = tracing::error_span!("invocation", request_id = "r-1").entered();
        tracing::debug!(target: "aws_sdk_dynamodb", item = "a card", "sending");
        tracing::warn!(claim = "p:s:e", "an event was parked");
    });
    let lines = lines.read();
    let [line] = &lines[..] else { panic!("{lines:#?}") };
    assert_eq!((&line["level"], &line["message"]), (&"WARN".into(), &"an event was parked".into()));
    assert_eq!((&line["claim"], &line["span"]["request_id"]), (&"p:s:e".into(), &"r-1".into()));
    assert!(UnixMs::parse_rfc3339(line["timestamp"].as_str().unwrap()).is_some(), "{line}");
}

#[test]
fn a_panic_that_quotes_is_not_repeated() {
    let message = |panic: fn()| literal(&*std::panic::catch_unwind(panic).unwrap_err()).map(str::to_owned);
    assert_eq!(message(|| panic!("no such state")).as_deref(), Some("no such state"));
    assert_eq!(message(|| panic!("in {}", String::from("4242"))), None);
    let broken: fn() = || assert!("é4242".split_at(std::hint::black_box(1)).0.is_empty());
    assert_eq!(message(broken), None);
}
