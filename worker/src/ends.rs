//! Ends of jobs: what waits is written together, so that a thousand short jobs cost a handful of transactions.

use engine_store::{EffectEnd, EffectKey, Store, StoreError};
use std::sync::Arc;
use tokio::sync::{mpsc, oneshot};

const BATCH_MAX: usize = 256;

#[derive(Clone)]
pub struct Ends(mpsc::Sender<Ended>);

struct Ended {
    end: (EffectKey, i64, EffectEnd),
    reply: oneshot::Sender<Result<bool, StoreError>>,
}

impl Ends {
    /// Lives until the last of its clones is dropped.
    pub fn start(store: Arc<dyn Store>) -> Ends {
        let (ends, queue) = mpsc::channel(BATCH_MAX);
        tokio::spawn(run(store, queue));
        Ends(ends)
    }

    /// False when the lease was lost.
    pub async fn write(&self, key: EffectKey, fence: i64, end: EffectEnd) -> Result<bool, StoreError> {
        let (reply, answer) = oneshot::channel();
        self.0.send(Ended { end: (key, fence, end), reply }).await.map_err(|_| StoreError::Busy)?;
        answer.await.map_err(|_| StoreError::Busy)?
    }
}

async fn run(store: Arc<dyn Store>, mut queue: mpsc::Receiver<Ended>) {
    let mut batch = Vec::with_capacity(BATCH_MAX);
    while queue.recv_many(&mut batch, BATCH_MAX).await > 0 {
        let together = store.finish_effects(batch.iter().map(|ended| ended.end.clone()).collect()).await;
        match together {
            Ok(done) => {
                for (ended, done) in batch.drain(..).zip(done) {
                    let _ = ended.reply.send(Ok(done));
                }
            }
            // One of them, or a lock, was in the way: each for itself.
            Err(_) => {
                for Ended { end: (key, fence, end), reply } in batch.drain(..) {
                    let _ = reply.send(store.finish_effect(&key, fence, end).await);
                }
            }
        }
    }
}
