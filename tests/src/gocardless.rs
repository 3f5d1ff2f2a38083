//! GoCardless's API, as far as it is asked: payments with their events, a mandate, refunds, payouts.

use serde_json::{Value, json};

use crate::api::{ApiAnswer, TestApi};
use crate::world::sample;

/// The mandate of every payment.
const MANDATE: &str = "/mandates/MD0HKLANNA001";

/// The server, knowing one mandate from the start.
pub struct GoCardlessApi {
    /// Its answers.
    pub api: TestApi,
}

impl GoCardlessApi {
    /// Knows the mandate, and its customer `CU0HKLANNA001`.
    pub async fn start() -> Self {
        let api = TestApi::start().await;
        let links = json!({"customer": "CU0HKLANNA001", "creditor": "CR0HKL1"});
        api.put(MANDATE, &json!({"mandates": {"id": "MD0HKLANNA001", "status": "active", "links": links}}));
        Self { api }
    }

    /// The only event in a sample file.
    pub fn event(name: &str) -> Value {
        let delivery: Value = serde_json::from_slice(&sample("gocardless", name)).unwrap();
        delivery["events"][0].clone()
    }

    /// A delivery of these events.
    pub fn delivery(events: &[Value]) -> Vec<u8> {
        json!({"events": events, "meta": {"webhook_id": "WB0HKLTEST1"}}).to_string().into_bytes()
    }

    /// The path of a payment's list of events.
    pub fn list_of(payment: &str) -> String {
        format!("/events?payment={payment}&limit=500")
    }

    /// A payment of 12.50 EUR to which this has happened, oldest first.
    pub fn payment(&self, id: &str, oldest_first: &[Value]) {
        let newest_first: Vec<&Value> = oldest_first.iter().rev().collect();
        let cursors = json!({"before": null, "after": null});
        self.api.put(&Self::list_of(id), &json!({"events": newest_first, "meta": {"cursors": cursors, "limit": 500}}));
        let links = json!({"mandate": "MD0HKLANNA001", "creditor": "CR0HKL1"});
        let payment = json!({"id": id, "amount": 1250, "currency": "EUR", "links": links});
        self.api.put(&format!("/payments/{id}"), &json!({ "payments": payment }));
    }

    /// A refund of 6.25 EUR.
    pub fn refund(&self, id: &str) {
        let links = json!({"mandate": "MD0HKLANNA001"});
        let created_at = "2026-11-10T12:00:00.000Z";
        let refund = json!({"id": id, "amount": 625, "currency": "EUR", "created_at": created_at, "links": links});
        self.api.put(&format!("/refunds/{id}"), &json!({ "refunds": refund }));
    }

    /// A payout of 987.50 EUR.
    pub fn payout(&self, id: &str) {
        let created_at = "2026-11-09T06:00:00.000Z";
        let payout = json!({"id": id, "amount": 98_750, "currency": "EUR", "created_at": created_at});
        self.api.put(&format!("/payouts/{id}"), &json!({ "payouts": payout }));
    }

    /// The mandate cannot be had.
    pub fn lose_mandate(&self, answer: ApiAnswer) {
        self.api.at(MANDATE, answer);
    }

    /// The paths that were asked for, in lower case.
    pub fn asked(&self) -> Vec<String> {
        let path = |head: &String| head.split(' ').nth(1).unwrap_or_default().to_owned();
        self.api.asked().iter().map(path).collect()
    }
}
