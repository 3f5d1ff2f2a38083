//! Receives Braintree's webhooks on AWS Lambda.

use hookledger::runtime;
use hookledger_braintree::Braintree;

#[tokio::main]
async fn main() -> Result<(), lambda_runtime::Error> {
    runtime::serve(Braintree).await
}
