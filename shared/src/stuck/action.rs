//! What the person on call can ask for, as typed JSON.

use serde::Deserialize;
use serde_json::Value;

use crate::claim::{ClaimKey, State};
use crate::items::{Book, CLAIM_PART};
use crate::store::StoreError;

const LIST_DEFAULT: usize = 100;
/// The most rows that one action lists or changes.
const LIMIT_MAX: usize = 1_000;
const BY_BYTES_MAX: usize = 128;
/// The longest sort key and partition key (docs.aws.amazon.com, "Quotas in Amazon DynamoDB").
const PART_BYTES_MAX: usize = 1_024;
const KEY_BYTES_MAX: usize = 2_048;
const NOTE_BYTES_MAX: usize = 1_024;

/// Everything the function can be asked for.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
#[serde(tag = "action", rename_all = "snake_case")]
pub enum Action {
    /// The scheduled run, now.
    Run(Run),
    /// What a sample of the claims that are done says about their retention.
    CheckRetention(Run),
    /// What is open, oldest first.
    List(List),
    /// The whole story of one event.
    Show(Show),
    /// Gives parked or waiting rows back to the worker.
    Retry(Order),
    /// Sets rows aside.
    Park(Order),
    /// Closes rows by a person's decision, which is kept on them.
    Resolve(Order),
}

/// A run, and a look at the retention, have no fields.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Run {}

/// Which rows to list.
#[derive(Clone, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct List {
    /// Open for longer than this, in seconds.
    pub older_than_s: u64,
    /// Of this provider.
    pub provider: Option<String>,
    /// In this state.
    pub state: Option<OpenState>,
    /// At most so many; 100 if not said.
    pub limit: Option<usize>,
}

/// Which event to show: by key, or by provider, scope and event id.
#[derive(Clone, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct Show {
    /// A claim's key as it is printed.
    pub key: Option<String>,
    /// The provider.
    pub provider: Option<String>,
    /// The scope; none if not said.
    pub scope: Option<String>,
    /// The provider's id of the event.
    pub event_id: Option<String>,
}

/// Which rows to change: one by its key or by provider, scope and event id; or many by list's filter.
#[derive(Clone, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct Order {
    /// A claim's key as it is printed.
    pub key: Option<String>,
    /// The provider: of the one event, or of the many.
    pub provider: Option<String>,
    /// The scope; none if not said.
    pub scope: Option<String>,
    /// The provider's id of the event.
    pub event_id: Option<String>,
    /// One row beside the claim: a message or a mismatch, as `list` names it.
    pub part: Option<String>,
    /// Many: open for longer than this, in seconds.
    pub older_than_s: Option<u64>,
    /// Many: in this state.
    pub state: Option<OpenState>,
    /// Many: at most so many. Must be said.
    pub limit: Option<usize>,
    /// Says what would be changed, and changes nothing.
    pub dry_run: bool,
    /// Who decides: required by resolve.
    pub by: Option<String>,
    /// Why: required by resolve.
    pub note: Option<String>,
    /// Resolve: what is still to be booked; nothing if not said.
    pub book: Option<Book>,
}

/// The states of open rows.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum OpenState {
    /// Waits for the worker.
    Received,
    /// A worker holds it.
    Processing,
    /// Waits for a person.
    Parked,
}

impl From<OpenState> for State {
    fn from(state: OpenState) -> Self {
        match state {
            OpenState::Received => Self::Received,
            OpenState::Processing => Self::Processing,
            OpenState::Parked => Self::Parked,
        }
    }
}

/// Which rows an action is about.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Target {
    /// One row: a claim's key and the part.
    One(ClaimKey, String),
    /// Many.
    Many(Filter),
}

/// Which of the open rows.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Filter {
    /// Open for longer than this, in seconds.
    pub older_than_s: u64,
    /// Of this provider.
    pub provider: Option<String>,
    /// In this state.
    pub state: Option<State>,
    /// At most so many.
    pub limit: usize,
}

/// Why an action was not done.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum ActionError {
    /// It is not one that can be asked for; says which can.
    #[error("{0}")]
    NotUnderstood(String),
    /// There is no such row, and none was made.
    #[error("{}", missing(key, part))]
    NoSuchRow {
        /// The claim's key.
        key: ClaimKey,
        /// The part.
        part: String,
    },
    /// The store.
    #[error(transparent)]
    Store(#[from] StoreError),
}

fn missing(key: &ClaimKey, part: &str) -> String {
    if part == CLAIM_PART {
        format!("there is no claim {key}")
    } else {
        format!("there is no row {part} of claim {key}")
    }
}

const NO_ROWS: &str = "name an event (its `key`, or its `provider` and `event_id`), or many by a `limit` and a filter (`provider`, \
`state` or `older_than_s`)";

fn wrong<T>(why: impl Into<String>) -> Result<T, ActionError> {
    Err(ActionError::NotUnderstood(why.into()))
}

impl Action {
    /// Reads an action, or the scheduler's event. Errors name what is allowed.
    pub fn read(input: Value) -> Result<Self, ActionError> {
        if is_schedule(&input) {
            return Ok(Self::Run(Run {}));
        }
        serde_json::from_value(input).map_err(|error| ActionError::NotUnderstood(error.to_string()))
    }
}

/// What EventBridge sends where a schedule has no input of its own. Source: docs.aws.amazon.com, "Templated targets for
/// EventBridge Scheduler" and "Amazon EventBridge events".
pub(crate) fn is_schedule(input: &Value) -> bool {
    let source = input["source"].as_str().unwrap_or_default();
    input.get("action").is_none() && ["aws.scheduler", "aws.events"].contains(&source)
}

impl List {
    pub(super) fn filter(&self) -> Result<Filter, ActionError> {
        Ok(Filter {
            older_than_s: self.older_than_s,
            provider: self.provider.clone(),
            state: self.state.map(State::from),
            limit: limit(self.limit.unwrap_or(LIST_DEFAULT))?,
        })
    }
}

impl Show {
    pub(super) fn claim_key(&self) -> Result<ClaimKey, ActionError> {
        match one(&self.key, &self.provider, &self.scope, &self.event_id)? {
            Some(key) => Ok(key),
            None => wrong("show needs `key`, or `provider` and `event_id`"),
        }
    }
}

impl Order {
    pub(super) fn target(&self) -> Result<Target, ActionError> {
        let has_filter = self.state.is_some() || self.older_than_s.is_some() || self.limit.is_some();
        match one(&self.key, &self.provider, &self.scope, &self.event_id)? {
            Some(_) if has_filter => wrong("`state`, `older_than_s` and `limit` choose many, not the one event named"),
            Some(key) => match self.part.as_deref().unwrap_or(CLAIM_PART) {
                part if (1..=PART_BYTES_MAX).contains(&part.len()) => Ok(Target::One(key, part.to_owned())),
                _ => wrong("`part` is not the part of a row: `list` names it"),
            },
            None if self.part.is_some() || self.scope.is_some() => {
                wrong("`part` and `scope` belong to one event: give its `key`, or its `provider` and `event_id`")
            }
            None => self.many(),
        }
    }

    fn many(&self) -> Result<Target, ActionError> {
        let is_filtered = self.provider.is_some() || self.state.is_some() || self.older_than_s.is_some();
        let Some(wanted) = self.limit.filter(|_| is_filtered) else { return wrong(NO_ROWS) };
        Ok(Target::Many(Filter {
            older_than_s: self.older_than_s.unwrap_or_default(),
            provider: self.provider.clone(),
            state: self.state.map(State::from),
            limit: limit(wanted)?,
        }))
    }

    /// `by` and `note`, of a resolve.
    pub(super) fn decision(&self) -> Result<(String, String), ActionError> {
        let said = |name: &str, text: &Option<String>, bytes_max: usize| {
            let text = text.as_deref().unwrap_or_default().trim();
            match text.len() {
                0 => wrong(format!("resolve needs `{name}`")),
                length if length > bytes_max => wrong(format!("`{name}` is longer than {bytes_max} bytes")),
                _ => Ok(text.to_owned()),
            }
        };
        Ok((said("by", &self.by, BY_BYTES_MAX)?, said("note", &self.note, NOTE_BYTES_MAX)?))
    }

    /// Refuses what belongs to resolve alone, so that nobody believes it was kept.
    pub(super) fn decides_nothing(&self) -> Result<(), ActionError> {
        if self.book.is_some() { wrong("`book` belongs to resolve") } else { Ok(()) }
    }
}

fn limit(limit: usize) -> Result<usize, ActionError> {
    if (1..=LIMIT_MAX).contains(&limit) { Ok(limit) } else { wrong(format!("`limit` goes from 1 to {LIMIT_MAX}")) }
}

fn is_key(text: &str) -> bool {
    text.split(':').count() == 3 && !text.starts_with(':') && !text.ends_with(':') && text.len() <= KEY_BYTES_MAX
}

/// The key of the one event that is named, if one is.
fn one(
    key: &Option<String>,
    provider: &Option<String>,
    scope: &Option<String>,
    event_id: &Option<String>,
) -> Result<Option<ClaimKey>, ActionError> {
    match (key, provider, event_id) {
        (Some(_), Some(_), _) | (Some(_), _, Some(_)) => wrong("give `key`, or `provider` and `event_id`, not both"),
        (Some(key), None, None) if !is_key(key) => {
            wrong(format!("{key} is not a claim's key: it is provider:scope:event id, with an empty scope for none"))
        }
        (Some(_), ..) if scope.is_some() => wrong("`scope` is a part of `key`"),
        (Some(key), None, None) => Ok(Some(ClaimKey::from_text(key))),
        (None, Some(provider), Some(event_id)) => {
            Ok(Some(ClaimKey::new(provider, scope.as_deref().unwrap_or_default(), event_id)))
        }
        (None, None, Some(_)) => wrong("`event_id` needs `provider`"),
        (None, _, None) => Ok(None),
    }
}
