//! A table, as it is against as the template has it.

use std::collections::BTreeMap;

use aws_sdk_dynamodb::types::{GlobalSecondaryIndex, KeySchemaElement, Projection, TableDescription};
use serde_json::Value;

use super::{Finding, list, text, where_wrong};
use crate::tables::Definition;

const TTL: &str = "without it done claims are kept for ever; on another attribute, or another table, rows are lost";

/// What is said of a table.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Facts {
    pub(super) name: String,
    /// `ACTIVE`.
    pub(super) status: String,
    pub(super) keys: Keys,
    /// By name: keys, what is projected, and whether it is active.
    pub(super) indexes: BTreeMap<String, (Keys, String, bool)>,
    pub(super) stream_view: Option<String>,
    pub(super) ttl_attribute: Option<String>,
    /// `None`: not asked, as where there is no account.
    pub(super) is_protected: Option<bool>,
    pub(super) is_restorable: Option<bool>,
}

/// Attribute and role of each key.
type Keys = Vec<(String, String)>;

impl Facts {
    /// As the template has it.
    pub(super) fn of_template(definition: &Definition) -> Self {
        let create = &definition.create;
        let index = |index: &GlobalSecondaryIndex| {
            (index.index_name().to_owned(), (keys(index.key_schema()), projected(index.projection()), true))
        };
        Self {
            name: definition.table_name.clone(),
            status: "ACTIVE".to_owned(),
            keys: keys(create.get_key_schema().as_deref().unwrap_or_default()),
            indexes: create.get_global_secondary_indexes().iter().flatten().map(index).collect(),
            stream_view: stream_view(create.get_stream_specification().as_ref()),
            ttl_attribute: definition.ttl_attribute.clone(),
            is_protected: None,
            is_restorable: None,
        }
    }

    /// As the SDK describes it.
    pub(super) fn of_sdk(table: &TableDescription, ttl_attribute: Option<String>) -> Self {
        let indexes = table.global_secondary_indexes().iter().map(|index| {
            let is_active = index.index_status().is_none_or(|status| status.as_str() == "ACTIVE");
            let name = index.index_name().unwrap_or_default().to_owned();
            (name, (keys(index.key_schema()), projected(index.projection()), is_active))
        });
        Self {
            name: table.table_name().unwrap_or_default().to_owned(),
            status: table.table_status().map_or_else(String::new, |status| status.as_str().to_owned()),
            keys: keys(table.key_schema()),
            indexes: indexes.collect(),
            stream_view: stream_view(table.stream_specification()),
            ttl_attribute,
            is_protected: None,
            is_restorable: None,
        }
    }

    /// As the AWS CLI describes it: `describe-table`, `describe-time-to-live`, `describe-continuous-backups`.
    pub(super) fn of_cli(table: &Value, ttl: &Value, backups: &Value) -> Self {
        let keys = |of: &Value| -> Keys {
            let key = |key: &Value| (text(key, "/AttributeName").to_owned(), text(key, "/KeyType").to_owned());
            list(of, "/KeySchema").iter().map(key).collect()
        };
        let table = table.pointer("/Table").unwrap_or(&Value::Null);
        let indexes = list(table, "/GlobalSecondaryIndexes").iter().map(|index| {
            let is_active = matches!(text(index, "/IndexStatus"), "ACTIVE" | "");
            let projected = text(index, "/Projection/ProjectionType").to_owned();
            (text(index, "/IndexName").to_owned(), (keys(index), projected, is_active))
        });
        let is_enabled = text(ttl, "/TimeToLiveDescription/TimeToLiveStatus") == "ENABLED";
        let attribute = text(ttl, "/TimeToLiveDescription/AttributeName").to_owned();
        let backup = "/ContinuousBackupsDescription/PointInTimeRecoveryDescription/PointInTimeRecoveryStatus";
        let view = text(table, "/StreamSpecification/StreamViewType");
        Self {
            name: text(table, "/TableName").to_owned(),
            status: text(table, "/TableStatus").to_owned(),
            keys: keys(table),
            indexes: indexes.collect(),
            stream_view: Some(view).filter(|view| !view.is_empty()).map(str::to_owned),
            ttl_attribute: is_enabled.then_some(attribute),
            is_protected: Some(table.pointer("/DeletionProtectionEnabled").and_then(Value::as_bool).unwrap_or(false)),
            is_restorable: Some(text(backups, backup) == "ENABLED"),
        }
    }
}

/// What of `seen` is not as in `expected`.
pub(super) fn judge(expected: &Facts, seen: &Facts) -> Vec<Finding> {
    let name = &expected.name;
    let found = |what: String, why, mend: &str| Finding::new(format!("table {name} {what}"), why, mend);
    let deploy =
        "deploy the template again; a key or an index that exists cannot be changed, so restore into a new table";
    let mut findings: Vec<_> = [
        where_wrong(seen.status != "ACTIVE", || {
            found(format!("is {}", seen.status), "nothing can be claimed without it", "wait, or see its events")
        }),
        where_wrong(seen.keys != expected.keys, || {
            found(format!("has the keys {:?}", seen.keys), "every write would be refused or misplaced", deploy)
        }),
        where_wrong(seen.stream_view != expected.stream_view, || {
            let mend = "deploy the template again, and see that worker and audit read the new stream";
            found(format!("has the stream {:?}", seen.stream_view), "worker and audit are fed by it", mend)
        }),
        where_wrong(seen.ttl_attribute != expected.ttl_attribute, || {
            let (is, must) = (or_none(seen.ttl_attribute.as_deref()), or_none(expected.ttl_attribute.as_deref()));
            found(format!("expires by {is}, and must by {must}"), TTL, "aws dynamodb update-time-to-live")
        }),
        where_wrong(seen.is_protected == Some(false), || {
            let mend = "aws dynamodb update-table --deletion-protection-enabled";
            found("can be deleted".to_owned(), "one command would lose every claim or entry", mend)
        }),
        where_wrong(seen.is_restorable == Some(false), || {
            let mend = "aws dynamodb update-continuous-backups";
            found("has no point-in-time recovery".to_owned(), "a mistake could not be taken back", mend)
        }),
    ]
    .into_iter()
    .flatten()
    .collect();
    for (index, (keys, projected, _)) in &expected.indexes {
        let problem = match seen.indexes.get(index) {
            None => Some("is missing".to_owned()),
            Some((.., false)) => Some("is not active".to_owned()),
            Some((seen, on, _)) if seen != keys || on != projected => Some(format!("is over {seen:?}, {on}")),
            Some(_) => None,
        };
        findings.extend(problem.map(|problem| {
            found(format!("index {index} {problem}"), "open work or an account's entries would not be found", deploy)
        }));
    }
    findings
}

fn or_none(attribute: Option<&str>) -> &str {
    attribute.unwrap_or("nothing")
}

fn keys(schema: &[KeySchemaElement]) -> Keys {
    schema.iter().map(|key| (key.attribute_name().to_owned(), key.key_type().as_str().to_owned())).collect()
}

fn projected(projection: Option<&Projection>) -> String {
    projection.and_then(Projection::projection_type).map_or_else(String::new, |on| on.as_str().to_owned())
}

fn stream_view(stream: Option<&aws_sdk_dynamodb::types::StreamSpecification>) -> Option<String> {
    stream
        .filter(|stream| stream.stream_enabled())
        .and_then(|stream| stream.stream_view_type())
        .map(|view| view.as_str().to_owned())
}
