//! `/api/…` addresses that are data (`workflows/endpoints/`): what comes is read by its shape or form, then rows are
//! read, a partner is called or a journey begins with the caller's own session, then the reply is made. Nothing here
//! knows what any is for.

use super::known_id;
use crate::agents;
use crate::app::App;
use crate::attribution::{self, Said};
use crate::language::{self, ENGLISH};
use crate::middleware::{Class, Client};
use crate::own_copy;
use crate::problem::{self, Code, FieldProblem, Problem, WAY_BACK};
use crate::session::{ChangeRequest, Opening, Visitor, cookie, token};
use crate::start::{self, Begin};
use axum::Json;
use axum::extract::{FromRequest, FromRequestParts, Request, State};
use axum::http::{HeaderMap, HeaderValue, Method, StatusCode, header};
use axum::response::{IntoResponse, Response};
use engine_definitions::{Audience, Catalog, Endpoint, EvalError, FieldError, Now, RecordsAsked, Who};
use engine_partners::CallOutcome;
use engine_runtime::view::{Level, MessageView};
use engine_runtime::{Actor, RecordPage, Refusal, Send, Sent, SignsIn, StepView, new_id, parse_rfc3339};
use engine_statechart::Host;
use engine_statechart::expression::Scope;
use serde_json::{Map, Value, json};
use std::sync::Arc;

/// Names the program that calls.
const CLIENT: &str = "x-api-key";
/// What codes of journeys are sealed for.
const CODE: &str = "endpoint";

/// How often what is begun once may have expired.
const ONCE_MAX: usize = 20;

const ZONE: chrono_tz::Tz = chrono_tz::Asia::Kolkata;

/// Every address below `/api/` that the program itself does not serve.
pub async fn answer(State(app): State<App>, request: Request) -> Response {
    let catalog = app.runtime.catalog();
    let language = language::of(&app, request.headers());
    let Some(here) = catalog.endpoints_at(&language, request.uri().path()) else {
        return StatusCode::NOT_FOUND.into_response();
    };
    let method = if request.method() == Method::HEAD { "GET" } else { request.method().as_str() };
    let Some(endpoint) = here.get(method).cloned() else {
        let allow = here.keys().copied().collect::<Vec<_>>().join(", ");
        return (StatusCode::METHOD_NOT_ALLOWED, [(header::ALLOW, allow)]).into_response();
    };
    // What caches keep speaks to everybody alike.
    let language = if endpoint.cache_s.is_some() { ENGLISH.into() } else { language };
    answered(&app, &catalog, (endpoint, language), request).await.unwrap_or_else(IntoResponse::into_response)
}

async fn answered(
    app: &App,
    catalog: &Arc<Catalog>,
    (endpoint, language): (Arc<Endpoint>, String),
    request: Request,
) -> Result<Response, Problem> {
    let query = request.uri().query().unwrap_or_default().to_owned();
    let pairs: Vec<_> = url::form_urlencoded::parse(query.as_bytes()).collect();
    let asked = endpoint.asked(pairs.iter().map(|(name, text)| (name.as_ref(), text.as_ref())));
    let query = asked.map_err(|misfit| refused(misfit.pointer, "query", misfit.message))?;
    let actor = who(app, request.headers()).await?;
    let found = Map::from_iter([
        ("query".to_owned(), query),
        ("list".to_owned(), json!([])),
        ("more".to_owned(), json!(false)),
        ("site".to_owned(), catalog.site(&language).described().clone()),
        ("visit".to_owned(), visit(app, catalog, request.headers(), actor.as_ref())),
    ]);
    let mut asked = Asked { app, catalog, endpoint: &endpoint, language, found };
    if let Some(form) = &endpoint.query_form {
        let given = pairs.iter().map(|(name, text)| (name.to_string(), Value::from(text.as_ref())));
        let fields = catalog.form(form).map(|form| form.properties()).unwrap_or_default();
        let given = given.filter(|(name, _)| fields.contains(name)).collect();
        let query = asked.fit(form, Audience::default(), given)?;
        asked.found.insert("query".into(), query);
    }
    if endpoint.method == "POST" { asked.change(request).await } else { asked.look(request).await }
}

/// A call of an endpoint, and what its expressions know so far.
struct Asked<'a> {
    app: &'a App,
    catalog: &'a Arc<Catalog>,
    endpoint: &'a Arc<Endpoint>,
    /// In which it answers.
    language: String,
    found: Map<String, Value>,
}

type Change = ChangeRequest<Map<String, Value>>;

impl Asked<'_> {
    async fn look(&mut self, request: Request) -> Result<Response, Problem> {
        named(self.catalog, self.endpoint, request.headers())?;
        let mut client = None;
        if self.endpoint.who != Who::Anyone || self.endpoint.call.is_some() {
            let (mut parts, _) = request.into_parts();
            let visitor = Visitor::from_request_parts(&mut parts, self.app).await?;
            self.known(&visitor).await?;
            client = Some(visitor.client);
            self.exported(&visitor).await?;
            if let Some(name) = self.endpoint.exports.as_ref().filter(|name| name.ends_with(".pdf")) {
                let said = self.eval(|found, host| self.endpoint.reply(found, host))?;
                let bytes = own_copy::pdf(self.app, &self.language, &said, &self.found["export"]).await?;
                let file = [
                    (header::CONTENT_TYPE, "application/pdf".to_owned()),
                    (header::CONTENT_DISPOSITION, attached(name)),
                ];
                return Ok((file, bytes).into_response());
            }
            self.listed(&visitor).await?;
        }
        self.read().await?;
        if let Some(client) = client {
            self.called(client).await?;
        }
        self.reply()
    }

    async fn change(&mut self, request: Request) -> Result<Response, Problem> {
        let mut change = Change::from_request(request, self.app).await?;
        named(self.catalog, self.endpoint, &change.headers)?;
        let body = std::mem::take(&mut change.body);
        self.found.insert("body".into(), self.fitting(&change.visitor, body)?);
        if self.endpoint.needs_proof {
            self.proves_itself(&change)?;
        }
        self.known(&change.visitor).await?;
        self.claimed(&mut change).await?;
        self.listed(&change.visitor).await?;
        if let Some((field, why)) = self.eval(|found, host| self.endpoint.refusal(found, host))? {
            return Err(refused(format!("/{field}"), "refused", why.to_owned()));
        }
        if let Some(token) = self.eval(|found, host| self.endpoint.held(found, host))? {
            change.visitor.hold(self.app, &token).await?;
        }
        if let Some((code, or)) = self.eval(|found, host| self.endpoint.taken_over(found, host))? {
            self.app.limit(Class::Start, change.visitor.client)?;
            let page = change.visitor.take_over(self.app, &code).await?;
            let page = page.ok_or_else(|| refused("/code".into(), "code.unknown", or.to_owned()))?;
            self.found.insert("journey".into(), json!({"url": page}));
        }
        self.read().await?;
        self.called(change.visitor.client).await?;
        if let Some(page) = self.eval(|found, host| self.endpoint.checked(found, host))? {
            checked(self.app, self.catalog, &mut change, &page).await?;
            let visit = visit(self.app, self.catalog, &change.headers, Some(&change.visitor.actor));
            self.found.insert("visit".into(), visit);
        }
        let opening = self.begun(&mut change).await?;
        self.sent(&mut change).await?;
        self.looked_at(&change).await?;
        if let Some(said) = self.eval(|found, host| self.endpoint.profile(found, host))? {
            self.app.runtime.people.keep_profile(&change.visitor.actor, said).await?;
        }
        if let Some(purpose) = self.eval(|found, host| self.endpoint.withdrawn(found, host))? {
            self.app.runtime.people.withdraw(&change.visitor.actor, &purpose).await?;
        }
        if let Some(journey) = self.eval(|found, host| self.endpoint.dismissed(found, host))? {
            self.app.runtime.people.dismiss(&change.visitor.actor, known_id(&journey)?).await?;
        }
        self.signed_out(&mut change).await?;
        let reply = self.reply()?;
        Ok(change.visitor.begun(opening, &change.headers, reply))
    }

    /// Before anything is sent to anybody: it is known that the browser works for it, and that it will be known again.
    fn proves_itself(&self, change: &Change) -> Result<(), Problem> {
        if !change.visitor.actor.proven {
            return Err(change.visitor.refused(self.app, Refusal::Proof).trying_cookies());
        }
        let comes_back = !change.visitor.actor.id.is_empty() || cookie(&change.headers, WAY_BACK).is_some();
        if comes_back { Ok(()) } else { Err(Problem::new(Code::Cookies)) }
    }

    /// The body as its form reads it; every field at fault is named, with its text.
    fn fitting(&self, visitor: &Visitor, body: Map<String, Value>) -> Result<Value, Problem> {
        let Some(form) = &self.endpoint.body else {
            return if body.is_empty() {
                Ok(Value::Object(body))
            } else {
                Err(refused(String::new(), "body", "nothing is taken here".into()))
            };
        };
        let roles = visitor.actor.acting_roles().map(str::to_owned).collect();
        self.fit(form, Audience { roles, ..Audience::default() }, body)
    }

    /// Texts and values as a form reads them.
    fn fit(&self, form: &str, audience: Audience, given: Map<String, Value>) -> Result<Value, Problem> {
        let form = self.catalog.form_in(&self.language, form).ok_or_else(|| Problem::new(Code::Internal))?;
        let now = Now::at(self.app.runtime.now_ms(), ZONE);
        let (host, context) = (self.catalog.host_in(&self.language, &now), json!({}));
        let scope = Scope::new().with("context", &context).with_host(&host);
        let mut data = Value::Object(given);
        let errors = form.check(&audience, &scope, &mut data).map_err(|error| broken(self.endpoint, &error))?;
        if errors.is_empty() {
            return Ok(data);
        }
        let named = |error: FieldError| FieldProblem { pointer: error.pointer, code: error.code, text: error.text };
        Err(Problem::new(Code::Invalid).errors(errors.into_iter().map(named).collect()))
    }

    /// Something of the endpoint, over what is known so far, at this moment.
    fn eval<T>(&self, of: impl FnOnce(&Map<String, Value>, &dyn Host) -> Result<T, EvalError>) -> Result<T, Problem> {
        let now = Now::at(self.app.runtime.now_ms(), ZONE);
        of(&self.found, &self.catalog.host_in(&self.language, &now)).map_err(|error| broken(self.endpoint, &error))
    }

    /// Without a session, a sign-in or a role where one is needed, it is as if nothing were there.
    async fn known(&mut self, visitor: &Visitor) -> Result<(), Problem> {
        if !self.endpoint.roles.include(visitor.actor.acting_roles()) {
            return Err(visitor.refused(self.app, Refusal::NotFound));
        }
        match self.endpoint.who {
            Who::Anyone => return Ok(()),
            Who::Session if visitor.actor.id.is_empty() => return Err(visitor.refused(self.app, Refusal::NotFound)),
            Who::Session => {}
            Who::Person => {
                let account = self.app.runtime.people.account(&visitor.actor, &self.endpoint.account).await?;
                let account = account.ok_or_else(|| visitor.unknown())?;
                self.found.insert("account".into(), json!(account));
            }
            Who::Claimant => {
                let account = self.app.runtime.people.claimed(&visitor.actor, &self.endpoint.account).await?;
                let account = account.ok_or_else(|| visitor.refused(self.app, Refusal::NotFound))?;
                self.found.insert("account".into(), json!(account));
            }
        }
        let roles: Vec<String> = visitor.actor.acting_roles().map(str::to_owned).collect();
        self.found.insert("site".into(), self.catalog.site(&self.language).described_for(&roles));
        Ok(())
    }

    /// Who asks for an account that is closed shows that it is hers, or leaves it: either way she is signed in.
    async fn claimed(&mut self, change: &mut Change) -> Result<(), Problem> {
        let (people, visitor) = (&self.app.runtime.people, &mut change.visitor);
        match self.endpoint.who {
            Who::Person if self.endpoint.proves() => {
                self.proven(&visitor.actor).await?;
                return visitor.show(self.app).await;
            }
            Who::Claimant => {}
            _ => return Ok(()),
        }
        let person = if self.endpoint.renounces {
            people.begin_anew(&visitor.actor).await?
        } else {
            self.proven(&visitor.actor).await?;
            people.claim(&visitor.actor).await?
        };
        self.found.remove("account");
        let stays = visitor.actor.stays;
        visitor.sign_in(self.app, SignsIn::Person { person, stays }, &change.headers).await
    }

    /// What was named is what is known of the account.
    async fn proven(&self, actor: &Actor) -> Result<(), Problem> {
        self.app.runtime.people.try_claim(actor).await?;
        match self.eval(|found, host| self.endpoint.proof(found, host))?.flatten() {
            Some(words) => Err(refused(String::new(), "proof", words.to_owned())),
            None => Ok(()),
        }
    }

    /// All that is kept of the person, as `export`.
    async fn exported(&mut self, visitor: &Visitor) -> Result<(), Problem> {
        if self.endpoint.exports.is_some() {
            self.app.limit(Class::Start, visitor.client)?;
            self.found.insert("export".into(), self.app.runtime.people.export(&visitor.actor).await?);
        }
        Ok(())
    }

    /// Records of the person who is signed in, as `records`: `{rows, before}`.
    async fn listed(&mut self, visitor: &Visitor) -> Result<(), Problem> {
        if let Some(asked) = self.eval(|found, host| self.endpoint.records(found, host))? {
            let records = records(self.app, &visitor.actor, asked).await?;
            self.found.insert("records".into(), json!(records));
        }
        Ok(())
    }

    /// Rows of reference data: a search reads the whole file, so not on a thread that answers others.
    async fn read(&mut self) -> Result<(), Problem> {
        let Some(list) = &self.endpoint.list else { return Ok(()) };
        let asked = self.eval(|found, host| list.asked(found, host))?;
        let master = self.catalog.master(&list.of).ok_or_else(|| Problem::new(Code::Internal))?.clone();
        let limit = list.limit;
        let (rows, more) = tokio::task::spawn_blocking(move || master.find(&asked.0, &asked.1, limit))
            .await
            .map_err(|_| Problem::new(Code::Internal))?;
        self.found.insert("list".into(), Value::Array(rows));
        self.found.insert("more".into(), json!(more));
        Ok(())
    }

    /// What a partner says, as `call`: `{error, code, message, response}`; that it failed is an answer too.
    async fn called(&mut self, client: Client) -> Result<(), Problem> {
        let Some(call) = &self.endpoint.call else { return Ok(()) };
        self.app.limit(Class::Start, client)?;
        let input = self.eval(|found, host| call.asked(found, host))?;
        let asked = self.catalog.called(&call.of).ok_or_else(|| Problem::new(Code::Internal))?;
        if asked.1.takes().next().is_some() {
            tracing::error!(endpoint = self.endpoint.id, "an endpoint takes neither money nor an agreement");
            return Err(Problem::new(Code::Broken));
        }
        let (code, message, response) = match self.app.ask(self.catalog, asked, &input).await {
            CallOutcome::Done { output, .. } => (String::new(), String::new(), Some(output)),
            CallOutcome::Failed(failed) => (failed.code, failed.message, None),
            CallOutcome::NotBegun => ("unavailable".into(), String::new(), None),
        };
        if response.is_none() {
            tracing::warn!(endpoint = self.endpoint.id, code, "a partner's call failed");
        }
        let said = json!({"error": response.is_none(), "code": code, "message": message, "response": response});
        self.found.insert("call".into(), said);
        Ok(())
    }

    /// Begins a journey for the caller, as `journey`: `{id, url, step}`; with the session that was opened for it.
    async fn begun(&mut self, change: &mut Change) -> Result<Option<Opening>, Problem> {
        let Some(starts) = &self.endpoint.start else { return Ok(None) };
        let workflow = self.catalog.workflow(&starts.workflow);
        if workflow.is_some_and(|workflow| self.endpoint.lacks_proof(workflow)) && !change.visitor.actor.proven {
            return Err(change.visitor.refused(self.app, Refusal::Proof));
        }
        self.app.limit(Class::Start, change.visitor.client)?;
        let data = self.eval(|found, host| starts.data(found, host))?;
        let key = change.key().ok();
        let once = self.eval(|found, host| starts.once(found, host))?;
        let begin = |key: String| Begin {
            workflow: starts.workflow.clone(),
            key,
            event: Some((starts.event.clone(), data.clone())),
            said: Said::new(),
        };
        let (visitor, headers) = (&mut change.visitor, &change.headers);
        let begun = match &once {
            Some(once) => self.begun_once(once, visitor, headers, &begin).await,
            // A call without a key is one journey.
            None => start::start(self.app, visitor, headers, begin(key.unwrap_or_else(new_id))).await,
        };
        let (sent, opening) = begun?;
        self.found.insert("journey".into(), described_journey(self.app, &sent.view));
        Ok(opening)
    }

    /// What was begun before for the same is found again; one that has expired by now is begun anew.
    async fn begun_once(
        &self,
        once: &str,
        visitor: &mut Visitor,
        headers: &HeaderMap,
        begin: &impl Fn(String) -> Begin,
    ) -> Result<(Sent, Option<Opening>), Problem> {
        let mut key = format!("{}:{once}", self.endpoint.id);
        for _ in 0..ONCE_MAX {
            match start::start(self.app, visitor, headers, begin(key.clone())).await {
                Err(problem) if problem.status() == StatusCode::GONE.as_u16() => key.push('+'),
                begun => return begun,
            }
        }
        start::start(self.app, visitor, headers, begin(key)).await
    }

    /// The caller's own journey as it stands, as `journey`.
    async fn looked_at(&mut self, change: &Change) -> Result<(), Problem> {
        let Some(code) = self.eval(|found, host| self.endpoint.looks_at(found, host))? else { return Ok(()) };
        let journey = self.journey_of(&code)?;
        let view = self.app.runtime.journeys.view(&change.visitor.actor, &journey).await?;
        self.found.insert("journey".into(), described_journey(self.app, &view));
        Ok(())
    }

    /// The journey that a code of ours stands for.
    fn journey_of(&self, code: &str) -> Result<String, Problem> {
        let journey = self.app.runtime.people.open_for(CODE, code).and_then(|id| String::from_utf8(id).ok());
        journey.ok_or_else(|| Problem::new(Code::NotFound))
    }

    /// Sends an event to the caller's own journey; what its screen says was wrong is a refusal.
    async fn sent(&mut self, change: &mut Change) -> Result<(), Problem> {
        let Some(sends) = &self.endpoint.send else { return Ok(()) };
        let (code, data) = self.eval(|found, host| sends.of(found, host))?;
        let (runtime, journey) = (&self.app.runtime, self.journey_of(&code)?);
        let visitor = &mut change.visitor;
        let shown = runtime.journeys.view(&visitor.actor, &journey).await?;
        let event =
            Send { key: new_id(), revision: shown.journey.revision, kind: sends.event.clone(), data, shown: None };
        let sent = runtime.journeys.send(&visitor.actor, &journey, event).await;
        let sent = sent.map_err(|refusal| visitor.refused(self.app, refusal))?;
        let wrong: Vec<FieldProblem> =
            sent.view.messages.iter().filter(|said| said.level == Level::Error).map(told).collect();
        if !wrong.is_empty() {
            return Err(Problem::new(Code::Invalid).errors(wrong));
        }
        if let Some(signs_in) = sent.signs_in {
            visitor.sign_in(self.app, signs_in, &change.headers).await?;
        }
        self.found.insert("journey".into(), described_journey(self.app, &sent.view));
        Ok(())
    }

    /// Ends sessions where the endpoint does; then says whose session this is, as `session`.
    async fn signed_out(&mut self, change: &mut Change) -> Result<(), Problem> {
        let (people, visitor) = (&self.app.runtime.people, &mut change.visitor);
        let is_own = match self.eval(|found, host| self.endpoint.ended(found, host))? {
            Some(ids) => people.end_own_sessions(&visitor.actor, &ids).await?,
            None => self.endpoint.signs_out,
        };
        if is_own {
            visitor.sign_out(self.app).await?;
        }
        let first_name = people.first_name(&visitor.actor).await?;
        let session = json!({"token": visitor.mark(), "first_name": first_name, "sources": visitor.actor.sources});
        self.found.insert("session".into(), session);
        Ok(())
    }

    fn reply(&self) -> Result<Response, Problem> {
        let mut response = Json(self.eval(|found, host| self.endpoint.reply(found, host))?).into_response();
        let age = self.endpoint.cache_s.map(|age| format!("public, max-age={age}"));
        if let Some(value) = age.and_then(|age| HeaderValue::from_str(&age).ok()) {
            response.headers_mut().insert(header::CACHE_CONTROL, value);
        }
        let file = self.endpoint.exports.as_deref().map(attached);
        if let Some(value) = file.and_then(|file| HeaderValue::from_str(&file).ok()) {
            response.headers_mut().insert(header::CONTENT_DISPOSITION, value);
        }
        Ok(response)
    }
}

fn attached(name: &str) -> String {
    format!("attachment; filename=\"{name}\"")
}

/// A page of records of who is signed in.
pub async fn records(app: &App, actor: &Actor, asked: RecordsAsked) -> Result<RecordPage, Problem> {
    if !asked.before.is_empty() {
        known_id(&asked.before)?;
    }
    Ok(app.runtime.people.records(actor, asked).await?)
}

/// Whose session it is.
async fn who(app: &App, headers: &HeaderMap) -> Result<Option<Actor>, Problem> {
    match token(headers) {
        Some(token) => Ok(app.runtime.people.session(token).await?),
        None => Ok(None),
    }
}

/// How the caller came, and who that makes them.
fn visit(app: &App, catalog: &Catalog, headers: &HeaderMap, actor: Option<&Actor>) -> Value {
    let came = attribution::of(&app.runtime, headers, actor);
    let agent = actor.map(|actor| actor.agent.clone()).unwrap_or_default();
    let session = actor.map_or("", |actor| &actor.session);
    catalog.site("").channels.visit(&came, &agent, came.draw_or(session))
}

/// The check of agents that a page needs: the session that it is kept in is opened with it.
async fn checked(app: &App, catalog: &Catalog, change: &mut Change, page: &str) -> Result<(), Problem> {
    app.limit(Class::Start, change.visitor.client)?;
    let came = attribution::of(&app.runtime, &change.headers, Some(&change.visitor.actor));
    let visitor = &mut change.visitor;
    if !agents::is_due(catalog, &came, &visitor.actor.agent, page) {
        return Ok(());
    }
    visitor.open(app).await?;
    let visit = (page, visitor.actor.session.as_str());
    if let Some(agent) = agents::check(app, catalog, &came, &visitor.actor.agent, visit).await {
        visitor.keep_agent(app, agent).await?;
    }
    Ok(())
}

/// The program names itself where the endpoint asks for it.
fn named(catalog: &Catalog, endpoint: &Endpoint, headers: &HeaderMap) -> Result<(), Problem> {
    let key = headers.get(CLIENT).and_then(|key| key.to_str().ok());
    let is_known = || key.is_some_and(|key| catalog.site("").clients.iter().any(|known| known == key));
    if !endpoint.names_client || is_known() { Ok(()) } else { Err(Problem::new(Code::Client)) }
}

fn told(message: &MessageView) -> FieldProblem {
    let MessageView { code, pointer, text, .. } = message.clone();
    FieldProblem { pointer: pointer.unwrap_or_default(), code, text }
}

/// `code` stands for it where its caller comes back: it opens nothing without the caller's session.
fn described_journey(app: &App, view: &StepView) -> Value {
    let id = view.journey.id.clone().unwrap_or_default();
    let code = app.runtime.people.seal_for(CODE, id.as_bytes());
    json!({"id": id, "url": view.step.url, "step": view.step.path, "code": code, "messages": view.messages,
        "after": later(view)})
}

/// Events that are offered later, with the seconds until then.
fn later(view: &StepView) -> Value {
    let blocks = view.step.view.as_ref().and_then(|view| view["blocks"].as_array()).into_iter().flatten();
    let items = blocks.filter_map(|block| block["items"].as_array()).flatten();
    let now = parse_rfc3339(&view.server_time).unwrap_or_default();
    let after = items.filter_map(|item| {
        let at = parse_rfc3339(item["after"].as_str()?)?;
        Some((item["event"].as_str()?.to_owned(), json!((at.saturating_sub(now).max(0) + 999) / 1_000)))
    });
    Value::Object(after.collect())
}

fn refused(pointer: String, code: &str, text: String) -> Problem {
    Problem::new(Code::Invalid).errors(vec![FieldProblem { pointer, code: code.into(), text }])
}

fn broken(endpoint: &Endpoint, error: &EvalError) -> Problem {
    tracing::error!(endpoint = endpoint.id, %error, "an endpoint failed");
    Problem::new(Code::Broken)
}

/// With what a call of this endpoint may be refused.
fn refusals(endpoint: &Endpoint) -> Vec<Code> {
    let mut codes = problem::ANYWHERE.to_vec();
    codes.extend([Code::Invalid, Code::Broken]);
    if endpoint.names_client {
        codes.push(Code::Client);
    }
    if endpoint.who == Who::Person {
        codes.push(Code::SignIn);
    }
    // For who may not call it, it is not there; nor is the journey that a code does not open.
    if endpoint.who != Who::Anyone || !endpoint.roles.is_empty() || endpoint.send.is_some() {
        codes.push(Code::NotFound);
    }
    if endpoint.method == "POST" {
        codes.extend([Code::Csrf, Code::BodyInvalid, Code::MediaType, Code::KeyReused, Code::NotAccepted]);
        codes.extend([Code::Proof, Code::Cookies]);
    }
    codes
}

/// Adds the endpoints of the definitions to the description of the API.
pub fn describe(description: &mut Value, catalog: &Catalog, now_ms: i64) {
    let now = Now::at(now_ms, ZONE);
    for endpoint in catalog.endpoints() {
        let schema_of = |form: &String| {
            let (host, context) = (catalog.host(&now, None), json!({}));
            let scope = Scope::new().with("context", &context).with_host(&host);
            catalog.form(form)?.view(&Audience::default(), &scope).map(|view| view.schema).ok()
        };
        let mut parameters: Vec<Value> = endpoint
            .query
            .properties()
            .map(|(name, shape)| {
                json!({"name": name, "in": "query", "required": shape.default().is_none(), "schema": shape.schema_json()})
            })
            .collect();
        if let Some(schema) = endpoint.query_form.as_ref().and_then(schema_of) {
            let required =
                |name: &String| schema["required"].as_array().is_some_and(|all| all.iter().any(|r| r == name));
            parameters.extend(
                schema["properties"].as_object().into_iter().flatten().map(
                    |(name, rule)| json!({"name": name, "in": "query", "required": required(name), "schema": rule}),
                ),
            );
        }
        let mut responses = json!(problem::responses(&refusals(endpoint)));
        responses["200"] = json!({"description": endpoint.title, "content": {"application/json": {}}});
        let mut operation = json!({
            "tags": ["endpoints"], "summary": endpoint.title, "operationId": endpoint.id, "parameters": parameters,
            "responses": responses,
        });
        if let Some(schema) = endpoint.body.as_ref().and_then(schema_of) {
            operation["requestBody"] = json!({"required": true, "content": {"application/json": {"schema": schema}}});
        }
        description["paths"][&endpoint.path][endpoint.method.to_lowercase()] = operation;
    }
}
