//! The names of attributes, sort keys and indexes.

/// The sort key of the claim itself.
pub const CLAIM_PART: &str = "claim";
/// Sparse index of what is not done: `shard`, `due_at_ms`.
pub const OPEN_INDEX: &str = "open";
/// Index of entries by `account`, `occurred_at_ms`.
pub const BY_ACCOUNT: &str = "by_account";
/// Index of entries by `invoice`.
pub const BY_INVOICE: &str = "by_invoice";

/// Attribute: partition key of the claims table.
pub const CLAIM: &str = "claim";
/// Attribute: sort key of the claims table.
pub const PART: &str = "part";
pub(super) const PROVIDER: &str = "provider";
pub(super) const SCOPE: &str = "scope";
pub(super) const EVENT_ID: &str = "event_id";
pub(super) const EVENT_TYPE: &str = "event_type";
pub(super) const RAW_DIGEST: &str = "raw_digest";
pub(super) const EFFECT_DIGEST: &str = "effect_digest";
pub(super) const EFFECT_KIND: &str = "effect_kind";
pub(super) const EFFECT_V: &str = "effect_v";
/// Attribute: where a row of the claims table stands.
pub const STATE: &str = "state";
pub(super) const OWNER: &str = "owner";
pub(super) const CLAIMED_AT_MS: &str = "claimed_at_ms";
pub(super) const COMPLETED_AT_MS: &str = "completed_at_ms";
pub(super) const OPEN_SINCE_MS: &str = "open_since_ms";
pub(super) const REPLY_STATUS: &str = "reply_status";
pub(super) const REPLY_BODY: &str = "reply_body";
pub(super) const REPLY_TYPE: &str = "reply_type";
pub(super) const ENTRIES: &str = "entries";
pub(super) const EXISTED: &str = "existed";
pub(super) const ATTEMPT: &str = "attempt";
pub(super) const LAST_ERROR: &str = "last_error";
pub(super) const ON_LOST: &str = "on_lost";
pub(super) const PARK_REASON: &str = "park_reason";
pub(super) const PAYLOAD_PARTS: &str = "payload_parts";
/// Attribute: partition key of [`OPEN_INDEX`].
pub const SHARD: &str = "shard";
pub(super) const DUE_AT_MS: &str = "due_at_ms";
pub(super) const KICKED_AT_MS: &str = "kicked_at_ms";
pub(super) const RESOLVED_BY: &str = "resolved_by";
pub(super) const RESOLVED_NOTE: &str = "resolved_note";
pub(super) const RESOLVED_BOOK: &str = "resolved_book";
pub(super) const RESOLVED_AT_MS: &str = "resolved_at_ms";
pub(super) const EXPIRES_AT: &str = "expires_at";
pub(super) const BYTES: &str = "bytes";
pub(super) const HEADERS: &str = "headers";
pub(super) const BODY: &str = "body";

pub(super) const MOVEMENT: &str = "movement";
pub(super) const KIND: &str = "kind";
pub(super) const AMOUNT_MINOR: &str = "amount_minor";
pub(super) const LINKED_MINOR: &str = "linked_minor";
pub(super) const CURRENCY: &str = "currency";
/// Attribute: an entry's account; partition key of [`BY_ACCOUNT`].
pub const ACCOUNT: &str = "account";
pub(super) const ACCOUNT_ID: &str = "account_id";
pub(super) const OCCURRENCE_ID: &str = "occurrence_id";
pub(super) const PARENT: &str = "parent";
/// Attribute: an entry's invoice; partition key of [`BY_INVOICE`].
pub const INVOICE: &str = "invoice";
pub(super) const OCCURRED_AT_MS: &str = "occurred_at_ms";
pub(super) const RECORDED_AT_MS: &str = "recorded_at_ms";
