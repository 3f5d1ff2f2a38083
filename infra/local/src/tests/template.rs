//! The template says nothing that the code says otherwise.

use std::collections::{BTreeMap, BTreeSet};

use hookledger::runtime::WorkerConfig;
use saphyr::{LoadableYamlNode as _, Yaml};

use crate::registry;

const TEMPLATE: &str = include_str!("../../../template.yaml");
const METRICS: &str = include_str!("../../../../shared/src/metrics.rs");

/// What a function finds its secrets by, before its configuration is read.
const VAULT: [&str; 3] = ["HOOKLEDGER_SECRET_ID", "HOOKLEDGER_SECRET_IDS", "HOOKLEDGER_SINK_SECRETS_ID"];

/// A longer run is cut off: no sender that waits longer gains by it.
const SECONDS_MAX: u64 = 10;

fn template() -> Yaml<'static> {
    Yaml::load_from_str(TEMPLATE).unwrap().remove(0)
}

fn keys(mapping: &Yaml<'_>) -> BTreeSet<String> {
    mapping.as_mapping().unwrap().keys().map(|key| key.as_str().unwrap().to_owned()).collect()
}

#[test]
fn every_provider_can_be_deployed_and_ends_before_its_sender_stops_waiting() {
    let template = template();
    let names = template.as_mapping_get("Mappings").unwrap().as_mapping_get("Names").unwrap();
    let registered: BTreeSet<_> = registry::providers().iter().map(|one| one.profile().name.to_owned()).collect();
    let named = keys(names);
    let unpaired: Vec<_> = named.symmetric_difference(&registered).collect();
    assert!(unpaired.is_empty(), "no line under Names in the template, or no provider: {unpaired:?}");
    for provider in registry::providers() {
        let profile = provider.profile();
        let line = names.as_mapping_get(profile.name).unwrap();
        let seconds = line.as_mapping_get("Seconds").unwrap().as_integer().unwrap();
        let expected = (profile.transport.deadline_ms / 1_000).min(SECONDS_MAX);
        assert_eq!(u64::try_from(seconds).unwrap(), expected, "Seconds of {}, by its deadline", profile.name);
        let ids = line.as_mapping_get("Id").unwrap().as_sequence().unwrap();
        let ids: Vec<_> = ids.iter().map(|id| id.as_str().unwrap()).collect();
        assert_eq!(ids, [profile.name.replace('-', "")]);
    }
}

#[test]
fn routes_are_those_that_are_received() {
    let routes = TEMPLATE.lines().filter(|line| line.contains("/webhooks/"));
    assert!(routes.clone().count() >= 4);
    assert!(routes.clone().all(|line| line.contains("/webhooks/${Provider}")), "{:?}", routes.collect::<Vec<_>>());
}

/// The metrics that their documentation says are alarmed on.
fn alarmed() -> BTreeSet<String> {
    let lines: Vec<&str> = METRICS.lines().map(str::trim).collect();
    let says_so = |line: &str| line.starts_with("///") && line.contains(" Alarm");
    let metrics = lines.windows(2).filter(|pair| says_so(pair[0])).map(|pair| pair[1].trim_end_matches(','));
    metrics.map(str::to_owned).collect()
}

#[test]
fn what_is_to_be_alarmed_on_has_an_alarm_and_no_alarm_waits_for_a_metric_that_never_comes() {
    let template = template();
    let mappings = template.as_mapping_get("Mappings").unwrap();
    let [signals, wholes] = ["Signals", "Wholes"].map(|name| keys(mappings.as_mapping_get(name).unwrap()));
    assert!(alarmed().len() > 10);
    assert_eq!(signals.union(&wholes).cloned().collect::<BTreeSet<_>>(), alarmed());
    for list in [signals, wholes] {
        let mut listed: Vec<Vec<&str>> = TEMPLATE
            .lines()
            .filter_map(|line| line.trim().strip_prefix("- [")?.strip_suffix(']'))
            .map(|names| names.split(", ").collect())
            .collect();
        listed.retain(|names| list.contains(names[0]));
        assert_eq!(listed.len(), 1);
        assert_eq!(listed[0].iter().map(|name| (*name).to_owned()).collect::<BTreeSet<_>>(), list);
    }
}

#[test]
fn its_variables_are_known_to_the_functions() {
    let named =
        |line: &str| Some(line.trim().split_once(':')?.0.to_owned()).filter(|name| name.starts_with("HOOKLEDGER_"));
    let names: Vec<String> = TEMPLATE.lines().filter_map(named).collect();
    assert!(names.len() > 5, "{names:?}");
    for name in names.iter().filter(|name| !VAULT.contains(&name.as_str())) {
        assert_eq!(WorkerConfig::stranger(&registry::providers(), &BTreeMap::new(), name), None);
    }
}

#[test]
fn the_watches_run_as_often_as_they_believe() {
    let runs_every_ms = hookledger::audit::Limits::new(registry::retention_s_min()).run_every_ms;
    assert_eq!(runs_every_ms, 3_600_000);
    for rate in ["ScheduleExpression: rate(1 hour)", "ScheduleExpression: rate(1 minute)"] {
        assert_eq!(TEMPLATE.matches(rate).count(), 1, "{rate}");
    }
}
