//! The page, through HTTP.

use bytes::Bytes;
use http::{Request, Response};

use super::stack::{deliver, send, stack};
use crate::Stack;

const BACK: &[u8] = include_bytes!("../../../../events/stripe/refund_updated_succeeded_1.json");
const BODY: &str = include_str!("../../../../events/stripe/charge_succeeded.json");

async fn get(stack: &Stack, path: &str) -> Response<Bytes> {
    send(stack, Request::get("/"), path, Bytes::new()).await
}

async fn text(stack: &Stack, path: &str) -> String {
    let answer = get(stack, path).await;
    assert_eq!(answer.status(), 200, "{path}");
    String::from_utf8(answer.body().to_vec()).unwrap()
}

/// The sample with another event id.
fn named(id: &str) -> Vec<u8> {
    let id = serde_json::to_string(id).unwrap();
    BODY.replace("\"evt_3ThGuitarPaid001\"", &id).into_bytes()
}

#[tokio::test]
async fn an_empty_stack_says_what_to_do() {
    let stack = stack().await;
    let page = text(&stack, "/").await;
    for said in ["Nothing was delivered yet", "Nothing is owed", "The ledger is empty", "cargo run -- send"] {
        assert!(page.contains(said), "{said}: {page}");
    }
    stack.stop().await;
}

#[tokio::test]
async fn it_shows_what_was_received_what_waits_and_what_was_booked() {
    let stack = stack().await;
    deliver(&stack, BODY.as_bytes()).await;
    deliver(&stack, BODY.as_bytes()).await;
    deliver(&stack, br#"{"id":"evt_broken","object":"event","livemode":true,"type":"charge.succeeded"}"#).await;
    deliver(&stack, BODY.replace("4200", "4300").as_bytes()).await;
    let page = text(&stack, "/").await;
    for said in [
        "<td>applied</td><td class=\"num\">1</td>",
        "<td>mismatch</td>",
        "<td>replayed</td>",
        "href=\"/events/stripe%3A%3Aevt_broken\"",
        "cargo run -- retry stripe::evt_broken",
        "cargo run -- resolve stripe::evt_3ThGuitarPaid001 --part",
        "<td class=\"num\">4200 USD</td>",
        "href=\"/accounts/stripe%3A%3Acus_TkMiraHolt001\"",
    ] {
        assert!(page.contains(said), "{said}: {page}");
    }
    let story = text(&stack, "/events/stripe%3A%3Aevt_3ThGuitarPaid001").await;
    for said in ["booked by this event", "The same id with another effect", "4300"] {
        assert!(story.contains(said), "{said}: {story}");
    }
    let account = text(&stack, "/accounts/stripe%3A%3Acus_TkMiraHolt001").await;
    assert!(account.contains("4200 USD") && account.contains("1 entry"), "{account}");
    assert_eq!(get(&stack, "/events/stripe%3A%3Anobody").await.status(), 404);
    assert_eq!(get(&stack, "/accounts/nobody").await.status(), 404);
    stack.stop().await;
}

#[tokio::test]
async fn what_senders_write_is_text_and_nothing_else() {
    let stack = stack().await;
    let hostile = "<script>alert(1)</script>\"'&\u{202e}\u{1b}[2K";
    deliver(&stack, &named(hostile)).await;
    deliver(&stack, b"{\"id\":\"<b>\",\"object\":\"event\",\"livemode\":true,\"type\":\"<img src=x onerror=y>\"}")
        .await;
    let page = text(&stack, "/").await;
    assert!(
        !page.contains("<script") && !page.contains("<b>") && !page.contains('\u{202e}') && !page.contains('\u{1b}')
    );
    assert!(page.contains("&lt;script&gt;"), "{page}");
    let path = page.split("href=\"").find(|part| part.starts_with("/events/") && part.contains("script")).unwrap();
    let story = text(&stack, path.split('"').next().unwrap()).await;
    assert!(!story.contains("<script") && story.contains("&lt;script&gt;"), "{story}");
    let parked = text(&stack, "/events/stripe%3A%3A%3Cb%3E").await;
    assert!(!parked.contains("<img") && parked.contains("&lt;img"), "{parked}");
    stack.stop().await;
}

#[tokio::test]
async fn a_browser_is_told_to_do_nothing_but_show_it() {
    let stack = stack().await;
    for path in ["/", "/events/x", "/style.css"] {
        let answer = get(&stack, path).await;
        let header = |name: &str| answer.headers()[name].to_str().unwrap().to_owned();
        assert!(header("content-security-policy").starts_with("default-src 'none'"), "{path}");
        assert_eq!((header("cache-control"), header("referrer-policy")), ("no-store".into(), "no-referrer".into()));
        assert_eq!(header("x-content-type-options"), "nosniff");
    }
    let head = send(&stack, Request::head("/"), "/", Bytes::new()).await;
    assert_eq!((head.status().as_u16(), head.body().len()), (200, 0));
    stack.stop().await;
}

#[tokio::test]
async fn under_another_name_it_shows_nothing() {
    let stack = stack().await;
    deliver(&stack, BODY.as_bytes()).await;
    for host in ["evil.example", "evil.example:9000", "127.0.0.1.evil.example", ""] {
        let answer = send(&stack, Request::get("/").header("host", host), "/", Bytes::new()).await;
        assert_eq!(answer.status(), 403, "{host}");
        assert!(!String::from_utf8_lossy(answer.body()).contains("cus_TkMiraHolt001"));
    }
    for host in ["localhost", "localhost:9000", "[::1]:9000", "127.0.0.1"] {
        let answer = send(&stack, Request::get("/").header("host", host), "/", Bytes::new()).await;
        assert_eq!(answer.status(), 200, "{host}");
    }
    stack.stop().await;
}

#[tokio::test]
async fn limits_are_said() {
    let stack = stack().await;
    for at in 0..51 {
        deliver(&stack, &named(&format!("evt_{at}"))).await;
        let fresh = crate::registry::provider("stripe").unwrap().refresh(BODY.as_bytes(), &format!("t{at}"));
        deliver(&stack, &fresh).await;
    }
    deliver(&stack, BACK).await;
    let page = text(&stack, "/").await;
    assert!(page.contains("The latest 50 of"), "{page}");
    stack.stop().await;
}
