//! Receives GitHub's webhooks on AWS Lambda.

use hookledger::runtime;
use hookledger_github::GitHub;

#[tokio::main]
async fn main() -> Result<(), lambda_runtime::Error> {
    runtime::serve(GitHub).await
}
