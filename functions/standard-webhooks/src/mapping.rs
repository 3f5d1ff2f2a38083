//! Where a sender's events say what moved. Read once, when the function starts.

use hookledger::json::{FieldError, Object};
use hookledger::plan::Plan;
use hookledger::provider::Event;
use serde_json::Value;

use crate::pointer::Pointer;
use crate::rule::Rule;

/// A sender's events, mapped.
#[derive(Clone, Debug)]
pub(crate) struct Mapping {
    /// Where the type stands.
    pub(crate) event_type: Pointer,
    /// Never empty.
    pub(crate) rules: Vec<Rule>,
}

impl Mapping {
    /// Reads the setting. Errors: what is wrong with it, never what it holds.
    pub(crate) fn parse(text: &str) -> Result<Self, &'static str> {
        let Ok(Value::Object(mapping)) = serde_json::from_str(text) else { return Err("is not a JSON object") };
        if mapping.keys().any(|name| name != "type" && name != "rules") {
            return Err("has a field other than type and rules");
        }
        let event_type = match mapping.get("type") {
            None => Pointer::name("type"),
            Some(Value::String(pointer)) => Pointer::parse(pointer)?,
            Some(_) => return Err("has a type that is not a pointer"),
        };
        let rules = match mapping.get("rules") {
            Some(Value::Array(rules)) if !rules.is_empty() => {
                rules.iter().map(Rule::parse).collect::<Result<Vec<_>, _>>()?
            }
            _ => return Err("has no list of rules"),
        };
        let same =
            |left: &Rule, right: &Rule| left.when == right.when && left.kind == right.kind && left.id == right.id;
        if rules.iter().enumerate().any(|(at, rule)| rules[..at].iter().any(|before| same(before, rule))) {
            return Err("has two rules that would book one movement of one event");
        }
        Ok(Self { event_type, rules })
    }

    /// What an event means: an entry for each rule that is for its type.
    pub(crate) fn plan(&self, event: &Event) -> Result<Plan, FieldError> {
        let body = Object::parse(&event.kept.body)?;
        let parent = self.event_type.parent_of_required(&body)?;
        let event_type = parent.text(self.event_type.last())?;
        let rules = self.rules.iter().filter(|rule| rule.when == event_type);
        let entries = rules.map(|rule| rule.entry(&body, &event.scope)).collect::<Result<Vec<_>, _>>()?;
        Ok(if entries.is_empty() { Plan::record() } else { Plan::settle(entries) })
    }

    /// The names of the fields that name what happens.
    pub(crate) fn names(&self) -> Vec<&str> {
        let pointers = self.rules.iter().flat_map(|rule| [Some(&rule.id), rule.parent.as_ref(), rule.invoice.as_ref()]);
        pointers.flatten().map(Pointer::last).collect()
    }
}
