//! Receives PayPal's webhooks on AWS Lambda.

use hookledger::runtime;
use hookledger_paypal::PayPal;

#[tokio::main]
async fn main() -> Result<(), lambda_runtime::Error> {
    runtime::serve(PayPal).await
}
