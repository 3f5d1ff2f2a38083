//! The sinks in the environment.

use std::collections::BTreeMap;

use super::super::config::Reader;
use crate::outbox::{Outbox, Sink, Target};
use crate::plan::OnLost;

/// The outbox, the names of sinks with a secret, and the problems.
fn read(vars: &[(&str, &str)]) -> (Outbox, Vec<String>, Vec<String>) {
    let vars: BTreeMap<&str, &str> = vars.iter().copied().collect();
    let var = |name: &str| vars.get(name).map(|value| (*value).to_owned());
    let mut reader = Reader { var, deadline_ms: u64::MAX, problems: Vec::new() };
    let outbox = reader.outbox();
    let mut secrets: Vec<String> = reader.sink_secrets(&outbox).into_keys().collect();
    secrets.sort();
    (outbox, secrets, reader.problems)
}

#[test]
fn nobody_is_told_unless_it_is_said() {
    assert_eq!(read(&[]), (Outbox::default(), vec![], vec![]));
}

#[test]
fn sinks_have_names_targets_and_secrets() {
    let (outbox, secrets, problems) = read(&[
        ("HOOKLEDGER_SINKS", "bus=eventbridge:payments, my-erp=https://erp.example/hooks?x=1"),
        ("HOOKLEDGER_SINK_MY_ERP_SECRET", "whsec_bWFkZSB1cCBmb3IgdGVzdHMgb25seQ=="),
        ("HOOKLEDGER_SINK_MY_ERP_ON_LOST", "hold"),
    ]);
    assert_eq!(problems, [""; 0]);
    let sink = |name: &str, target, on_lost| Sink { name: name.to_owned(), target, on_lost };
    let post = Target::Post("https://erp.example/hooks?x=1".to_owned());
    let expected =
        vec![sink("bus", Target::Bus("payments".to_owned()), OnLost::Rerun), sink("my-erp", post, OnLost::Hold)];
    assert_eq!((outbox.sinks, secrets), (expected, vec!["my-erp".to_owned()]));
}

#[test]
fn every_problem_is_told_at_once_and_no_secret_is_repeated() {
    let (_, _, problems) = read(&[
        (
            "HOOKLEDGER_SINKS",
            "a=ftp://x,b=http://erp.example/,A=https://x.example/,c,d=eventbridge:,e=https://u:p@x.example/,f=https://f.example/,f=https://f.example/,g=https://g.example/",
        ),
        ("HOOKLEDGER_SINK_F_ON_LOST", "maybe"),
        ("HOOKLEDGER_SINK_F_SECRET", "whsec_hush!"),
    ]);
    assert_eq!(problems.len(), 10, "{problems:#?}");
    assert!(problems.iter().any(|line| line.starts_with("HOOKLEDGER_SINK_G_SECRET is not set")), "{problems:#?}");
    assert!(!problems.concat().contains("hush"), "{problems:#?}");
}

#[test]
fn there_are_no_more_sinks_than_a_transaction_has_room_for() {
    let list = |many: usize| (0..many).map(|at| format!("s{at}=eventbridge:b")).collect::<Vec<_>>().join(",");
    assert_eq!(read(&[("HOOKLEDGER_SINKS", &list(8))]).2, [""; 0]);
    let (_, _, problems) = read(&[("HOOKLEDGER_SINKS", &list(9))]);
    assert!(problems.len() == 1 && problems[0].contains("more than 8 sinks"), "{problems:#?}");
}
