//! Receives Stripe's webhooks on AWS Lambda.

use hookledger::runtime;
use hookledger_stripe::Stripe;

#[tokio::main]
async fn main() -> Result<(), lambda_runtime::Error> {
    runtime::serve(Stripe).await
}
