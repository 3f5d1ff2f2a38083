//! Does what the person on call asks for.

use futures_util::{FutureExt as _, StreamExt as _, stream};

use super::action::{Action, ActionError, Filter, Order, Target};
use super::decide::{Wish, fulfil, state_after};
use super::report::{Report, oldest_first};
use super::retention::Retention;
use super::{AT_ONCE, Watch};
use crate::claim::{ClaimKey, State};
use crate::items::{Book, OpenRow, Resolution, Shelf};
use crate::plan::ParkReason;
use crate::store::Story;
use crate::time::UnixMs;

/// What came of an action.
#[derive(Clone, Debug, PartialEq)]
pub enum Answer {
    /// Of a run.
    Report(Report),
    /// Of a look at the retention.
    Retention(Retention),
    /// Of a list.
    Listing(Listing),
    /// Of a show.
    Story(ClaimKey, Box<Story>),
    /// Of a retry, park or resolve.
    Changes(Changes),
}

/// Open rows, oldest first.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Listing {
    /// When.
    pub at: UnixMs,
    /// At most as many as were asked for.
    pub rows: Vec<OpenRow>,
    /// Whether there are more.
    pub more: bool,
}

/// What became of each row.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Changes {
    /// The action's name.
    pub action: &'static str,
    /// Whether nothing was written.
    pub dry_run: bool,
    /// Each row that was looked at.
    pub rows: Vec<RowChange>,
    /// Whether the filter finds more than the limit.
    pub more: bool,
}

/// What became of one row.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RowChange {
    /// As it was seen.
    pub row: OpenRow,
    /// The new state, or why it stays as it is.
    pub result: Result<State, Refusal>,
}

/// Why a row stays as it is.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum Refusal {
    /// The action does not fit the row.
    #[error("{0}")]
    Unfit(&'static str),
    /// Somebody else changed it at the same moment.
    #[error("it changed meanwhile: look at it again")]
    Changed,
    /// The store.
    #[error(transparent)]
    Store(crate::store::StoreError),
}

impl Changes {
    /// How many rows were, or in a dry run would be, changed.
    pub fn changed(&self) -> usize {
        self.rows.iter().filter(|row| row.result.is_ok()).count()
    }
}

impl Watch {
    /// Does it. A run asked for here is a whole one, with its log lines and metrics.
    pub async fn perform(&self, action: Action, deadline: UnixMs) -> Result<Answer, ActionError> {
        match action {
            Action::Run(_) => Ok(Answer::Report(self.scheduled(deadline).await)),
            Action::CheckRetention(_) => Ok(Answer::Retention(self.check_retention(deadline).await?)),
            Action::List(list) => Ok(Answer::Listing(self.list(&list.filter()?, deadline).await?)),
            Action::Show(show) => {
                let key = show.claim_key()?;
                let story = self.store.story(&key, deadline).await?;
                if story.claim.is_none() {
                    return Err(no_such_row(&key, crate::items::CLAIM_PART));
                }
                Ok(Answer::Story(key, Box::new(story)))
            }
            Action::Retry(order) => {
                order.decides_nothing()?;
                self.change(&order, "retry", &Wish::Retry, deadline).await
            }
            Action::Park(order) => {
                order.decides_nothing()?;
                let said = [order.by.as_deref(), order.note.as_deref()].into_iter().flatten();
                let why = said.collect::<Vec<_>>().join(": ");
                let why = if why.is_empty() { "a person parked it".to_owned() } else { why };
                self.change(&order, "park", &Wish::Park(why), deadline).await
            }
            Action::Resolve(order) => {
                let (by, note) = order.decision()?;
                let (book, at) = (order.book.unwrap_or(Book::Nothing), self.clock.now());
                let wish = Wish::Resolve(Resolution { by, note, book, at });
                self.change(&order, "resolve", &wish, deadline).await
            }
        }
    }

    /// Every open row that fits, oldest first.
    async fn list(&self, filter: &Filter, deadline: UnixMs) -> Result<Listing, ActionError> {
        self.find(filter, deadline, |_| true).await
    }

    async fn find(
        &self,
        filter: &Filter,
        deadline: UnixMs,
        fits: impl Fn(&OpenRow) -> bool,
    ) -> Result<Listing, ActionError> {
        let at = self.clock.now();
        let shelves: &[Shelf] = match filter.state {
            Some(State::Parked) => &[Shelf::Parked],
            Some(_) => &[Shelf::Open],
            None => &[Shelf::Open, Shelf::Parked],
        };
        let (mut rows, mut more) = (Vec::new(), false);
        for shelf in shelves {
            let read = self.read(*shelf, self.limits.listed_per_shard, deadline).await;
            if let Some(error) = read.error {
                return Err(error.into());
            }
            rows.extend(read.rows);
            more |= read.more;
        }
        rows.retain(|row| filter.admits(row, at) && fits(row));
        oldest_first(&mut rows);
        more |= rows.len() > filter.limit;
        rows.truncate(filter.limit);
        Ok(Listing { at, rows, more })
    }

    async fn change(
        &self,
        order: &Order,
        action: &'static str,
        wish: &Wish,
        deadline: UnixMs,
    ) -> Result<Answer, ActionError> {
        let dry_run = order.dry_run;
        let (rows, more) = match order.target()? {
            Target::One(key, part) => {
                let row = self.store.row(&key, &part, deadline).await?;
                let row = row.ok_or_else(|| no_such_row(&key, &part))?;
                (vec![self.change_row(row, wish, dry_run, deadline).await], false)
            }
            Target::Many(filter) => {
                // Whether it may run again is to be found out for each: none is let go in a crowd.
                let is_held = |row: &OpenRow| *wish == Wish::Retry && row.park_reason == Some(ParkReason::Held);
                let fits = |row: &OpenRow| fulfil(wish, row, &self.limits).is_ok() && !is_held(row);
                let found = self.find(&filter, deadline, fits).await?;
                let changes =
                    found.rows.into_iter().map(|row| self.change_listed(row, wish, dry_run, deadline).boxed());
                let changes: Vec<_> = changes.collect();
                (stream::iter(changes).buffered(AT_ONCE).collect().await, found.more)
            }
        };
        for RowChange { row, result } in rows.iter().filter(|_| !dry_run) {
            let (by, note) = (order.by.as_deref().unwrap_or_default(), order.note.as_deref().unwrap_or_default());
            let result = result.as_ref().map_or_else(ToString::to_string, |state| state.name().to_owned());
            tracing::info!(claim = %row.key, part = row.part, action, by, note, result, "a person's decision");
        }
        Ok(Answer::Changes(Changes { action, dry_run, rows, more }))
    }

    /// The index lags behind and does not say everything: the row itself is read before it is changed.
    async fn change_listed(&self, listed: OpenRow, wish: &Wish, dry_run: bool, deadline: UnixMs) -> RowChange {
        match self.store.row(&listed.key, &listed.part, deadline).await {
            Ok(Some(row)) => self.change_row(row, wish, dry_run, deadline).await,
            Ok(None) => RowChange { row: listed, result: Err(Refusal::Changed) },
            Err(error) => RowChange { row: listed, result: Err(Refusal::Store(error)) },
        }
    }

    async fn change_row(&self, row: OpenRow, wish: &Wish, dry_run: bool, deadline: UnixMs) -> RowChange {
        let result = match fulfil(wish, &row, &self.limits) {
            Err(why) => Err(Refusal::Unfit(why)),
            Ok(change) if dry_run => Ok(state_after(&change)),
            Ok(change) => match self.store.change(&row, &change, deadline).await {
                Ok(true) => Ok(state_after(&change)),
                Ok(false) => Err(Refusal::Changed),
                Err(error) => Err(Refusal::Store(error)),
            },
        };
        RowChange { row, result }
    }
}

impl Filter {
    fn admits(&self, row: &OpenRow, now: UnixMs) -> bool {
        row.age_ms(now) >= self.older_than_s.saturating_mul(1_000)
            && self.provider.as_deref().is_none_or(|provider| provider == row.provider)
            && self.state.is_none_or(|state| row.state == Some(state))
    }
}

fn no_such_row(key: &ClaimKey, part: &str) -> ActionError {
    ActionError::NoSuchRow { key: key.clone(), part: part.to_owned() }
}
