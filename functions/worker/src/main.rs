//! Settles on AWS Lambda what could not be settled when it was received.

use hookledger::runtime;

#[tokio::main]
async fn main() -> Result<(), lambda_runtime::Error> {
    runtime::serve_worker(hookledger_worker::providers()).await
}
