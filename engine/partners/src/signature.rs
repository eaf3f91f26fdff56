//! Signatures over raw bytes: HMAC-SHA256 in hexadecimal, compared in constant time.
//!
//! Two public uses at payment gateways have this shape: a webhook's body signed with the webhook's secret, and the
//! return of a hosted checkout, `hmac_sha256(order_id + "|" + payment_id, key_secret)`.

use hmac::{Hmac, KeyInit, Mac};
use sha2::Sha256;

/// Lower-case hexadecimal HMAC-SHA256 of `text` under `secret`.
pub fn hmac_sha256_hex(secret: &[u8], text: &[u8]) -> String {
    hex::encode(mac(secret, text).finalize().into_bytes())
}

/// Whether `given` (hexadecimal, either case) signs `text`. Takes the same time wherever the first difference is.
pub fn verify_hmac_sha256_hex(secret: &[u8], text: &[u8], given: &str) -> bool {
    match hex::decode(given.trim()) {
        Ok(given) => mac(secret, text).verify_slice(&given).is_ok(),
        Err(_) => false,
    }
}

/// The signature that a hosted checkout gives the browser on its way back.
pub fn checkout_signature(order_id: &str, payment_id: &str, key_secret: &[u8]) -> String {
    hmac_sha256_hex(key_secret, format!("{order_id}|{payment_id}").as_bytes())
}

/// Whether this is the signature of a hosted checkout for this order and payment.
pub fn verify_checkout(order_id: &str, payment_id: &str, key_secret: &[u8], given: &str) -> bool {
    verify_hmac_sha256_hex(key_secret, format!("{order_id}|{payment_id}").as_bytes(), given)
}

fn mac(secret: &[u8], text: &[u8]) -> Hmac<Sha256> {
    // A key of any length is accepted: long ones are hashed first, as the standard says.
    let mut mac =
        Hmac::<Sha256>::new_from_slice(secret).unwrap_or_else(|_| unreachable!("HMAC takes keys of any length"));
    mac.update(text);
    mac
}

#[cfg(test)]
mod tests {
    use super::*;

    /// RFC 4231, test cases 1, 2 and 6 (a key longer than the block).
    #[test]
    fn known_vectors() {
        let check = |key: &[u8], text: &str, expected: &str| {
            assert_eq!(hmac_sha256_hex(key, text.as_bytes()), expected);
            assert!(verify_hmac_sha256_hex(key, text.as_bytes(), expected));
            assert!(verify_hmac_sha256_hex(key, text.as_bytes(), &expected.to_uppercase()));
        };
        check(&[0x0b; 20], "Hi There", "b0344c61d8db38535ca8afceaf0bf12b881dc200c9833da726e9376c2e32cff7");
        check(
            b"Jefe",
            "what do ya want for nothing?",
            "5bdcc146bf60754e6a042426089575c75a003f089d2739839dec58b964ec3843",
        );
        check(
            &[0xaa; 131],
            "Test Using Larger Than Block-Size Key - Hash Key First",
            "60e431591ee0b67f0d8a26aacbf5b77f8e0bc6213728c5140546040f0ee37f54",
        );
    }

    #[test]
    fn forged_signatures_are_refused() {
        let good = checkout_signature("order_1", "pay_1", b"secret");
        assert!(verify_checkout("order_1", "pay_1", b"secret", &good));
        for forged in ["", "zz", &good[..62], &good.replace(&good[..1], if good.starts_with('0') { "1" } else { "0" })]
        {
            assert!(!verify_checkout("order_1", "pay_1", b"secret", forged), "{forged}");
        }
        assert!(!verify_checkout("order_1", "pay_2", b"secret", &good));
        assert!(!verify_checkout("order_1", "pay_1", b"other", &good));
    }
}
