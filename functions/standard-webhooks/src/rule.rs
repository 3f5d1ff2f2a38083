//! One rule of a mapping: which events it is for, and where their fields stand.

use hookledger::json::{FieldError, Object};
use hookledger::money::{Currency, ISO_4217};
use hookledger::plan::{Entry, Kind, Occurrence};
use hookledger::time::UnixMs;
use serde_json::{Map, Value};

use crate::pointer::Pointer;

/// Every field a rule may have.
const FIELDS: [&str; 10] =
    ["account", "amount", "currency", "id", "invoice", "kind", "occurred_at", "parent", "unit", "when"];

/// Where an event's fields stand.
#[derive(Clone, Debug)]
pub(crate) struct Rule {
    /// The type it is for.
    pub(crate) when: String,
    /// What moved.
    pub(crate) kind: Kind,
    /// The movement's id.
    pub(crate) id: Pointer,
    /// The movement this one undoes or belongs to.
    pub(crate) parent: Option<Pointer>,
    /// The invoice.
    pub(crate) invoice: Option<Pointer>,
    amount: Pointer,
    unit: Unit,
    currency: Code,
    occurred_at: Pointer,
    account: Option<Pointer>,
}

/// What an amount counts.
#[derive(Clone, Copy, Debug)]
enum Unit {
    /// Cents: a whole number.
    Minor,
    /// Euros: a decimal.
    Major,
}

/// A currency code.
#[derive(Clone, Debug)]
enum Code {
    /// The same in every event.
    Fixed(Currency),
    /// In the event.
    At(Pointer),
}

impl Rule {
    /// Reads a rule. Errors: what is wrong with the mapping it stands in.
    pub(crate) fn parse(rule: &Value) -> Result<Self, &'static str> {
        let rule = rule.as_object().ok_or("has a rule that is not an object")?;
        if rule.keys().any(|name| !FIELDS.contains(&name.as_str())) {
            return Err("has a rule with a field other than when, kind, id, amount, unit, currency, occurred_at, \
                        account, parent and invoice");
        }
        let required = |name, missing| text(rule, name)?.ok_or(missing);
        let pointer = |name, missing| Pointer::parse(required(name, missing)?);
        let optional = |name| text(rule, name)?.map(Pointer::parse).transpose();
        Ok(Self {
            when: required("when", "has a rule without when")?.to_owned(),
            kind: kind(required("kind", "has a rule without kind")?)?,
            id: pointer("id", "has a rule without id")?,
            amount: pointer("amount", "has a rule without amount")?,
            unit: unit(required("unit", "has a rule without unit")?)?,
            currency: code(required("currency", "has a rule without currency")?)?,
            occurred_at: pointer("occurred_at", "has a rule without occurred_at")?,
            account: optional("account")?,
            parent: optional("parent")?,
            invoice: optional("invoice")?,
        })
    }

    /// What moved, by an event's body; its ids are the sender's own, within `scope`.
    pub(crate) fn entry(&self, body: &Object<'_>, scope: &str) -> Result<Entry, FieldError> {
        let within = |id| Occurrence { scope: scope.to_owned(), id };
        let optional = |pointer: &Option<Pointer>| pointer.as_ref().map_or(Ok(None), |pointer| pointer.id(body));
        let currency = self.currency(body)?;
        let (amount, magnitude_minor) = self.amount(body, currency)?;
        let occurrence = within(self.id.required_id(body)?);
        let entry = Entry::new(occurrence, self.kind, magnitude_minor, currency, self.occurred_at(body)?);
        Ok(entry
            .map_err(|_| amount.error(self.amount.last(), "negative"))?
            .account(optional(&self.account)?)
            .parent(optional(&self.parent)?.map(within))
            .invoice(optional(&self.invoice)?))
    }

    fn currency(&self, body: &Object<'_>) -> Result<Currency, FieldError> {
        match &self.currency {
            Code::Fixed(currency) => Ok(*currency),
            Code::At(pointer) => Currency::read(&pointer.parent_of_required(body)?, pointer.last()),
        }
    }

    /// The amount, and the object it stands in.
    fn amount<'a>(&self, body: &Object<'a>, currency: Currency) -> Result<(Object<'a>, i64), FieldError> {
        let (parent, name) = (self.amount.parent_of_required(body)?, self.amount.last());
        let in_a_text = parent.raw(name).is_some_and(|raw| raw.starts_with('"'));
        let amount_minor = match (self.unit, in_a_text) {
            (Unit::Minor, true) => parent.integer_text(name)?,
            (Unit::Minor, false) => parent.integer(name)?,
            (Unit::Major, _) => {
                let text = if in_a_text { parent.text(name)? } else { parent.raw(name).unwrap_or_default().into() };
                let missing = if text.is_empty() { "missing" } else { "not an amount in this currency" };
                ISO_4217.minor(&text, currency).ok_or_else(|| parent.error(name, missing))?
            }
        };
        Ok((parent, amount_minor))
    }

    fn occurred_at(&self, body: &Object<'_>) -> Result<UnixMs, FieldError> {
        let (parent, name) = (self.occurred_at.parent_of_required(body)?, self.occurred_at.last());
        let in_a_text = parent.raw(name).is_some_and(|raw| raw.starts_with('"'));
        if in_a_text { parent.time(name) } else { parent.time_s(name) }
    }
}

fn text<'a>(rule: &'a Map<String, Value>, name: &str) -> Result<Option<&'a str>, &'static str> {
    match rule.get(name) {
        None => Ok(None),
        Some(Value::String(text)) if !text.is_empty() => Ok(Some(text)),
        Some(_) => Err("has a rule with a field that is not a text, or empty"),
    }
}

fn kind(text: &str) -> Result<Kind, &'static str> {
    let kind = Kind::ALL.into_iter().find(|kind| kind.name() == text);
    kind.ok_or("has a rule whose kind is none of the ledger's: payment, refund, refund_reversed, payout, …")
}

fn unit(text: &str) -> Result<Unit, &'static str> {
    match text {
        "minor" => Ok(Unit::Minor),
        "major" => Ok(Unit::Major),
        _ => Err("has a rule whose unit is neither minor nor major"),
    }
}

fn code(text: &str) -> Result<Code, &'static str> {
    if text.starts_with('/') {
        return Pointer::parse(text).map(Code::At);
    }
    Currency::parse(text).map(Code::Fixed).ok_or("has a rule whose currency is neither a pointer nor a currency code")
}
