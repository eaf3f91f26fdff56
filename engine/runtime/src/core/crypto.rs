//! The server's keys: sealing of secrets, keyed hashes, derivation of one-time passwords.

#![allow(clippy::disallowed_methods)] // nonces

use aes_gcm::aead::{Aead, KeyInit};
use aes_gcm::{Aes256Gcm, Nonce};
use base64::Engine;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use hmac::{Hmac, Mac};
use sha2::Sha256;
use subtle::ConstantTimeEq;

/// Handle of a sealed secret; what a machine and a stored effect see instead of the value.
const SEALED: &str = "sealed:v1:";

/// Bytes of a journey's id.
const ID_BYTES: usize = 16;

/// Derived from the house's secret, one key per purpose.
pub struct Crypto {
    seal: [u8; 32],
    mac: Keyed,
    otp: Keyed,
    link: Keyed,
}

/// A keyed hash that has taken its key in already.
type Keyed = Hmac<Sha256>;

impl Crypto {
    pub fn derive(secret: &[u8; 32]) -> Crypto {
        let secret = keyed(secret);
        let derived = |purpose: &[u8]| keyed(&mac(&secret, &[purpose]));
        Crypto { seal: mac(&secret, &[b"seal"]), mac: derived(b"mac"), otp: derived(b"otp"), link: derived(b"link") }
    }

    /// AES-256-GCM with a random nonce; `bound` must be named again to open it.
    pub fn seal(&self, plain: &str, bound: &str) -> String {
        match self.seal_bytes(plain.as_bytes(), bound) {
            Some(sealed) => format!("{SEALED}{sealed}"),
            None => String::new(),
        }
    }

    /// Seals bytes into base64url, bound to a name that opens them again; only an input beyond 64 GiB fails.
    pub fn seal_bytes(&self, plain: &[u8], bound: &str) -> Option<String> {
        let nonce: [u8; 12] = rand::random();
        let payload = aes_gcm::aead::Payload { msg: plain, aad: bound.as_bytes() };
        let sealed = Aes256Gcm::new((&self.seal).into()).encrypt(&Nonce::from(nonce), payload).ok()?;
        Some(URL_SAFE_NO_PAD.encode([nonce.as_slice(), &sealed].concat()))
    }

    /// The secret behind a handle; `None` when it is not one of ours for this purpose.
    pub fn open(&self, handle: &str, bound: &str) -> Option<String> {
        String::from_utf8(self.open_bytes(handle.strip_prefix(SEALED)?, bound)?).ok()
    }

    pub fn open_bytes(&self, sealed: &str, bound: &str) -> Option<Vec<u8>> {
        let bytes = URL_SAFE_NO_PAD.decode(sealed).ok()?;
        let (nonce, sealed) = bytes.split_at_checked(12)?;
        let nonce: [u8; 12] = nonce.try_into().ok()?;
        let payload = aes_gcm::aead::Payload { msg: sealed, aad: bound.as_bytes() };
        Aes256Gcm::new((&self.seal).into()).decrypt(&Nonce::from(nonce), payload).ok()
    }

    pub fn is_handle(text: &str) -> bool {
        text.starts_with(SEALED)
    }

    /// Keyed hash as hex, for look-ups and comparisons of what must not be readable.
    pub fn hash(&self, purpose: &str, text: &str) -> String {
        hex::encode(mac(&self.mac, &[purpose.as_bytes(), b"\0", text.as_bytes()]))
    }

    /// Keyed hash in 128 bits, as hex: enough for an id.
    pub fn short_hash(&self, purpose: &str, text: &str) -> String {
        hex::encode(&mac(&self.mac, &[purpose.as_bytes(), b"\0", text.as_bytes()])[..16])
    }

    /// Keyed hash in 64 bits, for what is compared with a few others only.
    pub fn number(&self, purpose: &str, text: impl AsRef<[u8]>) -> i64 {
        let [a, b, c, d, e, f, g, h, ..] = mac(&self.mac, &[purpose.as_bytes(), b"\0", text.as_ref()]);
        i64::from_be_bytes([a, b, c, d, e, f, g, h])
    }

    /// 128 bits as base64url, from the server's key and what orders the link.
    pub fn link_code(&self, order: &str) -> String {
        URL_SAFE_NO_PAD.encode(&mac(&self.link, &[order.as_bytes()])[..16])
    }

    /// What stands for a journey on its paper: its id and 96 bits that only this server can have made of it.
    pub fn proof_code(&self, journey: &str) -> Option<String> {
        let id = hex::decode(journey).ok().filter(|id| id.len() == ID_BYTES)?;
        Some(URL_SAFE_NO_PAD.encode([id.as_slice(), &self.proof(&id)].concat()))
    }

    /// The journey that a code stands for; `None` when it is not one of ours.
    pub fn proven(&self, code: &str) -> Option<String> {
        let bytes = URL_SAFE_NO_PAD.decode(code).ok()?;
        let (id, proof) = bytes.split_at_checked(ID_BYTES)?;
        bool::from(self.proof(id).ct_eq(proof)).then(|| hex::encode(id))
    }

    fn proof(&self, id: &[u8]) -> [u8; 12] {
        let [proof @ .., _, _, _, _, _, _, _, _, _, _, _, _, _, _, _, _, _, _, _, _] =
            mac(&self.link, &[b"proof\0", id]);
        proof
    }

    /// Six digits from the server's key, a stored random id, and what the password is bound to.
    pub fn otp_code(&self, journey: &str, purpose: &str, mobile: &str, id: &str) -> String {
        let bytes = mac(&self.otp, &[format!("{journey}\0{purpose}\0{mobile}\0{id}").as_bytes()]);
        let number =
            u64::from_be_bytes([bytes[0], bytes[1], bytes[2], bytes[3], bytes[4], bytes[5], bytes[6], bytes[7]])
                % 1_000_000;
        format!("{number:06}")
    }
}

fn keyed(key: &[u8; 32]) -> Keyed {
    // A key of a block or less is filled up with zeros, here to a whole block.
    let mut block = [0; 64];
    block[..key.len()].copy_from_slice(key);
    <Keyed as KeyInit>::new(&block.into())
}

fn mac(key: &Keyed, parts: &[&[u8]]) -> [u8; 32] {
    let mut mac = key.clone();
    for part in parts {
        mac.update(part);
    }
    mac.finalize().into_bytes().into()
}
