//! What a script can call: the product's functions and the sandbox's own.

use engine_settings::Settings;
use engine_statechart::Host;
use serde_json::Value;
use sha2::{Digest, Sha256};
use std::borrow::Cow;
use std::collections::{BTreeSet, HashMap};
use std::sync::{Mutex, PoisonError};

/// An address in the memory; without a key it means the whole bucket.
pub type MemoryAddress = (String, Option<String>);

/// The functions for one evaluation. Memory is asked between evaluations: a place that is not known yet is noted,
/// and the evaluation is made again when it is.
pub struct ScriptHost<'a> {
    /// Functions and tables of the definitions.
    pub product: &'a dyn Host,
    pub settings: &'a Settings,
    pub known: &'a HashMap<MemoryAddress, Value>,
    pub missing: Mutex<BTreeSet<MemoryAddress>>,
    /// Seed by which ids are made; `ids`: how many were made before this evaluation.
    pub seed: &'a str,
    pub ids: Mutex<u32>,
}

impl Host for ScriptHost<'_> {
    fn variable(&self, name: &str) -> Option<Cow<'_, Value>> {
        self.product.variable(name)
    }

    fn call(&self, name: &str, args: &mut [Value]) -> Result<Value, String> {
        match (name, args) {
            ("recall", [bucket, key]) => self.recall((text(bucket)?.to_owned(), Some(key_text(key)?))),
            ("recall_all", [bucket]) => self.recall((text(bucket)?.to_owned(), None)),
            ("new_id", [prefix]) => Ok(self.new_id(text(prefix)?).into()),
            ("hmac_sha256_hex", [secret, signed]) => {
                let name = text(secret)?;
                let secret = self.settings.secret(name).ok_or_else(|| format!("secret `{name}` is not set"))?;
                Ok(crate::signature::hmac_sha256_hex(secret.expose().as_bytes(), text(signed)?.as_bytes()).into())
            }
            (_, args) => crate::functions::call(name, args).unwrap_or_else(|| self.product.call(name, args)),
        }
    }

    fn lend(&self, name: &str, args: &[Value]) -> Option<Result<&Value, String>> {
        self.product.lend(name, args)
    }
}

impl ScriptHost<'_> {
    fn recall(&self, place: MemoryAddress) -> Result<Value, String> {
        if let Some(value) = self.known.get(&place) {
            return Ok(value.clone());
        }
        self.missing.lock().unwrap_or_else(PoisonError::into_inner).insert(place);
        Err("memory is being read".into())
    }

    /// Makes an id: 14 letters and digits after the prefix, the same for the same seed and order of use.
    fn new_id(&self, prefix: &str) -> String {
        const LETTERS: &[u8; 62] = b"0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz";
        let mut made = self.ids.lock().unwrap_or_else(PoisonError::into_inner);
        *made += 1;
        let digest = Sha256::digest(format!("{}|{prefix}|{made}", self.seed).as_bytes());
        let id: String =
            digest[..14].iter().map(|byte| char::from(LETTERS[usize::from(*byte) % LETTERS.len()])).collect();
        format!("{prefix}{id}")
    }
}

fn text(value: &Value) -> Result<&str, String> {
    value.as_str().ok_or_else(|| "a text is needed".into())
}

fn key_text(value: &Value) -> Result<String, String> {
    match value {
        Value::String(key) => Ok(key.clone()),
        Value::Number(_) | Value::Bool(_) => Ok(value.to_string()),
        Value::Null => Ok(String::new()),
        Value::Array(_) | Value::Object(_) => Err("a key is a text or number".into()),
    }
}
