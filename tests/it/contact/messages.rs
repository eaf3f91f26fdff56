//! Messages: language, hours, consent, records, once.

use super::*;
use crate::partners::email::mail_server;
use engine_definitions::House;

#[tokio::test(flavor = "multi_thread")]
async fn a_message_speaks_the_language_of_the_journey() {
    let server = club(|_| {}).await;
    let visitor = server.visitor();
    let body =
        json!({"workflow": "club/join", "data": {"name": "Asha", "mobile": "9876543210", "email": "asha@example.com"}})
            .to_string();
    let view = visitor
        .send("POST", "/api/v1/journeys", &[("idempotency-key", "k"), ("cookie", "__Host-language=hi")], Some(body))
        .await
        .ok(201);
    for name in ["welcome", "letter", "hello"] {
        ended(&server, id(&view), name, EffectState::Done).await;
    }
    let sent = sent(&server, id(&view)).await;
    let languages: Vec<(&str, &str)> = sent.values().map(|m| (m.message.as_str(), m.language.as_str())).collect();
    // the journey's, else the workflow's, else English
    assert_eq!(languages, [("hello", "en"), ("letter", "mr"), ("offer", "en"), ("welcome", "hi")]);
    let texts = texts(&visitor).await;
    for text in ["स्वागत Asha", "प्रिय Asha", "Hello Asha"] {
        assert!(texts.iter().any(|t| t == text), "{text}: {texts:?}");
    }
    server.stop().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn offers_wait_for_their_hours_and_passwords_do_not() {
    let server = club(|_| {}).await;
    let visitor = server.visitor();
    // 20:00 in India
    server.clock.advance(10 * HOUR_MS);
    let view = member(&visitor, "Asha", json!({"agree": true})).await;
    ended(&server, id(&view), "welcome", EffectState::Done).await;
    let offer = &effects(&server, id(&view)).await["offer"];
    let opening = now(&server) + 14 * HOUR_MS;
    assert_eq!((offer.state, offer.due_at_ms, offer.attempts), (EffectState::Pending, opening, 0));
    assert_eq!(
        offer.reason(),
        Some(&json!({"code": "quiet_hours", "calendar": "talkative", "until": "2026-11-22T04:30:00.000Z"}))
    );
    assert!(!texts(&visitor).await.iter().any(|t| t.contains("Half price")));
    server.clock.advance(14 * HOUR_MS);
    ended(&server, id(&view), "offer", EffectState::Done).await;
    assert!(texts(&visitor).await.contains(&"Half price for Asha".to_owned()));
    server.stop().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn what_comes_due_too_late_is_moved_to_the_next_opening() {
    let server = club(|_| {}).await;
    let visitor = server.visitor();
    // 18:00: the gateway is down until the hours are over
    server.clock.advance(8 * HOUR_MS);
    switch(&visitor, "post", "fail").await;
    let view = member(&visitor, "Asha", json!({"agree": true})).await;
    let waiting = server
        .until("a first try", async || {
            effects(&server, id(&view))
                .await
                .remove("offer")
                .filter(|e| e.state == EffectState::Pending && e.attempts > 0)
        })
        .await;
    server.clock.advance(2 * HOUR_MS);
    let moved = server
        .until("the move", async || {
            effects(&server, id(&view))
                .await
                .remove("offer")
                .filter(|e| e.reason().is_some_and(|r| r["code"] == "quiet_hours"))
        })
        .await;
    assert_eq!(
        (moved.state, moved.due_at_ms, moved.attempts),
        (EffectState::Pending, now(&server) + 14 * HOUR_MS, waiting.attempts)
    );
    switch(&visitor, "post", "normal").await;
    server.clock.advance(14 * HOUR_MS);
    ended(&server, id(&view), "offer", EffectState::Done).await;
    assert_eq!(sent(&server, id(&view)).await["offer"].state, MessageState::Sent);
    server.stop().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn an_offer_goes_only_to_who_agreed() {
    let server = club(|_| {}).await;
    let visitor = server.visitor();
    let view = member(&visitor, "Asha", json!({})).await;
    let offer = ended(&server, id(&view), "offer", EffectState::Cancelled).await;
    assert_eq!(offer.outcome, Some(json!({"code": "no_consent", "consent": "marketing"})));
    let row = sent(&server, id(&view)).await.remove("offer").expect("a row");
    assert_eq!((row.state, row.reason), (MessageState::Skipped, offer.outcome));
    assert!(!texts(&visitor).await.iter().any(|t| t.contains("Half price")));

    // the form says what it asks for, and the journey what was given
    let back = visitor.event(&view, "back", json!({})).await.ok(200);
    assert_eq!(back["step"]["consents"], json!([{"purpose": "marketing", "pointer": "/agree", "given": false}]));
    let again = json!({"name": "Asha", "mobile": "9876543210", "agree": true});
    let view = visitor.event(&back, "submit", again).await.ok(200);
    let offers = server
        .until("the second offer", async || {
            let filter = EffectFilter {
                journey: Some(id(&view).into()),
                kind: Some("notify".into()),
                ..EffectFilter::default()
            };
            let all = server.product.runtime.store().effects(filter).await.expect("effects");
            let offers: Vec<EffectState> =
                all.iter().filter(|e| e.payload["message"] == "offer").map(|e| e.state).collect();
            (offers.len() == 2 && offers[1] == EffectState::Done).then_some(offers)
        })
        .await;
    assert_eq!(offers, [EffectState::Cancelled, EffectState::Done]);
    server.stop().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn what_was_sent_is_on_record_without_the_number() {
    let server = club(|_| {}).await;
    let visitor = server.visitor();
    let view = member(&visitor, "Asha", json!({"mobile": "+919876543210"})).await;
    for name in ["welcome", "letter", "hello"] {
        ended(&server, id(&view), name, EffectState::Done).await;
    }
    let sent = sent(&server, id(&view)).await;
    let sms = &sent["welcome"];
    assert_eq!((sms.state, sms.channel.as_str(), sms.purpose.as_str()), (MessageState::Sent, "sms", "transactional"));
    assert_eq!((sms.template_id.as_deref(), sms.recipient.as_str()), (Some("CLUB-1"), "*****43210"));
    assert!(sms.provider_id.as_deref().is_some_and(|id| id.starts_with("m_")), "{sms:?}");
    assert_eq!((sent["letter"].recipient.as_str(), sent["letter"].channel.as_str()), ("a**a@example.com", "email"));
    assert_eq!(sent["hello"].channel, "whatsapp");
    let store = server.product.runtime.store();
    let hash = server.product.runtime.people.recipient_hash("9876543210");
    let to_her = store
        .messages(MessageFilter { recipient_hash: Some(hash), ..MessageFilter::default() })
        .await
        .expect("messages");
    assert_eq!(to_her.len(), 3, "sms, offer and hello, however the number was written");
    // what the gateway refuses is parked with its reason and on record
    let bad = member(&visitor, "Ravi", json!({"mobile": "9876540000"})).await;
    let parked = ended(&server, id(&bad), "welcome", EffectState::Parked).await;
    let row = super::sent(&server, id(&bad)).await.remove("welcome").expect("a row");
    assert_eq!((row.state, row.reason), (MessageState::Failed, parked.outcome));
    // an operator tries again: the same row, and still failed
    assert!(store.requeue_effect(&parked.key, now(&server)).await.expect("requeued"));
    ended(&server, id(&bad), "welcome", EffectState::Parked).await;
    assert_eq!(super::sent(&server, id(&bad)).await.len(), 4);
    server.stop().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_gateway_that_stays_down_ends_in_a_parked_message() {
    let server = club(|_| {}).await;
    let visitor = server.visitor();
    switch(&visitor, "post", "fail").await;
    let view = member(&visitor, "Asha", json!({})).await;
    let parked = server
        .until_worked("the end of the tries", async || {
            effects(&server, id(&view)).await.remove("welcome").filter(|e| e.state == EffectState::Parked)
        })
        .await;
    assert_eq!((parked.attempts, parked.attempts_max), (5, 5));
    let row = sent(&server, id(&view)).await.remove("welcome").expect("a row");
    assert_eq!((row.state, row.reason.clone()), (MessageState::Failed, parked.outcome));
    assert!(row.reason.is_some_and(|reason| reason["code"].as_str().is_some_and(|code| code.starts_with("partner."))));
    // repaired and tried again by an operator: the same row says so
    switch(&visitor, "post", "normal").await;
    server.clock.advance(60_000);
    assert!(server.product.runtime.store().requeue_effect(&parked.key, now(&server)).await.expect("requeued"));
    let done = ended(&server, id(&view), "welcome", EffectState::Done).await;
    assert_eq!(done.key, parked.key);
    assert_eq!(sent(&server, id(&view)).await["welcome"].state, MessageState::Sent);
    server.stop().await;
}

/// The last message of the journey, ordered outside its hours, taken by a worker of ours that then dies.
async fn taken_and_dropped(server: &TestServer, visitor: &Visitor) -> (String, EffectRecord) {
    let view = to_the_end(visitor, member(visitor, "Asha", json!({})).await).await;
    let journey = id(&view).to_owned();
    ended(server, &journey, "welcome", EffectState::Done).await;
    let waiting = server.until("the order", async || effects(server, &journey).await.remove("dawn")).await;
    let now_ms = waiting.due_at_ms;
    let claim = ClaimRequest {
        worker: "dies".into(),
        now_ms,
        lease_ms: 1_000,
        limit: 1_000,
        ahead: 1_000,
        ..ClaimRequest::default()
    };
    let store = server.product.runtime.store();
    let claimed = store.claim_effects(claim).await.expect("claimed");
    let effect = claimed.into_iter().find(|e| e.key == waiting.key).expect("the message");
    let begun = store.begin_effects(vec![(effect.key.clone(), effect.fence)]).await.expect("begun");
    assert_eq!(begun, [true]);
    (journey, effect)
}

/// What the dead worker had told the gateway with the effect's key.
async fn tell_the_gateway(visitor: &Visitor, effect: &EffectRecord) {
    let body =
        json!({"to": effect.payload["to"], "text": "Good morning", "template": "", "purpose": "service"}).to_string();
    let headers = [("idempotency-key", effect.key.to_string())];
    let headers: Vec<(&str, &str)> = headers.iter().map(|(name, value)| (*name, value.as_str())).collect();
    let reply = visitor.send("POST", "/sandbox/partners/post/sms", &headers, Some(body)).await;
    assert_eq!(reply.status, 200, "{}", reply.text());
}

#[tokio::test(flavor = "multi_thread")]
async fn a_worker_that_dies_after_the_sending_sends_nothing_twice() {
    let server = club(|_| {}).await;
    let visitor = server.visitor();
    let store = server.product.runtime.store();

    // it died before it could write: the same key goes out again, and the gateway knows it
    let (journey, effect) = taken_and_dropped(&server, &visitor).await;
    tell_the_gateway(&visitor, &effect).await;
    server.clock.advance(effect.due_at_ms + 2_000 - now(&server));
    let done = ended(&server, &journey, "dawn", EffectState::Done).await;
    assert_eq!((done.fence, done.attempts), (2, 2));
    assert_eq!(
        calls(&visitor, "post", "sms").await.last(),
        Some(&(effect.key.to_string(), 2)),
        "two requests with one key"
    );
    let mornings = |texts: Vec<String>| texts.iter().filter(|t| *t == "Good morning").count();
    assert_eq!(mornings(texts(&visitor).await), 1);
    assert_eq!(sent(&server, &journey).await["dawn"].state, MessageState::Sent);

    // it died after it had written: nothing goes out (ordered when the hours are over)
    server.clock.advance(4 * HOUR_MS);
    let (journey, effect) = taken_and_dropped(&server, &visitor).await;
    let before = calls(&visitor, "post", "sms").await.len();
    let row = sent(&server, &journey).await.remove("welcome").expect("an example");
    store.save_message(SentMessage { effect: effect.key.clone(), message: "dawn".into(), ..row }).await.expect("saved");
    server.clock.advance(effect.due_at_ms + 2_000 - now(&server));
    ended(&server, &journey, "dawn", EffectState::Done).await;
    assert_eq!(calls(&visitor, "post", "sms").await.len(), before);
    assert!(
        !store
            .finish_effect(&effect.key, effect.fence, EffectEnd::Done { outcome: json!({}) })
            .await
            .expect("answered"),
        "the dead one is fenced off"
    );
    server.stop().await;
}

/// Everything that this house sends says who it is from, in the reader's language to the last day.
#[test]
fn what_leaves_the_house_bears_the_house() {
    let catalog = journey_tests::server::catalog();
    let months = ["Jan", "Feb", "Mar", "Apr", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"];
    for (message, language) in catalog.messages().flat_map(|message| [(message, "en"), (message, "hi")]) {
        let house = House { letterhead: &catalog.site(language).letterhead, address: "https://shop.example" };
        let sent = message.render(&[language], &message.sample, house).expect(&message.id);
        let (id, text) = (&message.id, &sent.text);
        assert_eq!(sent.language, language, "{id}");
        let Some(html) = sent.html else {
            assert!(text.starts_with("Journey: "), "{id}: {text}");
            continue;
        };
        for named in ["Journey Insurance Brokers Private Limited", "000", "grievance@journey.example", "1800 000 000"] {
            assert!(text.contains(named) && html.contains(named), "{id}: {named}");
        }
        assert!(html.contains(&format!("<html lang=\"{language}\">")), "{id}");
        let small = |part: &&str| part.chars().next().is_some_and(char::is_lowercase);
        assert_eq!(text.split("\n\n").find(small), None, "{id}: paragraphs begin with a capital");
        let dated = |word: &&str| language != "en" && months.contains(word);
        assert_eq!(text.split_whitespace().find(dated), None, "{id} in {language}: {text}");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_letter_goes_by_smtp_with_text_html_and_a_stable_id() {
    let (port, taken) = mail_server().await;
    let server = club(|settings| {
        (settings.smtp.host, settings.smtp.port, settings.smtp.security) =
            (Some("127.0.0.1".into()), port, "none".into());
        settings.smtp.from = "Club <club@example.com>".into();
    })
    .await;
    let visitor = server.visitor();
    let view = member(&visitor, "Asha", json!({})).await;
    ended(&server, id(&view), "letter", EffectState::Done).await;
    let mail = taken.lock().expect("mail")[0].clone();
    for part in ["To: asha@example.com", "multipart/alternative", "text/plain", "text/html"] {
        assert!(mail.contains(part), "{part}\n{mail}");
    }
    let message_id = mail.lines().find(|line| line.starts_with("Message-ID: <") && line.ends_with("@example.com>"));
    assert!(message_id.is_some(), "{mail}");
    // a mailbox that does not exist is no reason to try again; one that is busy is
    let gone = member(&visitor, "Ravi", json!({"email": "nobody@example.com"})).await;
    let parked = ended(&server, id(&gone), "letter", EffectState::Parked).await;
    assert_eq!((parked.attempts, sent(&server, id(&gone)).await["letter"].state), (1, MessageState::Failed));
    let later = member(&visitor, "Mina", json!({"email": "later@example.com"})).await;
    server
        .until_worked("a second try", async || {
            effects(&server, id(&later)).await.remove("letter").filter(|e| e.attempts > 1)
        })
        .await;
    server.stop().await;
}
