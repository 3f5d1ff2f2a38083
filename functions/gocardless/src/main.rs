//! Receives GoCardless's webhooks on AWS Lambda.

use hookledger::runtime;
use hookledger_gocardless::GoCardless;

#[tokio::main]
async fn main() -> Result<(), lambda_runtime::Error> {
    runtime::serve(GoCardless).await
}
