//! Begins and ends of jobs: what waits is written together, so that a thousand short jobs cost a handful of
//! transactions.

use engine_store::{EffectEnd, EffectKey, Store, StoreError};
use futures::future::BoxFuture;
use std::sync::Arc;
use tokio::sync::{mpsc, oneshot};

const BATCH_MAX: usize = 256;

type Begin = (EffectKey, i64);
type End = (EffectKey, i64, EffectEnd);

#[derive(Clone)]
pub struct Settlements {
    begins: Batches<Begin>,
    ends: Batches<End>,
}

impl Settlements {
    /// Lives until the last of its clones is dropped.
    pub fn start(store: Arc<dyn Store>) -> Settlements {
        let begin =
            |store: Arc<dyn Store>, begins| -> Written { Box::pin(async move { store.begin_effects(begins).await }) };
        let end =
            |store: Arc<dyn Store>, ends| -> Written { Box::pin(async move { store.finish_effects(ends).await }) };
        Settlements { begins: Batches::start(store.clone(), begin), ends: Batches::start(store, end) }
    }

    /// Counts the attempt that comes now; false when the lease was lost.
    pub async fn begin(&self, key: EffectKey, fence: i64) -> Result<bool, StoreError> {
        self.begins.write((key, fence)).await
    }

    /// False when the lease was lost.
    pub async fn end(&self, key: EffectKey, fence: i64, end: EffectEnd) -> Result<bool, StoreError> {
        self.ends.write((key, fence, end)).await
    }
}

type Written = BoxFuture<'static, Result<Vec<bool>, StoreError>>;
/// Writes many in one transaction, and says for each whether its lease held.
type Write<T> = fn(Arc<dyn Store>, Vec<T>) -> Written;

struct Batches<T>(mpsc::Sender<Waiting<T>>);

struct Waiting<T> {
    item: T,
    reply: oneshot::Sender<Result<bool, StoreError>>,
}

impl<T> Clone for Batches<T> {
    fn clone(&self) -> Self {
        Batches(self.0.clone())
    }
}

impl<T: Clone + Send + 'static> Batches<T> {
    fn start(store: Arc<dyn Store>, write: Write<T>) -> Batches<T> {
        let (items, queue) = mpsc::channel(BATCH_MAX);
        tokio::spawn(run(store, queue, write));
        Batches(items)
    }

    async fn write(&self, item: T) -> Result<bool, StoreError> {
        let (reply, answer) = oneshot::channel();
        self.0.send(Waiting { item, reply }).await.map_err(|_| StoreError::Busy)?;
        answer.await.map_err(|_| StoreError::Busy)?
    }
}

async fn run<T: Clone>(store: Arc<dyn Store>, mut queue: mpsc::Receiver<Waiting<T>>, write: Write<T>) {
    let mut batch = Vec::with_capacity(BATCH_MAX);
    while queue.recv_many(&mut batch, BATCH_MAX).await > 0 {
        let together = write(store.clone(), batch.iter().map(|waiting| waiting.item.clone()).collect()).await;
        match together {
            Ok(done) => {
                for (waiting, done) in batch.drain(..).zip(done) {
                    let _ = waiting.reply.send(Ok(done));
                }
            }
            // One of them, or a lock, was in the way: each for itself.
            Err(_) => {
                for Waiting { item, reply } in batch.drain(..) {
                    let _ = reply.send(write(store.clone(), vec![item]).await.map(|done| done.contains(&true)));
                }
            }
        }
    }
}
