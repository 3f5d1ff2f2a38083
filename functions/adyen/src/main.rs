//! Receives Adyen's standard webhooks on AWS Lambda.

use hookledger::runtime;
use hookledger_adyen::Adyen;

#[tokio::main]
async fn main() -> Result<(), lambda_runtime::Error> {
    runtime::serve(Adyen::default()).await
}
