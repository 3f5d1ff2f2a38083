use std::io::{self, Write};
use std::sync::{Arc, Mutex};

use tracing::subscriber::with_default;
use tracing_subscriber::fmt::layer;
use tracing_subscriber::layer::SubscriberExt as _;
use tracing_subscriber::registry::Registry;

use crate::log::Line;

#[derive(Clone, Default)]
struct Memory(Arc<Mutex<Vec<u8>>>);

impl Write for Memory {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.0.lock().unwrap().write(bytes)
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

fn logged(log: impl FnOnce()) -> String {
    let memory = Memory::default();
    let writer = memory.clone();
    let lines = layer().event_format(Line).with_writer(move || writer.clone());
    with_default(Registry::default().with(lines), log);
    let text = String::from_utf8(memory.0.lock().unwrap().clone()).unwrap();
    // Behind the time of day.
    text.trim_end()[13..].to_owned()
}

#[test]
fn a_delivery_is_a_short_line() {
    let line = logged(|| {
        let (outcome, claim) = ("applied", "stripe::evt_1");
        tracing::info!(
            provider = "stripe",
            claim,
            event_type = "charge.succeeded",
            outcome,
            known = 0,
            revived = false,
            took_ms = 3,
            "an event was booked"
        );
    });
    assert_eq!(line, "applied    stripe::evt_1 charge.succeeded, 3 ms");
}

#[test]
fn a_fault_says_why_and_what_to_do() {
    let line = logged(|| {
        tracing::warn!(
            provider = "stripe",
            outcome = "unverified",
            reason = "a",
            todo = "b",
            "a delivery was not verified"
        );
    });
    assert_eq!(line, "unverified stripe: a; b");
    let line = logged(|| tracing::error!(error = "c", "it broke"));
    assert_eq!(line, "ERROR it broke, error c");
}

#[test]
fn a_senders_text_forges_no_line() {
    let line = logged(|| {
        let (outcome, claim) = ("parked", "stripe::evt_1\n12:00:00.000 applied    stripe::evt_2");
        tracing::error!(provider = "stripe", claim, event_type = "\u{1b}[2K", outcome, "an event was parked");
    });
    assert_eq!(line, r"parked     stripe::evt_1\n12:00:00.000 applied    stripe::evt_2 \u{1b}[2K");
}
