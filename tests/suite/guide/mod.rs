//! The provider that the README makes is in the README as it stands here, and does what is said of it.

// Public, as it is where a provider has a crate of its own.
#[allow(unreachable_pub)]
mod acme;

use hookledger::claim::State;
use hookledger::request::{Headers, UnverifiedRequest};
use hookledger_tests::{World, header};

use self::acme::Acme;

const PAID: &str = r#"{"id":"evt_1","attempt":1,"type":"payment.paid","created_at":"2026-11-30T18:00:00Z",
  "data":{"id":"pay_1","amount":4200,"currency":"eur","customer":"cus_1"}}"#;
const REFUNDED: &str = r#"{"id":"evt_2","attempt":1,"type":"refund.paid","created_at":"2026-11-30T19:00:00Z",
  "data":{"id":"ref_1","amount":1500,"currency":"eur","customer":"cus_1","payment":"pay_1"}}"#;

#[test]
fn the_readme_shows_this_very_code() {
    let (readme, code) = (include_str!("../../../README.md"), include_str!("acme.rs"));
    assert!(readme.contains(&format!("```rust\n{code}```\n")), "copy tests/suite/guide/acme.rs into the README");
    assert!(code.lines().count() < 100);
    for sample in [PAID, REFUNDED] {
        assert!(readme.contains(sample), "the README shows {sample}");
    }
}

#[tokio::test]
async fn it_books_once_in_every_order_and_refuses_what_acme_did_not_sign() {
    for order in [[PAID, REFUNDED], [REFUNDED, PAID]] {
        let world = World::builder().provider(Acme).build().await;
        for body in order {
            assert_eq!(world.deliver(body.to_owned()).await.reply.status, 200);
            let retry = world.deliver(body.replace(r#""attempt":1"#, r#""attempt":2"#)).await;
            assert_eq!((retry.reply.status, header(&retry, "hookledger-replay")), (200, Some("true")));
        }
        let mut booked: Vec<_> =
            world.ledger().await.into_iter().map(|row| (row.held.amount_minor, row.movement)).collect();
        booked.sort_by_key(|(amount, _)| *amount);
        assert_eq!(booked.iter().map(|(amount, _)| *amount).collect::<Vec<_>>(), [-1_500, 4_200]);
        assert_eq!(booked[1].1.to_string(), "acme::pay_1");

        let genuine = world.request(PAID.replace("4200", "9999"));
        let forged = UnverifiedRequest { headers: Headers::default(), ..genuine.clone() };
        assert_eq!(world.receive(forged).await.reply.status, 401);
        assert_eq!(
            world.receive(genuine).await.reply.status,
            422,
            "a known id with another amount is kept for a person"
        );
    }
}

#[tokio::test]
async fn what_it_cannot_read_is_kept() {
    let world = World::builder().provider(Acme).build().await;
    for broken in ["{", r#"{"id":"","type":"payment.paid"}"#, r#"{"id":"evt_3","type":"payment.paid","data":{}}"#] {
        assert_eq!(world.deliver(broken.to_owned()).await.reply.status, 200, "{broken}");
    }
    assert!(world.claims().await.iter().all(|claim| claim.state == State::Parked));
    assert_eq!((world.claims().await.len(), world.ledger().await.len()), (3, 0));
}
