//! Receives Mollie's webhooks on AWS Lambda.

use hookledger::runtime;
use hookledger_mollie::Mollie;

#[tokio::main]
async fn main() -> Result<(), lambda_runtime::Error> {
    runtime::serve(Mollie::default()).await
}
