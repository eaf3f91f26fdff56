//! Contract with the payment gateway: payloads in the shape of Razorpay's public documentation
//! (razorpay.com/docs/webhooks, …/docs/payments/server-integration), and its two signatures.

use super::world::{NOW_MS, Shop, World, told, until};
use axum::Router;
use axum::body::Bytes;
use axum::http::{HeaderMap, HeaderValue};
use axum::routing::post;
use engine_definitions::{Catalog, Files, WebhookTells, load};
use engine_partners::{CallOutcome, WebhookRefused, signature};
use engine_settings::{Secret, Settings};
use journey_tests::server::all_definitions;
use serde_json::{Map, Value, json};
use std::sync::{Arc, Mutex};

/// The product's own gateway.
fn gateway() -> Arc<Catalog> {
    let all = all_definitions();
    let mut gateway = Files::new();
    for (path, bytes) in all.iter() {
        if path.starts_with("workflows/partners/payments/") || path.starts_with("workflows/contracts/") {
            gateway.insert(path, Arc::clone(bytes));
        }
    }
    let loaded = load(&gateway);
    loaded
        .catalog
        .unwrap_or_else(|| panic!("{:?}", loaded.problems.iter().map(ToString::to_string).collect::<Vec<_>>()))
}

/// A world with a secret as an operator would set it.
fn world() -> World {
    let mut settings = Settings::default();
    settings.partners.secrets.insert("razorpay_webhook_secret".into(), Secret::new("whsec-of-the-test".into()));
    World::new(gateway(), settings)
}

fn payload(event: &str, status: &str) -> Value {
    json!({"entity": "event", "account_id": "acc_test", "event": event, "contains": ["payment"], "created_at": 1_795_255_200,
        "payload": {"payment": {"entity": {"id": "pay_TestPayment01", "entity": "payment", "amount": 1_031_200, "currency": "INR", "status": status,
            "order_id": "order_TestOrder001", "invoice_id": null, "international": false, "method": "upi", "amount_refunded": 0, "refund_status": null,
            "captured": status == "captured", "description": null, "card_id": null, "bank": null, "wallet": null, "vpa": "someone@upi", "email": "someone@example.com",
            "contact": "+919000000001", "notes": [], "fee": 2_360, "tax": 360, "error_code": null, "error_description": "Payment failed", "created_at": 1_795_255_190}}}})
}

fn headers(signature: &str) -> HeaderMap {
    HeaderMap::from_iter(
        [("x-razorpay-signature", signature), ("x-razorpay-event-id", "evt_1")]
            .map(|(name, value)| (name.parse().unwrap(), HeaderValue::from_str(value).unwrap())),
    )
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
        assert_eq!(world.partners.verify_webhook(webhook, &signed, &raw), Ok(()));
        let body = serde_json::from_slice(&raw).unwrap();
        let read = webhook.read(&Map::new(), &body, &host).unwrap().unwrap();
        let WebhookTells::Event { event, actual, .. } = read.tells else { panic!("{:?}", read.tells) };
        assert_eq!(
            (event.as_str(), read.reference.as_str(), json!(actual)),
            (expected.0, "order_TestOrder001", expected.1)
        );
    };
    check("payment.captured", "captured", ("payment.captured", json!({"amount": 1_031_200, "currency": "INR"})));
    check("payment.failed", "failed", ("payment.failed", json!({})));
}

#[test]
fn an_old_event_is_not_believed_though_it_is_signed() {
    const DAY_MS: i64 = 86_400_000;
    let world = world();
    let webhook = world.catalog.webhook("gateway", "payments").unwrap();
    let sent_ms = 1_795_255_200_000;
    let check = |now_ms: i64, body: &Value, expected: bool| {
        let now = engine_definitions::Now::at(now_ms, "Asia/Kolkata".parse().unwrap());
        assert_eq!(webhook.is_timely(body, &world.catalog.host(&now, None), now_ms), Ok(expected), "{now_ms}");
    };
    let captured = payload("payment.captured", "captured");
    check(sent_ms, &captured, true);
    check(sent_ms + 3 * DAY_MS, &captured, true);
    check(sent_ms + 3 * DAY_MS + 1, &captured, false);
    // clocks differ by minutes, not by a day
    check(sent_ms - 5 * 60_000, &captured, true);
    check(sent_ms - 5 * 60_000 - 1, &captured, false);
    check(sent_ms, &json!({"created_at": "2026-11-21T10:00:00Z"}), true);
    check(sent_ms, &json!({"created_at": "soon"}), false);
}

#[test]
fn other_senders_are_not_believed() {
    let world = world();
    let webhook = world.catalog.webhook("gateway", "payments").unwrap();
    let raw = payload("payment.captured", "captured").to_string();
    let good = signature::hmac_sha256_hex(b"whsec-of-the-test", raw.as_bytes());
    let cheaper = raw.replace("1031200", "1031300");
    let check = |headers: HeaderMap, raw: &str, expected: WebhookRefused| {
        assert_eq!(world.partners.verify_webhook(webhook, &headers, raw.as_bytes()), Err(expected));
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

/// The hosted page of the sandbox, and what its gateway tells the product of.
struct Hosted {
    shop: Shop,
    events: Arc<Mutex<Vec<(HeaderMap, Bytes)>>>,
}

/// What must come of a button.
struct Ends<'a> {
    /// What the browser brings back.
    back: &'a [&'a str],
    /// The events that come, in the order of their names.
    events: &'a [&'a str],
    /// What a poll then says.
    status: &'a str,
}

impl Hosted {
    async fn open() -> Hosted {
        let events: Arc<Mutex<Vec<(HeaderMap, Bytes)>>> = Arc::default();
        let store = Arc::clone(&events);
        let product = Router::new().route(
            "/api/v1/webhooks/gateway/payments",
            post(move |headers: HeaderMap, body: Bytes| async move { store.lock().unwrap().push((headers, body)) }),
        );
        let mut settings = Settings::default();
        settings.sandbox.delay_percent = 0;
        Hosted { shop: Shop::open_with(gateway(), product, settings).await, events }
    }

    /// Presses the button of a fresh order's page; what a poll then brings.
    async fn check(&self, button: &str, ends: Ends<'_>) -> Value {
        let order = self.order(button).await;
        let order_id = order["order"].as_str().unwrap();
        let brought = self.press(button, &order).await;
        for part in ends.back {
            assert!(brought.contains(part), "{button}: {part}\n{brought}");
        }
        assert_is_signed_if_paid(&brought, order_id, button);
        assert_eq!(self.told(button, order_id, ends.events.len()).await, ends.events, "{button}");
        let polled = self.poll(button, order_id).await;
        assert_eq!(polled["status"], ends.status, "{button}: {polled}");
        polled
    }

    async fn order(&self, button: &str) -> Value {
        let input = json!({"amount": 1_031_200, "currency": "INR", "receipt": button});
        let order = self.shop.world.call("gateway/order", input, button).await;
        let CallOutcome::Done { output, correlate, .. } = order else { panic!("{order:?}") };
        let expected = json!({"amount": 1_031_200, "currency": "INR"});
        assert_eq!(
            (correlate[0].reference.as_str(), &correlate[0].expect),
            (output["order"].as_str().unwrap(), &expected)
        );
        output
    }

    /// Opens the page and presses a button of it; where the browser is sent, or the page that sends it.
    async fn press(&self, button: &str, order: &Value) -> String {
        let fields = [
            ("key_id", "rzp_test"),
            ("order_id", order["order"].as_str().unwrap()),
            ("amount", "1031200"),
            ("name", "Shop"),
            ("callback_url", "https://shop.example/return"),
            ("cancel_url", "https://shop.example/cancel"),
        ];
        let http = &self.shop.http;
        let opened = http.post(order["checkout_url"].as_str().unwrap()).form(&fields).send().await.unwrap();
        let page = format!("{}{}", self.shop.url, opened.headers()["location"].to_str().unwrap());
        assert!(http.get(&page).send().await.unwrap().text().await.unwrap().contains("₹10,312.00"));
        let pressed = http.post(&page).form(&[("button", button)]).send().await.unwrap();
        match pressed.headers().get("location") {
            Some(location) => location.to_str().unwrap().to_owned(),
            None => pressed.text().await.unwrap(),
        }
    }

    /// Names of the events of an order, once so many have come; each is signed.
    async fn told(&self, button: &str, order_id: &str, count: usize) -> Vec<String> {
        let webhook = self.shop.world.catalog.webhook("gateway", "payments").unwrap();
        let now = engine_definitions::Now::at(NOW_MS, "Asia/Kolkata".parse().unwrap());
        let mine = |(_, body): &&(HeaderMap, Bytes)| String::from_utf8_lossy(body).contains(order_id);
        let taken = until(button, || async {
            Some(self.events.lock().unwrap().iter().filter(mine).cloned().collect::<Vec<_>>())
                .filter(|mine| mine.len() >= count)
        })
        .await;
        let mut names = Vec::new();
        for (headers, body) in &taken {
            assert_eq!(self.shop.world.partners.verify_webhook(webhook, headers, body), Ok(()), "{button}");
            let host = self.shop.world.catalog.host(&now, None);
            let read = webhook.read(&Map::new(), &serde_json::from_slice(body).unwrap(), &host).unwrap().unwrap();
            assert_eq!(read.reference, order_id);
            let WebhookTells::Event { event, .. } = read.tells else { panic!("{:?}", read.tells) };
            names.push(event);
        }
        names.sort();
        names
    }

    async fn poll(&self, button: &str, order_id: &str) -> Value {
        let input = json!({"order": order_id, "amount": 1_031_200, "currency": "INR"});
        let poll = self.shop.world.call("gateway/payments", input, &format!("{button}-poll")).await;
        let CallOutcome::Done { output, .. } = poll else { panic!("{poll:?}") };
        output
    }
}

/// A return with a signature has the right one.
fn assert_is_signed_if_paid(brought: &str, order_id: &str, button: &str) {
    let field = |name: &str| {
        let (_, rest) = brought.split_once(&format!("name=\"{name}\" value=\""))?;
        rest.split('"').next()
    };
    if let Some(signature) = field("razorpay_signature") {
        let payment = field("razorpay_payment_id").unwrap();
        let secret = b"sandbox-razorpay_key_secret";
        assert!(signature::verify_checkout(order_id, payment, secret, signature), "{button}");
    }
}

/// Every button of the hosted page.
#[tokio::test]
async fn the_hosted_page_ends_in_every_way() {
    let hosted = Hosted::open().await;
    let (captured, failed) = ("payment.captured", "payment.failed");
    let paid = ["action=\"https://shop.example/return\"", "razorpay_order_id"];
    let error = ["error[code]", "error[metadata]", "BAD_REQUEST_ERROR"];
    for (button, ends) in [
        ("pay", Ends { back: &paid, events: &[captured], status: "captured" }),
        ("fail", Ends { back: &error, events: &[failed], status: "failed" }),
        ("pending", Ends { back: &["razorpay_signature"], events: &[captured], status: "captured" }),
        ("late", Ends { back: &["error[code]"], events: &[captured, failed], status: "captured" }),
        ("close", Ends { back: &["https://shop.example/cancel"], events: &[], status: "none" }),
    ] {
        hosted.check(button, ends).await;
    }
    let wrong = Ends { back: &["razorpay_signature"], events: &[captured], status: "captured" };
    assert_eq!(hosted.check("wrong", wrong).await["amount"], 1_031_100);
}

#[tokio::test]
async fn a_payment_is_given_back_once() {
    let hosted = Hosted::open().await;
    let ends = Ends { back: &["razorpay_signature"], events: &["payment.captured"], status: "captured" };
    let paid = hosted.check("pay", ends).await;
    let refund =
        json!({"payment": paid["payment"], "order": paid["order"], "amount": 1_031_200, "reason": "superseded"});
    let call = async |key: &str| told(&hosted.shop.world.call("gateway/refund", refund.clone(), key).await);
    let first = call("r1").await;
    assert!(first.starts_with("done") && first.contains("processed"), "{first}");
    assert_eq!(call("r1").await, first);
    assert_eq!(call("r2").await, "refused payment.refund_refused never");
}
