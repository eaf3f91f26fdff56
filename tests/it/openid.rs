//! Staff sign in with an OpenID Connect provider. The one here is real as far as it goes: it is asked over HTTP, signs
//! with its own key, and lies in one point at a time.

use axum::extract::{Form, State};
use axum::routing::{get, post};
use axum::{Json, Router};
use base64::Engine as _;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use journey_tests::server::{START_MS, TestServer, Visitor, all_definitions};
use ring::rand::SystemRandom;
use ring::signature::{ECDSA_P256_SHA256_FIXED_SIGNING, EcdsaKeyPair, KeyPair};
use serde_json::{Value, json};
use sha2::{Digest, Sha256};
use std::collections::BTreeMap;
use std::sync::{Arc, Mutex};
use tokio::net::TcpListener;

const CLIENT: &str = "journey";
const MOBILE: &str = "9123456780";

/// What the provider knows, and where it lies: claims that are otherwise, another algorithm, another key.
struct Provider {
    issuer: String,
    key: EcdsaKeyPair,
    other_key: EcdsaKeyPair,
    /// What the browser brought for the attempt that is under way.
    asked: Mutex<BTreeMap<String, String>>,
    lies: Mutex<Value>,
}

type Shared = State<Arc<Provider>>;

fn fresh_key() -> EcdsaKeyPair {
    let random = SystemRandom::new();
    let document = EcdsaKeyPair::generate_pkcs8(&ECDSA_P256_SHA256_FIXED_SIGNING, &random).expect("a key");
    EcdsaKeyPair::from_pkcs8(&ECDSA_P256_SHA256_FIXED_SIGNING, document.as_ref(), &random).expect("a key")
}

impl Provider {
    async fn start() -> Arc<Provider> {
        let listener = TcpListener::bind("127.0.0.1:0").await.expect("a port");
        let issuer = format!("http://{}", listener.local_addr().expect("an address"));
        let provider = Provider {
            issuer,
            key: fresh_key(),
            other_key: fresh_key(),
            asked: Mutex::default(),
            lies: Mutex::default(),
        };
        let provider = Arc::new(provider);
        let routes = Router::new()
            .route("/.well-known/openid-configuration", get(Provider::discovery))
            .route("/keys", get(Provider::keys))
            .route("/token", post(Provider::token))
            .with_state(provider.clone());
        tokio::spawn(async move { axum::serve(listener, routes).await });
        provider
    }

    fn lie(&self, name: &str) -> Option<Value> {
        self.lies.lock().expect("lies").get(name).cloned()
    }

    async fn discovery(State(here): Shared) -> Json<Value> {
        let at = |path: &str| format!("{}{path}", here.issuer);
        let issuer = here.lie("discovered").unwrap_or_else(|| json!(here.issuer));
        Json(json!({
            "issuer": issuer, "authorization_endpoint": at("/authorize"), "token_endpoint": at("/token"),
            "jwks_uri": at("/keys")
        }))
    }

    async fn keys(State(here): Shared) -> Json<Value> {
        let point = here.key.public_key().as_ref();
        let part = |from: usize| URL_SAFE_NO_PAD.encode(&point[from..from + 32]);
        let key = json!({"kty": "EC", "crv": "P-256", "kid": "one", "use": "sig", "x": part(1), "y": part(33)});
        Json(json!({"keys": [{"kty": "oct", "k": "AAAA"}, key]}))
    }

    /// A code is taken once, from who asked for it, with the verifier of that attempt.
    async fn token(
        State(here): Shared,
        Form(form): Form<BTreeMap<String, String>>,
    ) -> (axum::http::StatusCode, Json<Value>) {
        let asked = std::mem::take(&mut *here.asked.lock().expect("an attempt"));
        let challenge = URL_SAFE_NO_PAD.encode(Sha256::digest(form["code_verifier"].as_bytes()));
        let fits = form["code"] == "good"
            && asked.get("code_challenge") == Some(&challenge)
            && asked.get("redirect_uri") == form.get("redirect_uri");
        if !fits {
            return (axum::http::StatusCode::BAD_REQUEST, Json(json!({"error": "invalid_grant"})));
        }
        let now = START_MS / 1_000;
        let mut claims = json!({
            "iss": here.issuer, "sub": "account-7", "aud": CLIENT, "exp": now + 300, "iat": now,
            "nonce": asked["nonce"], "email": "Asha@house.example", "email_verified": true
        });
        if let Some(Value::Object(other)) = here.lie("claims") {
            claims.as_object_mut().expect("claims").extend(other);
        }
        let head = here.lie("head").unwrap_or_else(|| json!({"alg": "ES256", "kid": "one"}));
        let part = |value: &Value| URL_SAFE_NO_PAD.encode(value.to_string());
        let message = format!("{}.{}", part(&head), part(&claims));
        let key = if here.lie("key").is_some() { &here.other_key } else { &here.key };
        let mac = key.sign(&SystemRandom::new(), message.as_bytes()).expect("a signature");
        let mac = if here.lie("unsigned").is_some() { String::new() } else { URL_SAFE_NO_PAD.encode(mac) };
        (axum::http::StatusCode::OK, Json(json!({"id_token": format!("{message}.{mac}")})))
    }
}

async fn shop(provider: &Provider) -> TestServer {
    let issuer = provider.issuer.clone();
    TestServer::start_with(all_definitions(), |settings| {
        settings.openid.issuer = Some(issuer);
        settings.openid.client_id = CLIENT.into();
        settings.openid.allow_private = true;
        settings.limits.write_rate_per_s = 0;
    })
    .await
}

/// The browser goes to the provider, which notes what it brought.
async fn goes(browser: &Visitor, provider: &Provider) -> BTreeMap<String, String> {
    let begun = browser.get("/openid").await;
    assert_eq!(begun.status, 303, "{}", begun.text());
    let address = url::Url::parse(begun.header("location")).expect("an address");
    assert!(address.as_str().starts_with(&format!("{}/authorize?", provider.issuer)));
    let asked: BTreeMap<String, String> = address.query_pairs().into_owned().collect();
    provider.asked.lock().expect("an attempt").clone_from(&asked);
    asked
}

/// Brings the browser back with a code; the status of the page, and what it says.
async fn comes_back(browser: &Visitor, state: &str, code: &str) -> (u16, String) {
    let back = browser.get(&format!("/openid/back?code={code}&state={state}")).await;
    (back.status, back.text())
}

#[tokio::test(flavor = "multi_thread")]
async fn whom_the_provider_names_is_signed_in_where_somebody_gave_them_a_role() {
    let provider = Provider::start().await;
    let server = shop(&provider).await;
    let people = &server.product.runtime.people;
    let button = server.visitor().get("/staff/login").await.text();
    assert!(button.contains("href=\"/openid\"") && button.contains("Sign in with your company account"));

    let browser = server.visitor();
    let asked = goes(&browser, &provider).await;
    for (name, value) in [("response_type", "code"), ("client_id", CLIENT), ("code_challenge_method", "S256")] {
        assert_eq!(asked[name], value);
    }
    assert!(asked["redirect_uri"].ends_with("/openid/back") && asked["scope"].contains("openid"));
    let (status, text) = comes_back(&browser, &asked["state"], "good").await;
    assert!(status == 403 && text.contains("nobody has given you a role"), "{status} {text}");
    assert_eq!(browser.get("/staff").await.status, 404);

    for (named, role) in [("asha@house.example", "partner-agent"), ("account-7", "call-centre")] {
        people.add_staff("asha", MOBILE, role, Some(named)).await.expect("added");
        let asked = goes(&browser, &provider).await;
        let before = browser.cookie("__Host-session");
        let (status, text) = comes_back(&browser, &asked["state"], "good").await;
        assert_eq!((status, browser.cookie("__Host-openid")), (303, String::new()), "{text}");
        assert_ne!(browser.cookie("__Host-session"), before, "the session is made anew");
        assert_eq!(browser.get("/staff").await.status, 200);
        // What an attempt left behind is used once.
        assert_eq!(comes_back(&browser, &asked["state"], "good").await.0, 403);
        people.revoke_staff(MOBILE).await.expect("revoked");
        assert_eq!(browser.get("/staff").await.status, 404);
    }
    server.stop().await;
}

/// What a provider might say, or leave out, that is not what it says for this attempt.
fn lies() -> [Value; 16] {
    let claims = |name: &str, value: Value| json!({"claims": {name: value}});
    let now = START_MS / 1_000;
    [
        claims("nonce", json!("another")),
        claims("nonce", Value::Null),
        claims("exp", json!(now - 61)),
        claims("aud", json!("another")),
        claims("aud", json!([CLIENT, "another"])),
        claims("azp", json!("another")),
        claims("iss", json!("https://elsewhere.example")),
        claims("email", json!("stranger@house.example")),
        claims("email_verified", json!(false)),
        claims("email_verified", Value::Null),
        json!({"discovered": "https://elsewhere.example"}),
        json!({"head": {"alg": "none"}, "unsigned": true}),
        json!({"head": {"alg": "HS256", "kid": "one"}}),
        json!({"head": {"alg": "ES256", "kid": "two"}}),
        json!({"key": "another"}),
        json!({"unsigned": true}),
    ]
}

/// Checks another state, another browser, another code, too late, and a provider's refusal.
async fn opens_nothing_with_another_attempt(server: &TestServer, provider: &Provider) {
    let browser = server.visitor();
    let asked = goes(&browser, provider).await;
    assert_eq!(comes_back(&browser, "another", "good").await.0, 403);
    assert_eq!(comes_back(&browser, &asked["state"], "good").await.0, 403, "the attempt is over");
    let asked = goes(&browser, provider).await;
    assert_eq!(comes_back(&server.visitor(), &asked["state"], "good").await.0, 403);
    assert_eq!(comes_back(&browser, &asked["state"], "bad").await.0, 403);
    let asked = goes(&browser, provider).await;
    let refused = browser.get(&format!("/openid/back?error=access_denied&state={}", asked["state"])).await;
    assert_eq!(refused.status, 403);
    let asked = goes(&browser, provider).await;
    server.clock.advance(600_000);
    assert_eq!(comes_back(&browser, &asked["state"], "good").await.0, 403);
    assert_eq!(browser.get("/staff").await.status, 404);
}

#[tokio::test(flavor = "multi_thread")]
async fn what_the_provider_did_not_say_for_this_attempt_signs_nobody_in() {
    let provider = Provider::start().await;
    let server = shop(&provider).await;
    let people = &server.product.runtime.people;
    people.add_staff("asha", MOBILE, "call-centre", Some("asha@house.example")).await.expect("added");
    for lies in lies() {
        let browser = server.visitor();
        let asked = goes_despite(&browser, &provider, &lies).await;
        let (status, text) = comes_back(&browser, asked.get("state").map_or("", String::as_str), "good").await;
        assert!(status == 403 && text.contains("You are not signed in"), "{lies}: {status} {text}");
        assert_eq!((browser.get("/staff").await.status, browser.cookie("authToken")), (404, String::new()), "{lies}");
    }
    *provider.lies.lock().expect("lies") = Value::Null;

    opens_nothing_with_another_attempt(&server, &provider).await;
    server.stop().await;
}

/// Goes to the provider, which lies from here on, where discovery itself is a lie only after the way there.
async fn goes_despite(browser: &Visitor, provider: &Provider, lies: &Value) -> BTreeMap<String, String> {
    *provider.lies.lock().expect("lies") = Value::Null;
    let asked = goes(browser, provider).await;
    provider.lies.lock().expect("lies").clone_from(lies);
    asked
}

#[tokio::test(flavor = "multi_thread")]
async fn without_a_provider_there_is_no_such_way() {
    let server = TestServer::start(all_definitions()).await;
    let browser = server.visitor();
    assert_eq!(
        (browser.get("/openid").await.status, browser.get("/openid/back?code=good&state=x").await.status),
        (404, 403)
    );
    assert!(!browser.get("/staff/login").await.text().contains("/openid"));
    server.stop().await;

    // One that does not answer, or lives at a private address that nobody allowed, is told as that.
    for allow_private in [false, true] {
        let server = TestServer::start_with(all_definitions(), |settings| {
            settings.openid.issuer = Some("http://127.0.0.1:9".into());
            settings.openid.allow_private = allow_private;
        })
        .await;
        let page = server.visitor().get("/openid").await;
        assert!(page.status == 503 && page.text().contains("does not answer"), "{}", page.text());
        server.stop().await;
    }
}
