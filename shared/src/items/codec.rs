//! Values in and out of items.

use std::collections::HashMap;

use aws_sdk_dynamodb::primitives::Blob;
use aws_sdk_dynamodb::types::{AttributeValue, Delete, Put, ReturnValuesOnConditionCheckFailure, TransactWriteItem};

use super::Item;
use super::names::{BYTES, CLAIM, PART};
use crate::time::UnixMs;

/// A row that this version cannot read: written by a newer one, or by hand.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("attribute {attribute} is missing or not of this version")]
pub struct DecodeError {
    /// Which.
    pub attribute: &'static str,
}

impl DecodeError {
    /// Whether it is the kept bytes that cannot be read.
    pub fn in_payload(&self) -> bool {
        self.attribute == BYTES
    }
}

pub(super) fn s(text: impl Into<String>) -> AttributeValue {
    AttributeValue::S(text.into())
}

pub(super) fn n(number: impl Into<i128>) -> AttributeValue {
    AttributeValue::N(number.into().to_string())
}

pub(super) fn b(bytes: impl Into<Vec<u8>>) -> AttributeValue {
    AttributeValue::B(Blob::new(bytes))
}

pub(super) fn ms(moment: UnixMs) -> AttributeValue {
    n(moment.get())
}

/// Reads attributes by name; a wrong type reads as missing.
pub(super) struct Reader<'a>(pub(super) &'a Item);

impl<'a> Reader<'a> {
    pub(super) fn text_opt(&self, name: &str) -> Option<&'a str> {
        self.0.get(name)?.as_s().ok().map(String::as_str)
    }

    pub(super) fn text(&self, attribute: &'static str) -> Result<&'a str, DecodeError> {
        self.text_opt(attribute).ok_or(DecodeError { attribute })
    }

    pub(super) fn number_opt<T: std::str::FromStr>(&self, name: &str) -> Option<T> {
        self.0.get(name)?.as_n().ok()?.parse().ok()
    }

    pub(super) fn number<T: std::str::FromStr>(&self, attribute: &'static str) -> Result<T, DecodeError> {
        self.number_opt(attribute).ok_or(DecodeError { attribute })
    }

    pub(super) fn ms_opt(&self, name: &str) -> Option<UnixMs> {
        self.number_opt(name).map(UnixMs::new)
    }

    pub(super) fn ms(&self, attribute: &'static str) -> Result<UnixMs, DecodeError> {
        self.number(attribute).map(UnixMs::new)
    }

    pub(super) fn bytes_opt(&self, name: &str) -> Option<&'a [u8]> {
        self.0.get(name)?.as_b().ok().map(AsRef::as_ref)
    }

    pub(super) fn bytes(&self, attribute: &'static str) -> Result<&'a [u8], DecodeError> {
        self.bytes_opt(attribute).ok_or(DecodeError { attribute })
    }
}

/// A condition with its placeholders. Every attribute goes through a `#name`: many of ours are reserved words.
pub(super) struct Condition {
    pub(super) expression: String,
    pub(super) names: HashMap<String, String>,
    pub(super) values: HashMap<String, AttributeValue>,
}

impl Condition {
    pub(super) fn new(expression: &str, names: &[&str], values: Vec<(&str, AttributeValue)>) -> Self {
        Self {
            expression: expression.to_owned(),
            names: names.iter().map(|name| (format!("#{name}"), (*name).to_owned())).collect(),
            values: values.into_iter().map(|(name, value)| (name.to_owned(), value)).collect(),
        }
    }
}

/// A put; with a condition, a failed one returns the item that is there.
pub(super) fn put(table: &str, item: Item, condition: Option<Condition>) -> TransactWriteItem {
    let mut put = Put::builder().table_name(table).set_item(Some(item));
    if let Some(condition) = condition {
        put = put
            .condition_expression(condition.expression)
            .set_expression_attribute_names(Some(condition.names))
            .set_expression_attribute_values((!condition.values.is_empty()).then_some(condition.values))
            .return_values_on_condition_check_failure(ReturnValuesOnConditionCheckFailure::AllOld);
    }
    TransactWriteItem::builder().set_put(put.build().ok()).build()
}

/// A delete without a condition: another action of the same transaction guards it.
pub(super) fn delete(table: &str, key: Item) -> TransactWriteItem {
    let delete = Delete::builder().table_name(table).set_key(Some(key));
    TransactWriteItem::builder().set_delete(delete.build().ok()).build()
}

/// The key of a row of the claims table.
pub(super) fn claims_key(claim: &str, part: impl Into<String>) -> Item {
    Item::from([(CLAIM.to_owned(), s(claim)), (PART.to_owned(), s(part))])
}
