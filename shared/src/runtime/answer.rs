//! What goes back to the gateway.

use serde_json::{Map, Value, json};

use crate::receive::Answer;
use crate::request::encode_base64;

/// One form that REST APIs, HTTP APIs (both payload formats) and function URLs take. `statusCode` is always there: without
/// it an HTTP API takes whatever came back for a body and answers 200. Sources as for [`super::envelope`].
///
/// The body is text wherever it is UTF-8, whatever its content type says, so its bytes arrive as they are stored. Other
/// bytes go as base64, which a REST API decodes only for its `binaryMediaTypes`.
pub(super) fn write(answer: Answer) -> Value {
    let Answer { reply, headers } = answer;
    let content_type = (!reply.content_type.is_empty()).then_some(("content-type", reply.content_type));
    let headers: Map<String, Value> =
        content_type.into_iter().chain(headers).map(|(name, value)| (name.to_owned(), Value::from(value))).collect();
    let (body, is_base64) = match String::from_utf8(reply.body.into()) {
        Ok(text) => (text, false),
        Err(other) => (encode_base64(other.as_bytes()), true),
    };
    json!({"statusCode": reply.status, "headers": headers, "body": body, "isBase64Encoded": is_base64})
}

/// When nothing else can be said. The sender comes again.
pub(super) fn unavailable() -> Value {
    json!({"statusCode": 503, "headers": {"retry-after": "5"}, "body": "", "isBase64Encoded": false})
}
