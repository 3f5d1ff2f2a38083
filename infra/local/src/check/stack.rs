//! A deployed stack, by its name, through the AWS CLI.

use std::sync::Arc;

use futures_util::stream::{self, StreamExt as _};
use hookledger::provider::Provider;
use serde_json::Value;

use super::aws::{Unasked, ask};
use super::probe::{probe, redirected};
use super::tables::{self, Facts};
use super::{Finding, Report, functions, guards, list, secrets, text};
use crate::registry;
use crate::tables::{LOGICAL_IDS, definition};

/// Each is a process of its own.
const SIDE_BY_SIDE: usize = 4;

/// A resource of the stack.
#[derive(Clone, Debug)]
struct Resource {
    kind: String,
    /// Its name, or its address.
    id: String,
    logical_id: String,
}

/// Holds the stack of this name against the template, the registry and the code. `endpoint`: where an emulator takes requests
/// for the hosts of its APIs.
pub(crate) async fn check_stack(name: &str, endpoint: Option<&str>) -> Result<Report, Unasked> {
    let stacks = ask(&["cloudformation", "describe-stacks", "--stack-name", name]).await.map_err(Unasked)?;
    let stack = list(&stacks, "/Stacks").first().cloned().unwrap_or_default();
    let resources = ask(&["cloudformation", "list-stack-resources", "--stack-name", name]).await.map_err(Unasked)?;
    let resources: Vec<Resource> = list(&resources, "/StackResourceSummaries").iter().map(Resource::of).collect();
    let has_topic = list(&stack, "/Parameters")
        .iter()
        .any(|one| text(one, "/ParameterKey") == "AlarmTopic" && !text(one, "/ParameterValue").is_empty());
    let mut report = Report::default();
    report.add(judge_stack(name, &stack, has_topic));

    let alarms = ask(&["cloudwatch", "describe-alarms"]).await;
    let groups = ask(&["logs", "describe-log-groups", "--log-group-name-prefix", "/aws/lambda/hookledger-"]).await;
    let looks = resources.iter().map(|resource| look(resource, &alarms, &groups, has_topic));
    let looks: Vec<_> = looks.collect();
    let looked: Vec<_> = stream::iter(looks).buffered(SIDE_BY_SIDE).collect().await;
    looked.into_iter().flatten().for_each(|findings| report.add(findings));

    for (action, function) in [(r#"{"action":"check_retention"}"#, "retention"), (r#"{"action":"list"}"#, "open")] {
        let answer = invoke("hookledger-stuck-claims", action).await;
        report.add(match (answer, function) {
            (Err(problem), _) => vec![unread("hookledger-stuck-claims", &problem)],
            (Ok(answer), "open") => guards::judge_open(&answer),
            (Ok(answer), _) => guards::judge_retention(&answer),
        });
    }
    let urls = list(&stack, "/Outputs")
        .iter()
        .map(|output| text(output, "/OutputValue"))
        .filter(|url| url.contains("/webhooks/"));
    for url in urls {
        receive(url, endpoint, &mut report).await?;
    }
    Ok(report)
}

impl Resource {
    fn of(summary: &Value) -> Self {
        let text = |pointer| text(summary, pointer).to_owned();
        Self { kind: text("/ResourceType"), id: text("/PhysicalResourceId"), logical_id: text("/LogicalResourceId") }
    }
}

fn judge_stack(name: &str, stack: &Value, has_topic: bool) -> Vec<Finding> {
    let status = text(stack, "/StackStatus");
    let mut findings = Vec::new();
    if !status.ends_with("_COMPLETE") || status.contains("ROLLBACK") {
        let why = "what is deployed is not what the template says";
        findings.push(Finding::new(format!("stack {name} is {status}"), why, "see its events, then deploy again"));
    }
    if !has_topic {
        let why = "alarms are raised and nobody hears them";
        findings.push(Finding::new(
            format!("stack {name} has no AlarmTopic"),
            why,
            "deploy with AlarmTopic=arn:aws:sns:…",
        ));
    }
    findings
}

/// What is wrong with one resource; `None` where nothing is held against it.
async fn look(
    resource: &Resource,
    alarms: &Result<Value, String>,
    groups: &Result<Value, String>,
    has_topic: bool,
) -> Option<Vec<Finding>> {
    let id = resource.id.as_str();
    let told = |answer: &Result<Value, String>, judge: &dyn Fn(&Value) -> Vec<Finding>| match answer {
        Ok(answer) => judge(answer),
        Err(problem) => vec![unread(id, problem)],
    };
    Some(match resource.kind.as_str() {
        "AWS::DynamoDB::Table" => table(resource).await,
        "AWS::Lambda::Function" => function(id).await,
        "AWS::Scheduler::Schedule" => {
            let name = id.rsplit(['/', '|']).next().unwrap_or(id);
            let answer = ask(&["scheduler", "get-schedule", "--name", name]).await;
            told(&answer, &|schedule| guards::judge_schedule(name, schedule))
        }
        "AWS::SQS::Queue" => {
            let words = ["--attribute-names", "ApproximateNumberOfMessages", "--queue-url", id];
            let answer = ask(&[&["sqs", "get-queue-attributes"], &words[..]].concat()).await;
            told(&answer, &|attributes| guards::judge_queue(&resource.logical_id, attributes))
        }
        "AWS::CloudWatch::Alarm" => told(alarms, &|alarms| guards::judge_alarm(id, alarms, has_topic)),
        "AWS::Logs::LogGroup" if id.starts_with("/aws/lambda/") => {
            told(groups, &|groups| guards::judge_logs(id, groups))
        }
        _ => return None,
    })
}

async fn table(resource: &Resource) -> Vec<Finding> {
    let id = resource.id.as_str();
    let expected = LOGICAL_IDS.into_iter().find(|logical_id| *logical_id == resource.logical_id);
    let Some(Ok(expected)) = expected.map(definition) else {
        let what = format!("table {id} is not in this checkout's template");
        return vec![Finding::new(what, "it is of another version", "check out what is deployed")];
    };
    let of = |what| async move { ask(&["dynamodb", what, "--table-name", id]).await };
    let (table, ttl, backups) =
        tokio::join!(of("describe-table"), of("describe-time-to-live"), of("describe-continuous-backups"));
    match (table, ttl, backups) {
        (Ok(table), Ok(ttl), Ok(backups)) => {
            tables::judge(&Facts::of_template(&expected), &Facts::of_cli(&table, &ttl, &backups))
        }
        (table, ttl, backups) => {
            [table, ttl, backups].into_iter().filter_map(Result::err).map(|problem| unread(id, &problem)).collect()
        }
    }
}

async fn function(name: &str) -> Vec<Finding> {
    let provider = name.strip_prefix("hookledger-").and_then(registry::provider);
    let profile = provider.as_ref().map(|provider| provider.profile());
    let mut findings = match ask(&["lambda", "get-function-configuration", "--function-name", name]).await {
        Ok(function) => functions::judge(name, &function, profile),
        Err(problem) => vec![unread(name, &problem)],
    };
    if matches!(name, "hookledger-worker" | "hookledger-ledger-audit") {
        findings.extend(match ask(&["lambda", "list-event-source-mappings", "--function-name", name]).await {
            Ok(mappings) => functions::judge_feeding(name, &mappings),
            Err(problem) => vec![unread(name, &problem)],
        });
    }
    findings
}

/// The secret of the provider that receives at `url`, and a probe signed with it.
async fn receive(url: &str, endpoint: Option<&str>, report: &mut Report) -> Result<(), Unasked> {
    let name = url.rsplit('/').next().unwrap_or_default();
    let Some(provider) = registry::provider(name) else {
        report.pass_over(format!("{url}: this checkout knows no provider {name}"));
        return Ok(());
    };
    let id = format!("hookledger/{name}");
    let kept = match ask(&["secretsmanager", "get-secret-value", "--secret-id", &id]).await {
        Ok(kept) => kept,
        Err(problem) => {
            report.add(vec![unread(&id, &problem)]);
            return Ok(());
        }
    };
    let (opened, findings) = secrets::open(provider, &id, text(&kept, "/SecretString"));
    report.add(findings);
    let Some(keys) = opened.keys else { return Ok(()) };
    let provider: &dyn Provider = Arc::as_ref(&opened.provider);
    let probed = match endpoint {
        Some(endpoint) => {
            let (url, host) = redirected(url, endpoint)?;
            probe(provider, &keys, &url, Some(&host)).await
        }
        None => probe(provider, &keys, url, None).await,
    };
    match probed {
        Ok(findings) => report.add(findings),
        Err(why) => report.pass_over(why),
    }
    Ok(())
}

/// By files: what a function is told is read from one, and its answer written to another, in every version of the CLI.
async fn invoke(function: &str, payload: &str) -> Result<Value, String> {
    let file = |what| std::env::temp_dir().join(format!("hookledger-check-{}-{what}.json", std::process::id()));
    let (told, said) = (file("told"), file("said"));
    std::fs::write(&told, payload).map_err(|error| format!("{} cannot be written: {error}", told.display()))?;
    let (payload, path) = (format!("fileb://{}", told.display()), said.display().to_string());
    let invoked = ask(&["lambda", "invoke", "--function-name", function, "--payload", &payload, &path]).await;
    let answer = std::fs::read(&said).unwrap_or_default();
    // Whether they can be removed changes nothing about the answer.
    [told, said].iter().for_each(|file| _ = std::fs::remove_file(file));
    if !text(&invoked?, "/FunctionError").is_empty() {
        return Err(format!("it failed: {}", String::from_utf8_lossy(&answer)));
    }
    serde_json::from_slice(&answer).map_err(|_| "its answer is no JSON".to_owned())
}

fn unread(what: &str, problem: &str) -> Finding {
    let why = "nobody knows whether it is as it must be";
    Finding::new(format!("{what} cannot be read: {problem}"), why, "see whether it exists, and whether you may read it")
}
