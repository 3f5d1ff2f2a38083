//! Reads a table of the template into the request that creates it.

use aws_sdk_dynamodb::error::BuildError;
use aws_sdk_dynamodb::operation::create_table::CreateTableInput;
use aws_sdk_dynamodb::operation::create_table::builders::CreateTableInputBuilder;
use aws_sdk_dynamodb::types::{
    AttributeDefinition, GlobalSecondaryIndex, KeySchemaElement, Projection, StreamSpecification,
};
use saphyr::{LoadableYamlNode as _, Yaml};

use super::TablesError;

const TEMPLATE: &str = include_str!("../../../template.yaml");

/// What protects a table in an account and means nothing to an emulator.
const ACCOUNT_ONLY: [&str; 4] =
    ["DeletionProtectionEnabled", "PointInTimeRecoverySpecification", "SSESpecification", "Tags"];

/// A table as the template describes it.
#[derive(Clone, Debug)]
pub struct Definition {
    /// Its name.
    pub table_name: String,
    /// The request that creates it.
    pub create: CreateTableInputBuilder,
    /// The attribute its rows expire by.
    pub ttl_attribute: Option<String>,
}

/// Reads the table under this logical id. Errors name the place; a property that is not understood is one, so that no
/// local table differs from the deployed one in silence.
pub fn definition(logical_id: &str) -> Result<Definition, TablesError> {
    let documents = Yaml::load_from_str(TEMPLATE).map_err(|error| TablesError::Template(error.to_string()))?;
    let root = documents.first().ok_or_else(|| TablesError::Template("it is empty".to_owned()))?;
    let root = Node { yaml: root, path: String::new() };
    let table = root.get("Resources")?.get(logical_id)?;
    if table.text_at("Type")? != "AWS::DynamoDB::Table" {
        return Err(table.wrong("is not a table"));
    }
    table.get("Properties")?.definition()
}

/// A place in the template.
struct Node<'a> {
    yaml: &'a Yaml<'a>,
    path: String,
}

impl<'a> Node<'a> {
    fn definition(&self) -> Result<Definition, TablesError> {
        let (mut create, mut ttl_attribute) = (CreateTableInput::builder(), None);
        for (name, value) in self.entries()? {
            create = match name {
                "TableName" => create.table_name(value.text()?),
                "BillingMode" => create.billing_mode(value.text()?.into()),
                "KeySchema" => create.set_key_schema(Some(value.list(Self::key)?)),
                "AttributeDefinitions" => create.set_attribute_definitions(Some(value.list(Self::attribute)?)),
                "GlobalSecondaryIndexes" => create.set_global_secondary_indexes(Some(value.list(Self::index)?)),
                "StreamSpecification" => create.stream_specification(value.stream()?),
                "TimeToLiveSpecification" => {
                    ttl_attribute = value.ttl_attribute()?;
                    create
                }
                _ if ACCOUNT_ONLY.contains(&name) => create,
                _ => return Err(value.wrong("is not understood by the local stack")),
            };
        }
        Ok(Definition { table_name: self.text_at("TableName")?.to_owned(), create, ttl_attribute })
    }

    fn key(&self) -> Result<KeySchemaElement, TablesError> {
        let key = KeySchemaElement::builder().attribute_name(self.text_at("AttributeName")?);
        self.built(key.key_type(self.text_at("KeyType")?.into()).build())
    }

    fn attribute(&self) -> Result<AttributeDefinition, TablesError> {
        let attribute = AttributeDefinition::builder().attribute_name(self.text_at("AttributeName")?);
        self.built(attribute.attribute_type(self.text_at("AttributeType")?.into()).build())
    }

    fn index(&self) -> Result<GlobalSecondaryIndex, TablesError> {
        let projection = self.get("Projection")?;
        let included = projection.find("NonKeyAttributes");
        let included = included.map(|names| names.list(|name| name.text().map(str::to_owned))).transpose()?;
        let projection = Projection::builder()
            .projection_type(projection.text_at("ProjectionType")?.into())
            .set_non_key_attributes(included)
            .build();
        let index = GlobalSecondaryIndex::builder()
            .index_name(self.text_at("IndexName")?)
            .set_key_schema(Some(self.get("KeySchema")?.list(Self::key)?))
            .projection(projection);
        self.built(index.build())
    }

    fn stream(&self) -> Result<StreamSpecification, TablesError> {
        let stream = StreamSpecification::builder().stream_enabled(true);
        self.built(stream.stream_view_type(self.text_at("StreamViewType")?.into()).build())
    }

    fn ttl_attribute(&self) -> Result<Option<String>, TablesError> {
        let enabled = self.get("Enabled")?;
        let enabled = enabled.yaml.as_bool().ok_or_else(|| enabled.wrong("is neither true nor false"))?;
        Ok(if enabled { Some(self.text_at("AttributeName")?.to_owned()) } else { None })
    }

    fn find(&self, key: &str) -> Option<Self> {
        let yaml = self.yaml.as_mapping_get(key)?;
        let path = if self.path.is_empty() { key.to_owned() } else { format!("{}.{key}", self.path) };
        Some(Self { yaml, path })
    }

    fn get(&self, key: &str) -> Result<Self, TablesError> {
        self.find(key).ok_or_else(|| self.wrong(&format!("has no {key}")))
    }

    fn entries(&self) -> Result<Vec<(&'a str, Self)>, TablesError> {
        let mapping = self.yaml.as_mapping().ok_or_else(|| self.wrong("is not a mapping"))?;
        let names = mapping.keys().filter_map(Yaml::as_str);
        names.map(|name| Ok((name, self.get(name)?))).collect()
    }

    fn list<T>(&self, read: impl Fn(&Self) -> Result<T, TablesError>) -> Result<Vec<T>, TablesError> {
        let items = self.yaml.as_vec().ok_or_else(|| self.wrong("is not a list"))?;
        let node = |(at, yaml)| Self { yaml, path: format!("{}[{at}]", self.path) };
        items.iter().enumerate().map(node).map(|node| read(&node)).collect()
    }

    fn text(&self) -> Result<&'a str, TablesError> {
        self.yaml.as_str().ok_or_else(|| self.wrong("is not a plain text"))
    }

    fn text_at(&self, key: &str) -> Result<&'a str, TablesError> {
        self.get(key)?.text()
    }

    fn built<T>(&self, built: Result<T, BuildError>) -> Result<T, TablesError> {
        built.map_err(|error| self.wrong(&error.to_string()))
    }

    fn wrong(&self, problem: &str) -> TablesError {
        TablesError::Template(format!("{} {problem}", self.path))
    }
}
