//! The visitor behind a request: an opaque cookie, nothing else.

use crate::app::{App, run_to_end};
use crate::connection::middleware::Client;
use crate::json::{self, Bounds};
use crate::problem::{Code, FieldProblem, Problem};
use crate::visitor::attribution;
use crate::visitor::device;
use crate::visitor::language;
use axum::body::Body;
use axum::extract::{FromRequest, FromRequestParts, MatchedPath, Request};
use axum::http::request::Parts;
use axum::http::{HeaderMap, HeaderValue, Method, header};
use axum::response::{IntoResponse, Response};
use engine_definitions::{AgentChecks, Attribution};
use engine_runtime::{Actor, Grant, Refusal, SessionRecord, SignsIn, new_id};
use serde::de::DeserializeOwned;
use sha2::{Digest, Sha256};

const COOKIE: &str = "__Host-session";
/// Says to programs that somebody is signed in; worth nothing without the session.
const SIGNED_IN: &str = "authToken";
/// Tells the page that somebody has signed in with its request; worth nothing without the session.
const MARK: &str = "signed-in";
/// Carries the solution of a challenge.
const PROOF: &str = "x-proof";

/// Who asks. Without a session it is a visitor who owns nothing.
pub struct Visitor {
    pub actor: Actor,
    pub client: Client,
    /// Token of the session; `None` without one.
    token: Option<String>,
    /// The token is new with this request.
    opened: bool,
    /// Somebody has signed in, or out, with this request.
    turned: Option<Turned>,
    /// Why nobody is signed in.
    stranger: Option<Stranger>,
    /// Somebody was signed in here, as the browser has it, and no longer is.
    lapsed: bool,
    ttl_s: i64,
}

impl Visitor {
    /// The visitor of the session cookie.
    pub(crate) async fn of(app: &App, headers: &HeaderMap, client: Client) -> Result<Visitor, Problem> {
        let token = token(headers);
        let known = match token {
            Some(token) => app.runtime.people.session(token).await?,
            None => None,
        };
        let token = token.filter(|_| known.is_some()).map(str::to_owned);
        let mut actor = known.unwrap_or_else(|| Actor { language: language::of(app, headers), ..Actor::visitor("") });
        actor.language = language::chosen_language(app, headers).unwrap_or(actor.language);
        actor.network = Some(client.bucket());
        let stranger = actor.signed_in().is_none().then(|| Stranger::of(headers, token.as_deref()));
        let lapsed = stranger.is_some() && signed_in(headers).is_some();
        let ttl_s = app.settings.session.ttl_ms / 1000;
        Ok(Visitor { actor, client, token, opened: false, turned: None, stranger, lapsed, ttl_s })
    }

    /// Default deny: where the table has no line for the route, or none of the visitor's roles in it, nothing is there.
    fn at(self, app: &App, parts: &Parts) -> Result<Visitor, Problem> {
        let may = self.actor.may_call(app.runtime.catalog().policy(), &route(parts));
        if may { Ok(self) } else { Err(self.refuse(app, Refusal::NotFound)) }
    }

    /// Why this visitor is asked to sign in.
    pub fn unknown(&self) -> Problem {
        let code = self.stranger.unwrap_or(Stranger::Nobody).code();
        let told = FieldProblem { pointer: String::new(), code: code.into(), text: "Please log in".into() };
        Problem::new(Code::SignIn).errors(vec![told])
    }

    /// A refusal as this visitor learns it: one that asks for a proof carries the challenge, and who was signed
    /// in a moment ago signs in again before anything is said to be missing.
    pub fn refuse(&self, app: &App, refusal: Refusal) -> Problem {
        match refusal {
            Refusal::NotFound if self.lapsed => self.unknown(),
            Refusal::Proof => Problem::new(Code::Proof).challenge(app.challenge(self.client)),
            other => other.into(),
        }
    }

    /// Makes sure that there is a session: a visitor without one gets one with this answer.
    pub async fn open(&mut self, app: &App) -> Result<(), Problem> {
        if self.actor.id.is_empty() {
            let (token, actor) = app.runtime.people.new_session(&self.actor.language).await?;
            self.becomes(actor);
            (self.token, self.opened) = (Some(token), true);
        }
        Ok(())
    }

    /// Makes a session for a visitor without one, stored in the commit that begins a journey; the cookie goes out once
    /// the journey has begun.
    pub fn begin(&mut self, app: &App, key: &str, came: &Attribution) -> Option<Opening> {
        if !self.actor.id.is_empty() {
            return None;
        }
        let (token, session) = app.runtime.people.first_session(&self.actor.language, key, came);
        self.becomes(Actor::of_session(&session));
        Some(Opening { token, session })
    }

    /// What is known of the agent's ids that this visitor came with, in a session that is not stored yet.
    pub fn begin_with(&mut self, opening: &mut Opening, agent: &AgentChecks) {
        Actor::note_agent(&mut opening.session, agent);
        self.becomes(Actor::of_session(&opening.session));
    }

    /// Who asks, as it is known by now; `None`: the session is over.
    pub async fn by_now(&self, app: &App) -> Option<Actor> {
        app.runtime.people.session(self.token.as_deref()?).await.ok().flatten()
    }

    /// What is known now of the agent's ids that this visitor came with.
    pub async fn keep_agent(&mut self, app: &App, agent: AgentChecks) -> Result<(), Problem> {
        let Some(token) = self.token.clone() else { return Ok(()) };
        let runtime = app.runtime.clone();
        if let Some(actor) = run_to_end(async move { runtime.people.agent_checked(&token, &agent).await }).await? {
            let language = std::mem::take(&mut self.actor.language);
            self.becomes(Actor { language, ..actor });
        }
        Ok(())
    }

    /// The answer to the start with which it has begun.
    pub fn with_started_session(
        mut self,
        opening: Option<Opening>,
        headers: &HeaderMap,
        answer: impl IntoResponse,
    ) -> Response {
        let Some(Opening { token, .. }) = opening else { return self.answer(answer) };
        (self.token, self.opened) = (Some(token), true);
        let mut response = self.answer(answer);
        let over = cookie(headers, attribution::COOKIE).map(|_| over(attribution::COOKIE));
        if let Some(value) = over.and_then(|text| HeaderValue::from_str(&text).ok()) {
            response.headers_mut().append(header::SET_COOKIE, value);
        }
        response
    }

    /// Follows a link: the session goes on under a new token, with the link's right.
    pub async fn follow(&mut self, app: &App, grant: Grant) -> Result<(), Problem> {
        self.open(app).await?;
        let (runtime, token) = (app.runtime.clone(), self.token.clone().unwrap_or_default());
        let Some((token, actor)) = run_to_end(async move { runtime.people.follow(&token, grant).await }).await? else {
            return Err(Problem::new(Code::NotFound));
        };
        self.becomes(actor);
        (self.token, self.opened) = (Some(token), true);
        Ok(())
    }

    /// The session goes on, under a new token, as this person's, or this one's of the staff.
    pub async fn sign_in(&mut self, app: &App, signs_in: SignsIn, headers: &HeaderMap) -> Result<(), Problem> {
        if let SignsIn::Forgotten(journey) = signs_in {
            return self.forget(app, journey).await;
        }
        let (runtime, token) = (app.runtime.clone(), self.token.clone().unwrap_or_default());
        let (device, came) = (device::of(headers), attribution::of(&app.runtime, headers, Some(&self.actor)));
        let signed = run_to_end(async move {
            match signs_in {
                SignsIn::Person { person, stays } => {
                    runtime.people.sign_in(&token, (&person, stays), device, came).await
                }
                SignsIn::Staff(member) => runtime.people.sign_in_staff(&token, &member, device).await,
                SignsIn::Number(person, mobile) => runtime.people.take_number(&token, &person, &mobile).await,
                SignsIn::Email(person, email) => runtime.people.take_email(&token, &person, &email).await,
                SignsIn::Forgotten(_) => Ok(None),
            }
        });
        let signed = signed.await?;
        let Some((token, actor)) = signed else { return Err(Problem::new(Code::NotFound)) };
        self.becomes(actor);
        // Whose account stays closed is not signed in.
        let turned = self.actor.signed_in().map(|_| Turned::In(new_id()));
        (self.token, self.opened, self.turned) = (Some(token), true, turned);
        Ok(())
    }

    /// The person is forgotten, and nobody is signed in any more.
    async fn forget(&mut self, app: &App, journey: String) -> Result<(), Problem> {
        let (runtime, actor) = (app.runtime.clone(), self.actor.clone());
        let forgotten = run_to_end(async move { runtime.people.forget(&actor, &journey).await }).await?;
        if forgotten.is_err() {
            return Err(Refusal::Busy.into());
        }
        self.sign_out(app).await
    }

    /// Notes that the session's person has named what no phone tells of them; the session goes on under a new token.
    pub async fn show(&mut self, app: &App) -> Result<(), Problem> {
        let (runtime, token) = (app.runtime.clone(), self.token.clone().unwrap_or_default());
        let shown = run_to_end(async move { runtime.people.show(&token).await }).await?;
        let Some((token, actor)) = shown else { return Err(Problem::new(Code::NotFound)) };
        self.becomes(actor);
        (self.token, self.opened) = (Some(token), true);
        Ok(())
    }

    /// The session holds this service token from now on, and goes on under a new one.
    pub async fn hold(&mut self, app: &App, service: &str) -> Result<(), Problem> {
        self.open(app).await?;
        let (runtime, token, service) =
            (app.runtime.clone(), self.token.clone().unwrap_or_default(), service.to_owned());
        let held = run_to_end(async move { runtime.people.hold_token(&token, &service).await }).await?;
        let Some((token, actor)) = held else { return Err(Problem::new(Code::NotFound)) };
        self.becomes(actor);
        (self.token, self.opened) = (Some(token), true);
        Ok(())
    }

    /// Comes with the code of a customer who asked for help, and goes on under a new token; the page of the customer's
    /// journey. `None`: no such code.
    pub async fn take_over(&mut self, app: &App, code: &str) -> Result<Option<String>, Problem> {
        let (runtime, token, code) = (app.runtime.clone(), self.token.clone().unwrap_or_default(), code.to_owned());
        let actor = self.actor.clone();
        let taken = run_to_end(async move { runtime.people.take_over(&token, &actor, &code).await }).await?;
        let Some((token, actor, page)) = taken else { return Ok(None) };
        self.becomes(actor);
        (self.token, self.opened) = (Some(token), true);
        Ok(Some(page))
    }

    /// Makes this actor the one who asks, from where it was asked before and with what was proven.
    fn becomes(&mut self, actor: Actor) {
        self.actor = Actor { network: self.actor.network, proven: self.actor.proven, ..actor };
    }

    /// Whether the answer brings another session, or says that one is over.
    pub fn is_new(&self) -> bool {
        self.opened || self.turned.is_some()
    }

    /// What programs keep to know that somebody is signed in.
    pub fn mark(&self) -> &str {
        match &self.turned {
            Some(Turned::In(mark)) => mark,
            Some(Turned::Out) | None => "",
        }
    }

    /// The session is over.
    pub async fn sign_out(&mut self, app: &App) -> Result<(), Problem> {
        if let Some(token) = self.token.take() {
            app.runtime.people.end_session(&token).await?;
        }
        self.actor = Actor { network: self.actor.network, ..Actor::visitor("") };
        self.turned = Some(Turned::Out);
        Ok(())
    }

    /// What limits of a session are counted by.
    pub fn bucket(&self) -> Option<u128> {
        let digest = Sha256::digest(self.token.as_ref()?.as_bytes());
        digest.as_slice().first_chunk().copied().map(u128::from_be_bytes)
    }

    /// The answer, with the cookie of a session that was opened for it.
    pub fn answer(&self, answer: impl IntoResponse) -> Response {
        let mut response = answer.into_response();
        if let Some(token) = self.token.as_ref().filter(|_| self.opened)
            && let Ok(value) = HeaderValue::from_str(&self.cookie(COOKIE, token))
        {
            response.headers_mut().append(header::SET_COOKIE, value);
        }
        let cookies = match &self.turned {
            Some(Turned::In(mark)) => {
                // A person's session has what brought them.
                let came = self.actor.person().map(|_| over(attribution::COOKIE));
                [self.cookie(SIGNED_IN, mark)].into_iter().chain(came).collect()
            }
            // R4-04
            Some(Turned::Out) => vec![over(SIGNED_IN), over(COOKIE), over(attribution::COOKIE)],
            // A session of nobody begins: what said that somebody is signed in is over.
            None if self.lapsed && self.opened => vec![over(SIGNED_IN)],
            None => Vec::new(),
        };
        for value in cookies.iter().filter_map(|text| HeaderValue::from_str(text).ok()) {
            response.headers_mut().append(header::SET_COOKIE, value);
        }
        match &self.turned {
            // What programs keep of it, without another question.
            Some(Turned::In(mark)) => {
                HeaderValue::from_str(mark).into_iter().for_each(|mark| drop(response.headers_mut().insert(MARK, mark)))
            }
            // The pages of a person that the browser keeps are no longer for who uses it.
            Some(Turned::Out) => {
                response.headers_mut().insert("clear-site-data", HeaderValue::from_static("\"cache\""));
            }
            None => {}
        }
        response
    }

    /// A cookie of this session: whose person does not call the device their own, the browser forgets when it is
    /// closed.
    fn cookie(&self, name: &str, value: &str) -> String {
        let stays = self.actor.person().is_none() || self.actor.stays;
        let age = if stays { format!(" Max-Age={};", self.ttl_s) } else { String::new() };
        format!("{name}={value}; Path=/;{age} HttpOnly; Secure; SameSite=Lax")
    }
}

/// The route as the table of roles calls it: `GET /healthz`.
pub fn route(parts: &Parts) -> String {
    let method = if parts.method == Method::HEAD { &Method::GET } else { &parts.method };
    format!("{method} {}", parts.extensions.get::<MatchedPath>().map_or("", MatchedPath::as_str))
}

/// Why nobody is signed in, by the codes that clients of the identity service know (R8-12).
#[derive(Clone, Copy)]
enum Stranger {
    /// No session came.
    Without,
    /// The session has ended.
    Over,
    /// The session is nobody's.
    Nobody,
    /// What came is none.
    Malformed,
}

impl Stranger {
    fn of(headers: &HeaderMap, known: Option<&str>) -> Stranger {
        match (cookie(headers, COOKIE), token(headers), known) {
            (None, ..) => Stranger::Without,
            (Some(_), None, _) => Stranger::Malformed,
            (Some(_), Some(_), None) => Stranger::Over,
            (Some(_), Some(_), Some(_)) => Stranger::Nobody,
        }
    }

    const fn code(self) -> &'static str {
        match self {
            Stranger::Without => "MIDOTT004",
            Stranger::Over => "MIDOTT006",
            Stranger::Nobody => "MIDOTT007",
            Stranger::Malformed => "MIDOTT008",
        }
    }
}

/// Ends a cookie.
fn over(name: &str) -> String {
    format!("{name}=; Path=/; Max-Age=0; HttpOnly; Secure; SameSite=Lax")
}

/// What a request made of a session.
enum Turned {
    In(String),
    Out,
}

/// A session that is not stored yet.
pub struct Opening {
    pub token: String,
    pub session: SessionRecord,
}

impl FromRequestParts<App> for Visitor {
    type Rejection = Problem;

    async fn from_request_parts(parts: &mut Parts, app: &App) -> Result<Visitor, Problem> {
        let client = parts.extensions.get::<Client>().copied().ok_or_else(|| Problem::new(Code::Internal))?;
        Visitor::of(app, &parts.headers, client).await?.at(app, parts)
    }
}

/// A changing request of our own pages: its origin checked, its body read strictly.
pub struct ChangeRequest<B> {
    pub visitor: Visitor,
    pub body: B,
    /// `Idempotency-Key`; empty when there is none.
    key: String,
    pub headers: HeaderMap,
}

impl<B> ChangeRequest<B> {
    /// The key that this change must have.
    pub fn key(&self) -> Result<String, Problem> {
        if self.key.is_empty() { Err(Problem::new(Code::KeyMissing)) } else { Ok(self.key.clone()) }
    }
}

impl<B: DeserializeOwned + Send> FromRequest<App> for ChangeRequest<B> {
    type Rejection = Problem;

    async fn from_request(request: Request, app: &App) -> Result<ChangeRequest<B>, Problem> {
        let (parts, body) = request.into_parts();
        let headers = &parts.headers;
        app.origins.check(headers)?;
        let client = parts.extensions.get::<Client>().copied().ok_or_else(|| Problem::new(Code::Internal))?;
        require_json(headers)?;
        let body = json::body(&read(body).await?, Bounds::of(&app.settings.limits))?;
        let mut visitor = Visitor::of(app, headers, client).await?.at(app, &parts)?;
        if let Some(proof) = headers.get(PROOF).and_then(|proof| proof.to_str().ok()).filter(|proof| !proof.is_empty())
        {
            visitor.actor.proven = Box::pin(app.proves(client, proof)).await?;
        }
        let key = match headers.get("idempotency-key").map(HeaderValue::to_str) {
            None => "",
            Some(Ok(key)) if key.len() <= 200 => key.trim(),
            Some(_) => return Err(Problem::new(Code::KeyMissing).detail("the key must be 1 to 200 visible characters")),
        };
        Ok(ChangeRequest { visitor, body, key: key.to_owned(), headers: parts.headers })
    }
}

/// The whole body: the frame has read it, within its limits.
pub async fn read(body: Body) -> Result<axum::body::Bytes, Problem> {
    axum::body::to_bytes(body, usize::MAX).await.map_err(|_| Problem::new(Code::BodyInvalid))
}

fn require_json(headers: &HeaderMap) -> Result<(), Problem> {
    let kind = headers.get(header::CONTENT_TYPE).and_then(|value| value.to_str().ok()).unwrap_or_default();
    let essence = kind.split(';').next().unwrap_or_default().trim();
    if essence.eq_ignore_ascii_case("application/json") { Ok(()) } else { Err(Problem::new(Code::MediaType)) }
}

/// The session's token, when it looks like one of ours.
pub fn token(headers: &HeaderMap) -> Option<&str> {
    cookie(headers, COOKIE).filter(|token| token.len() == 64 && token.bytes().all(|byte| byte.is_ascii_hexdigit()))
}

/// The mark that says to programs that somebody is signed in.
pub fn signed_in(headers: &HeaderMap) -> Option<&str> {
    cookie(headers, SIGNED_IN).filter(|mark| !mark.is_empty())
}

/// The value of a cookie.
pub fn cookie<'a>(headers: &'a HeaderMap, name: &str) -> Option<&'a str> {
    let all = headers.get_all(header::COOKIE).iter().filter_map(|value| value.to_str().ok());
    all.flat_map(|value| value.split(';'))
        .filter_map(|pair| pair.trim().split_once('='))
        .find(|(found, _)| *found == name)
        .map(|(_, value)| value)
}
