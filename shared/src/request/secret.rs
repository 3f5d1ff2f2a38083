//! The secrets that senders share with us.

use std::fmt;

use super::Algorithm;

/// A shared secret. Never printed.
#[derive(Clone, PartialEq, Eq)]
pub struct Secret {
    /// Whose secret it is, where one endpoint serves several senders; it stays when the secret rotates.
    pub label: Option<String>,
    pub(super) text: String,
}

/// Every secret of a provider that is active now: more than one while one is rotated.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct KeySet {
    pub(super) secrets: Vec<Secret>,
}

/// A list of secrets that cannot be used. Says where, never what.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum KeySetError {
    /// Nothing in it.
    #[error("holds no secret")]
    Empty,
    /// An item is blank.
    #[error("secret {0} is blank")]
    Blank(usize),
    /// A label is blank.
    #[error("secret {0} has a blank label before its @")]
    BlankLabel(usize),
}

impl KeySet {
    /// Reads a comma-separated list of `secret` or `label@secret`.
    pub fn parse(list: &str) -> Result<Self, KeySetError> {
        if list.trim().is_empty() {
            return Err(KeySetError::Empty);
        }
        let secrets = list.split(',').enumerate().map(|(at, item)| Secret::parse(item, at + 1));
        Ok(Self { secrets: secrets.collect::<Result<_, _>>()? })
    }

    /// The first secret that is a key of none of `algorithms`: its place in the list, and what is wrong with it.
    pub fn problem(&self, algorithms: &[Algorithm]) -> Option<(usize, &'static str)> {
        self.secrets.iter().enumerate().find_map(|(at, secret)| {
            let problems: Option<Vec<_>> = algorithms.iter().map(|algorithm| algorithm.problem(secret)).collect();
            Some((at + 1, *problems?.first()?))
        })
    }

    /// The first secret: the one to sign with.
    pub fn first(&self) -> Option<&Secret> {
        self.secrets.first()
    }
}

impl Secret {
    /// A secret without a label.
    pub fn new(text: impl Into<String>) -> Self {
        Self { label: None, text: text.into() }
    }

    /// What the sender calls this secret in public, where it is of the form `name|key`.
    pub fn name(&self) -> Option<&str> {
        self.named().map(|(name, _)| name)
    }

    /// Name and key.
    pub(super) fn named(&self) -> Option<(&str, &str)> {
        self.text.split_once('|').filter(|(name, key)| !name.is_empty() && !key.is_empty())
    }

    fn parse(item: &str, position: usize) -> Result<Self, KeySetError> {
        let (label, text) = match item.trim().split_once('@') {
            Some((label, _)) if label.trim().is_empty() => return Err(KeySetError::BlankLabel(position)),
            Some((label, text)) => (Some(label.trim().to_owned()), text.trim()),
            None => (None, item.trim()),
        };
        if text.is_empty() {
            return Err(KeySetError::Blank(position));
        }
        Ok(Self { label, text: text.to_owned() })
    }
}

impl fmt::Debug for Secret {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Secret").field("label", &self.label).finish_non_exhaustive()
    }
}
