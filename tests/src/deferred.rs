//! What a worker does, by the product's public parts alone.

use hookledger::claim::{ClaimKey, MovementKey};
use hookledger::plan::{Fetch, Fetched, Kind, ParkReason, Plan, Read};
use hookledger::store::{Completed, Lease, StoreError};

use crate::world::World;

const LEASE_MS: u64 = 45_000;
const ATTEMPTS_MAX: u32 = 24;

/// What became of a deferred event.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Settled {
    /// Not due, held by another, done, parked or unknown.
    NotOurs,
    /// The completion's result.
    Completed(Completed),
    /// The event cannot be settled even now.
    Parked,
}

impl World {
    /// Leases the claim, reads what its event asks for, and settles it.
    pub async fn settle_deferred(&self, key: &ClaimKey) -> Result<Settled, StoreError> {
        let store = &self.receiver.store;
        let deadline = self.deadline();
        let ends = self.now().plus_ms(LEASE_MS);
        let Lease::Ours(row) = store.lease(key, ends, ATTEMPTS_MAX, deadline).await? else {
            return Ok(Settled::NotOurs);
        };
        let kept = store.story(key, deadline).await?.kept.unwrap();
        let event = row.event(kept);
        let provider = &self.receiver.provider;
        let mut plan = provider.interpret(&event);
        let mut read = Vec::new();
        while let Plan::Defer(defer) = &plan {
            let fetch = defer.fetch().clone();
            let fetched = match &fetch {
                Fetch::ParentEntry(parent) => {
                    let movement = MovementKey::new(&row.provider, parent);
                    Fetched::ParentEntry(store.parent_entry(&movement, Kind::Payment, deadline).await?)
                }
                Fetch::ObjectIfKeyed(_) | Fetch::ObjectIfThere(_) => Fetched::NoObject,
                Fetch::Object(_) => panic!("there is no API here"),
            };
            read.push(Read { fetch, fetched });
            plan = provider.resume(&event, &read);
        }
        let Plan::Settle(settle) = &plan else {
            store.park(&row, ParkReason::Unreadable, "it settles nothing", deadline).await?;
            return Ok(Settled::Parked);
        };
        let retention_s = provider.profile().lifetime.retention_s;
        store.complete(&row, settle, retention_s, deadline).await.map(Settled::Completed)
    }
}
