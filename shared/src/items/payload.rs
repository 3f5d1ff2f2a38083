//! The bytes of an event that is settled later: compressed, in parts beside the claim, so that the claim stays small.

use std::io::{Read as _, Write as _};

use aws_sdk_dynamodb::types::AttributeValue;
use bytes::Bytes;
use flate2::Compression;
use flate2::read::DeflateDecoder;
use flate2::write::DeflateEncoder;

use super::codec::{Reader, b, claims_key, s};
use super::names::{BYTES, HEADERS};
use super::{DecodeError, Item};
use crate::claim::ClaimKey;
use crate::provider::Kept;

/// One item takes 400 KB with its names and keys.
const PART_BYTES: usize = 350 * 1_024;

/// What a Lambda can be sent at all, with room: a compressed body that grows beyond it is not ours.
const UNPACKED_BYTES_MAX: u64 = 32 * 1_024 * 1_024;

/// An event's bytes, compressed and cut into parts.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Payload {
    parts: Vec<Vec<u8>>,
    headers: Vec<(String, String)>,
}

impl Payload {
    /// Larger payloads do not fit beside their claim in one transaction.
    pub const COMPRESSED_BYTES_MAX: usize = 3_000_000;

    /// Whether a body can be kept. Compression never makes it noticeably larger, so most need not be tried.
    pub fn fits(body: &[u8]) -> bool {
        body.len() < Self::COMPRESSED_BYTES_MAX || compress(body).len() <= Self::COMPRESSED_BYTES_MAX
    }

    /// Compresses what [`fits`](Self::fits).
    pub fn pack(kept: &Kept) -> Self {
        let parts = compress(&kept.body).chunks(PART_BYTES).map(<[u8]>::to_vec).collect();
        Self { parts, headers: kept.headers.clone() }
    }

    /// How many parts there are: 1 to 9.
    pub fn count(&self) -> usize {
        self.parts.len()
    }

    /// The rows, under sort keys that begin with `prefix`.
    pub(super) fn items(&self, key: &ClaimKey, prefix: &str) -> Vec<Item> {
        let item = |(at, part): (usize, &Vec<u8>)| {
            let mut item = claims_key(key.as_str(), part_name(prefix, at));
            item.insert(BYTES.to_owned(), b(part.clone()));
            if at == 0 && !self.headers.is_empty() {
                let headers = self.headers.iter().map(|(name, value)| (name.clone(), s(value)));
                item.insert(HEADERS.to_owned(), AttributeValue::M(headers.collect()));
            }
            item
        };
        self.parts.iter().enumerate().map(item).collect()
    }
}

/// The sort key of a part.
pub(super) fn part_name(prefix: &str, at: usize) -> String {
    format!("{prefix}#{at:02}")
}

/// Puts the rows of one payload, in the order of their sort keys, together again.
pub fn unpack<'a>(rows: impl IntoIterator<Item = &'a Item>) -> Result<Kept, DecodeError> {
    let mut compressed = Vec::new();
    let mut headers = Vec::new();
    for row in rows {
        compressed.extend_from_slice(Reader(row).bytes(BYTES)?);
        if let Some(AttributeValue::M(map)) = row.get(HEADERS) {
            let pair = |(name, value): (&String, &AttributeValue)| Some((name.clone(), value.as_s().ok()?.clone()));
            headers.extend(map.iter().filter_map(pair));
        }
    }
    headers.sort();
    let mut body = Vec::new();
    let mut reader = DeflateDecoder::new(compressed.as_slice()).take(UNPACKED_BYTES_MAX);
    reader.read_to_end(&mut body).map_err(|_| DecodeError { attribute: BYTES })?;
    Ok(Kept { body: Bytes::from(body), headers })
}

/// Deflates. Used for the size rule too, so that what is admitted can be kept.
fn compress(body: &[u8]) -> Vec<u8> {
    let mut encoder = DeflateEncoder::new(Vec::with_capacity(body.len() / 4), Compression::fast());
    // Writing into a Vec cannot fail; an empty result would only be refused when it is read back.
    let written = encoder.write_all(body).and_then(|()| encoder.finish());
    written.unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_packed_is_unpacked() {
        let noise: Vec<u8> = (0..1_000_000_u32).flat_map(|at| at.wrapping_mul(2_654_435_761).to_be_bytes()).collect();
        for size in [0, 1, 2_000, 900_000] {
            let headers = vec![("x-topic".to_owned(), "orders/paid".to_owned())];
            let kept = Kept { body: Bytes::copy_from_slice(&noise[..size]), headers };
            let payload = Payload::pack(&kept);
            let rows = payload.items(&ClaimKey::new("p", "", "e"), "payload");
            assert_eq!(rows.len(), payload.count());
            assert_eq!(unpack(&rows).unwrap(), kept);
        }
        assert!(!Payload::fits(&noise));
        assert!(Payload::fits(&vec![b' '; 5_000_000]));
    }
}
