//! Starts the stack, says what is where, and ends it on a signal.

use std::fmt::Write as _;
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::time::Duration;

use hookledger::outbox::Target;
use hookledger::provider::Mode;
use hookledger::runtime::secrets_variable;
use tokio::signal;

use super::{Failure, Ports, output};
use crate::settings::{Received, Settings};
use crate::stack::{Options, Stack};

pub(super) async fn run(ports: Ports, data: Option<PathBuf>, schedule_every: Duration) -> Result<ExitCode, Failure> {
    let settings = Settings::from_env().map_err(|problems| Failure::Unasked(problems.join("\n")))?;
    crate::log::init();
    let Ports { port, dynamodb_port } = ports;
    let options = Options { port, dynamodb_port, data: data.clone(), settings: settings.clone(), schedule_every };
    let stack = Stack::start(options).await.map_err(|error| Failure::No(error.to_string()))?;
    output::print(&welcome(&stack, &settings, data.as_deref()));
    stop_signal().await;
    output::note("stopping");
    stack.stop().await;
    Ok(ExitCode::SUCCESS)
}

fn welcome(stack: &Stack, settings: &Settings, data: Option<&Path>) -> String {
    let mut text = String::from("hookledger runs here:\n");
    let mut line = |what: &str, value: &str| _ = writeln!(text, "  {what:<10} {value}");
    line("webhooks", &format!("http://{}/webhooks/NAME, where NAME and its secret are", stack.http_address()));
    for received in &settings.received {
        line("", &format!("{:<18} {}", received.provider.profile().name, secret_of(received)));
    }
    line("page", &format!("http://{}/ (what was received, what is open, the ledger)", stack.http_address()));
    line("DynamoDB", &format!("http://{} (any credentials, any region)", stack.dynamodb_address()));
    line("tables", &format!("{}, {}", stack.tables().claims, stack.tables().ledger));
    line("data", &data.map_or_else(|| "in memory".to_owned(), |directory| directory.display().to_string()));
    line(
        "mode",
        if settings.mode == Mode::Live { "live (test events are ignored)" } else { "test (live events are ignored)" },
    );
    for sink in &settings.outbox.sinks {
        line("messages", &format!("to {}, {}", sink.name, target(&sink.target)));
    }
    let sample = if settings.mode == Mode::Live { "charge_succeeded" } else { "charge_succeeded_test_mode" };
    _ = write!(
        text,
        "\ntry it:  {}\n    then:  {}",
        stack.commands().run(&format!("send events/stripe/{sample}.json")),
        stack.commands().run("ledger")
    );
    text
}

fn target(target: &Target) -> String {
    match target {
        Target::Post(url) => url.clone(),
        Target::Bus(bus) => format!("the bus {bus}"),
    }
}

fn secret_of(received: &Received) -> String {
    if received.configured {
        format!("(from {})", secrets_variable(received.provider.profile().name))
    } else {
        received.provider.development_secret().to_owned()
    }
}

/// Ends with Ctrl-C or SIGTERM. Where neither can be listened for, the process ends as the system does it.
async fn stop_signal() {
    let mut terminate = match signal::unix::signal(signal::unix::SignalKind::terminate()) {
        Ok(terminate) => terminate,
        Err(error) => {
            tracing::warn!(%error, "SIGTERM will not be waited for");
            return std::future::pending().await;
        }
    };
    tokio::select! {
        _ = signal::ctrl_c() => {}
        _ = terminate.recv() => {}
    }
}
