//! Receives Coinbase Commerce's webhooks on AWS Lambda.

use hookledger::runtime;
use hookledger_coinbase_commerce::CoinbaseCommerce;

#[tokio::main]
async fn main() -> Result<(), lambda_runtime::Error> {
    runtime::serve(CoinbaseCommerce).await
}
