//! Whether a deployment stands: what is there is read, and held against the template, the registry and the code.

mod aws;
mod functions;
mod guards;
mod here;
mod probe;
mod secrets;
mod stack;
mod tables;

use serde_json::{Value, json};

pub(crate) use aws::Unasked;
pub(crate) use here::check_here;
pub(crate) use stack::check_stack;

/// Something that is not as it must be.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Finding {
    /// What was seen.
    pub(crate) what: String,
    /// Why it matters.
    pub(crate) why: &'static str,
    /// How to mend it.
    pub(crate) mend: String,
}

/// What was looked at, and what was found.
#[derive(Clone, Debug, Default)]
pub(crate) struct Report {
    /// How many things were held against a rule.
    pub(crate) looked_at: usize,
    /// What is not as it must be.
    pub(crate) findings: Vec<Finding>,
    /// What was not looked at, and why.
    pub(crate) passed_over: Vec<String>,
}

impl Finding {
    fn new(what: impl Into<String>, why: &'static str, mend: impl Into<String>) -> Self {
        Self { what: what.into(), why, mend: mend.into() }
    }
}

impl Report {
    /// For machines.
    pub(crate) fn json(&self) -> Value {
        let finding = |one: &Finding| json!({"what": one.what, "why": one.why, "mend": one.mend});
        json!({
            "looked_at": self.looked_at,
            "findings": self.findings.iter().map(finding).collect::<Vec<_>>(),
            "passed_over": self.passed_over,
        })
    }

    fn add(&mut self, findings: Vec<Finding>) {
        self.looked_at += 1;
        self.findings.extend(findings);
    }

    fn pass_over(&mut self, what: impl Into<String>) {
        self.passed_over.push(what.into());
    }
}

/// A finding where `wrong` holds.
fn where_wrong(wrong: bool, finding: impl FnOnce() -> Finding) -> Option<Finding> {
    wrong.then(finding)
}

/// The text at this path of a JSON answer; empty where it is missing.
fn text<'a>(value: &'a Value, pointer: &str) -> &'a str {
    value.pointer(pointer).and_then(Value::as_str).unwrap_or_default()
}

fn list<'a>(value: &'a Value, pointer: &str) -> &'a [Value] {
    value.pointer(pointer).and_then(Value::as_array).map(Vec::as_slice).unwrap_or_default()
}

#[cfg(test)]
mod tests;
