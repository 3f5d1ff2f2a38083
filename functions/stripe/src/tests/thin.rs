//! Events that only point at their object.

use hookledger::plan::{Fetched, ParentEntry};
use serde_json::{Value, json};

use super::{edited, event, file, interpret, line, object_of, resume};

fn answered(thin: &str, object: &Value) -> String {
    line(&resume(&event(file(thin)), Fetched::Object(object.to_string().into_bytes())))
}

#[test]
fn the_fetched_object_means_what_it_means_in_a_snapshot() {
    let charge = object_of("charge_succeeded");
    assert_eq!(answered("thin_charge_succeeded", &charge), line(&interpret(file("charge_succeeded"))));
    // Read late: refunded since, yet what was captured stays.
    assert_eq!(
        answered("thin_charge_succeeded", &object_of("charge_refunded")),
        line(&interpret(file("charge_succeeded")))
    );
    let mut payout = object_of("payout_failed_1");
    payout["id"] = json!("po_1ThConn000000001");
    let twin = line(&interpret(file("payout_failed_1"))).replace("po_1ThMonday0000001", "po_1ThConn000000001");
    assert_eq!(answered("thin_payout_paid_connect", &payout), twin);
}

#[test]
fn a_refund_is_read_with_its_charge_and_so_knows_its_account() {
    let mut refund = object_of("refund_failed_1");
    let by_entry = |account: Option<&str>| {
        let parent = Some(ParentEntry { account: account.map(Into::into) });
        line(&resume(&event(file("refund_failed_1")), Fetched::ParentEntry(parent)))
    };
    assert_eq!(answered("thin_refund_updated", &refund), by_entry(None));
    refund["charge"] = object_of("charge_succeeded");
    assert_eq!(answered("thin_refund_updated", &refund), by_entry(Some("cus_TkMiraHolt001")));
    assert_eq!(answered("thin_refund_updated", &object_of("refund_created_pending_1")), "ignore nothing_moved");
}

#[test]
fn another_object_than_the_one_asked_for_is_kept_for_a_person() {
    let park = "park unreadable: id: not the object that was asked for";
    assert_eq!(answered("thin_charge_succeeded", &object_of("charge_succeeded_guest")), park);
    assert_eq!(answered("thin_charge_succeeded", &object_of("refund_failed_1")), park);
    assert_eq!(answered("thin_charge_succeeded", &json!({"error": {}})), "park unreadable: object: missing");
    let stray = resume(&event(file("thin_charge_succeeded")), Fetched::ParentEntry(None));
    assert_eq!(line(&stray), "park unreadable: the answer is of a kind that this event did not ask for");
}

#[test]
fn only_plain_paths_of_the_api_are_read_with_our_key() {
    let url = "/v1/charges/ch_3ThGuitar0000001";
    let read =
        |to: &str| line(&interpret(edited("thin_charge_succeeded", &format!("\"{url}\""), &format!("\"{to}\""))));
    assert_eq!(read("/v2/charges/ch-1_A"), "fetch /v2/charges/ch-1_A");
    for bad in [
        "",
        "/",
        "/v3/charges/ch_1",
        "v1/charges/ch_1",
        "https://example.com/v1/charges/ch_1",
        "//example.com/v1/charges/ch_1",
        "/v1//example.com",
        "/v1//charges",
        "/v1/../admin",
        "/v1/%2e%2e/admin",
        "/v1/charges/ch_1?expand[]=x",
        "/v1/charges/ch_1#x",
        "/v1/charges\\\\ch_1",
        "/v1/charges/ch_1\\r\\nHost: x",
        "/v1/@example.com/",
    ] {
        assert_eq!(read(bad), "park unreadable: related_object.url: not a plain path of the API", "{bad:?}");
    }
}

#[test]
fn events_about_a_charge_that_bring_no_cash_are_not_read() {
    for event_type in ["v1.charge.refunded", "v1.charge.updated", "v1.charge.pending", "v2.charge.succeeded"] {
        let body = edited("thin_charge_succeeded", "v1.charge.succeeded", event_type);
        assert_eq!(line(&interpret(body)), "ignore event_type", "{event_type}");
    }
    let captured = edited("thin_charge_succeeded", "v1.charge.succeeded", "v1.charge.captured");
    assert!(line(&interpret(captured)).starts_with("fetch "));
    let dispute = json!({"id": "evt_1", "object": "v2.core.event", "type": "v1.charge.dispute.closed",
        "related_object": {"id": "du_1", "type": "dispute", "url": "/v1/disputes/du_1"}});
    assert_eq!(line(&interpret(dispute.to_string())), "fetch /v1/disputes/du_1?expand[]=charge");
    let about_nothing =
        json!({"id": "evt_1", "object": "v2.core.event", "type": "v2.core.ping", "related_object": null});
    assert_eq!(line(&interpret(about_nothing.to_string())), "ignore event_type");
}
