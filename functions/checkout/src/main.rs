//! Receives Checkout.com's webhooks on AWS Lambda.

use hookledger::runtime;
use hookledger_checkout::Checkout;

#[tokio::main]
async fn main() -> Result<(), lambda_runtime::Error> {
    runtime::serve(Checkout).await
}
