//! Receives Paystack's webhooks on AWS Lambda.

use hookledger::runtime;
use hookledger_paystack::Paystack;

#[tokio::main]
async fn main() -> Result<(), lambda_runtime::Error> {
    runtime::serve(Paystack).await
}
