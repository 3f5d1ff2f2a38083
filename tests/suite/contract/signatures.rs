//! Who is believed.

use hookledger::plan::Plan;
use hookledger::request::{Headers, Unverified, UnverifiedRequest};
use hookledger::time::UnixMs;
use hookledger_tests::NOW;

use super::{Listed, all, another, entries};

/// One sample is changed in every byte, the others in some.
const STRIDE: usize = 41;

fn with_headers(request: &UnverifiedRequest, headers: &[(&str, &str)]) -> UnverifiedRequest {
    UnverifiedRequest { headers: Headers::new(headers.iter().copied()), ..request.clone() }
}

/// A text with the lowest bit of one of its characters turned: another digit, or none.
fn flipped(text: &str, at: usize) -> String {
    let mut bytes = text.as_bytes().to_vec();
    bytes[at] ^= 1;
    String::from_utf8(bytes).unwrap()
}

#[test]
fn what_it_signs_is_accepted_and_what_another_signs_is_not() {
    for listed in all() {
        for (sample, body) in &listed.samples {
            let request = listed.request(body, listed.secret(), NOW);
            assert!(listed.verify(request, listed.secret(), NOW).is_ok(), "{} {sample}", listed.name);
            let guessed = another(listed.secret());
            let forged = listed.request(body, &guessed, NOW);
            assert!(listed.verify(forged, listed.secret(), NOW).is_err(), "{} {sample}", listed.name);
        }
    }
}

/// What an accepted delivery says at most what the original said: not all of a body is signed everywhere.
fn says_no_more(listed: &Listed, changed: UnverifiedRequest, original: &[u8]) -> bool {
    let Ok(verified) = listed.verify(changed, listed.secret(), NOW) else { return true };
    if !listed.seals() {
        return false;
    }
    let booked = |plan: &Plan| -> Vec<_> {
        let entry = |entry: &hookledger::plan::Entry| {
            (entry.occurrence.clone(), entry.kind, entry.amount_minor, entry.currency, entry.account.clone())
        };
        entries(plan).iter().map(entry).collect()
    };
    let known = listed.events(original);
    let all: Vec<_> = known.iter().flat_map(|event| booked(&listed.plan(event))).collect();
    listed.provider.identify(&verified).iter().all(|event| {
        let names_itself =
            event.problem.is_some() || known.iter().any(|known| (&known.id, &known.scope) == (&event.id, &event.scope));
        names_itself && booked(&listed.plan(event)).iter().all(|entry| all.contains(entry))
    })
}

#[test]
fn one_flipped_bit_in_a_body_is_refused_or_says_no_more() {
    for listed in all() {
        for (nth, (sample, body)) in listed.samples.iter().enumerate() {
            let request = listed.request(body, listed.secret(), NOW);
            let step = if nth == 0 { 1 } else { STRIDE };
            for at in (nth % STRIDE..request.body.len()).step_by(step) {
                let mut changed = request.body.to_vec();
                changed[at] ^= 1 << (at % 8);
                let changed = UnverifiedRequest { body: changed.into(), ..request.clone() };
                assert!(says_no_more(&listed, changed, body), "{} {sample}: byte {at}", listed.name);
            }
        }
    }
}

/// Code, stamp, scheme and key's name: every character of what is signed or signs.
#[test]
fn one_flipped_bit_in_a_header_is_refused() {
    for listed in all() {
        let body = listed.samples.values().next().unwrap();
        let request = listed.request(body, listed.secret(), NOW);
        let headers: Vec<_> = request.headers.iter().collect();
        for (which, (name, value)) in headers.iter().enumerate() {
            if listed.row.unsigned_headers.iter().any(|header| header.eq_ignore_ascii_case(name)) {
                continue;
            }
            for at in 0..value.len() {
                let changed = flipped(value, at);
                let mut headers = headers.clone();
                headers[which].1 = &changed;
                let verified = listed.verify(with_headers(&request, &headers), listed.secret(), NOW);
                assert!(verified.is_err(), "{} {name}: {changed}", listed.name);
            }
        }
        assert!(listed.seals() || headers.len() > listed.row.unsigned_headers.len(), "{}", listed.name);
    }
}

#[test]
fn without_a_header_that_signs_it_is_refused() {
    for listed in all() {
        let body = listed.samples.values().next().unwrap();
        let request = listed.request(body, listed.secret(), NOW);
        let headers: Vec<_> = request.headers.iter().collect();
        let not_missed: Vec<_> = (0..headers.len())
            .filter(|at| {
                let others = [&headers[..*at], &headers[at + 1..]].concat();
                listed.verify(with_headers(&request, &others), listed.secret(), NOW).is_ok()
            })
            .map(|at| headers[at].0)
            .collect();
        let unsigned: Vec<_> = listed.row.unsigned_headers.iter().map(|name| name.to_ascii_lowercase()).collect();
        assert_eq!(not_missed, unsigned, "{}", listed.name);
    }
}

#[test]
fn another_scheme_is_refused() {
    for listed in all() {
        let body = listed.samples.values().next().unwrap();
        let request = listed.request(body, listed.secret(), NOW);
        let (from, to) = (&listed.row.wrong_scheme.0, &listed.row.wrong_scheme.1);
        let text = String::from_utf8(request.body.to_vec()).unwrap();
        let other = |value: &str| if from.is_empty() { format!("{to}{value}") } else { value.replace(from, to) };
        let changed = if listed.seals() {
            UnverifiedRequest { body: other(&text).into(), ..request.clone() }
        } else {
            let headers = Headers::new(request.headers.iter().map(|(name, value)| (name, other(value))));
            UnverifiedRequest { headers, ..request.clone() }
        };
        assert!(changed.body != request.body || changed.headers != request.headers, "{}", listed.name);
        assert!(listed.verify(changed, listed.secret(), NOW).is_err(), "{}", listed.name);
    }
}

#[test]
fn an_old_secret_serves_while_it_rotates_and_not_once_it_is_retired() {
    for listed in all() {
        let (old, new) = (listed.secret(), another(listed.secret()));
        let body = listed.samples.values().next().unwrap();
        for (secret, label) in [(old, "before"), (new.as_str(), "after")] {
            let request = || listed.request(body, secret, NOW);
            for both in [format!("before@{old},after@{new}"), format!("after@{new}, before@{old}")] {
                let verified = listed.verify(request(), &both, NOW).unwrap();
                assert_eq!(verified.label(), Some(label), "{}", listed.name);
            }
        }
        let retired = listed.verify(listed.request(body, old, NOW), &new, NOW);
        assert_eq!(retired.err(), Some(Unverified::NoMatch), "{}", listed.name);
    }
}

#[test]
fn a_stamp_is_tolerated_to_its_edge_both_ways_and_no_further() {
    for listed in all() {
        let body = listed.samples.values().next().unwrap();
        let request = listed.request(body, listed.secret(), NOW);
        let stamp = listed.provider.signature(&request).unwrap().stamp;
        assert_eq!(stamp.map(|stamp| stamp.tolerance_s), listed.row.tolerance_s, "{}", listed.name);
        let Some(stamp) = stamp else { continue };
        assert_eq!(stamp.at, NOW.to_s(), "{}", listed.name);
        let after_ms = |s: i64| listed.verify(request.clone(), listed.secret(), UnixMs::new(NOW.get() + s * 1_000));
        let edge_s = i64::try_from(stamp.tolerance_s).unwrap();
        assert!(after_ms(edge_s).is_ok() && after_ms(-edge_s).is_ok(), "{}", listed.name);
        assert!(matches!(after_ms(edge_s + 1), Err(Unverified::Stale { .. })), "{}", listed.name);
        assert!(matches!(after_ms(-edge_s - 1), Err(Unverified::FromTheFuture { .. })), "{}", listed.name);
    }
}
