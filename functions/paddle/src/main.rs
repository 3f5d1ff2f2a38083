//! Receives Paddle's webhooks on AWS Lambda.

use hookledger::runtime;
use hookledger_paddle::Paddle;

#[tokio::main]
async fn main() -> Result<(), lambda_runtime::Error> {
    runtime::serve(Paddle).await
}
