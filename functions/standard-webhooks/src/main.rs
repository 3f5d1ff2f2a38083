//! Receives Standard Webhooks, and Svix's, on AWS Lambda.

use hookledger::runtime;
use hookledger_standard_webhooks::StandardWebhooks;

#[tokio::main]
async fn main() -> Result<(), lambda_runtime::Error> {
    runtime::serve(StandardWebhooks::default()).await
}
