//! What watches: schedules, alarms, log groups, the queue of what was given up, and the retention of claims.

use serde_json::Value;

use super::{Finding, list, text, where_wrong};

/// What `get-schedule` says.
pub(super) fn judge_schedule(name: &str, schedule: &Value) -> Vec<Finding> {
    let found = |what: &str, why, mend: &str| Finding::new(format!("schedule {name} {what}"), why, mend);
    [
        where_wrong(text(schedule, "/State") != "ENABLED", || {
            found(
                "is not enabled",
                "nobody looks for what is stuck, or drifts",
                "aws scheduler update-schedule --state ENABLED",
            )
        }),
        where_wrong(text(schedule, "/Target/DeadLetterConfig/Arn").is_empty(), || {
            found(
                "has no dead-letter queue",
                "a run that cannot start would be lost in silence",
                "deploy the template again",
            )
        }),
    ]
    .into_iter()
    .flatten()
    .collect()
}

/// What `describe-alarms` says of the alarm of this name. `tells`: somebody is to be told.
pub(super) fn judge_alarm(name: &str, alarms: &Value, tells: bool) -> Vec<Finding> {
    let found = |what: &str, why, mend: &str| Finding::new(format!("alarm {name} {what}"), why, mend);
    let Some(alarm) = list(alarms, "/MetricAlarms").iter().find(|alarm| text(alarm, "/AlarmName") == name) else {
        return vec![found("is missing", "nobody would hear of it", "deploy the template again")];
    };
    let is_off = alarm.pointer("/ActionsEnabled").and_then(Value::as_bool) == Some(false);
    [
        where_wrong(is_off, || {
            found("has its actions off", "nobody would hear of it", "aws cloudwatch enable-alarm-actions")
        }),
        where_wrong(tells && list(alarm, "/AlarmActions").is_empty(), || {
            found("tells nobody", "nobody would hear of it", "deploy with AlarmTopic")
        }),
    ]
    .into_iter()
    .flatten()
    .collect()
}

/// What `describe-log-groups` says of the group of this name.
pub(super) fn judge_logs(name: &str, groups: &Value) -> Vec<Finding> {
    let group = list(groups, "/logGroups").iter().find(|group| text(group, "/logGroupName") == name);
    let kept = group.and_then(|group| group.pointer("/retentionInDays"));
    where_wrong(kept.is_none(), || {
        let what = if group.is_none() { "is missing" } else { "is kept for ever" };
        let why = "logs cost for as long as they are kept, and tell of customers";
        Finding::new(format!("log group {name} {what}"), why, "deploy with LogDays")
    })
    .into_iter()
    .collect()
}

/// What `get-queue-attributes` says of the queue of what was given up.
pub(super) fn judge_queue(name: &str, attributes: &Value) -> Vec<Finding> {
    let waiting = text(attributes, "/Attributes/ApproximateNumberOfMessages");
    where_wrong(!matches!(waiting, "0" | ""), || {
        let why = "records or runs were given up";
        Finding::new(
            format!("queue {name} holds {waiting}"),
            why,
            "look at them, then `ask stuck-claims` whether anything is open, then purge it",
        )
    })
    .into_iter()
    .collect()
}

/// What the function's or the stack's own look at the retention says.
pub(super) fn judge_retention(retention: &Value) -> Vec<Finding> {
    let count = |name: &str| retention.pointer(name).and_then(Value::as_u64);
    [
        where_wrong(count("/too_short") != Some(0), || {
            let what = format!("of {:?} done claims {:?} are kept too short", count("/sampled"), count("/too_short"));
            let why = "a resend after that would be taken for a new event";
            Finding::new(
                what,
                why,
                format!("mend the provider's retention; the first is {}", text(retention, "/too_short_claim")),
            )
        }),
        where_wrong(count("/stalled") != Some(0), || {
            let what = format!("{:?} claims are there a week after they expired", count("/stalled"));
            Finding::new(what, "nothing is deleted any more", "see whether TTL is enabled on the claims table")
        }),
    ]
    .into_iter()
    .flatten()
    .collect()
}

/// What is open, by the watch's own list.
pub(super) fn judge_open(listed: &Value) -> Vec<Finding> {
    let open = list(listed, "/rows").len();
    where_wrong(open > 0, || {
        let why = "events, messages or mismatches wait for the worker or for a person";
        Finding::new(format!("{open} rows are open"), why, "list them with the action `list`, and see why")
    })
    .into_iter()
    .collect()
}
