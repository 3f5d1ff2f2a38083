//! Receives Slack's requests on AWS Lambda.

use hookledger::runtime;
use hookledger_slack::Slack;

#[tokio::main]
async fn main() -> Result<(), lambda_runtime::Error> {
    runtime::serve(Slack).await
}
