//! Tests of the edge. The files are those of `events/apigw`.

mod answers;
mod audit_configuration;
mod configuration;
mod envelopes;
mod handling;
mod logging;
mod sinks_configuration;
mod watch_configuration;
mod worker_configuration;
mod world;

use std::path::PathBuf;

fn folder() -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../events/apigw")
}

/// The text of `events/apigw/<name>.json`.
fn file(name: &str) -> String {
    let path = folder().join(format!("{name}.json"));
    std::fs::read_to_string(&path).unwrap_or_else(|error| panic!("{}: {error}", path.display()))
}
