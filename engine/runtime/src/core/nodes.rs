//! Which master keys the running nodes have: each shows fingerprints of its own now and then, so that a change of the
//! key goes in an order in which every node can open what any other writes.
//!
//! The order: every node gets the coming key as `keys.previous`; then each has it as `keys.master` and the old one as
//! `keys.previous`; then `journey keys rotate`; then `keys.previous` goes. A node that would break it does not start,
//! and nothing is wrapped anew while a running node wraps with another key.

use super::{Core, RuntimeError};
use serde::{Deserialize, Serialize};
use serde_json::json;

/// Bucket of the nodes: what each shows, by a name that is new with every start.
const NODES: &str = "nodes";
const NODES_MAX: u32 = 10_000;
/// Who has not shown itself for so long is gone.
const ALIVE_MS: i64 = 20_000;

#[derive(Serialize, Deserialize)]
struct Shown {
    at_ms: i64,
    /// Fingerprint of the key that it wraps with.
    master: String,
    /// Fingerprint of the key that it opens with besides.
    previous: Option<String>,
}

impl Shown {
    fn opens(&self, fingerprint: &str) -> bool {
        self.master == fingerprint || self.previous.as_deref() == Some(fingerprint)
    }
}

impl Core {
    /// Shows which keys this node opens, so that others know.
    pub async fn show_keys(&self, node: &str) -> Result<(), RuntimeError> {
        Ok(self.store().kv_put(NODES, node, json!(self.own_keys())).await?)
    }

    pub async fn hide_keys(&self, node: &str) -> Result<(), RuntimeError> {
        Ok(self.store().kv_delete(NODES, node).await?)
    }

    fn own_keys(&self) -> Shown {
        let (master, previous) = self.vault().fingerprints();
        Shown { at_ms: self.now_ms(), master: master.to_owned(), previous: previous.map(str::to_owned) }
    }

    /// Other nodes that run; who is gone is forgotten on the way.
    async fn other_nodes(&self, node: &str) -> Result<Vec<Shown>, RuntimeError> {
        let mut running = Vec::new();
        for (name, shown) in self.store().kv_list(NODES, NODES_MAX).await? {
            match serde_json::from_value::<Shown>(shown) {
                Ok(shown) if shown.at_ms + ALIVE_MS > self.now_ms() => running.extend((name != node).then_some(shown)),
                Ok(_) | Err(_) => self.store().kv_delete(NODES, &name).await?,
            }
        }
        Ok(running)
    }

    /// A node starts: refused where it and a running one could not open what the other writes. `alone`: whoever ran
    /// before is gone.
    pub async fn join(&self, node: &str, alone: bool) -> Result<(), RuntimeError> {
        if alone {
            for (name, _) in self.store().kv_list(NODES, NODES_MAX).await? {
                self.store().kv_delete(NODES, &name).await?;
            }
        }
        let own = self.own_keys();
        for other in self.other_nodes(node).await? {
            if !other.opens(&own.master) {
                return Err(RuntimeError::KeyOrder(
                    "a running node has not this `keys.master`: give it to every node as `keys.previous` first",
                ));
            }
            if !own.opens(&other.master) {
                return Err(RuntimeError::KeyOrder(
                    "a running node has another `keys.master`: give it to this node as `keys.previous`",
                ));
            }
        }
        self.show_keys(node).await
    }

    /// Keys are to be wrapped anew: refused while a running node wraps with another one.
    pub async fn may_rotate(&self) -> Result<(), RuntimeError> {
        let own = self.own_keys();
        if self.other_nodes("").await?.iter().all(|other| other.master == own.master) {
            return Ok(());
        }
        Err(RuntimeError::KeyOrder(
            "a running node wraps with another key: every node needs this `keys.master` first, with the old key as \
             `keys.previous`",
        ))
    }
}
