//! PayPal from the delivery to the record: a certificate that is fetched, and an event that is read again.

use std::pin::Pin;
use std::sync::{Arc, Mutex};

use hookledger::certificates::{CertificateError, CertificateSource, Certificates};
use hookledger::claim::{ClaimKey, State};
use hookledger::items::IndexRow;
use hookledger::plan::ParkReason;
use hookledger::receive::{Answer, Receiver};
use hookledger::request::{Headers, UnverifiedRequest, encode_base64};
use hookledger::work::{Settings, Worked, Worker};
use hookledger_paypal::PayPal;
use hookledger_tests::{API_KEY, ApiAnswer, TestApi, World, header, put_on_bus, sample};
use ring::rand::SystemRandom;
use ring::signature::{RSA_PKCS1_SHA256, RsaKeyPair};
use rustls_pki_types::pem::PemObject as _;
use rustls_pki_types::{CertificateDer, PrivatePkcs8KeyDer};
use serde_json::{Value, json};

const WEBHOOK: &str = "1JE4291016473214C";
pub(crate) const URL: &str = "https://api.paypal.com/v1/notifications/certs/CERT-360caa42-fca2a594-7a47c14e";
const EVENT: &str = "payment_capture_completed";
const EVENT_ID: &str = "WH-0VIOLIN0000000001-0CAPTURE000000001";
pub(crate) const SIGNER: &str = include_str!("../certificates/signer.pem");

/// Where the certificates are: what is answered, and how often it was asked.
#[derive(Clone)]
struct Shelf(Arc<Mutex<(Result<String, CertificateError>, usize)>>);

impl CertificateSource for Shelf {
    fn read<'a>(
        &'a self,
        _url: &'a str,
    ) -> Pin<Box<dyn Future<Output = Result<Vec<u8>, CertificateError>> + Send + 'a>> {
        let mut shelf = self.0.lock().unwrap();
        shelf.1 += 1;
        let answer = shelf.0.clone().map(String::into_bytes);
        Box::pin(async { answer })
    }
}

/// A world that trusts the made-up root, with PayPal's function in it.
async fn paypal(answer: Result<&str, CertificateError>) -> (World, Receiver, Shelf) {
    let world = World::builder().provider(PayPal).secrets(&format!("shop@{WEBHOOK}")).build().await;
    let shelf = Shelf(Arc::new(Mutex::new((answer.map(str::to_owned), 0))));
    let mut receiver = Arc::into_inner(world.process()).unwrap();
    receiver.certificates = trusting(shelf.clone());
    (world, receiver, shelf)
}

fn trusting(shelf: Shelf) -> Certificates {
    Certificates::new(shelf, &[CertificateDer::from_pem_slice(ROOT.as_bytes()).unwrap()])
}

/// The certificates of the made-up sender, there whenever they are asked for.
pub(crate) fn certificates() -> Certificates {
    trusting(Shelf(Arc::new(Mutex::new((Ok(SIGNER.to_owned()), 0)))))
}

/// The headers the made-up sender sends with `body` to the webhook of this id.
pub(crate) fn headers(body: &[u8], webhook: &str, time: &str, url: &str) -> Vec<(String, String)> {
    let key = PrivatePkcs8KeyDer::from_pem_slice(include_bytes!("../certificates/signer.key")).unwrap();
    let key = RsaKeyPair::from_pkcs8(key.secret_pkcs8_der()).unwrap();
    let id = "69cd13f0-d67a-11e5-baa3-778b53f4ae55";
    let message = format!("{id}|{time}|{webhook}|{}", crc32fast::hash(body));
    let mut code = vec![0; key.public().modulus_len()];
    key.sign(&RSA_PKCS1_SHA256, &SystemRandom::new(), message.as_bytes(), &mut code).unwrap();
    let headers = [
        ("PAYPAL-TRANSMISSION-ID", id),
        ("PAYPAL-TRANSMISSION-TIME", time),
        ("PAYPAL-TRANSMISSION-SIG", &encode_base64(&code)),
        ("PAYPAL-CERT-URL", url),
        ("PAYPAL-AUTH-ALGO", "SHA256withRSA"),
    ];
    headers.map(|(name, value)| (name.to_owned(), value.to_owned())).into()
}

fn request(world: &World, body: &[u8], url: &str) -> UnverifiedRequest {
    let headers = Headers::new(headers(body, WEBHOOK, "2026-11-30T10:00:01Z", url));
    UnverifiedRequest { headers, ..world.request(body) }
}

async fn deliver(world: &World, receiver: &Receiver, url: &str) -> Answer {
    receiver.receive(request(world, &sample("paypal", EVENT), url), world.deadline()).await
}

fn key() -> ClaimKey {
    ClaimKey::new("paypal", "shop", EVENT_ID)
}

fn event() -> Value {
    serde_json::from_slice(&sample("paypal", EVENT)).unwrap()
}

/// An API that gives tokens and has this event.
async fn api(event: &Value) -> TestApi {
    let api = TestApi::start().await;
    api.put("/v1/oauth2/token", &json!({"access_token": "A21AA", "token_type": "Bearer", "expires_in": 32_400}));
    api.put(&format!("/v1/notifications/webhooks-events/{EVENT_ID}"), event);
    api
}

#[tokio::test]
async fn a_delivery_is_kept_then_read_at_the_api_and_recorded() {
    let (world, receiver, shelf) = paypal(Ok(SIGNER)).await;
    assert_eq!(deliver(&world, &receiver, URL).await.reply.status, 200);
    let again = deliver(&world, &receiver, URL).await;
    assert_eq!((again.reply.status, header(&again, "hookledger-replay")), (200, Some("true")));
    assert_eq!(shelf.0.lock().unwrap().1, 1, "the certificate is fetched once");
    assert_eq!(world.claims().await[0].state, State::Received);
    let api = api(&event()).await;
    let worker = world.worker_with(Settings::default(), Some(api.url()));
    assert_eq!(world.work(&worker, &key()).await, Worked::Settled { known: 0, account_unknown: false });
    let claims = world.claims().await;
    assert_eq!((claims.len(), claims[0].state, claims[0].entries.len()), (1, State::Done, 0));
    let asked = api.asked();
    assert_eq!(asked.len(), 2);
    let basic = format!("authorization: basic {}\r\n", encode_base64(API_KEY.as_bytes()).to_lowercase());
    assert!(asked[0].starts_with("post /v1/oauth2/token http/1.1\r\n") && asked[0].contains(&basic), "{asked:?}");
    assert!(asked[1].starts_with("get /v1/notifications/webhooks-events/wh-0violin"), "{asked:?}");
    assert!(asked[1].contains("authorization: bearer a21aa\r\n") && !asked[1].contains("basic"), "{asked:?}");
}

#[tokio::test]
async fn a_certificate_that_cannot_be_had_is_waited_for_and_a_wrong_one_is_refused() {
    let gone = CertificateError::Unreachable("away".to_owned());
    let (world, receiver, shelf) = paypal(Err(gone)).await;
    let unavailable = deliver(&world, &receiver, URL).await;
    assert_eq!((unavailable.reply.status, header(&unavailable, "retry-after")), (503, Some("5")));
    let elsewhere = "https://api.paypal.com.evil.example/v1/notifications/certs/CERT-1";
    assert_eq!(deliver(&world, &receiver, elsewhere).await.reply.status, 401);
    assert_eq!(shelf.0.lock().unwrap().1, 1, "nothing is fetched from elsewhere");
    for wrong in [include_str!("../certificates/other.pem"), include_str!("../certificates/self_signed.pem"), "", ROOT]
    {
        shelf.0.lock().unwrap().0 = Ok(wrong.to_owned());
        assert_eq!(deliver(&world, &receiver, URL).await.reply.status, 401);
    }
    let forged = request(&world, &sample("paypal", "payment_capture_denied"), URL);
    let forged = UnverifiedRequest { body: sample("paypal", EVENT).into(), ..forged };
    shelf.0.lock().unwrap().0 = Ok(SIGNER.to_owned());
    assert_eq!(receiver.receive(forged, world.deadline()).await.reply.status, 401);
    assert_eq!(world.calls(), 0);
    assert_eq!(deliver(&world, &receiver, URL).await.reply.status, 200);
}

const ROOT: &str = include_str!("../certificates/root.pem");

#[tokio::test]
async fn what_the_api_does_not_confirm_waits_for_a_person() {
    let mut other = event();
    other["event_type"] = "PAYMENT.CAPTURE.DENIED".into();
    for (answer, parks) in [(Some(other), true), (None, true), (Some(event()), false)] {
        let (world, receiver, _) = paypal(Ok(SIGNER)).await;
        assert_eq!(deliver(&world, &receiver, URL).await.reply.status, 200);
        let api = api(&answer.clone().unwrap_or_default()).await;
        if answer.is_none() {
            api.at(&format!("/v1/notifications/webhooks-events/{EVENT_ID}"), ApiAnswer::Full(404, Vec::new()));
        }
        let worker = world.worker_with(Settings::default(), Some(api.url()));
        let parked = matches!(world.work(&worker, &key()).await, Worked::Parked { reason: ParkReason::Unreadable, .. });
        assert_eq!(parked, parks);
    }
}

#[tokio::test]
async fn sinks_are_told_what_the_api_says_and_not_what_came() {
    let (world, receiver, _) = paypal(Ok(SIGNER)).await;
    // Under the signature of another body: it binds no more than 32 bits, which a field that nobody reads can make up for.
    let mut forged = event();
    forged["resource"]["amount"]["value"] = "9999.00".into();
    assert_ne!(forged, event());
    let forged = request(&world, forged.to_string().as_bytes(), URL);
    assert_eq!(receiver.receive(forged, world.deadline()).await.reply.status, 200);
    let (api, outbox) = (api(&event()).await, put_on_bus());
    let worker = Worker { outbox, ..world.worker_with(Settings::default(), Some(api.url())) };
    assert!(matches!(world.work(&worker, &key()).await, Worked::Settled { .. }));
    let row = IndexRow { key: key(), part: "message#event.received##bus".to_owned() };
    let message = world.eyes.lease_message(&row, world.now(), 1, world.deadline()).await.unwrap().unwrap();
    let told: Value = serde_json::from_str(&message.body).unwrap();
    assert_eq!((&told["event"]["id"], &told["body"]), (&json!(EVENT_ID), &event()));
}

#[tokio::test]
async fn a_token_serves_until_it_ends_or_is_refused() {
    let (world, receiver, _) = paypal(Ok(SIGNER)).await;
    let deliver = async |tag: &str| {
        let text = String::from_utf8(sample("paypal", EVENT)).unwrap();
        let id = format!("{EVENT_ID}-{tag}");
        let body = text.replace(EVENT_ID, &id);
        assert_eq!(receiver.receive(request(&world, body.as_bytes(), URL), world.deadline()).await.reply.status, 200);
        (ClaimKey::new("paypal", "shop", &id), format!("/v1/notifications/webhooks-events/{id}"), body)
    };
    let api = api(&event()).await;
    let worker = world.worker_with(Settings::default(), Some(api.url()));
    let tokens = || api.asked().iter().filter(|asked| asked.starts_with("post ")).count();
    let serve = |path: &str, body: &str| api.at(path, ApiAnswer::Full(200, body.as_bytes().to_vec()));
    for tag in ["1", "2"] {
        let (key, path, body) = deliver(tag).await;
        serve(&path, &body);
        assert!(matches!(world.work(&worker, &key).await, Worked::Settled { .. }));
    }
    assert_eq!(tokens(), 1);
    world.advance_s(32_400 - 60);
    let (key, path, body) = deliver("3").await;
    serve(&path, &body);
    assert!(matches!(world.work(&worker, &key).await, Worked::Settled { .. }));
    assert_eq!(tokens(), 2);
    let (key, path, body) = deliver("4").await;
    api.at(&path, ApiAnswer::Full(401, Vec::new()));
    assert!(matches!(world.work(&worker, &key).await, Worked::Later { .. }));
    serve(&path, &body);
    world.wait_for(&key).await;
    assert!(matches!(world.work(&worker, &key).await, Worked::Settled { .. }));
    assert_eq!(tokens(), 3, "a token that was refused is not used again");
    for refusal in [ApiAnswer::Full(401, Vec::new()), ApiAnswer::Full(200, b"{}".to_vec()), ApiAnswer::Close] {
        world.advance_s(32_400);
        api.at("/v1/oauth2/token", refusal);
        let (key, ..) = deliver(&format!("5-{}", world.now().get())).await;
        assert!(matches!(world.work(&worker, &key).await, Worked::Later { .. }), "our key is ours to mend");
    }
}
