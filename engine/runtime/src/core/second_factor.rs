//! The second factor of the staff: codes of a time (RFC 6238 over RFC 4226: SHA-1, six digits, 30 seconds), as every
//! authenticator app makes them.

use hmac::{Hmac, KeyInit, Mac};
use sha1::Sha1;
use subtle::ConstantTimeEq;

const STEP_MS: i64 = 30_000;
/// A clock that is so many steps off is believed.
const SKEW: i64 = 1;
const ALPHABET: &[u8; 32] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZ234567";

/// The step of time to which a code belongs, if it is one of this secret and of now. All that could be are compared, in
/// the same time whatever was given.
pub fn step_of(secret: &[u8], code: &str, now_ms: i64) -> Option<i64> {
    let now = now_ms.div_euclid(STEP_MS);
    (now - SKEW..=now + SKEW).map(|step| (step, code_of(secret, step))).fold(None, |found, (step, expected)| {
        match bool::from(expected.as_bytes().ct_eq(code.as_bytes())) {
            true => Some(step),
            false => found,
        }
    })
}

fn code_of(secret: &[u8], step: i64) -> String {
    let Ok(mut mac) = Hmac::<Sha1>::new_from_slice(secret) else { return String::new() };
    mac.update(&step.to_be_bytes());
    let bytes = mac.finalize().into_bytes();
    let at = usize::from(bytes[19] & 0xf);
    let number = u32::from_be_bytes([bytes[at] & 0x7f, bytes[at + 1], bytes[at + 2], bytes[at + 3]]);
    format!("{:06}", number % 1_000_000)
}

/// Base32 without padding, as authenticator apps take secrets.
pub fn base32(bytes: &[u8]) -> String {
    let bit = |at: usize| bytes.get(at / 8).is_some_and(|byte| byte & (0x80 >> (at % 8)) != 0);
    let letter = |chunk: usize| (0..5).fold(0, |value, at| (value << 1) | usize::from(bit(chunk * 5 + at)));
    (0..(bytes.len() * 8).div_ceil(5)).map(|chunk| char::from(ALPHABET[letter(chunk)])).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn codes_are_those_of_the_standard() {
        let secret = b"12345678901234567890";
        for (seconds, code) in [
            (59, "287082"),
            (1_111_111_109, "081804"),
            (1_111_111_111, "050471"),
            (1_234_567_890, "005924"),
            (2_000_000_000, "279037"),
            (20_000_000_000, "353130"),
        ] {
            let now_ms = seconds * 1_000;
            assert_eq!(step_of(secret, code, now_ms), Some(seconds / 30));
            assert_eq!(step_of(secret, code, now_ms + 30_000), Some(seconds / 30), "one step late");
            assert_eq!(step_of(secret, code, now_ms + 60_000), None, "two steps late");
            assert_eq!(step_of(b"another", code, now_ms), None);
        }
        assert_eq!(step_of(secret, "", 59_000), None);
    }

    #[test]
    fn a_secret_is_written_as_apps_take_it() {
        for (bytes, text) in [("", ""), ("f", "MY"), ("fo", "MZXQ"), ("foo", "MZXW6"), ("foobar", "MZXW6YTBOI")] {
            assert_eq!(base32(bytes.as_bytes()), text);
        }
    }
}
