//! The product's side of a walk: each actor is a task that stops before every write until it is told how that ends.

use std::collections::HashMap;
use std::sync::{Arc, Mutex};

use futures_util::FutureExt as _;
use futures_util::future::BoxFuture;
use hookledger_tests::{Call, DELIVERY, Director, Fault, Point};
use tokio::sync::{Notify, oneshot};
use tokio::task::JoinHandle;

/// What an actor brought home, in the words of the model.
#[derive(Clone, Debug, PartialEq)]
pub(super) enum Home {
    Answered(u16),
    Leased(Option<Box<hookledger::items::ClaimRow>>),
    Wrote,
}

/// Stops writes, actor by actor.
#[derive(Default)]
pub(super) struct Stops {
    waiting: Mutex<HashMap<usize, oneshot::Sender<Option<Fault>>>>,
    changed: Notify,
}

impl Director for Stops {
    fn step<'a>(&'a self, call: &'a Call, point: Point) -> BoxFuture<'a, Option<Fault>> {
        async move {
            let writes = ["TransactWriteItems", "UpdateItem"].contains(&call.operation.as_str());
            let actor = call.delivery.filter(|_| writes && point == Point::Begin)?;
            let (go, gone) = oneshot::channel();
            self.waiting.lock().unwrap().insert(actor, go);
            self.changed.notify_one();
            gone.await.ok().flatten()
        }
        .boxed()
    }
}

/// The tasks that run, by actor.
#[derive(Default)]
pub(super) struct Actors {
    pub(super) stops: Arc<Stops>,
    running: HashMap<usize, JoinHandle<Home>>,
}

impl Actors {
    /// Starts an actor and waits until it is about to write, or at home.
    pub(super) async fn start(
        &mut self,
        actor: usize,
        task: impl Future<Output = Home> + Send + 'static,
    ) -> Option<Home> {
        let stops = Arc::clone(&self.stops);
        let task = DELIVERY.scope(actor, task).map(move |home| {
            stops.changed.notify_one();
            home
        });
        self.running.insert(actor, tokio::spawn(task));
        self.stopped(actor).await
    }

    /// Lets an actor's write happen, and waits until it is about to write again, or at home.
    pub(super) async fn go(&mut self, actor: usize, fault: Option<Fault>) -> Option<Home> {
        let go = self.stops.waiting.lock().unwrap().remove(&actor).expect("it is about to write");
        go.send(fault).unwrap();
        self.stopped(actor).await
    }

    /// Ends an actor where it stands.
    pub(super) async fn crash(&mut self, actor: usize) {
        if let Some(task) = self.running.remove(&actor) {
            task.abort();
            // Aborted or just finished: gone in any case.
            let _ = task.await;
        }
        self.stops.waiting.lock().unwrap().remove(&actor);
    }

    /// Ends all: none may outlive its walk.
    pub(super) async fn crash_all(&mut self) {
        let running: Vec<usize> = self.running.keys().copied().collect();
        for actor in running {
            self.crash(actor).await;
        }
    }

    pub(super) fn is_running(&self, actor: usize) -> bool {
        self.running.contains_key(&actor)
    }

    async fn stopped(&mut self, actor: usize) -> Option<Home> {
        loop {
            if self.stops.waiting.lock().unwrap().contains_key(&actor) {
                return None;
            }
            if self.running[&actor].is_finished() {
                return Some(self.running.remove(&actor).unwrap().await.unwrap());
            }
            // A task tells before it counts as finished.
            tokio::select! {
                () = self.stops.changed.notified() => {}
                () = tokio::task::yield_now() => {}
            }
        }
    }
}
