//! The sinks, as the environment names them.

use std::collections::{BTreeMap, HashMap};

use http::Uri;

use super::config::{PREFIX, Reader};
use crate::outbox::{Outbox, Sink, Target};
use crate::plan::OnLost;
use crate::request::{Algorithm, Secret};

pub(super) const SINKS: &str = "HOOKLEDGER_SINKS";
const ON_LOST: &str = "_ON_LOST";
const SECRET: &str = "_SECRET";

/// A sort key takes 1,024 bytes, with the message's name and entry.
const NAME_BYTES_MAX: usize = 64;

/// An entry with its messages takes one of a transaction's actions for itself and one for each sink: with more sinks an event
/// of a few entries could not be booked at all.
const SINKS_MAX: usize = 8;

/// The variable of one sink: `HOOKLEDGER_SINK_<NAME>_…`.
fn variable(sink: &str, suffix: &str) -> String {
    format!("{PREFIX}SINK_{}{suffix}", sink.to_ascii_uppercase().replace('-', "_"))
}

/// The variables of the sinks that `vars` lists.
pub(super) fn sink_variables(vars: &BTreeMap<String, String>) -> Vec<String> {
    let list = vars.get(SINKS).map(String::as_str).unwrap_or_default();
    let names = list.split(',').filter_map(|item| item.split_once('=')).map(|(name, _)| name.trim().to_owned());
    names.flat_map(|name| [variable(&name, ON_LOST), variable(&name, SECRET)]).collect()
}

/// The variable with the secret of a sink.
pub(super) fn secret_variable(sink: &str) -> String {
    variable(sink, SECRET)
}

impl<F: Fn(&str) -> Option<String>> Reader<F> {
    /// Who is told: `name=https://host/path` or `name=eventbridge:bus`, separated by commas.
    pub(super) fn outbox(&mut self) -> Outbox {
        let Some(list) = self.text(SINKS) else { return Outbox::default() };
        let mut outbox = Outbox::default();
        for item in list.split(',') {
            match sink(item) {
                Ok((name, _)) if outbox.sinks.iter().any(|other| other.name == name) => {
                    self.problem(SINKS, &format!("names {name} twice"), "give each sink a name of its own");
                }
                Ok((name, target)) => {
                    let on_lost = self.on_lost(&variable(&name, ON_LOST));
                    outbox.sinks.push(Sink { name, target, on_lost });
                }
                Err(what) => {
                    let todo = "list `name=https://host/path` or `name=eventbridge:bus`, separated by commas";
                    self.problem(SINKS, what, todo);
                }
            }
        }
        if outbox.sinks.len() > SINKS_MAX {
            let what = format!("names more than {SINKS_MAX} sinks");
            self.problem(SINKS, &what, "tell a bus, and let it tell the others");
        }
        outbox
    }

    fn on_lost(&mut self, name: &str) -> OnLost {
        match self.text(name).as_deref() {
            None | Some("rerun") => return OnLost::Rerun,
            Some("hold") => return OnLost::Hold,
            Some(_) => self.problem(name, "is neither", "set it to `rerun` or `hold`"),
        }
        OnLost::default()
    }

    /// The secrets that sign what is posted, by sink.
    pub(super) fn sink_secrets(&mut self, outbox: &Outbox) -> HashMap<String, Secret> {
        let mut secrets = HashMap::new();
        for Sink { name, .. } in outbox.sinks.iter().filter(|sink| matches!(sink.target, Target::Post(_))) {
            let variable = variable(name, SECRET);
            let todo = "set it to `whsec_` and the base64 of 24 to 64 random bytes, which the receiver verifies with";
            match self.text(&variable).map(Secret::new) {
                None if (self.var)(&variable).is_some() => {}
                None => self.problem(&variable, "is not set", todo),
                Some(secret) => match Algorithm::HmacSha256Base64Key.problem(&secret) {
                    Some(what) => self.problem(&variable, what, todo),
                    None => _ = secrets.insert(name.clone(), secret),
                },
            }
        }
        secrets
    }
}

fn sink(item: &str) -> Result<(String, Target), &'static str> {
    let (name, target) = item.trim().split_once('=').ok_or("holds an item without `=`")?;
    let fits = |byte: u8| byte.is_ascii_lowercase() || byte.is_ascii_digit() || byte == b'-';
    if name.is_empty() || name.len() > NAME_BYTES_MAX || !name.bytes().all(fits) {
        return Err("holds a name that is not of up to 64 lower-case letters, digits and hyphens");
    }
    if let Some(bus) = target.strip_prefix("eventbridge:") {
        let fits = |byte: u8| byte.is_ascii_alphanumeric() || b"_-./".contains(&byte);
        let is_bus = !bus.is_empty() && bus.bytes().all(fits);
        return if is_bus { Ok((name.to_owned(), Target::Bus(bus.to_owned()))) } else { Err("holds no name of a bus") };
    }
    let uri: Uri = target.parse().map_err(|_| "holds what is no address")?;
    match (uri.scheme_str(), uri.host()) {
        _ if target.contains('@') => Err("holds an address with a user"),
        (Some("https"), Some(_)) | (Some("http"), Some("127.0.0.1" | "localhost")) => {
            Ok((name.to_owned(), Target::Post(target.to_owned())))
        }
        (Some("http"), _) => Err("holds an address without TLS"),
        _ => Err("holds what is neither an https address nor a bus"),
    }
}
