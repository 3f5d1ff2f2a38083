//! How signatures are made and checked, and how a key is made of a secret's text.

use base64::Engine as _;
use base64::alphabet::STANDARD;
use base64::engine::general_purpose::{GeneralPurpose, NO_PAD};
use bytes::Bytes;
use ring::{digest, hmac, signature};
use rustls_pki_types::CertificateDer;
use subtle::ConstantTimeEq as _;
use webpki::EndEntityCert;
use webpki::ring::RSA_PKCS1_2048_8192_SHA256;

use super::{Secret, decode_hex};

/// A way of signing. The name says what the key is, where it is not the secret's text as it stands.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Algorithm {
    /// HMAC-SHA256.
    HmacSha256,
    /// HMAC-SHA256; the secret is the key in hex.
    HmacSha256HexKey,
    /// HMAC-SHA256; the secret is the key in base64, with or without padding, behind `whsec_` or bare
    /// (the Standard Webhooks specification, "Signature scheme").
    HmacSha256Base64Key,
    /// HMAC-SHA512.
    HmacSha512,
    /// HMAC-SHA1; the secret is `name|key`: what the sender calls it in public, and the key, of which the SHA-1 is taken.
    HmacSha1HashedKey,
    /// Ed25519; the secret is the sender's public key in base64, behind `whpk_`.
    Ed25519,
    /// RSA (PKCS #1 v1.5) with SHA-256, by the key of a certificate that the request names. The secret makes no key: it is
    /// part of what is signed.
    RsaSha256Certified,
}

/// The prefixes of Standard Webhooks' keys. A public key is no secret: it must never serve as an HMAC's key.
const SHARED_KEY: &str = "whsec_";
const PUBLIC_KEY: &str = "whpk_";

/// Shorter keys are a mistake in copying.
const KEY_BYTES_MIN: usize = 16;

impl Algorithm {
    /// The code a sender who holds `secret` puts on `message`. `None`: the secret is no key of this algorithm, or cannot
    /// sign, being a public key.
    pub fn sign(self, message: &[Bytes], secret: &Secret) -> Option<Vec<u8>> {
        let key = self.key(secret).ok()?;
        let algorithm = match self {
            Self::HmacSha256 | Self::HmacSha256HexKey | Self::HmacSha256Base64Key => hmac::HMAC_SHA256,
            Self::HmacSha512 => hmac::HMAC_SHA512,
            Self::HmacSha1HashedKey => hmac::HMAC_SHA1_FOR_LEGACY_USE_ONLY,
            Self::Ed25519 | Self::RsaSha256Certified => return None,
        };
        let mut context = hmac::Context::with_key(&hmac::Key::new(algorithm, &key));
        message.iter().for_each(|piece| context.update(piece));
        Some(context.sign().as_ref().to_vec())
    }

    /// Whether `code` is what a sender who holds `secret`, or the key of `certificate`, puts on `message`. Codes of an HMAC
    /// are compared in constant time.
    pub(super) fn made(
        self,
        code: &[u8],
        message: &[Bytes],
        secret: &Secret,
        certificate: Option<&CertificateDer<'_>>,
    ) -> bool {
        match self {
            Self::RsaSha256Certified => certificate.is_some_and(|certificate| {
                let certificate = EndEntityCert::try_from(certificate);
                certificate.is_ok_and(|made_by| {
                    made_by.verify_signature(RSA_PKCS1_2048_8192_SHA256, &message.concat(), code).is_ok()
                })
            }),
            Self::Ed25519 => self.key(secret).is_ok_and(|key| {
                signature::UnparsedPublicKey::new(&signature::ED25519, key).verify(&message.concat(), code).is_ok()
            }),
            _ => self.sign(message, secret).is_some_and(|made| made.as_slice().ct_eq(code).into()),
        }
    }

    /// What is wrong with a secret as a key of this algorithm, if anything is. Says what, never which characters.
    pub fn problem(self, secret: &Secret) -> Option<&'static str> {
        self.key(secret).err()
    }

    fn key(self, secret: &Secret) -> Result<Vec<u8>, &'static str> {
        let text = secret.text.as_str();
        match self {
            Self::HmacSha256 | Self::HmacSha512 | Self::RsaSha256Certified => Ok(text.as_bytes().to_vec()),
            Self::HmacSha256HexKey => long(decode_hex(text).ok_or("is not hex")?),
            Self::HmacSha256Base64Key if text.starts_with(PUBLIC_KEY) => Err("is a public key, not a shared secret"),
            Self::HmacSha256Base64Key => long(base64(text.strip_prefix(SHARED_KEY).unwrap_or(text))?),
            Self::HmacSha1HashedKey => match secret.named() {
                Some((_, key)) => {
                    Ok(digest::digest(&digest::SHA1_FOR_LEGACY_USE_ONLY, key.as_bytes()).as_ref().to_vec())
                }
                None => Err("is not of the form public|private"),
            },
            Self::Ed25519 => match base64(text.strip_prefix(PUBLIC_KEY).ok_or("does not begin with whpk_")?)? {
                key if key.len() == 32 => Ok(key),
                _ => Err("is not a key of 32 bytes"),
            },
        }
    }
}

fn long(key: Vec<u8>) -> Result<Vec<u8>, &'static str> {
    if key.len() < KEY_BYTES_MIN { Err("is shorter than a key") } else { Ok(key) }
}

/// Keys as people paste them: senders' libraries take one that lost its padding, whatever the last digit's spare bits are.
const PASTED: GeneralPurpose = GeneralPurpose::new(&STANDARD, NO_PAD.with_decode_allow_trailing_bits(true));

fn base64(text: &str) -> Result<Vec<u8>, &'static str> {
    PASTED.decode(text.trim_end_matches('=')).map_err(|_| "is not base64")
}

#[cfg(test)]
mod tests {
    use super::super::encode_hex;
    use super::*;

    fn hex(algorithm: Algorithm, secret: &str, message: &'static str) -> Option<String> {
        let message = [Bytes::from_static(message.as_bytes())];
        algorithm.sign(&message, &Secret::new(secret)).map(|code| encode_hex(&code))
    }

    /// RFC 4231's second case and RFC 2202's, whose key is text.
    #[test]
    fn codes_are_those_of_the_standards() {
        let question = "what do ya want for nothing?";
        let sha256 = "5bdcc146bf60754e6a042426089575c75a003f089d2739839dec58b964ec3843";
        assert_eq!(hex(Algorithm::HmacSha256, "Jefe", question).unwrap(), sha256);
        let sha512 = "164b7a7bfcf819e2e395fbe73b56e0a387bd64222e831fd610270cd7ea2505549758bf75c05a994a6d034f65f8f0e6fd\
                      caeab1a34d4a6b4b636e070a38bce737";
        assert_eq!(hex(Algorithm::HmacSha512, "Jefe", question).unwrap(), sha512);
    }

    #[test]
    fn the_same_key_in_every_form_makes_the_same_code() {
        let text = "a key of some length";
        let plain = hex(Algorithm::HmacSha256, text, "m");
        assert_eq!(hex(Algorithm::HmacSha256HexKey, &encode_hex(text.as_bytes()), "m"), plain);
        for base64 in
            ["whsec_YSBrZXkgb2Ygc29tZSBsZW5ndGg=", "whsec_YSBrZXkgb2Ygc29tZSBsZW5ndGg", "YSBrZXkgb2Ygc29tZSBsZW5ndGg="]
        {
            assert_eq!(hex(Algorithm::HmacSha256Base64Key, base64, "m"), plain, "{base64}");
        }
        let cut_short = hex(Algorithm::HmacSha256Base64Key, "YSBrZXkgb2Ygc29tZSBsZW5ndGj", "m");
        assert_eq!(cut_short, plain, "bits beyond the last byte are no part of the key");
    }

    #[test]
    fn what_is_no_key_signs_nothing_and_fits_nothing() {
        let problem = |algorithm: Algorithm, text: &str| algorithm.problem(&Secret::new(text));
        assert_eq!(problem(Algorithm::HmacSha256HexKey, "xyz"), Some("is not hex"));
        assert_eq!(problem(Algorithm::HmacSha256HexKey, "00ff"), Some("is shorter than a key"));
        let public = "whpk_11qYAYKxCrfVS/7TyWQHOg7hcvPapiMlrwIaaPcHURo=";
        let refused = Some("is a public key, not a shared secret");
        assert_eq!(problem(Algorithm::HmacSha256Base64Key, public), refused);
        assert_eq!(problem(Algorithm::Ed25519, "whsec_AAAA"), Some("does not begin with whpk_"));
        assert_eq!(problem(Algorithm::Ed25519, public), None);
        let message = [Bytes::from_static(b"m")];
        for (algorithm, text) in [(Algorithm::HmacSha256HexKey, "xyz"), (Algorithm::HmacSha256Base64Key, public)] {
            assert!(!algorithm.made(b"", &message, &Secret::new(text), None));
        }
    }

    /// RFC 8032's second test, section 7.1.
    #[test]
    fn a_public_key_checks_and_cannot_sign() {
        let code = decode_hex(
            "92a009a9f0d4cab8720e820b5f642540a2b27b5416503f8fb3762223ebdb69da\
             085ac1e43e15996e458f3613d0f11d8c387b2eaeb4302aeeb00d291612bb0c00",
        )
        .unwrap();
        let secret = Secret::new("whpk_PUAXw+hDiVqStwqnTRt+vJyYLM8uxJaMwM1V8Sr0Zgw=");
        let message = [Bytes::from_static(&[0x72])];
        assert!(Algorithm::Ed25519.made(&code, &message, &secret, None));
        assert!(!Algorithm::Ed25519.made(&code, &[Bytes::from_static(b"s")], &secret, None));
        assert_eq!(Algorithm::Ed25519.sign(&message, &secret), None);
    }
}
