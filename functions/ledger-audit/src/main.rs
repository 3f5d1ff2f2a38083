//! Audits the ledger on AWS Lambda: what its stream tells, a segment of it each hour, and what a person asks.

use hookledger::runtime;

#[tokio::main]
async fn main() -> Result<(), lambda_runtime::Error> {
    runtime::serve_audit(hookledger_worker::retention_s_min()).await
}
