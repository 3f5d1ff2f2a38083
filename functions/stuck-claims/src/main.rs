//! Watches over open work on AWS Lambda, and does what the person on call asks.

#[tokio::main]
async fn main() -> Result<(), lambda_runtime::Error> {
    hookledger::runtime::serve_watch(hookledger_worker::providers()).await
}
