//! Rows as workers and senders leave them, for tests of the watch.

use std::sync::Arc;

use aws_sdk_dynamodb::types::AttributeValue;
use hookledger::claim::ClaimKey;
use hookledger::items::{CLAIM_PART, OpenRow};
use hookledger::stuck::{Action, ActionError, Answer, Limits, Report, Watch};
use serde_json::Value;

use crate::body::Fact;
use crate::world::World;

impl World {
    /// The watch of this deployment, behind the wire.
    pub fn watch(&self) -> Watch {
        Watch {
            store: self.receiver.store.clone(),
            metrics: self.metrics.sink(),
            clock: Arc::new(self.clock.clone()),
            limits: Limits::default(),
            providers: vec![Arc::clone(&self.receiver.provider)],
        }
    }

    /// One scheduled run.
    pub async fn watched(&self) -> Report {
        self.watch().scheduled(self.deadline()).await
    }

    /// Asks for an action, as JSON.
    pub async fn ask(&self, action: Value) -> Result<Answer, ActionError> {
        self.watch().perform(Action::read(action)?, self.deadline()).await
    }

    /// Receives an event that a worker has to settle; it lies there as received.
    pub async fn owe(&self, event_id: &str) {
        let refund = Fact { parent: "m-parent".into(), ..Fact::new(event_id, "defer") };
        let refund = refund.moving(&format!("r-{event_id}"), "refund", 200);
        assert_eq!(self.deliver(refund.body()).await.reply.status, 200);
    }

    /// Receives an event that parks.
    pub async fn set_aside(&self, event_id: &str) {
        assert_eq!(self.deliver(Fact::new(event_id, "park").body()).await.reply.status, 200);
    }

    /// Any row, whole.
    pub async fn open_row(&self, key: &ClaimKey, part: &str) -> Option<OpenRow> {
        self.eyes.row(key, part, self.deadline()).await.unwrap()
    }

    /// The claim's row of an event without scope.
    pub async fn claim_row(&self, event_id: &str) -> OpenRow {
        self.open_row(&self.key(event_id), CLAIM_PART).await.unwrap()
    }

    /// Sets attributes of a row by hand, as another version or a worker would.
    pub async fn write(&self, key: &ClaimKey, part: &str, attributes: &[(&str, AttributeValue)]) {
        let text = |text: &str| AttributeValue::S(text.to_owned());
        let mut update = self.client.update_item().table_name(&self.tables.claims);
        update = update.key("claim", text(key.as_str())).key("part", text(part));
        let sets: Vec<_> = (0..attributes.len()).map(|at| format!("#a{at} = :a{at}")).collect();
        update = update.update_expression(format!("SET {}", sets.join(", ")));
        for (at, (name, value)) in attributes.iter().enumerate() {
            update = update.expression_attribute_names(format!("#a{at}"), *name);
            update = update.expression_attribute_values(format!(":a{at}"), value.clone());
        }
        update.send().await.unwrap();
    }

    /// How many rows the claims table holds, of whatever part.
    pub async fn rows(&self) -> usize {
        let page = self.client.scan().table_name(&self.tables.claims).send().await.unwrap();
        page.items().len()
    }
}
