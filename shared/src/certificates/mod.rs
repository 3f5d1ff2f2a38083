//! The certificates of senders who sign with a key that belongs to one. A request says where its certificate is; it is
//! fetched from nowhere but the sender's own hosts, and counts if its chain ends at a root that this machine trusts, it is
//! valid now, and it is made out to the sender.
//!
//! Anybody can make us fetch, so what is fetched is small, waits short, and is kept. Only what was found good is kept, so
//! that nobody can push it out.

mod chain;
mod source;

#[cfg(test)]
mod tests;

use std::sync::{Arc, Mutex, OnceLock, PoisonError};
use std::time::Duration;

use rustls_pki_types::{CertificateDer, TrustAnchor};

use self::chain::{Chain, platform_roots};
use crate::provider::CertificateRules;
use crate::time::UnixMs;

pub use source::{CertificateSource, Https};

/// A sender has one or two at a time.
const KEPT_MAX: usize = 16;

/// After this long a certificate is fetched anew.
const KEPT_MS: u64 = 3_600_000;

/// The longest wait for one.
const FETCH_MS: u64 = 4_000;

/// Long enough for every one that is known.
const URL_BYTES_MAX: usize = 256;

/// Fetches certificates, and keeps them for as long as this process runs.
pub struct Certificates {
    source: Box<dyn CertificateSource>,
    roots: OnceLock<Vec<TrustAnchor<'static>>>,
    kept: Mutex<Vec<Kept>>,
}

#[derive(Clone)]
struct Kept {
    url: String,
    chain: Arc<Chain>,
    fetched_at: UnixMs,
}

/// Why there is no certificate.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum CertificateError {
    /// It is not the sender's.
    #[error("{0}")]
    Refused(&'static str),
    /// It cannot be had now.
    #[error("{0}")]
    Unreachable(String),
}

impl Default for Certificates {
    /// By HTTPS, believing the roots that this machine believes. Nothing is loaded before it is needed.
    fn default() -> Self {
        Self { source: Box::new(Https::default()), roots: OnceLock::new(), kept: Mutex::default() }
    }
}

impl Certificates {
    /// From another place, believing these roots alone. Roots that cannot be read are left out.
    pub fn new(source: impl CertificateSource, roots: &[CertificateDer<'_>]) -> Self {
        Self { source: Box::new(source), roots: OnceLock::from(chain::anchors(roots)), kept: Mutex::default() }
    }

    /// The certificate at `url`, if it is one of those that `rules` allow.
    pub async fn get(
        &self,
        url: &str,
        rules: &CertificateRules,
        now: UnixMs,
        deadline: UnixMs,
    ) -> Result<CertificateDer<'static>, CertificateError> {
        if !is_allowed(url, rules) {
            return Err(CertificateError::Refused("it is somewhere else than the sender's certificates"));
        }
        let roots = self.roots.get_or_init(platform_roots);
        if roots.is_empty() {
            return Err(CertificateError::Unreachable("this machine trusts no roots".to_owned()));
        }
        let chain = self.chain(url, now, deadline).await?;
        let certificate = chain.0.check(roots, rules.names, now)?;
        self.keep(url, chain);
        Ok(certificate)
    }

    /// As it was fetched lately. An older one serves where none can be fetched: whether it is valid is seen each time.
    async fn chain(&self, url: &str, now: UnixMs, deadline: UnixMs) -> Result<(Arc<Chain>, UnixMs), CertificateError> {
        let kept = self.kept(url);
        if let Some(kept) = &kept
            && kept.fetched_at.ms_until(now) < KEPT_MS
        {
            return Ok((kept.chain.clone(), kept.fetched_at));
        }
        let left = Duration::from_millis(now.ms_until(deadline).min(FETCH_MS));
        let read = tokio::time::timeout(left, self.source.read(url)).await;
        match read.unwrap_or_else(|_| Err(CertificateError::Unreachable("it did not come in time".to_owned()))) {
            Ok(text) => Ok((Arc::new(Chain::parse(&text)?), now)),
            Err(error @ CertificateError::Unreachable(_)) => {
                kept.map(|kept| (kept.chain, kept.fetched_at)).ok_or(error)
            }
            Err(error) => Err(error),
        }
    }

    fn kept(&self, url: &str) -> Option<Kept> {
        self.kept.lock().unwrap_or_else(PoisonError::into_inner).iter().find(|kept| kept.url == url).cloned()
    }

    fn keep(&self, url: &str, (chain, fetched_at): (Arc<Chain>, UnixMs)) {
        let mut kept = self.kept.lock().unwrap_or_else(PoisonError::into_inner);
        kept.retain(|kept| kept.url != url);
        if kept.len() >= KEPT_MAX {
            kept.remove(0);
        }
        kept.push(Kept { url: url.to_owned(), chain, fetched_at });
    }
}

/// HTTPS, one of the hosts and nothing beside it, and below the path one plain name. Compared as text: no two readers of
/// URLs can differ about it.
fn is_allowed(url: &str, rules: &CertificateRules) -> bool {
    let below = |host: &&str| url.strip_prefix("https://")?.strip_prefix(*host)?.strip_prefix(rules.path);
    let plain = |name: &str| name.bytes().all(|byte| byte.is_ascii_alphanumeric() || b"-_".contains(&byte));
    let name = rules.hosts.iter().find_map(below);
    url.len() <= URL_BYTES_MAX && name.is_some_and(|name| !name.is_empty() && plain(name))
}
