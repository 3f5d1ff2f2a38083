//! Bodies that nobody should send, signed: answered for good, kept where we own them, and booked never.

use std::collections::BTreeMap;

use hookledger::claim::State;
use hookledger::provider::Mode;
use hookledger::request::encode_base64;

use super::{Desk, Listed, all};

const DEEP: usize = 20_000;

/// Text that packs into more than may be kept.
fn noise() -> String {
    let mut state = 0x9e37_79b9_7f4a_7c15_u64;
    let mut bytes = Vec::new();
    while bytes.len() < 3_400_000 {
        state ^= state << 13;
        state ^= state >> 7;
        state ^= state << 17;
        bytes.extend(state.to_le_bytes());
    }
    encode_base64(&bytes)
}

/// With a name that stands twice in every object but the outermost.
fn inside(text: &str) -> String {
    let (before, after) = text.split_at(text.find('{').map_or(0, |at| at + 1));
    let twice = after.replace('{', r#"{"hookledger":1,"hookledger":2,"#);
    format!("{before}{}", twice.replace(",}", "}"))
}

/// By what is wrong with it.
fn odd(sample: &[u8]) -> BTreeMap<&'static str, Vec<u8>> {
    let text = String::from_utf8(sample.to_vec()).unwrap();
    let at = text.find('{').or(text.find('<')).unwrap();
    let mut not_text = sample.to_vec();
    let middle = not_text.len() / 2;
    not_text[middle] = 0xff;
    let mut all = BTreeMap::from([
        ("a name twice", text.replacen('{', r#"{"id":"evt_x","id":"evt_y","#, 1).into_bytes()),
        ("names twice inside", inside(&text).into_bytes()),
        ("not UTF-8", not_text),
        ("a byte order mark", [b"\xef\xbb\xbf", sample].concat()),
        ("two documents", [sample, sample].concat()),
        ("deep lists", vec![b'['; DEEP]),
        ("deep objects", r#"{"a":"#.repeat(DEEP).into_bytes()),
        ("deep and closed", [vec![b'['; DEEP], vec![b']'; DEEP]].concat()),
        ("a long text", format!(r#"{{"id":"{}"}}"#, "x".repeat(300_000)).into_bytes()),
        ("many fields", format!("{{{}\"z\":1}}", r#""a":1,"#.repeat(10_000)).into_bytes()),
        ("a zero byte", vec![0]),
        ("a blank", b" \n".to_vec()),
        ("null", b"null".to_vec()),
        ("a number", b"1e999999".to_vec()),
        ("a list", b"[]".to_vec()),
        ("an object", b"{}".to_vec()),
        ("a lone surrogate", br#"{"id":"\ud800","type":"\udfff"}"#.to_vec()),
        ("an entity", b"<!DOCTYPE a [<!ENTITY b \"&b;&b;\">]><a>&b;</a>".to_vec()),
    ]);
    all.insert("cut off in the middle", sample[..middle].to_vec());
    all.insert("cut off before its end", sample[..sample.len() - 3].to_vec());
    all.insert("cut off after its beginning", sample[..=at].to_vec());
    all
}

/// What was kept for a person are bytes that came.
async fn are_kept(listed: &Listed, desk: &Desk, bodies: &BTreeMap<&str, Vec<u8>>) {
    for claim in desk.world.claims().await {
        let name = listed.name;
        let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
        if claim.state == State::Done {
            assert!(claim.entries.is_empty(), "{name} {claim:?}");
            continue;
        }
        let story = desk.world.story(&claim.key).await;
        let kept = story.kept.unwrap_or_else(|| panic!("{name} {}: nothing is kept", claim.key)).body;
        let came = bodies.values().any(|body| *body == kept || text(body).contains(&text(&kept)));
        assert!(!kept.is_empty() && (came || listed.seals()), "{name} {}", claim.key);
    }
}

#[tokio::test]
async fn an_odd_body_is_answered_for_good_and_books_nothing() {
    for listed in all() {
        let desk = listed.desk(Mode::Live).await;
        let sample = listed.samples.values().max_by_key(|body| body.len()).unwrap();
        let bodies = odd(sample);
        for (what, body) in &bodies {
            let first = desk.deliver(&listed, body).await.reply;
            let again = desk.deliver(&listed, body).await.reply;
            assert_eq!(first, again, "{} {what}", listed.name);
            let success = first == listed.provider.profile().transport.success.into();
            // Codes cannot be put into what has no place for them.
            let unsigned = listed.seals() && first.status == 401;
            assert!(success || unsigned || first.status == 400, "{} {what}: {first:?}", listed.name);
            assert_eq!(desk.world.booked().await, [], "{} {what}", listed.name);
        }
        assert_eq!(desk.world.metrics.results("unavailable"), 0, "{}", listed.name);
        are_kept(&listed, &desk, &bodies).await;
    }
}

/// Whatever stands in a field that nobody reads.
#[test]
fn a_deep_field_that_nobody_reads_changes_nothing() {
    let deep = format!("{}{}", "[".repeat(DEEP), "]".repeat(DEEP));
    for listed in all() {
        for (sample, body) in &listed.samples {
            let text = String::from_utf8(body.clone()).unwrap();
            let deeper = text.replacen('{', &format!(r#"{{"hookledger_deep":{deep},"#), 1);
            let plans = |body: &[u8]| listed.events(body).iter().map(|event| listed.plan(event)).collect::<Vec<_>>();
            // A body that is no document is another one then.
            let same = plans(deeper.as_bytes()) == plans(body);
            assert!(
                same || listed.events(body).iter().all(|event| event.problem.is_some()),
                "{} {sample}",
                listed.name
            );
        }
    }
}

/// A cut sample is another fact than the whole one: once the rest comes as it should, it is booked beside it.
#[tokio::test]
async fn a_body_cut_anywhere_is_kept_or_refused() {
    for listed in all() {
        let desk = listed.desk(Mode::Live).await;
        for (sample, body) in &listed.samples {
            for at in [1, body.len() / 7, body.len() / 3, body.len() * 4 / 5] {
                let status = desk.deliver(&listed, &body[..at]).await.reply.status;
                assert!((200..300).contains(&status) || [400, 401].contains(&status), "{} {sample} {at}", listed.name);
            }
        }
        assert_eq!(desk.world.booked().await, [], "{}", listed.name);
        assert_eq!(desk.world.metrics.results("unavailable"), 0, "{}", listed.name);
    }
}

#[tokio::test]
async fn what_is_too_large_to_be_kept_is_refused_before_it_is_looked_at() {
    let body = format!(r#"{{"id":"x","noise":"{}"}}"#, noise());
    for listed in all() {
        let desk = listed.desk(Mode::Live).await;
        // It is not looked at, so nothing of it need be signed.
        let mut request = listed.request(b"{}", listed.secret(), desk.world.now());
        request.body = body.clone().into();
        assert_eq!(desk.receive(request).await.reply.status, 413, "{}", listed.name);
        assert_eq!(desk.world.calls(), 0);
    }
}

#[tokio::test]
async fn an_empty_body_is_refused() {
    for listed in all() {
        let desk = listed.desk(Mode::Live).await;
        let mut request = listed.request(b"{}", listed.secret(), desk.world.now());
        request.body = bytes::Bytes::new();
        assert_eq!(desk.receive(request).await.reply.status, 400, "{}", listed.name);
        assert_eq!(desk.world.calls(), 0);
    }
}
