//! One key that seals: AES-256-GCM with a random nonce, bound to a place.

#![allow(clippy::disallowed_methods)] // nonces and keys

use aes_gcm::aead::{Aead, AeadInOut, KeyInit, Payload};
use aes_gcm::{Aes256Gcm, Nonce};
use base64::Engine;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use hmac::{Hmac, Mac};
use serde_json::Value;
use sha2::Sha256;
use std::fmt;

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
        Cipher::new(&derived(secret, purpose))
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

    pub fn seal_text(&self, text: &mut String, place: Binding) {
        if !UNSEALED {
            *text = URL_SAFE_NO_PAD.encode(self.seal(text.as_bytes(), &place.to_string()));
        }
    }

    /// `None`: it was not sealed with this key for this place; the text is not changed then.
    pub fn open_text(&self, text: &mut String, place: Binding) -> Option<()> {
        if !UNSEALED {
            let sealed = URL_SAFE_NO_PAD.decode(&*text).ok()?;
            *text = String::from_utf8(self.open(&sealed, &place.to_string())?).ok()?;
        }
        Some(())
    }

    /// What says nothing stays as it is.
    pub fn seal_json(&self, value: &mut Value, place: Binding) {
        if !UNSEALED && !value.is_null() {
            // A value of JSON can always be written.
            let written = serde_json::to_vec(value).unwrap_or_default();
            *value = Value::String(URL_SAFE_NO_PAD.encode(self.seal(&written, &place.to_string())));
        }
    }

    /// Opens a value; `None`: it was not sealed with this key for this place.
    pub fn open_json(&self, value: &mut Value, place: Binding) -> Option<()> {
        if !UNSEALED && !value.is_null() {
            let Value::String(text) = value else { return None };
            self.open_text(text, place)?;
            *value = serde_json::from_str(text).ok()?;
        }
        Some(())
    }
}

/// What a sealed text is bound to: a column, whose it is, and which of their rows.
#[derive(Clone, Copy)]
pub struct Binding<'p>(pub &'p str, pub &'p str, pub &'p dyn fmt::Display);

/// The only row there is.
pub const ONLY: &str = "";

impl fmt::Display for Binding<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} {} {}", self.0, self.1, self.2)
    }
}

pub fn derived(secret: &[u8; 32], purpose: &[u8]) -> [u8; 32] {
    let Ok(mut mac) = Hmac::<Sha256>::new_from_slice(secret) else { return [0; 32] };
    mac.update(purpose);
    mac.finalize().into_bytes().into()
}

pub fn random<T>() -> T
where
    rand::distr::StandardUniform: rand::distr::Distribution<T>,
{
    rand::random()
}
