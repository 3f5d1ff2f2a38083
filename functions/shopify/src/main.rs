//! Receives Shopify's webhooks on AWS Lambda.

use hookledger::runtime;
use hookledger_shopify::Shopify;

#[tokio::main]
async fn main() -> Result<(), lambda_runtime::Error> {
    runtime::serve(Shopify).await
}
