//! One short line per delivery, for people.

use std::fmt::{self, Write as _};

use hookledger::runtime::SystemClock;
use hookledger::time::Clock as _;
use tracing::field::{Field, Visit};
use tracing::{Event, Level, Subscriber};
use tracing_subscriber::EnvFilter;
use tracing_subscriber::fmt::format::{FormatEvent, FormatFields, Writer};
use tracing_subscriber::fmt::{FmtContext, layer};
use tracing_subscriber::layer::SubscriberExt as _;
use tracing_subscriber::registry::{LookupSpan, Registry};
use tracing_subscriber::util::SubscriberInitExt as _;

use crate::text::printable;

/// What others log is theirs; the emulator warns of every duplicate.
const DEFAULT_FILTER: &str = "off,hookledger=info";

/// Sends log lines to stderr; `RUST_LOG` chooses others.
pub(crate) fn init() {
    let filter = EnvFilter::try_from_default_env().unwrap_or_else(|_| EnvFilter::new(DEFAULT_FILTER));
    let lines = layer().event_format(Line).with_writer(std::io::stderr);
    // Fails where a subscriber is set already, which then is the one that was wanted.
    let _ = Registry::default().with(filter).with(lines).try_init();
}

pub(crate) struct Line;

impl<S, N> FormatEvent<S, N> for Line
where
    S: Subscriber + for<'a> LookupSpan<'a>,
    N: for<'a> FormatFields<'a> + 'static,
{
    fn format_event(&self, _: &FmtContext<'_, S, N>, mut writer: Writer<'_>, event: &Event<'_>) -> fmt::Result {
        let mut fields = Fields::default();
        event.record(&mut fields);
        let now = SystemClock.now().rfc3339();
        let line = fields.line(*event.metadata().level());
        writeln!(writer, "{} {}", now.get(11..23).unwrap_or(&now), printable(&line))
    }
}

#[derive(Default)]
struct Fields(Vec<(&'static str, String)>);

impl Visit for Fields {
    fn record_str(&mut self, field: &Field, value: &str) {
        self.0.push((field.name(), value.to_owned()));
    }

    fn record_debug(&mut self, field: &Field, value: &dyn fmt::Debug) {
        self.0.push((field.name(), format!("{value:?}")));
    }
}

impl Fields {
    fn take(&mut self, name: &str) -> Option<String> {
        let at = self.0.iter().position(|(known, _)| *known == name)?;
        Some(self.0.remove(at).1)
    }

    /// `applied    stripe::evt_1 charge.succeeded, 3 ms`, and whatever else is worth saying. Zeros and `false` are not.
    fn line(mut self, level: Level) -> String {
        let message = self.take("message").unwrap_or_default();
        let provider = self.take("provider");
        let mut line = match self.take("outcome") {
            Some(outcome) => {
                let about = self.take("claim").or(provider).unwrap_or_default();
                let event_type = self.take("event_type").filter(|name| !name.is_empty());
                let event_type = event_type.map(|name| format!(" {name}")).unwrap_or_default();
                format!("{outcome:<10} {about}{event_type}")
            }
            None if level == Level::INFO => message.clone(),
            None => format!("{level} {message}"),
        };
        if let Some(took_ms) = self.take("took_ms") {
            _ = write!(line, ", {took_ms} ms");
        }
        let (reason, todo) = (self.take("reason"), self.take("todo"));
        for (name, value) in self.0.iter().filter(|(_, value)| value != "0" && value != "false") {
            _ = write!(line, ", {name} {value}");
        }
        if let Some(reason) = reason {
            _ = write!(line, ": {reason}");
        }
        if let Some(todo) = todo {
            _ = write!(line, "; {todo}");
        }
        line
    }
}
