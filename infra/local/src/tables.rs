//! The two tables, as the template describes them: nothing about them is said a second time here.

mod template;

use aws_sdk_dynamodb::Client;
use aws_sdk_dynamodb::error::{DisplayErrorContext, ProvideErrorMetadata, SdkError};
use aws_sdk_dynamodb::operation::create_table::CreateTableError;
use aws_sdk_dynamodb::types::{TimeToLiveSpecification, TimeToLiveStatus};
use hookledger::items::Tables;

pub use template::{Definition, definition};

const CLAIMS: &str = "ClaimsTable";
const LEDGER: &str = "LedgerTable";

/// The tables in the template.
pub const LOGICAL_IDS: [&str; 2] = [CLAIMS, LEDGER];

/// Why there are no tables.
#[derive(Debug, thiserror::Error)]
pub enum TablesError {
    /// The template says something that is not understood here.
    #[error("infra/template.yaml: {0}")]
    Template(String),
    /// DynamoDB refused, or did not answer.
    #[error("table {table}: {problem}")]
    DynamoDb {
        /// Which table.
        table: String,
        /// What DynamoDB said.
        problem: String,
    },
}

/// The names of the tables, read from the template.
pub fn names() -> Result<Tables, TablesError> {
    Ok(Tables { claims: definition(CLAIMS)?.table_name, ledger: definition(LEDGER)?.table_name })
}

/// Creates both tables and switches their TTL on. A table that is there already is left as it is.
pub async fn create(client: &Client) -> Result<Tables, TablesError> {
    for logical_id in LOGICAL_IDS {
        let definition = definition(logical_id)?;
        create_table(client, &definition).await?;
        if let Some(attribute) = &definition.ttl_attribute {
            enable_ttl(client, &definition.table_name, attribute).await?;
        }
    }
    names()
}

async fn create_table(client: &Client, definition: &Definition) -> Result<(), TablesError> {
    match definition.create.clone().send_with(client).await {
        Ok(_) => Ok(()),
        Err(SdkError::ServiceError(error)) if matches!(error.err(), CreateTableError::ResourceInUseException(_)) => {
            Ok(())
        }
        Err(error) => Err(refused(&definition.table_name, &error)),
    }
}

/// Asks first: DynamoDB refuses to enable what is enabled.
async fn enable_ttl(client: &Client, table: &str, attribute: &str) -> Result<(), TablesError> {
    let description = client.describe_time_to_live().table_name(table).send().await;
    let description = description.map_err(|error| refused(table, &error))?;
    let status = description.time_to_live_description().and_then(|ttl| ttl.time_to_live_status());
    if matches!(status, Some(TimeToLiveStatus::Enabled | TimeToLiveStatus::Enabling)) {
        return Ok(());
    }
    let ttl = TimeToLiveSpecification::builder().enabled(true).attribute_name(attribute).build();
    let ttl = ttl.map_err(|error| TablesError::Template(error.to_string()))?;
    let update = client.update_time_to_live().table_name(table).time_to_live_specification(ttl);
    update.send().await.map(|_| ()).map_err(|error| refused(table, &error))
}

fn refused<E>(table: &str, error: &SdkError<E>) -> TablesError
where
    E: ProvideErrorMetadata + std::error::Error + 'static,
{
    let problem = match error.as_service_error().and_then(|error| error.message()) {
        Some(message) => message.to_owned(),
        None => DisplayErrorContext(error).to_string(),
    };
    TablesError::DynamoDb { table: table.to_owned(), problem }
}
