//! Receives Recurly's webhooks on AWS Lambda.

use hookledger::runtime;
use hookledger_recurly::Recurly;

#[tokio::main]
async fn main() -> Result<(), lambda_runtime::Error> {
    runtime::serve(Recurly).await
}
