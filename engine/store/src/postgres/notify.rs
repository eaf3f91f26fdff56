//! Tells the other nodes: an accelerator, never a guarantee. Messages of many commits share one notification, sent
//! after they are durable, from a connection of its own that waits for no disk.

use crate::Change;
use crate::hub::Hub;
use serde::{Deserialize, Serialize};
use sqlx::postgres::{PgConnectOptions, PgListener, PgPoolOptions};
use sqlx::{ConnectOptions, PgConnection};
use std::sync::Arc;
use std::time::Duration;
use tokio::sync::mpsc;
use tokio::task::AbortHandle;

const CHANNEL: &str = "journey";
/// More than this many untold messages: the rest is left to polling.
const WAITING_MAX: usize = 10_000;
/// PostgreSQL takes less than 8,000 bytes.
const BYTES_MAX: usize = 7_500;
/// A pause after each notification: what happens meanwhile shares the next one.
const PAUSE: Duration = Duration::from_millis(10);
const RETRY: Duration = Duration::from_millis(500);

pub struct Notify {
    sender: Sender,
    listener: AbortHandle,
}

#[derive(Clone)]
pub struct Sender(mpsc::Sender<Message>);

enum Message {
    Wake,
    Change(Change),
}

#[derive(Serialize, Deserialize)]
struct Payload {
    /// Who sent it, to leave out one's own.
    node: String,
    wake: bool,
    changes: Vec<Change>,
}

impl Notify {
    pub fn start(options: &PgConnectOptions, hub: Arc<Hub>) -> Notify {
        let node = uuid::Uuid::new_v4().simple().to_string();
        let (sender, queue) = mpsc::channel(WAITING_MAX);
        let quiet = options.clone().options([("synchronous_commit", "off")]);
        tokio::spawn(send(quiet, queue, node.clone()));
        let listener = tokio::spawn(listen(options.clone(), hub, node)).abort_handle();
        Notify { sender: Sender(sender), listener }
    }

    pub fn sender(&self) -> Sender {
        self.sender.clone()
    }
}

impl Drop for Notify {
    fn drop(&mut self) {
        self.listener.abort();
    }
}

impl Sender {
    pub fn wake(&self) {
        // full: polling finds it
        let _ = self.0.try_send(Message::Wake);
    }

    pub fn tell(&self, change: Change) {
        let _ = self.0.try_send(Message::Change(change));
    }
}

async fn send(options: PgConnectOptions, mut queue: mpsc::Receiver<Message>, node: String) {
    let mut conn: Option<PgConnection> = None;
    let mut messages = Vec::new();
    while queue.recv_many(&mut messages, WAITING_MAX).await > 0 {
        let texts = payloads(&node, &mut messages);
        let sent = async {
            let open = match conn.take() {
                Some(open) => open,
                None => options.connect().await?,
            };
            let open = conn.insert(open);
            sqlx::query("select pg_notify($1, text) from unnest($2::text[]) as text")
                .bind(CHANNEL)
                .bind(texts)
                .execute(open)
                .await
        };
        if let Err(error) = sent.await {
            tracing::debug!(%error, "other nodes are not told");
            conn = None;
            tokio::time::sleep(RETRY).await;
        }
        tokio::time::sleep(PAUSE).await;
    }
}

fn payloads(node: &str, messages: &mut Vec<Message>) -> Vec<String> {
    let mut wake = false;
    let mut bytes = 0;
    let mut parts: Vec<Vec<Change>> = vec![Vec::new()];
    for message in messages.drain(..) {
        match message {
            Message::Wake => wake = true,
            Message::Change(change) => {
                // keys, quotes, numbers and what changed take less than 120 bytes
                let size = 120 + 2 * change.journey.len();
                if bytes + size > BYTES_MAX {
                    parts.push(Vec::new());
                    bytes = 0;
                }
                bytes += size;
                parts.last_mut().map(|p| p.push(change)).unwrap_or_default();
            }
        }
    }
    (parts.into_iter())
        .map(|changes| Payload { node: node.to_owned(), wake, changes })
        .filter_map(|payload| serde_json::to_string(&payload).ok().filter(|text| text.len() < 8_000))
        .collect()
}

async fn listen(options: PgConnectOptions, hub: Arc<Hub>, node: String) {
    let pool = PgPoolOptions::new().max_connections(1).max_lifetime(None).idle_timeout(None).connect_lazy_with(options);
    loop {
        let heard = async {
            let mut listener = PgListener::connect_with(&pool).await?;
            listener.listen(CHANNEL).await?;
            loop {
                // what was said before we listened, or while the connection was lost, is unknown
                hub.mark_missed();
                while let Some(notification) = listener.try_recv().await? {
                    hear(&hub, &node, notification.payload());
                }
            }
            #[allow(unreachable_code)]
            Ok::<(), sqlx::Error>(())
        };
        if let Err(error) = heard.await {
            tracing::debug!(%error, "other nodes are not heard");
        }
        tokio::time::sleep(RETRY).await;
    }
}

fn hear(hub: &Hub, node: &str, text: &str) {
    match serde_json::from_str::<Payload>(text) {
        Ok(payload) if payload.node != node => {
            for change in payload.changes {
                hub.tell(change);
            }
            if payload.wake {
                hub.wake();
            }
        }
        Ok(_) => {}
        Err(error) => tracing::debug!(%error, "a notification is not ours"),
    }
}
