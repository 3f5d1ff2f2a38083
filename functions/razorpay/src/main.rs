//! Receives Razorpay's webhooks on AWS Lambda.

use hookledger::runtime;
use hookledger_razorpay::Razorpay;

#[tokio::main]
async fn main() -> Result<(), lambda_runtime::Error> {
    runtime::serve(Razorpay::default()).await
}
