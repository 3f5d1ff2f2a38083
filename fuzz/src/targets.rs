//! What is done with an input. Its first byte says what, the rest is what comes in.

mod edge;
mod parsers;
mod sender;
mod verified;

use std::collections::BTreeMap;
use std::sync::Arc;

use hookledger::provider::Provider;
use hookledger::request::{Headers, KeySet, UnverifiedRequest};
use hookledger::time::UnixMs;

use self::edge::Edge;
use self::sender::Sender;

/// When everything happens: within the validity of the made-up certificates.
const NOW: UnixMs = UnixMs::new(1_796_065_558_000);

/// Every target.
pub struct Targets {
    senders: Vec<Sender>,
    edge: Edge,
}

/// What is tried beside the providers.
const SHARED: [&str; 4] = ["parsers", "envelope", "certificate", "handshake"];

impl Targets {
    /// Of the registry, two for each provider.
    pub fn new() -> Self {
        Self { senders: hookledger_worker::providers().into_iter().map(Sender::new).collect(), edge: Edge::new() }
    }

    /// Their names, in the order of the first byte.
    pub fn names(&self) -> Vec<String> {
        let name = |sender: &Sender| sender.provider.profile().name;
        let own =
            self.senders.iter().flat_map(|sender| ["verify", "read"].map(|what| format!("{what} {}", name(sender))));
        own.chain(SHARED.map(str::to_owned)).collect()
    }

    /// Runs one. Panics where something that must hold does not.
    pub fn run(&self, input: &[u8]) {
        let Some((which, rest)) = input.split_first() else { return };
        let which = usize::from(*which) % (2 * self.senders.len() + SHARED.len());
        match (self.senders.get(which / 2), which % 2) {
            (Some(sender), 0) => sender.refuses(rest),
            (Some(sender), _) => verified::read(sender, rest),
            (None, _) => match which - 2 * self.senders.len() {
                0 => parsers::parse(rest),
                1 => self.edge.envelope(rest),
                2 => self.edge.certificate(rest),
                _ => self.senders.iter().for_each(|sender| sender.challenge(rest)),
            },
        }
    }

    /// Inputs to begin with, from the sample events, envelopes, vectors and certificates in the repository.
    pub fn seeds(&self, root: &std::path::Path) -> std::io::Result<Vec<Vec<u8>>> {
        let mut seeds = Vec::new();
        let mut add = |which: usize, bytes: &[u8]| {
            seeds.extend(u8::try_from(which).ok().map(|which| [&[which], bytes].concat()));
        };
        let own = 2 * self.senders.len();
        for (at, sender) in self.senders.iter().enumerate() {
            for body in files(&root.join("events").join(sender.provider.profile().name))?.values() {
                add(2 * at, &sender.forged(body));
                add(2 * at + 1, &[b"\n", &body[..]].concat());
                add(own, body);
                add(own + 3, body);
            }
        }
        for vectors in files(&root.join("tests/vectors"))?.values() {
            add(own, vectors.get(..4_096).unwrap_or(vectors));
        }
        files(&root.join("events/apigw"))?.values().for_each(|event| add(own + 1, event));
        files(&root.join("tests/certificates"))?.values().for_each(|text| add(own + 2, text));
        for text in [
            "-12.50 EUR",
            "Sun, 06 Nov 1994 08:49:37 GMT",
            "2026-11-30T19:05:58.000Z",
            "a=1+2&b=%C3%A9",
            "00ffA1",
            "a@b, c",
        ] {
            add(own, text.as_bytes());
        }
        add(own + 3, b"bt_challenge=20f9f8ed05f77439fe955c977e4c8a53");
        add(own + 3, br#"{"type":"url_verification","challenge":"abc"}"#);
        Ok(seeds)
    }
}

/// The contents of a folder's files, by name.
fn files(folder: &std::path::Path) -> std::io::Result<BTreeMap<String, Vec<u8>>> {
    let mut all = BTreeMap::new();
    for entry in std::fs::read_dir(folder)? {
        let path = entry?.path();
        all.insert(path.display().to_string(), std::fs::read(path)?);
    }
    Ok(all)
}

/// Lines of `name: value` up to an empty one, then a body.
fn cut(input: &[u8]) -> (Vec<(String, String)>, &[u8]) {
    let (mut headers, mut rest) = (Vec::new(), input);
    while let Some(end) = rest.iter().position(|byte| *byte == b'\n') {
        let line = &rest[..end];
        rest = &rest[end + 1..];
        if line.is_empty() {
            break;
        }
        let Ok(line) = std::str::from_utf8(line) else { break };
        let (name, value) = line.split_once(": ").unwrap_or((line, ""));
        headers.push((name.to_owned(), value.to_owned()));
    }
    (headers, rest)
}

fn request(provider: &Arc<dyn Provider>, headers: Vec<(String, String)>, body: Vec<u8>) -> UnverifiedRequest {
    UnverifiedRequest {
        method: "POST".to_owned(),
        path: format!("/webhooks/{}", provider.profile().name),
        query: String::new(),
        headers: Headers::new(headers),
        body: body.into(),
    }
}

/// One secret.
fn keys(text: &str) -> Option<KeySet> {
    KeySet::parse(text).ok()
}
