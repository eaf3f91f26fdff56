//! Contract with the payment gateway: payloads in the shape of Razorpay's public documentation
//! (razorpay.com/docs/webhooks, …/docs/payments/server-integration), and its two signatures.

use super::world::{NOW_MS, World};
use axum::http::{HeaderMap, HeaderValue};
use engine_definitions::{Files, load};
use engine_partners::{WebhookRefused, signature};
use engine_settings::{Secret, Settings};
use serde_json::{Map, Value, json};

/// The product's own gateway, with a secret as an operator would set it.
fn world() -> World {
    let root = concat!(env!("CARGO_MANIFEST_DIR"), "/..");
    let all = Files::read_dir(if std::path::Path::new(root).join("workflows").exists() { root } else { "/work/main" }).unwrap();
    let mut gateway = Files::new();
    for (path, bytes) in all.iter().filter(|(path, _)| path.starts_with("workflows/partners/gateway/")) {
        gateway.insert(path, bytes.clone());
    }
    let mut settings = Settings::default();
    settings.partners.secrets.insert("razorpay_webhook_secret".into(), Secret::new("whsec-of-the-test".into()));
    let loaded = load(&gateway);
    World::new(loaded.catalog.unwrap_or_else(|| panic!("{:?}", loaded.problems.iter().map(ToString::to_string).collect::<Vec<_>>())), settings)
}

fn payload(event: &str, status: &str) -> Value {
    json!({"entity": "event", "account_id": "acc_test", "event": event, "contains": ["payment"], "created_at": 1_795_255_200,
        "payload": {"payment": {"entity": {"id": "pay_TestPayment01", "entity": "payment", "amount": 1_031_200, "currency": "INR", "status": status,
            "order_id": "order_TestOrder001", "invoice_id": null, "international": false, "method": "upi", "amount_refunded": 0, "refund_status": null,
            "captured": status == "captured", "description": null, "card_id": null, "bank": null, "wallet": null, "vpa": "someone@upi", "email": "someone@example.com",
            "contact": "+919000000001", "notes": [], "fee": 2_360, "tax": 360, "error_code": null, "error_description": "Payment failed", "created_at": 1_795_255_190}}}})
}

fn headers(signature: &str) -> HeaderMap {
    HeaderMap::from_iter([("x-razorpay-signature", signature), ("x-razorpay-event-id", "evt_1")].map(|(name, value)| (name.parse().unwrap(), HeaderValue::from_str(value).unwrap())))
}

#[test]
fn events_are_believed_by_their_signature_and_read() {
    let world = world();
    let webhook = world.catalog.webhook("gateway", "payments").unwrap();
    let now = engine_definitions::Now::at(NOW_MS, "Asia/Kolkata".parse().unwrap());
    let host = world.catalog.host(&now, None);
    let check = |event: &str, status: &str, expected: (&str, Value)| {
        let raw = serde_json::to_vec_pretty(&payload(event, status)).unwrap();
        let signed = headers(&signature::hmac_sha256_hex(b"whsec-of-the-test", &raw));
        assert_eq!(world.partners.verify_webhook(webhook, &signed, &raw, NOW_MS), Ok(()));
        let body = serde_json::from_slice(&raw).unwrap();
        let read = webhook.read(&Map::new(), &body, &host).unwrap().unwrap();
        assert_eq!((read.event.as_str(), read.reference.as_str(), &read.actual), (expected.0, "order_TestOrder001", &expected.1));
    };
    check("payment.captured", "captured", ("payment.captured", json!({"amount": 1_031_200, "currency": "INR"})));
    check("payment.failed", "failed", ("payment.failed", json!({})));
}

#[test]
fn other_senders_are_not_believed() {
    let world = world();
    let webhook = world.catalog.webhook("gateway", "payments").unwrap();
    let raw = payload("payment.captured", "captured").to_string();
    let good = signature::hmac_sha256_hex(b"whsec-of-the-test", raw.as_bytes());
    let cheaper = raw.replace("1031200", "1031300");
    let check = |headers: HeaderMap, raw: &str, expected: WebhookRefused| {
        assert_eq!(world.partners.verify_webhook(webhook, &headers, raw.as_bytes(), NOW_MS), Err(expected));
    };
    check(HeaderMap::new(), &raw, WebhookRefused::Unsigned);
    check(headers(&good), &cheaper, WebhookRefused::Forged);
    check(headers(&signature::hmac_sha256_hex(b"another", raw.as_bytes())), &raw, WebhookRefused::Forged);
    check(headers("not hexadecimal"), &raw, WebhookRefused::Forged);
    check(headers(&good[..40]), &raw, WebhookRefused::Forged);
}

/// `hmac_sha256(order_id + "|" + payment_id, key_secret)`; the value was made with OpenSSL.
#[test]
fn the_checkout_signs_its_return() {
    let expected = "6a063f8f0b1d3da1aee40dfa5cdd8fed0449e870f466685f79a4d321346aba7b";
    assert_eq!(signature::checkout_signature("order_TestOrder001", "pay_TestPayment01", b"key-secret"), expected);
    assert!(signature::verify_checkout("order_TestOrder001", "pay_TestPayment01", b"key-secret", expected));
    assert!(!signature::verify_checkout("order_TestOrder002", "pay_TestPayment01", b"key-secret", expected));
}
