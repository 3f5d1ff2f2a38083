//! Rows compared with what belongs to them, by consistent reads. What looks wrong is looked at again after a while.

use std::collections::HashSet;

use super::Audit;
use super::compare::{Finding, Sort, entry_with_claim, listed_with_entry};
use crate::claim::ClaimKey;
use crate::items::{AuditedEntry, ListedEntry};
use crate::store::{CALL_MS_MIN, StoreError};
use crate::time::UnixMs;

/// An entry as a claim lists it.
#[derive(Clone, Copy)]
pub(super) struct Listed<'a> {
    pub(super) claim: &'a ClaimKey,
    pub(super) entry: &'a ListedEntry,
}

impl Audit {
    /// What is wrong between these entries and their claims.
    pub(super) async fn check_entries(
        &self,
        entries: &[&AuditedEntry],
        deadline: UnixMs,
    ) -> Result<Vec<Finding>, StoreError> {
        let suspects = self.compare_entries(entries, deadline).await?;
        if suspects.is_empty() {
            return Ok(Vec::new());
        }
        self.wait(deadline).await?;
        let suspects: Vec<_> = suspects.into_iter().map(|(entry, _)| entry).collect();
        let found = self.compare_entries(&suspects, deadline).await?;
        let finding = |(entry, sort): (&AuditedEntry, Sort)| Finding {
            sort,
            entry: Some(entry.key.clone()),
            claim: entry.claim.clone(),
        };
        Ok(found.into_iter().map(finding).collect())
    }

    /// What is wrong between what claims list and the ledger.
    pub(super) async fn check_listed(
        &self,
        listed: &[Listed<'_>],
        deadline: UnixMs,
    ) -> Result<Vec<Finding>, StoreError> {
        let suspects = self.compare_listed(listed, deadline).await?;
        if suspects.is_empty() {
            return Ok(Vec::new());
        }
        self.wait(deadline).await?;
        let suspects: Vec<_> = suspects.into_iter().map(|(listed, _)| listed).collect();
        let found = self.compare_listed(&suspects, deadline).await?;
        let finding = |(listed, sort): (Listed<'_>, Sort)| Finding {
            sort,
            entry: Some(listed.entry.key.clone()),
            claim: Some(listed.claim.clone()),
        };
        Ok(found.into_iter().map(finding).collect())
    }

    async fn compare_entries<'a>(
        &self,
        entries: &[&'a AuditedEntry],
        deadline: UnixMs,
    ) -> Result<Vec<(&'a AuditedEntry, Sort)>, StoreError> {
        let keys: HashSet<_> = entries.iter().filter_map(|entry| entry.claim.as_ref()).collect();
        let claims = self.store.audited_claims(keys, deadline).await?;
        let compared = entries.iter().filter_map(|entry| {
            let claim = entry.claim.as_ref().and_then(|key| claims.get(key));
            Some((*entry, entry_with_claim(entry, claim)?))
        });
        Ok(compared.collect())
    }

    async fn compare_listed<'a>(
        &self,
        listed: &[Listed<'a>],
        deadline: UnixMs,
    ) -> Result<Vec<(Listed<'a>, Sort)>, StoreError> {
        let keys: HashSet<_> = listed.iter().map(|listed| &listed.entry.key).collect();
        let entries = self.store.audited_entries(keys, deadline).await?;
        let compared = listed.iter().filter_map(|listed| {
            let entry = entries.get(&listed.entry.key);
            Some((*listed, listed_with_entry(listed.claim, listed.entry, entry)?))
        });
        Ok(compared.collect())
    }

    async fn wait(&self, deadline: UnixMs) -> Result<(), StoreError> {
        let wait_ms = self.limits.second_look_ms;
        if self.clock.now().ms_until(deadline) < wait_ms + CALL_MS_MIN {
            return Err(StoreError::TooLittleTime);
        }
        self.clock.sleep_ms(wait_ms).await;
        Ok(())
    }
}
