//! Changes of journeys, handed to the browsers that wait for them: one subscription per node, not one per stream.

use crate::connection::middleware::{Places, Slot};
use crate::problem::Problem;
use crate::visitor::session::Visitor;
use engine_settings::Limits;
use engine_store::{Change, Changed};
use std::collections::HashMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use tokio::sync::broadcast;
use tokio_util::sync::CancellationToken;

/// Changes that a slow listener may be behind; beyond, it is told to read again.
const BEHIND_MAX: usize = 32;

#[derive(Clone)]
pub struct Subscriptions(Arc<Mutex<State>>);

struct State {
    journeys: HashMap<String, broadcast::Sender<Change>>,
    streams: Places,
    of_sessions: Places,
}

/// A place in the list of listeners, given back when dropped.
pub struct Listener {
    pub changes: broadcast::Receiver<Change>,
    journey: String,
    home: Subscriptions,
    _places: [Slot; 2],
}

impl Subscriptions {
    pub fn new(changes: broadcast::Receiver<Change>, limits: &Limits, shutdown: CancellationToken) -> Subscriptions {
        let streams = Places::new(limits.streams_max, limits.streams_per_address);
        let of_sessions = Places::new(limits.streams_max, limits.streams_per_session);
        let state = State { journeys: HashMap::new(), streams, of_sessions };
        let subscriptions = Subscriptions(Arc::new(Mutex::new(state)));
        tokio::spawn(deliver(subscriptions.clone(), changes, shutdown));
        subscriptions
    }

    /// Listens to one journey; too many streams of one session or address answer 429, of all 503.
    pub fn listen(&self, journey: &str, visitor: &Visitor) -> Result<Listener, Problem> {
        let mut state = self.state();
        let of_session = state.of_sessions.take(visitor.bucket())?;
        let places = [of_session, state.streams.take(Some(visitor.client.bucket()))?];
        let changes =
            state.journeys.entry(journey.to_owned()).or_insert_with(|| broadcast::channel(BEHIND_MAX).0).subscribe();
        Ok(Listener { changes, journey: journey.to_owned(), home: self.clone(), _places: places })
    }

    /// Open streams of this node.
    pub fn open(&self) -> usize {
        self.state().streams.all()
    }

    fn all_read_again(&self) {
        for (journey, sender) in &self.state().journeys {
            let _ = sender.send(Change { journey: journey.clone(), seq: 0, revision: 0, what: Changed::Step });
        }
    }

    fn state(&self) -> MutexGuard<'_, State> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Drop for Listener {
    fn drop(&mut self) {
        let mut state = self.home.state();
        // This listener is still counted by its channel.
        if state.journeys.get(&self.journey).is_some_and(|sender| sender.receiver_count() <= 1) {
            state.journeys.remove(&self.journey);
        }
    }
}

async fn deliver(subscriptions: Subscriptions, mut changes: broadcast::Receiver<Change>, shutdown: CancellationToken) {
    loop {
        let next = tokio::select! {
            next = changes.recv() => next,
            () = shutdown.cancelled() => return,
        };
        match next {
            // This node could not hear the others, or heard too much at once: everybody reads again.
            Ok(Change { what: Changed::Missed, .. }) => subscriptions.all_read_again(),
            Err(broadcast::error::RecvError::Lagged(_)) => subscriptions.all_read_again(),
            Ok(change) => {
                if let Some(sender) = subscriptions.state().journeys.get(&change.journey) {
                    let _ = sender.send(change);
                }
            }
            Err(broadcast::error::RecvError::Closed) => return,
        }
    }
}
