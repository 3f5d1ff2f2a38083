//! The stack on this machine.

use std::net::SocketAddr;

use aws_sdk_dynamodb::Client;
use aws_sdk_dynamodb::error::DisplayErrorContext;
use aws_sdk_dynamodb::types::TimeToLiveStatus;
use hookledger::store::StoreError;
use hookledger::stuck::Watch;
use hookledger::time::UnixMs;

use super::aws::Unasked;
use super::probe::probe;
use super::tables::{Facts, judge};
use super::{Report, guards};
use crate::settings::Settings;
use crate::tables;

/// What an account has and this machine has not.
const NOT_HERE: &str =
    "functions, roles, schedules, alarms and log groups: they are in an account (check --stack NAME)";

/// Holds the running stack against the template and the registry: its tables, what is open, and a probe of every provider.
pub(crate) async fn check_here(
    http: SocketAddr,
    client: &Client,
    watch: &Watch,
    settings: &Settings,
    ends: UnixMs,
) -> Result<Report, Unasked> {
    let mut report = Report::default();
    for logical_id in tables::LOGICAL_IDS {
        let definition = tables::definition(logical_id).map_err(|error| Unasked(error.to_string()))?;
        let seen = facts(client, &definition.table_name).await.map_err(Unasked)?;
        report.add(judge(&Facts::of_template(&definition), &seen));
    }
    let unread = |error: StoreError| Unasked(error.to_string());
    report.add(guards::judge_retention(&watch.check_retention(ends).await.map_err(unread)?.json()));
    for received in &settings.received {
        let provider = received.provider.as_ref();
        let url = format!("http://{http}/webhooks/{}", provider.profile().name);
        match probe(provider, &received.keys, &url, None).await {
            Ok(findings) => report.add(findings),
            Err(why) => report.pass_over(why),
        }
    }
    report.pass_over(NOT_HERE);
    Ok(report)
}

async fn facts(client: &Client, table: &str) -> Result<Facts, String> {
    let described = client.describe_table().table_name(table).send().await;
    let described = described.map_err(|error| format!("table {table}: {}", DisplayErrorContext(&error)))?;
    let ttl = client.describe_time_to_live().table_name(table).send().await;
    let ttl = ttl.map_err(|error| format!("table {table}: {}", DisplayErrorContext(&error)))?;
    let ttl =
        ttl.time_to_live_description().filter(|ttl| ttl.time_to_live_status() == Some(&TimeToLiveStatus::Enabled));
    let attribute = ttl.and_then(|ttl| ttl.attribute_name()).map(str::to_owned);
    described
        .table()
        .map(|table| Facts::of_sdk(table, attribute))
        .ok_or_else(|| format!("table {table}: not described"))
}
