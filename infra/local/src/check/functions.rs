//! A function, as it is against what its provider waits for and the code needs.

use std::time::Duration;

use hookledger::provider::Profile;
use serde_json::Value;

use super::{Finding, list, text, where_wrong};

/// An HTTP API's integration ends then (docs.aws.amazon.com, "Quotas for configuring and running an HTTP API"); a REST API's
/// a second before.
const GATEWAY: Duration = Duration::from_secs(29);

const RUNTIME: &str = "provided.al2023";

/// What `get-function-configuration` says of a function, `provider` being whose deliveries it receives.
pub(super) fn judge(name: &str, function: &Value, provider: Option<&Profile>) -> Vec<Finding> {
    let found = |what: String, why, mend: &str| Finding::new(format!("function {name} {what}"), why, mend);
    let timeout = Duration::from_secs(function.pointer("/Timeout").and_then(Value::as_u64).unwrap_or_default());
    let waits = provider.map(|profile| Duration::from_millis(profile.transport.deadline_ms).min(GATEWAY));
    let variables = function.pointer("/Environment/Variables").unwrap_or(&Value::Null);
    let run_ms = text(variables, "/HOOKLEDGER_WORKER_RUN_MS").parse().unwrap_or(30_000);
    let is_worker = name.ends_with("-worker");
    let (state, update) = (text(function, "/State"), text(function, "/LastUpdateStatus"));
    [
        where_wrong(!matches!(state, "Active" | "") || !matches!(update, "Successful" | ""), || {
            let reason = [text(function, "/StateReason"), text(function, "/LastUpdateStatusReason")].concat();
            let what = format!("is {state}, its last update {update} {reason}");
            found(what, "it does not run, or not this version", "deploy again; see the reason")
        }),
        where_wrong(text(function, "/Runtime") != RUNTIME, || {
            found(
                format!("runs on {}", text(function, "/Runtime")),
                "it was built for another",
                "deploy the template again",
            )
        }),
        where_wrong(waits.is_some_and(|waits| timeout > waits), || {
            let waits_s = waits.unwrap_or_default().as_secs();
            let what = format!("may run {} s, and its sender waits {waits_s} s", timeout.as_secs());
            found(what, "an answer that comes later is not heard, and the delivery comes again", "lower its timeout")
        }),
        where_wrong(is_worker && timeout <= Duration::from_millis(run_ms), || {
            let what = format!("may run {} s, and a run takes up to {run_ms} ms", timeout.as_secs());
            found(what, "runs would be cut off before they give the claim back", "raise its timeout")
        }),
        where_wrong(text(function, "/LoggingConfig/LogFormat") != "JSON", || {
            let why = "log lines would be found by no query, and levels not be kept";
            found("does not log JSON".to_owned(), why, "deploy the template again")
        }),
        where_wrong(
            !matches!(text(function, "/LoggingConfig/ApplicationLogLevel"), "INFO" | "DEBUG" | "TRACE"),
            || {
                let why = "metrics are log lines of level INFO: without them no alarm is ever raised";
                found("does not log INFO".to_owned(), why, "set its ApplicationLogLevel to INFO")
            },
        ),
    ]
    .into_iter()
    .flatten()
    .collect()
}

/// What `list-event-source-mappings` says of a function that a stream feeds.
pub(super) fn judge_feeding(name: &str, mappings: &Value) -> Vec<Finding> {
    let found = |what: &str, why, mend: &str| Finding::new(format!("function {name} {what}"), why, mend);
    let Some(feeds) = list(mappings, "/EventSourceMappings").first() else {
        return vec![found(
            "is fed by no stream",
            "what waits is found by the schedule alone",
            "deploy the template again",
        )];
    };
    let reports = list(feeds, "/FunctionResponseTypes").iter().any(|one| one == "ReportBatchItemFailures");
    [
        where_wrong(!text(feeds, "/State").starts_with("Enabl"), || {
            let mend = "aws lambda update-event-source-mapping --enabled";
            found(
                &format!("has a stream that is {}", text(feeds, "/State")),
                "what waits is found by the schedule alone",
                mend,
            )
        }),
        where_wrong(!reports, || {
            let why = "one bad record would bring back the whole batch, again and again";
            found("does not report failures of single records", why, "deploy the template again")
        }),
        where_wrong(text(feeds, "/DestinationConfig/OnFailure/Destination").is_empty(), || {
            let why = "a record that is given up would be given up in silence";
            found("has no place for records that are given up", why, "deploy the template again")
        }),
    ]
    .into_iter()
    .flatten()
    .collect()
}
