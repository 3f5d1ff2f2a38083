//! Receives Square's webhooks on AWS Lambda.

use hookledger::runtime;
use hookledger_square::Square;

#[tokio::main]
async fn main() -> Result<(), lambda_runtime::Error> {
    runtime::serve(Square::default()).await
}
