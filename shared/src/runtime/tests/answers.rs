//! Answers reach the gateway byte for byte.

use bytes::Bytes;
use serde_json::{Value, json};

use super::super::answer::write;
use crate::provider::Reply;
use crate::receive::Answer;
use crate::request::decode_base64;

fn answer(status: u16, body: &[u8], content_type: &str) -> Answer {
    let reply = Reply { status, body: Bytes::copy_from_slice(body), content_type: content_type.to_owned() };
    Answer { reply, headers: Vec::new() }
}

/// What the gateway makes of it.
fn bytes(answer: &Value) -> Vec<u8> {
    let text = answer["body"].as_str().unwrap();
    if answer["isBase64Encoded"] == true { decode_base64(text).unwrap() } else { text.as_bytes().to_vec() }
}

#[test]
fn a_body_is_the_same_bytes_whatever_its_type_says() {
    let bodies: [&[u8]; 7] = [
        b"",
        b"null",
        br#"{"received":true}"#,
        "\u{feff}with a mark of byte order".as_bytes(),
        "🎸\u{2028}".as_bytes(),
        b"\xff\xfe\x00",
        b"caf\xe9",
    ];
    let types = ["", "application/json", "text/plain; charset=iso-8859-1", "application/octet-stream", "*"];
    for body in bodies {
        for content_type in types {
            let written = write(answer(200, body, content_type));
            assert_eq!(bytes(&written), body, "{content_type}: {written}");
            assert_eq!(written["isBase64Encoded"], std::str::from_utf8(body).is_err(), "{written}");
        }
    }
}

#[test]
fn an_answer_has_the_four_members_that_every_gateway_knows() {
    let mut given = answer(409, b"{}", "application/json");
    given.headers = vec![("retry-after", "5".to_owned())];
    let expected = json!({
        "statusCode": 409,
        "headers": {"content-type": "application/json", "retry-after": "5"},
        "body": "{}",
        "isBase64Encoded": false,
    });
    assert_eq!(write(given), expected);
    let bare = json!({"statusCode": 200, "headers": {}, "body": "", "isBase64Encoded": false});
    assert_eq!(write(answer(200, b"", "")), bare);
}
