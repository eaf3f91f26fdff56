//! Sign-in with an OpenID Connect provider: authorization code with PKCE, state and nonce. What comes back is believed
//! only where the provider's own key has signed it, for us, for this attempt, and not too long ago.

use super::Partners;
use super::exchange::{Answer, Exchange};
use base64::Engine as _;
use base64::engine::general_purpose::{STANDARD, URL_SAFE_NO_PAD};
use engine_settings::Openid;
use reqwest::Method;
use reqwest::header::{ACCEPT, AUTHORIZATION, HeaderName, HeaderValue};
use ring::signature;
use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};
use sha2::{Digest, Sha256};
use std::time::Duration;
use subtle::ConstantTimeEq;
use url::Url;

/// What a browser keeps of its attempt, sealed.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Attempt {
    state: String,
    nonce: String,
    verifier: String,
    until_ms: i64,
}

/// Who it is, as the provider says.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Identity {
    /// The provider's own name of the account.
    pub subject: String,
    /// E-mail address, only where the provider has verified it.
    pub email: Option<String>,
}

/// Why nobody is signed in.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum OpenidError {
    /// The settings name no provider.
    #[error("there is no provider")]
    Off,
    /// The provider does not answer, or not as one does.
    #[error("the provider does not answer")]
    Away,
    /// What came back is not of this browser's attempt, or too late.
    #[error("not this attempt")]
    Attempt,
    /// The code was not taken.
    #[error("the code was refused")]
    Code,
    /// The token is not signed by a key of the provider.
    #[error("the signature is wrong")]
    Signature,
    /// Signed, but of somebody else, for somebody else, for another attempt, or not of now.
    #[error("`{0}` is wrong")]
    Claim(&'static str),
}

const TIMEOUT: Duration = Duration::from_secs(5);
/// How long a person may be at the provider's pages.
const ATTEMPT_MS: i64 = 600_000;
/// Seconds by which clocks may differ.
const SKEW_S: i64 = 60;

#[derive(Deserialize)]
struct Discovery {
    issuer: String,
    authorization_endpoint: String,
    token_endpoint: String,
    jwks_uri: String,
}

#[derive(Deserialize)]
struct Tokens {
    id_token: String,
}

#[derive(Deserialize)]
struct Keys {
    keys: Vec<Key>,
}

/// A public key (RFC 7517); what we do not know how to use is passed over.
#[derive(Deserialize)]
struct Key {
    kty: String,
    kid: Option<String>,
    #[serde(rename = "use")]
    purpose: Option<String>,
    #[serde(default)]
    crv: String,
    #[serde(default)]
    n: String,
    #[serde(default)]
    e: String,
    #[serde(default)]
    x: String,
    #[serde(default)]
    y: String,
}

#[derive(Deserialize)]
struct Header {
    alg: String,
    kid: Option<String>,
}

#[derive(Deserialize)]
struct Claims {
    iss: String,
    sub: String,
    aud: Audience,
    azp: Option<String>,
    exp: f64,
    nonce: Option<String>,
    email: Option<String>,
    email_verified: Option<bool>,
}

#[derive(Deserialize)]
#[serde(untagged)]
enum Audience {
    One(String),
    Several(Vec<String>),
}

impl Partners {
    /// Address to which the browser goes, and what it keeps until it comes back to `redirect`. Each `secret` is 43 to
    /// 128 letters and digits that nobody can guess.
    pub async fn openid_begin(
        &self,
        redirect: &str,
        secret: fn() -> String,
        now_ms: i64,
    ) -> Result<(Url, Attempt), OpenidError> {
        let settings = self.openid()?;
        let mut address = address(&self.discovery(settings).await?.authorization_endpoint)?;
        let attempt = Attempt { state: secret(), nonce: secret(), verifier: secret(), until_ms: now_ms + ATTEMPT_MS };
        let challenge = URL_SAFE_NO_PAD.encode(Sha256::digest(attempt.verifier.as_bytes()));
        address
            .query_pairs_mut()
            .append_pair("response_type", "code")
            .append_pair("client_id", &settings.client_id)
            .append_pair("redirect_uri", redirect)
            .append_pair("scope", "openid email")
            .append_pair("state", &attempt.state)
            .append_pair("nonce", &attempt.nonce)
            .append_pair("code_challenge", &challenge)
            .append_pair("code_challenge_method", "S256");
        Ok((address, attempt))
    }

    /// Who came back to `redirect` with these.
    pub async fn openid_finish(
        &self,
        attempt: &Attempt,
        (state, code): (&str, &str),
        redirect: &str,
        now_ms: i64,
    ) -> Result<Identity, OpenidError> {
        let settings = self.openid()?;
        if code.is_empty() {
            return Err(OpenidError::Code);
        }
        if now_ms >= attempt.until_ms || !bool::from(attempt.state.as_bytes().ct_eq(state.as_bytes())) {
            return Err(OpenidError::Attempt);
        }
        let provider = self.discovery(settings).await?;
        let form = url::form_urlencoded::Serializer::new(String::new())
            .append_pair("grant_type", "authorization_code")
            .append_pair("code", code)
            .append_pair("redirect_uri", redirect)
            .append_pair("client_id", &settings.client_id)
            .append_pair("code_verifier", &attempt.verifier)
            .finish();
        let mut headers = vec![(ACCEPT, HeaderValue::from_static("application/json"))];
        headers.extend(credentials(settings));
        let body = Some(("application/x-www-form-urlencoded".to_owned(), form.into_bytes()));
        let exchange =
            Exchange { method: Method::POST, url: address(&provider.token_endpoint)?, headers, body, timeout: TIMEOUT };
        let answer = self.exchange_code(settings, exchange).await?;
        let Tokens { id_token } = read(&answer).map_err(|_| OpenidError::Code)?;
        let keys: Keys = self.got(settings, &provider.jwks_uri).await?;
        let claims = verify_signature(&id_token, &keys.keys)?;
        check_claims(claims, settings, &provider.issuer, &attempt.nonce, now_ms)
    }

    fn openid(&self) -> Result<&Openid, OpenidError> {
        Some(&self.0.settings.openid).filter(|openid| openid.issuer.is_some()).ok_or(OpenidError::Off)
    }

    async fn discovery(&self, settings: &Openid) -> Result<Discovery, OpenidError> {
        let issuer = settings.issuer.as_deref().unwrap_or_default();
        let place = format!("{}/.well-known/openid-configuration", issuer.trim_end_matches('/'));
        let found: Discovery = self.got(settings, &place).await?;
        if found.issuer == issuer { Ok(found) } else { Err(OpenidError::Claim("iss")) }
    }

    async fn got<T: DeserializeOwned>(&self, settings: &Openid, place: &str) -> Result<T, OpenidError> {
        let headers = vec![(ACCEPT, HeaderValue::from_static("application/json"))];
        let exchange = Exchange { method: Method::GET, url: address(place)?, headers, body: None, timeout: TIMEOUT };
        read(&self.exchange_code(settings, exchange).await?)
    }

    async fn exchange_code(&self, settings: &Openid, exchange: Exchange) -> Result<Answer, OpenidError> {
        let sent = self.0.clients.send(exchange, settings.allow_private).await;
        sent.inspect_err(|error| tracing::warn!(%error, "the sign-in provider")).map_err(|_| OpenidError::Away)
    }
}

fn address(text: &str) -> Result<Url, OpenidError> {
    Url::parse(text).map_err(|_| OpenidError::Away)
}

fn read<T: DeserializeOwned>(answer: &Answer) -> Result<T, OpenidError> {
    Some(answer)
        .filter(|answer| answer.status == 200)
        .ok_or(OpenidError::Away)
        .and_then(|answer| serde_json::from_slice(&answer.body).map_err(|_| OpenidError::Away))
}

/// Credentials of a client that has a secret (RFC 6749, 2.3.1).
fn credentials(settings: &Openid) -> Option<(HeaderName, HeaderValue)> {
    let encoded = |text: &str| url::form_urlencoded::byte_serialize(text.as_bytes()).collect::<String>();
    let secret = settings.client_secret.as_ref()?;
    let pair = format!("{}:{}", encoded(&settings.client_id), encoded(secret.expose()));
    let mut value = HeaderValue::from_str(&format!("Basic {}", STANDARD.encode(pair))).ok()?;
    value.set_sensitive(true);
    Some((AUTHORIZATION, value))
}

/// What a token says, where one of these keys has signed it.
fn verify_signature(token: &str, keys: &[Key]) -> Result<Claims, OpenidError> {
    let wrong = || OpenidError::Signature;
    let bytes = |text: &str| URL_SAFE_NO_PAD.decode(text).map_err(|_| wrong());
    let (message, mac) = token.rsplit_once('.').ok_or_else(wrong)?;
    let (head, body) = message.split_once('.').ok_or_else(wrong)?;
    let header: Header = serde_json::from_slice(&bytes(head)?).map_err(|_| wrong())?;
    let mac = bytes(mac)?;
    let fits = |key: &&Key| {
        key.purpose.as_deref().is_none_or(|purpose| purpose == "sig") && (header.kid.is_none() || key.kid == header.kid)
    };
    let is_good = keys.iter().filter(fits).any(|key| verifies(key, &header.alg, message.as_bytes(), &mac).is_some());
    if !is_good {
        return Err(wrong());
    }
    serde_json::from_slice(&bytes(body)?).map_err(|_| OpenidError::Claim("claims"))
}

/// `Some`: this key has signed it. The algorithm is one of ours, and of the key's kind: never none, never symmetric.
fn verifies(key: &Key, algorithm: &str, message: &[u8], mac: &[u8]) -> Option<()> {
    let bytes = |text: &str| URL_SAFE_NO_PAD.decode(text).ok();
    match (algorithm, key.kty.as_str(), key.crv.as_str()) {
        ("RS256" | "PS256", "RSA", _) => {
            let rule = match algorithm {
                "RS256" => &signature::RSA_PKCS1_2048_8192_SHA256,
                _ => &signature::RSA_PSS_2048_8192_SHA256,
            };
            let key = signature::RsaPublicKeyComponents { n: bytes(&key.n)?, e: bytes(&key.e)? };
            key.verify(rule, message, mac).ok()
        }
        ("ES256", "EC", "P-256") => {
            let point = [vec![4], bytes(&key.x)?, bytes(&key.y)?].concat();
            let key = signature::UnparsedPublicKey::new(&signature::ECDSA_P256_SHA256_FIXED, point);
            key.verify(message, mac).ok()
        }
        _ => None,
    }
}

fn check_claims(
    claims: Claims,
    settings: &Openid,
    issuer: &str,
    nonce: &str,
    now_ms: i64,
) -> Result<Identity, OpenidError> {
    let ours = |name: &String| *name == settings.client_id;
    let (is_for_us, several) = match &claims.aud {
        Audience::One(name) => (ours(name), false),
        Audience::Several(names) => (names.iter().any(ours), names.len() > 1),
    };
    let is_party = claims.azp.as_ref().map_or(!several, ours);
    let is_now = claims.exp + SKEW_S as f64 > now_ms as f64 / 1_000.0;
    let is_nonce = claims.nonce.as_ref().is_some_and(|said| bool::from(said.as_bytes().ct_eq(nonce.as_bytes())));
    for (holds, name) in [
        (claims.iss == issuer, "iss"),
        (is_for_us && is_party, "aud"),
        (is_now, "exp"),
        (is_nonce, "nonce"),
        (!claims.sub.is_empty(), "sub"),
    ] {
        if !holds {
            return Err(OpenidError::Claim(name));
        }
    }
    let email = claims.email.filter(|_| claims.email_verified == Some(true));
    Ok(Identity { subject: claims.sub, email })
}
