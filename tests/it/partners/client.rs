//! Outcome classes, limits and the breaker, each against a partner that misbehaves on a real socket.

use super::world::{World, catalog, host, listen, told, until};
use axum::Router;
use axum::body::{Body, Bytes};
use axum::extract::{Request, State};
use axum::http::{StatusCode, header};
use axum::response::{IntoResponse, Redirect, Response};
use engine_definitions::Retry;
use engine_partners::{BreakerState, CallOutcome};
use engine_settings::{Secret, Settings};
use serde_json::json;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering::SeqCst};
use std::time::Duration;

const DEPOT: &str =
    "{name: Depot, host: depot, base_path: /api, limits: {concurrency: 2}, breaker: {failures: 50, open: 30s}}";
const STRICT: &str = "{name: Strict, host: depot, breaker: {failures: 2, open: 80ms}}";
const SEALED: &str = "{name: Sealed, host: depot, auth: {kind: basic, user: 'secret://depot_user', password: 'secret://depot_password'}}";
/// `input.what` is the path; the reply's body is the output.
const ASK: &str = r#"
method: GET
path: ["=input.what"]
query: {q: "get(input, 'q', '')"}
headers: {X-Trace: key}
timeout: 400ms
reply: {output: body}
errors:
  - {when: "status == 500 && get(body, 'order', false)", kind: refused, code: depot.this_order}
  - {when: status == 422, kind: declined, code: depot.declined, message: body.reason}
"#;
const ORDER: &str = r#"
method: POST
path: ["=input.what"]
body: {what: input.what}
timeout: 400ms
reply: {output: body}
"#;

/// What the partner saw.
#[derive(Default)]
struct Seen {
    requests: AtomicUsize,
    at_once: AtomicUsize,
    most_at_once: AtomicUsize,
    healthy: AtomicBool,
}

async fn partner(State(seen): State<Arc<Seen>>, request: Request) -> Response {
    const INNER: &str = "INNER-TEXT";
    seen.requests.fetch_add(1, SeqCst);
    let path = request.uri().path().trim_start_matches("/api").to_owned();
    match path.as_str() {
        "/fine" => axum::Json(json!({"parcels": 3})).into_response(),
        "/echo" => {
            let header =
                |name: &str| request.headers().get(name).and_then(|v| v.to_str().ok()).unwrap_or_default().to_owned();
            let names = ["idempotency-key", "x-trace", "authorization"].map(header);
            axum::Json(json!({"headers": names, "query": request.uri().query()})).into_response()
        }
        "/empty" => StatusCode::NO_CONTENT.into_response(),
        "/garbage" => ([(header::CONTENT_TYPE, "application/json")], format!("<html>{INNER}")).into_response(),
        "/redirect" => Redirect::temporary("/api/fine").into_response(),
        "/large" => "x".repeat(2 * 1024 * 1024 + 1).into_response(),
        "/large-in-pieces" => {
            Body::from_stream(futures::stream::repeat_with(|| Ok::<_, std::io::Error>(Bytes::from(vec![b'x'; 65_536]))))
                .into_response()
        }
        "/broken" => {
            Body::from_stream(futures::stream::iter([Ok(Bytes::from_static(b"{")), Err(std::io::Error::other("gone"))]))
                .into_response()
        }
        "/silence" => std::future::pending().await,
        "/health" if seen.healthy.load(SeqCst) => axum::Json(json!({"ok": true})).into_response(),
        "/crowd" => {
            let now = seen.at_once.fetch_add(1, SeqCst) + 1;
            seen.most_at_once.fetch_max(now, SeqCst);
            // Long enough for a third to come in if anything lets it.
            tokio::time::sleep(Duration::from_millis(20)).await;
            seen.at_once.fetch_sub(1, SeqCst);
            axum::Json(json!({})).into_response()
        }
        "/declined" => {
            (StatusCode::UNPROCESSABLE_ENTITY, axum::Json(json!({"reason": "no van today", "inner": INNER})))
                .into_response()
        }
        "/this-order" => {
            (StatusCode::INTERNAL_SERVER_ERROR, axum::Json(json!({"order": true, "inner": INNER}))).into_response()
        }
        "/wait" => (StatusCode::TOO_MANY_REQUESTS, [(header::RETRY_AFTER, "7")], INNER).into_response(),
        "/unauthorised" => (StatusCode::UNAUTHORIZED, INNER).into_response(),
        _ => (StatusCode::INTERNAL_SERVER_ERROR, INNER).into_response(),
    }
}

async fn world(change: impl FnOnce(&mut Settings, &str)) -> (World, Arc<Seen>) {
    let seen = Arc::new(Seen::default());
    let app = Router::new().fallback(partner).with_state(Arc::clone(&seen));
    let url = listen(|_| app).await;
    let mut settings = Settings::default();
    settings.partners.hosts.insert("depot".into(), host(&url));
    change(&mut settings, &url);
    let files = [
        ("workflows/partners/carriers/depot/partner.yaml", DEPOT),
        ("workflows/partners/carriers/depot/ask.yaml", ASK),
        ("workflows/partners/carriers/depot/order.yaml", ORDER),
        ("workflows/partners/carriers/strict/partner.yaml", STRICT),
        ("workflows/partners/carriers/strict/ask.yaml", ASK),
        ("workflows/partners/carriers/sealed/partner.yaml", SEALED),
        ("workflows/partners/carriers/sealed/ask.yaml", ASK),
    ];
    (World::new(catalog(&files), settings), seen)
}

#[tokio::test]
async fn every_kind_of_trouble_has_its_outcome() {
    let (world, _) = world(|_, _| ()).await;
    let check = async |operation: &str, what: &str, expected: &str| {
        let outcome = world.call(operation, json!({"what": what}), "key-1").await;
        assert_eq!(told(&outcome), expected, "{what}");
        assert!(!format!("{outcome:?}").contains("INNER"), "{what}: {outcome:?}");
    };
    check("depot/ask", "fine", r#"done {"parcels":3}"#).await;
    check("depot/ask", "empty", "done null").await;
    check("depot/ask", "garbage", "failed partner.garbage later").await;
    check("depot/order", "garbage", "failed partner.garbage never").await;
    check("depot/ask", "redirect", "refused partner.redirect never").await;
    check("depot/ask", "large", "failed partner.too_large never").await;
    check("depot/ask", "large-in-pieces", "failed partner.too_large never").await;
    check("depot/ask", "broken", "failed partner.broken later").await;
    check("depot/order", "broken", "failed partner.broken never").await;
    check("depot/ask", "silence", "failed partner.timeout later").await;
    check("depot/order", "silence", "failed partner.timeout never").await;
    check("depot/ask", "declined", "declined depot.declined never").await;
    check("depot/ask", "wait", "failed partner.failed later after 7000").await;
    check("depot/ask", "unauthorised", "refused partner.refused never").await;
    check("depot/ask", "crash", "failed partner.failed later").await;
    check("depot/order", "crash", "failed partner.failed never").await;
    // Segments that would climb out of the partner's place never leave the house.
    check("depot/ask", "..", "refused partner.request never").await;
}

#[tokio::test]
async fn nobody_listening_is_worth_another_try() {
    let free = tokio::net::TcpListener::bind("127.0.0.1:0").await.unwrap().local_addr().unwrap();
    let (world, _) =
        world(|settings, _| drop(settings.partners.hosts.insert("depot".into(), host(&format!("http://{free}")))))
            .await;
    for operation in ["depot/ask", "depot/order"] {
        assert_eq!(told(&world.call(operation, json!({"what": "fine"}), "k").await), "failed partner.connect later");
    }
}

#[tokio::test]
async fn private_addresses_need_the_settings() {
    for form in ["127.0.0.1", "localhost", "[::1]", "2130706433", "127.1", "0"] {
        let (world, seen) = world(|settings, url| {
            let port = url.rsplit(':').next().unwrap();
            let mut host = host(&format!("http://{form}:{port}"));
            host.allow_private = false;
            settings.partners.hosts.insert("depot".into(), host);
        })
        .await;
        assert_eq!(
            told(&world.call("depot/ask", json!({"what": "fine"}), "k").await),
            "refused partner.address never",
            "{form}"
        );
        assert_eq!(seen.requests.load(SeqCst), 0, "{form}");
    }
}

#[tokio::test]
async fn an_alias_that_is_not_bound_is_not_called() {
    let (world, _) = world(|settings, _| {
        settings.sandbox.enabled = false;
        settings.partners.hosts.clear();
    })
    .await;
    assert_eq!(told(&world.call("depot/ask", json!({"what": "fine"}), "k").await), "refused partner.not_bound never");
}

#[tokio::test]
async fn keys_and_credentials_go_where_they_belong() {
    let secrets = |settings: &mut Settings, allowed: &[&str]| {
        settings.partners.secrets.insert("depot_user".into(), Secret::new("user".into()));
        settings.partners.secrets.insert("depot_password".into(), Secret::new("pass:word".into()));
        settings.partners.hosts.get_mut("depot").unwrap().secrets =
            allowed.iter().map(|name| name.to_string()).collect();
    };
    let (allowed, _) = world(|settings, _| secrets(settings, &["depot-user", "depot_password"])).await;
    let CallOutcome::Done { output, .. } =
        allowed.call("sealed/ask", json!({"what": "echo", "q": "a b&c=ü"}), "effect-7").await
    else {
        panic!()
    };
    assert_eq!(
        output,
        json!({"headers": ["effect-7", "effect-7", "Basic dXNlcjpwYXNzOndvcmQ="], "query": "q=a+b%26c%3D%C3%BC"})
    );

    let (other, seen) = world(|settings, _| secrets(settings, &["depot_user"])).await;
    let outcome = other.call("sealed/ask", json!({"what": "echo"}), "effect-7").await;
    assert_eq!((told(&outcome).as_str(), seen.requests.load(SeqCst)), ("refused partner.request never", 0));
    assert!(!format!("{outcome:?}").contains("pass:word"));
}

#[tokio::test]
async fn no_more_calls_at_once_than_the_partner_bears() {
    let (world, seen) = world(|_, _| ()).await;
    let calls = (0..8).map(|i| world.call("depot/ask", json!({"what": "crowd"}), ["a", "b"][i % 2]));
    for outcome in futures::future::join_all(calls).await {
        assert_eq!(told(&outcome), "done {}");
    }
    assert_eq!((seen.requests.load(SeqCst), seen.most_at_once.load(SeqCst)), (8, 2));
}

#[tokio::test]
async fn the_breaker_opens_tries_once_and_closes() {
    let (world, seen) = world(|_, _| ()).await;
    let ask_for = async |order: &str| world.call("strict/ask", json!({"what": "health"}), order).await;
    for order in ["j", "j", "j", "k"] {
        assert_eq!(told(&ask_for(order).await), "failed partner.failed later", "one order alone opens nothing");
    }
    let ask = async || ask_for("k").await;
    let wait = async || match ask().await {
        CallOutcome::Failed(error) if error.code == "partner.unavailable" => match error.retry {
            Retry::Later(Some(ms)) => tokio::time::sleep(Duration::from_millis(ms + 1)).await,
            other => panic!("{other:?}"),
        },
        other => panic!("{other:?}"),
    };
    wait().await;
    assert_eq!(seen.requests.load(SeqCst), 4, "an open breaker sends nothing");
    assert_eq!(told(&ask().await), "failed partner.failed later", "half-open: one call tries");
    assert!(matches!(world.partners.breakers()[..], [(_, BreakerState::Open { .. })]));
    wait().await;
    seen.healthy.store(true, SeqCst);
    assert_eq!(told(&ask().await), r#"done {"ok":true}"#);
    assert_eq!(world.partners.breakers(), [("strict/ask".to_owned(), BreakerState::Closed { failures: 0 })]);
    // a server's error that the operation understands as one of this order is an answer
    for order in ["l", "m", "n"] {
        let outcome = world.call("strict/ask", json!({"what": "this-order"}), order).await;
        assert_eq!(told(&outcome), "refused depot.this_order never");
    }
    assert_eq!(world.partners.breakers(), [("strict/ask".to_owned(), BreakerState::Closed { failures: 0 })]);
    // Another partner on the same host is not touched by it.
    assert_eq!(told(&world.call("depot/ask", json!({"what": "fine"}), "k").await), r#"done {"parcels":3}"#);
}

#[tokio::test]
async fn a_given_up_call_does_not_close_the_way() {
    let (world, seen) = world(|_, _| ()).await;
    for given_up in 1..=2 {
        tokio::select! {
            outcome = world.call("depot/ask", json!({"what": "silence"}), "k") => panic!("{outcome:?}"),
            () = until("the partner has the request", || async { (seen.requests.load(SeqCst) == given_up).then_some(()) }) => (),
        }
    }
    assert_eq!(told(&world.call("depot/ask", json!({"what": "fine"}), "k").await), r#"done {"parcels":3}"#);
    assert_eq!(seen.requests.load(SeqCst), 3);
}
