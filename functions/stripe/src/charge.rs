//! A charge that is read at the API because its entry did not come: only its customer is taken from it.

use hookledger::json::Object;
use hookledger::plan::Occurrence;

use crate::object;

/// Where the charge is read. It goes out with our key, and the id comes from the sender: `None` where it is more than an
/// id.
pub(crate) fn path(charge: &Occurrence) -> Option<String> {
    let plain = |byte: u8| byte.is_ascii_alphanumeric() || byte == b'_';
    let is_id = !charge.id.is_empty() && charge.id.bytes().all(plain);
    is_id.then(|| format!("/v1/charges/{}", charge.id))
}

/// The charge's customer. `None`: it has none, or this is not the charge. Nothing is parked for it.
pub(crate) fn customer(answer: &[u8], charge: &Occurrence) -> Option<String> {
    let read = Object::parse(answer).ok()?;
    let asked = read.text("object").ok()? == "charge" && read.text("id").ok()? == charge.id.as_str();
    if asked { object::id(&read, "customer").ok()? } else { None }
}
