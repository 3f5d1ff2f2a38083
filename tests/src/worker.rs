//! The worker of a world.

use std::collections::HashMap;
use std::sync::Arc;

use hookledger::claim::ClaimKey;
use hookledger::items::{SHARDS, Shelf};
use hookledger::work::{Api, ApiKey, Fetcher, Settings, Worked, Worker};
use ring::rand::SystemRandom;

use crate::world::World;

/// The key of every provider's API.
pub const API_KEY: &str = "rk_made_up_for_tests";

impl World {
    /// A worker of the world's provider, on the wire, without an API.
    pub fn worker(&self) -> Worker {
        self.worker_with(Settings::default(), None)
    }

    /// With these numbers, and the provider's API at this address.
    pub fn worker_with(&self, settings: Settings, api_url: Option<&str>) -> Worker {
        let provider = Arc::clone(&self.receiver.provider);
        let api = |url: &str| Api { url: url.to_owned(), key: ApiKey::new(API_KEY) };
        let name = provider.profile().name.to_owned();
        let apis: HashMap<String, Api> = api_url.map(|url| (name, api(url))).into_iter().collect();
        Worker {
            providers: vec![provider],
            store: self.receiver.store.clone(),
            fetcher: Fetcher::new(apis),
            outbox: self.receiver.outbox.clone(),
            clock: Arc::new(self.clock.clone()),
            metrics: self.metrics.sink(),
            settings,
            random: SystemRandom::new(),
        }
    }

    /// Works on a claim, with all the time it wants.
    pub async fn work(&self, worker: &Worker, key: &ClaimKey) -> Worked {
        worker.work(key, self.now().plus_ms(3_600_000)).await
    }

    /// Works on whatever is due, as the schedule does it, and says what became of each.
    pub async fn work_on_due(&self, worker: &Worker) -> Vec<Worked> {
        let mut all = Vec::new();
        for shard in 0..SHARDS {
            let rows = self.eyes.shard(Shelf::Open, shard, 100, self.deadline()).await.unwrap().rows;
            for row in rows.into_iter().filter(|row| row.is_due(self.now())) {
                all.push(self.work(worker, &row.key).await);
            }
        }
        all
    }

    /// Moves the time on to when a claim is due.
    pub async fn wait_for(&self, key: &ClaimKey) {
        let due_at = self.story(key).await.claim.unwrap().due_at.unwrap();
        self.set_now(due_at.max(self.now()));
    }
}
