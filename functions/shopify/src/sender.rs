//! What Shopify would send: for the local stack and the tests.

use hookledger::claim::Digest;
use hookledger::json::Object;
use hookledger::request::Secret;

use crate::signature;

/// A field that only this topic's payloads have. The first that is there decides.
const TELLS: [(&str, &str); 7] = [
    ("evidence_due_by", "disputes/create"),
    ("refund_line_items", "refunds/create"),
    ("line_items", "orders/paid"),
    ("gateway", "order_transactions/create"),
    ("orders_to_redact", "customers/redact"),
    ("data_request", "customers/data_request"),
    ("variants", "products/update"),
];

/// Where no field tells.
const ELSE: &str = "app/uninstalled";

/// Signature, topic, shop and ids. The topic stands in no body, so it is told by the body's fields; the ids are made of the
/// body, as every redelivery has the same.
pub(crate) fn headers(body: &[u8], secret: &Secret) -> Vec<(String, String)> {
    let id = Digest::of(body).to_hex();
    let others = [
        ("X-Shopify-Topic", topic(body)),
        ("X-Shopify-Shop-Domain", "strings.myshopify.example"),
        ("X-Shopify-API-Version", "2026-07"),
        ("X-Shopify-Webhook-Id", &id),
        ("X-Shopify-Event-Id", &id),
    ];
    let others = others.map(|(name, value)| (name.to_owned(), value.to_owned()));
    std::iter::once(signature::make(body, secret)).chain(others).collect()
}

fn topic(body: &[u8]) -> &'static str {
    let Ok(payload) = Object::parse(body) else { return ELSE };
    let told = TELLS.into_iter().find(|(field, _)| payload.raw(field).is_some());
    told.map_or(ELSE, |(_, topic)| topic)
}

/// The same with a field in front that Shopify does not send: an event is named by its bytes.
pub(crate) fn refresh(body: &[u8], tag: &str) -> Vec<u8> {
    let Some(at) = body.iter().position(|byte| *byte == b'{') else { return [body, tag.as_bytes()].concat() };
    let (before, after) = body.split_at(at + 1);
    let comma = if after.trim_ascii_start().starts_with(b"}") { "" } else { "," };
    [before, format!("\"hookledger_tag\":\"{tag}\"{comma}").as_bytes(), after].concat()
}
