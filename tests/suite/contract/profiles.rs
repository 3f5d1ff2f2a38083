//! Constants.

use hookledger::provider::Reply;
use hookledger::request::KeySet;

use super::all;

#[test]
fn names_go_into_paths_keys_and_variables_and_answers_beside_every_claim() {
    for listed in all() {
        let (name, profile) = (listed.name, listed.provider.profile());
        let fits = |byte: u8| byte.is_ascii_lowercase() || byte.is_ascii_digit() || byte == b'-';
        assert!(!name.is_empty() && name.bytes().all(fits), "{name}");
        let success = profile.transport.success;
        assert!((200..300).contains(&success.status) && success.body.len() <= Reply::BODY_BYTES_MAX, "{name}");
        let api_url = listed.provider.api_url();
        assert!(api_url.is_none_or(|url| url.starts_with("https://") && !url.ends_with('/')), "{name}");
    }
}

#[test]
fn an_answer_that_asks_for_another_attempt_is_none_that_ends_them() {
    for listed in all() {
        let transport = listed.provider.profile().transport;
        assert!((400..600).contains(&transport.in_flight_status), "{}", listed.name);
        // The sender takes the endpoint for gone.
        assert!(![transport.in_flight_status, transport.mismatch_status].contains(&410), "{}", listed.name);
        assert!(transport.deadline_ms >= 2_000 && !transport.methods.is_empty(), "{}", listed.name);
    }
}

#[test]
fn the_secret_of_the_local_stack_is_a_key() {
    for listed in all() {
        let keys = KeySet::parse(listed.secret()).unwrap();
        assert_eq!(keys.problem(listed.provider.algorithms()), None, "{}", listed.name);
    }
}

#[test]
fn every_certificate_is_bound_to_hosts_a_path_and_names() {
    for listed in all() {
        let Some(rules) = listed.provider.certificates() else { continue };
        assert!(!rules.hosts.is_empty() && !rules.names.is_empty(), "{}", listed.name);
        assert!(rules.path.starts_with('/') && rules.path.ends_with('/'), "{}", listed.name);
    }
}
