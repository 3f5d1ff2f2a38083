//! Asks an account through the AWS CLI, which whoever deploys has, with their credentials, region and endpoint.

use std::process::Stdio;

use serde_json::Value;
use tokio::process::Command;

/// Why nothing can be asked.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{0}")]
pub(crate) struct Unasked(pub(crate) String);

/// Runs `aws` with these words. `Err`: a line about what it said.
pub(super) async fn ask(words: &[&str]) -> Result<Value, String> {
    let mut command = Command::new("aws");
    command.args(words).args(["--output", "json"]).env("AWS_PAGER", "").stdin(Stdio::null()).kill_on_drop(true);
    // The first version of the CLI forgets it for SQS.
    if let Ok(endpoint) = std::env::var("AWS_ENDPOINT_URL") {
        command.args(["--endpoint-url", &endpoint]);
    }
    let output = command.output().await.map_err(|error| {
        format!("`aws` cannot be run ({error}): install the AWS CLI, and see that it is on the PATH")
    })?;
    if output.status.success() {
        let told = String::from_utf8_lossy(&output.stdout);
        // Some commands have nothing to say.
        return Ok(serde_json::from_str(told.trim()).unwrap_or(Value::Null));
    }
    let said = String::from_utf8_lossy(&output.stderr);
    let line = said.lines().rev().find(|line| !line.trim().is_empty()).unwrap_or("it failed and said nothing");
    Err(line.trim().to_owned())
}
