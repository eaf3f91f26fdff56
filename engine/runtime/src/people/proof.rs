//! Proof of work: who asks for many messages from one network lets their machine work for each. It
//! asks nothing of a person.
//!
//! A challenge is signed, bound to a network, and counts once, whichever node sees its solution; until somebody has
//! solved it nothing of it is kept.

use super::People;
use crate::actor::Actor;
use crate::clock::new_id;
use crate::refusal::Refusal;
use serde::{Deserialize, Serialize};
use sha2::{Digest, Sha256};
use subtle::ConstantTimeEq;
use utoipa::ToSchema;

/// Find a number for which SHA-256 of `<token>.<number>` begins with `bits` zero bits, and send both as `X-Proof`.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, ToSchema)]
pub struct ProofOfWork {
    pub token: String,
    pub bits: u32,
}

const VALID_MS: i64 = 600_000;

impl People {
    pub fn challenge(&self, network: &str) -> ProofOfWork {
        let bits = self.core.settings.otp.proof_bits;
        let terms = format!("{}.{bits}.{}", self.core.now_ms() + VALID_MS, new_id());
        ProofOfWork { token: format!("{terms}.{}", self.sign(network, &terms)), bits }
    }

    /// Whether a password that is asked for from here now would only be sent with a proof.
    pub async fn asks_proof(&self, actor: &Actor) -> Result<bool, Refusal> {
        Ok(self.core.asks_proof(actor).await?)
    }

    /// Whether this is the solution of a challenge of ours for this network, shown for the first time.
    pub async fn proves(&self, network: &str, proof: &str) -> Result<bool, Refusal> {
        match self.solves(network, proof, self.core.now_ms()) {
            Some(token) => self.first_proof(token).await,
            None => Ok(false),
        }
    }

    /// Whether nobody has proved anything with this token before.
    pub async fn first_proof(&self, token: &str) -> Result<bool, Refusal> {
        Ok(self.core.store().first_use(&self.core.keys.hash("used-proof", token), self.core.now_ms()).await?)
    }

    /// The token of a challenge of ours for this network that is still valid, where this is its solution.
    fn solves<'p>(&self, network: &str, proof: &'p str, now_ms: i64) -> Option<&'p str> {
        let (token, _) = proof.rsplit_once('.')?;
        let (terms, signature) = token.rsplit_once('.')?;
        let mut parts = terms.split('.');
        let until_ms: i64 = parts.next()?.parse().ok()?;
        let bits: u32 = parts.next()?.parse().ok()?;
        let ours = bool::from(self.sign(network, terms).as_bytes().ct_eq(signature.as_bytes()));
        let solved = zero_bits(&Sha256::digest(proof.as_bytes())) >= bits;
        (ours && now_ms < until_ms && solved).then_some(token)
    }

    fn sign(&self, network: &str, terms: &str) -> String {
        self.core.keys.short_hash("proof", &format!("{network} {terms}"))
    }
}

fn zero_bits(bytes: &[u8]) -> u32 {
    let whole = bytes.iter().take_while(|byte| **byte == 0).count();
    whole as u32 * 8 + bytes.get(whole).map_or(0, |byte| byte.leading_zeros())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn zero_bits_are_counted_from_the_left() {
        assert_eq!([zero_bits(&[0x80, 0]), zero_bits(&[0, 0x1f]), zero_bits(&[0, 0])], [0, 11, 16]);
    }
}
