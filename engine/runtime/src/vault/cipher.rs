//! One key that seals: AES-256-GCM with a random nonce, bound to a place.

#![allow(clippy::disallowed_methods)] // nonces and keys

use aes_gcm::aead::{Aead, AeadInOut, KeyInit, Payload};
use aes_gcm::{Aes256Gcm, Nonce};
use base64::Engine;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use hmac::{Hmac, Mac};
use serde_json::Value;
use sha2::Sha256;

const NONCE: usize = 12;
const TAG: usize = 16;
/// Nothing is sealed: a build of `make bench-sealing`, which no production mode starts.
const UNSEALED: bool = cfg!(unsealed);

pub struct Cipher(Aes256Gcm);

impl Cipher {
    pub fn new(key: &[u8; 32]) -> Cipher {
        Cipher(Aes256Gcm::new(key.into()))
    }

    /// One of several keys that come from a secret.
    pub fn derived(secret: &[u8; 32], purpose: &[u8]) -> Cipher {
        let mut key = [0; 32];
        if let Ok(mut mac) = Hmac::<Sha256>::new_from_slice(secret) {
            mac.update(purpose);
            key = mac.finalize().into_bytes().into();
        }
        Cipher::new(&key)
    }

    /// Nonce and sealed bytes; only an input beyond 64 GiB fails, and is empty then.
    pub fn seal(&self, plain: &[u8], place: &str) -> Vec<u8> {
        if UNSEALED {
            return plain.to_vec();
        }
        let nonce: [u8; NONCE] = random();
        let mut sealed = Vec::with_capacity(NONCE + plain.len() + TAG);
        sealed.extend_from_slice(&nonce);
        sealed.extend_from_slice(plain);
        let done = self.0.encrypt_inout_detached(&Nonce::from(nonce), place.as_bytes(), (&mut sealed[NONCE..]).into());
        let Ok(tag) = done else { return Vec::new() };
        sealed.extend_from_slice(&tag);
        sealed
    }

    pub fn open(&self, sealed: &[u8], place: &str) -> Option<Vec<u8>> {
        if UNSEALED {
            return Some(sealed.to_vec());
        }
        let (nonce, sealed) = sealed.split_at_checked(NONCE)?;
        let nonce: [u8; NONCE] = nonce.try_into().ok()?;
        self.0.decrypt(&Nonce::from(nonce), Payload { msg: sealed, aad: place.as_bytes() }).ok()
    }

    pub fn seal_text(&self, plain: &str, place: &str) -> String {
        if UNSEALED {
            return plain.to_owned();
        }
        URL_SAFE_NO_PAD.encode(self.seal(plain.as_bytes(), place))
    }

    pub fn open_text(&self, sealed: &str, place: &str) -> Option<String> {
        if UNSEALED {
            return Some(sealed.to_owned());
        }
        String::from_utf8(self.open(&URL_SAFE_NO_PAD.decode(sealed).ok()?, place)?).ok()
    }

    /// What says nothing stays as it is.
    pub fn seal_json(&self, plain: &Value, place: &str) -> Value {
        match plain {
            Value::Null => Value::Null,
            plain if UNSEALED => plain.clone(),
            plain => {
                // A value of JSON can always be written.
                let written = serde_json::to_vec(plain).unwrap_or_default();
                Value::String(URL_SAFE_NO_PAD.encode(self.seal(&written, place)))
            }
        }
    }

    pub fn open_json(&self, sealed: &Value, place: &str) -> Option<Value> {
        match sealed {
            Value::Null => Some(Value::Null),
            plain if UNSEALED => Some(plain.clone()),
            Value::String(text) => serde_json::from_str(&self.open_text(text, place)?).ok(),
            _ => None,
        }
    }
}

pub fn random<T>() -> T
where
    rand::distr::StandardUniform: rand::distr::Distribution<T>,
{
    rand::random()
}
