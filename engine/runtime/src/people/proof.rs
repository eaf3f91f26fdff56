//! Proof of work: who asks for many messages from one network lets their machine work for each (security rule 15). It
//! asks nothing of a person.
//!
//! A challenge is signed, bound to a network, and counts once on a node; until somebody has solved it nothing of it is
//! kept.

use super::People;
use crate::clock::new_id;
use serde::Serialize;
use sha2::{Digest, Sha256};
use subtle::ConstantTimeEq;
use utoipa::ToSchema;

/// Find a number for which SHA-256 of `<token>.<number>` begins with `bits` zero bits, and send both as `X-Proof`.
#[derive(Debug, Clone, PartialEq, Serialize, ToSchema)]
pub struct Challenge {
    pub token: String,
    pub bits: u32,
}

const VALID_MS: i64 = 600_000;

impl People {
    pub fn challenge(&self, network: &str) -> Challenge {
        let bits = self.core.settings.otp.proof_bits;
        let terms = format!("{}.{bits}.{}", self.core.now_ms() + VALID_MS, new_id());
        Challenge { token: format!("{terms}.{}", self.signed(network, &terms)), bits }
    }

    /// Whether this is the solution of a challenge of ours for this network, shown for the first time.
    pub fn proves(&self, network: &str, proof: &str) -> bool {
        let Some((token, _)) = proof.rsplit_once('.') else { return false };
        let Some((terms, signature)) = token.rsplit_once('.') else { return false };
        let mut parts = terms.split('.');
        let until_ms: Option<i64> = parts.next().and_then(|text| text.parse().ok());
        let bits: Option<u32> = parts.next().and_then(|text| text.parse().ok());
        let (Some(until_ms), Some(bits)) = (until_ms, bits) else { return false };
        let ours = bool::from(self.signed(network, terms).as_bytes().ct_eq(signature.as_bytes()));
        ours && self.core.now_ms() < until_ms
            && zero_bits(&Sha256::digest(proof.as_bytes())) >= bits
            && self.core.proofs.first(token, until_ms, self.core.now_ms())
    }

    fn signed(&self, network: &str, terms: &str) -> String {
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
