//! `/api/…` addresses that are data (`workflows/endpoints/`): what comes is read by its shape or form, then rows are
//! read, a partner is called, a journey of the caller's own session begins or hears events, then the reply is made.
//! Nothing here knows what any is for.

mod describe;
mod envelope;
mod journey;
mod person;

pub use describe::describe;
pub use person::records;

use crate::api::data_export;
use crate::app::App;
use crate::connection::middleware::{Class, Client};
use crate::json::pointer_to;
use crate::problem::{Code, FieldProblem, Problem};
use crate::visitor::agents;
use crate::visitor::attribution;
use crate::visitor::language;
use crate::visitor::session::{ChangeRequest, Opening, Visitor, token};
use axum::extract::{FromRequest, FromRequestParts, Request, State};
use axum::http::{HeaderMap, Method, StatusCode, header};
use axum::response::{IntoResponse, Response};
use engine_definitions::{
    Audience, Catalog, Deed, ENGLISH, Endpoint, EvalError, FieldError, List, Now, PartnerCall, PersonDeed, Refuses,
    Which, Who, ZONE,
};
use engine_partners::CallOutcome;
use engine_runtime::Actor;
use engine_statechart::Host;
use engine_statechart::expression::Scope;
use serde_json::{Map, Value, json};
use std::sync::Arc;

/// Names the program that calls.
const CLIENT: &str = "x-api-key";

/// Every address below `/api/` that the program itself does not serve.
pub async fn answer(State(app): State<App>, request: Request) -> Response {
    let catalog = app.runtime.catalog();
    let asked = language::in_query(&app, request.uri().query().unwrap_or_default());
    let language = asked.clone().unwrap_or_else(|| language::of(&app, request.headers()));
    let at = request.uri().path().trim_end_matches('/');
    let mut here = catalog.endpoints_at(&language, at);
    let method = if request.method() == Method::HEAD { "GET" } else { request.method().as_str() };
    let Some((endpoint, path)) = here.remove(method).map(|(endpoint, path)| (endpoint.clone(), path)) else {
        if here.is_empty() {
            return StatusCode::NOT_FOUND.into_response();
        }
        let allow = here.keys().copied().collect::<Vec<_>>().join(", ");
        return (StatusCode::METHOD_NOT_ALLOWED, [(header::ALLOW, allow)]).into_response();
    };
    // What caches keep speaks to everybody alike who asks at this address.
    let is_kept = endpoint.answer.cache_s.is_some() && asked.is_none();
    let language = if is_kept { ENGLISH.to_owned() } else { language };
    let same = catalog.endpoints_at(&language, at).remove(method).map(|(endpoint, _)| endpoint.clone());
    let (endpoint, language) = (same.unwrap_or(endpoint), (language, asked));
    let envelope = endpoint.answer.envelope;
    let answered = Box::pin(answer_here(&app, &catalog, (endpoint, language), path, request)).await;
    answered.unwrap_or_else(|problem| envelope::refusal_response(problem, envelope))
}

async fn answer_here(
    app: &App,
    catalog: &Arc<Catalog>,
    (endpoint, (language, asked_language)): (Arc<Endpoint>, (String, Option<String>)),
    path: Map<String, Value>,
    request: Request,
) -> Result<Response, Problem> {
    let query = request.uri().query().unwrap_or_default().to_owned();
    let pairs: Vec<_> = url::form_urlencoded::parse(query.as_bytes()).collect();
    let is_missing = |name: &str| !pairs.iter().any(|(given, _)| given == name);
    let needed = endpoint.asks.query.properties().filter(|(name, shape)| shape.default().is_none() && is_missing(name));
    let missing: Vec<FieldProblem> = needed.map(|(name, _)| missing_field(name)).collect();
    if !missing.is_empty() {
        return Err(Problem::new(Code::Invalid).errors(missing));
    }
    let asked = endpoint.asks.parse_query(pairs.iter().map(|(name, text)| (name.as_ref(), text.as_ref())));
    let query = asked.map_err(|misfit| invalid_field(misfit.pointer, "query", misfit.message))?;
    let actor = who(app, request.headers()).await?;
    let described = endpoint.asks.described_form(&path).and_then(|form| catalog.form_in(&language, form));
    let found = Map::from_iter([
        ("path".to_owned(), Value::Object(path)),
        ("query".to_owned(), query),
        ("list".to_owned(), json!([])),
        ("more".to_owned(), json!(false)),
        ("site".to_owned(), catalog.site(&language).describe().clone()),
        ("visit".to_owned(), visit(app, catalog, request.headers(), actor.as_ref())),
    ]);
    let mut asked = EndpointCall { app, catalog, endpoint: &endpoint, language, asked_language, found };
    if let Some(form) = described {
        let now = Now::at(app.runtime.now_ms(), ZONE);
        let (host, context) = (catalog.host_in(&asked.language, &now), json!({}));
        let scope = Scope::new().with("context", &context).with_host(&host);
        let view =
            form.view(&asked.audience(actor.as_ref())?, &scope).map_err(|error| broken_problem(&endpoint, &error))?;
        asked.found.insert("form".into(), json!(view.schema));
    }
    if let Some(form) = &endpoint.asks.query_form {
        let given = pairs.iter().map(|(name, text)| (name.to_string(), Value::from(text.as_ref())));
        let fields = catalog.form(form).map(|form| form.properties()).unwrap_or_default();
        let mut given: Map<String, Value> = given.filter(|(name, _)| fields.contains(name)).collect();
        if endpoint.asks.calculates {
            given = asked.over_first(form, given)?;
        }
        let query = asked.fit(form, Audience::default(), given)?;
        asked.found.insert("query".into(), query);
    }
    if endpoint.method == "GET" { asked.look(request).await } else { asked.change(request).await }
}

/// A call of an endpoint, and what its expressions know so far.
struct EndpointCall<'a> {
    app: &'a App,
    catalog: &'a Arc<Catalog>,
    endpoint: &'a Arc<Endpoint>,
    /// Language in which the call is answered.
    language: String,
    /// The language that the address asks for.
    asked_language: Option<String>,
    found: Map<String, Value>,
}

type Change = ChangeRequest<Map<String, Value>>;

impl EndpointCall<'_> {
    /// For whom a form is described: the caller's roles, or the one that the query names, theirs or less. A role's form
    /// goes to nobody who only says that it is theirs.
    fn audience(&self, caller: Option<&Actor>) -> Result<Audience, Problem> {
        let Some(as_role) = &self.endpoint.asks.as_role else { return Ok(Audience::default()) };
        let own: Vec<String> = caller.into_iter().flat_map(Actor::acting_roles).map(str::to_owned).collect();
        let word = self.found["query"][&as_role.parameter].as_str().unwrap_or_default();
        let roles = match as_role.role(word) {
            "" => own,
            role if !self.catalog.policy().roles().any(|(known, _)| known == role) => {
                let text = format!("`{word}` is no role");
                return Err(invalid_field(format!("/{}", as_role.parameter), "enum", text));
            }
            role if as_role.allows(role, &own) => vec![role.to_owned()],
            _ => return Err(Problem::new(Code::Role)),
        };
        Ok(Audience { roles, ..Audience::default() })
    }

    /// What a journey or a person is told in this call is in the language of its address.
    fn speak_to(&self, visitor: &mut Visitor) {
        if let Some(language) = &self.asked_language {
            visitor.actor.language.clone_from(language);
        }
    }

    async fn look(&mut self, request: Request) -> Result<Response, Problem> {
        let endpoint = self.endpoint;
        require_program(self.catalog, endpoint, request.headers())?;
        if endpoint.caller.who == Who::Anyone && matches!(endpoint.deed, Deed::Tells | Deed::Lists(_)) {
            self.refuse()?;
            if let Deed::Lists(list) = &endpoint.deed {
                self.load_rows(list).await?;
            }
            return self.reply();
        }
        let (mut parts, _) = request.into_parts();
        let mut visitor = Visitor::from_request_parts(&mut parts, self.app).await?;
        self.speak_to(&mut visitor);
        self.load_caller(&visitor).await?;
        let journey = self.load_known(&visitor).await?;
        self.refuse()?;
        match &endpoint.deed {
            Deed::Lists(list) => self.load_rows(list).await?,
            Deed::AsksPartner(call) => self.call_partner(call, visitor.client).await?,
            Deed::Journey(deed) => {
                if !deed.send.is_empty() {
                    // Nobody else's page asks for prices in this caller's name.
                    self.app.origins.check_origin(&parts.headers)?;
                }
                if let Some(journey) = journey {
                    self.send_events(deed, &mut visitor, &parts.headers, journey).await?;
                }
            }
            Deed::Person(PersonDeed::Exports(name)) if name.ends_with(".pdf") => return self.export_paper(name).await,
            Deed::Tells | Deed::Records(_) | Deed::Person(_) => {}
        }
        self.reply()
    }

    /// What is kept of the person, as a paper.
    async fn export_paper(&self, name: &str) -> Result<Response, Problem> {
        let said = self.eval(|found, host| self.endpoint.answer.reply(found, host))?;
        let bytes = data_export::pdf(self.app, &self.language, &said, &self.found["export"]).await?;
        let file = [
            (header::CONTENT_TYPE, "application/pdf".to_owned()),
            (header::CONTENT_DISPOSITION, envelope::disposition(name)),
        ];
        Ok((file, bytes).into_response())
    }

    /// What refusals and the reply read of what is there already; with the journey that the call names.
    async fn load_known(&mut self, visitor: &Visitor) -> Result<Option<String>, Problem> {
        match &self.endpoint.deed {
            Deed::Records(of) => self.list_records(of, visitor).await?,
            Deed::Person(PersonDeed::Exports(_)) => self.load_export(visitor).await?,
            Deed::Journey(deed) => return self.find_journey(deed, visitor).await,
            Deed::Tells | Deed::Lists(_) | Deed::AsksPartner(_) | Deed::Person(_) => {}
        }
        Ok(None)
    }

    async fn change(&mut self, request: Request) -> Result<Response, Problem> {
        let mut change = Change::from_request(request, self.app).await?;
        self.speak_to(&mut change.visitor);
        require_program(self.catalog, self.endpoint, &change.headers)?;
        let body = std::mem::take(&mut change.body);
        let body = self.read_body(&change.visitor, body)?;
        self.found.insert("body".into(), body);
        self.refuse_unnamed()?;
        if self.endpoint.caller.needs_proof {
            self.refuse_unproven(&change)?;
        }
        self.load_caller(&change.visitor).await?;
        let mut opening = None;
        let done = Box::pin(self.change_known(&mut change, &mut opening)).await;
        // Whoever was refused half way keeps the session that the first half has made.
        let answer = match done {
            Ok(()) => self.reply()?,
            Err(problem) if opening.is_some() || change.visitor.is_new() => {
                envelope::refusal_response(problem, self.endpoint.answer.envelope)
            }
            Err(problem) => return Err(problem),
        };
        Ok(change.visitor.with_started_session(opening, &change.headers, answer))
    }

    async fn change_known(&mut self, change: &mut Change, opening: &mut Option<Opening>) -> Result<(), Problem> {
        self.authenticate_claim(change).await?;
        let found = self.load_known(&change.visitor).await?;
        self.refuse()?;
        let endpoint = self.endpoint;
        match &endpoint.deed {
            Deed::Tells | Deed::Records(_) => {}
            Deed::Lists(list) => self.load_rows(list).await?,
            Deed::AsksPartner(call) => self.call_partner(call, change.visitor.client).await?,
            Deed::Journey(deed) => {
                let journey = match &deed.of {
                    Which::Begun(starts) => Some(self.start_journey(deed, starts, change, opening).await?),
                    Which::Found(_) => found,
                };
                if let Some(journey) = journey {
                    self.send_events(deed, &mut change.visitor, &change.headers, journey).await?;
                }
            }
            Deed::Person(deed) => self.act_for_person(deed, change).await?,
        }
        self.describe_session(&change.visitor).await
    }

    /// The body as its form reads it; every field at fault is named, with its text.
    fn read_body(&self, visitor: &Visitor, body: Map<String, Value>) -> Result<Value, Problem> {
        let (mut body, mut rest) = (self.with_what_is_within(body)?, Map::new());
        if self.endpoint.asks.body_steps {
            let own = self.endpoint.asks.body.as_ref().and_then(|form| self.catalog.form(form));
            let own = own.map(|form| form.properties()).unwrap_or_default();
            let (known, others): (Map<_, _>, Map<_, _>) = body.into_iter().partition(|(name, _)| own.contains(name));
            (body, rest) = (known, self.read_ahead(others)?);
        }
        let Some(form) = &self.endpoint.asks.body else {
            return match body.keys().next() {
                None => Ok(Value::Object(rest)),
                Some(_) => Err(invalid_field(String::new(), "body", "nothing is taken here".into())),
            };
        };
        let roles = visitor.actor.acting_roles().map(str::to_owned).collect();
        let mut read = self.fit(form, Audience { roles, ..Audience::default() }, body)?;
        if let Some(read) = read.as_object_mut() {
            read.extend(rest);
        }
        Ok(read)
    }

    /// Fields of the forms of later steps, each of its kind.
    fn read_ahead(&self, fields: Map<String, Value>) -> Result<Map<String, Value>, Problem> {
        let forms = self.forms_of_steps();
        let (mut read, mut errors) = (Map::new(), Vec::new());
        for (name, value) in fields {
            let Some(form) = forms.iter().find(|form| form.properties().contains(&name)) else {
                errors.push(unknown_field(&name));
                continue;
            };
            match form.read_ahead(&name, value) {
                Ok(value) => read.extend(value.map(|value| (name, value))),
                Err(error) => errors.push(field_problem(error)),
            }
        }
        if errors.is_empty() { Ok(read) } else { Err(Problem::new(Code::Invalid).errors(errors)) }
    }

    /// A body whose fields all stand side by side; none is said twice.
    fn with_what_is_within(&self, mut body: Map<String, Value>) -> Result<Map<String, Value>, Problem> {
        for name in &self.endpoint.asks.body_within {
            let Some(inner) = body.get_mut(name).and_then(Value::as_object_mut).map(std::mem::take) else { continue };
            body.remove(name);
            for (field, value) in inner {
                if body.contains_key(&field) {
                    return Err(invalid_field(
                        pointer_to(name) + &pointer_to(&field),
                        "twice",
                        "This is asked once".into(),
                    ));
                }
                body.insert(field, value);
            }
        }
        Ok(body)
    }

    /// Texts and values as a form reads them.
    fn fit(&self, form: &str, audience: Audience, given: Map<String, Value>) -> Result<Value, Problem> {
        let form = self.catalog.form_in(&self.language, form).ok_or_else(|| Problem::new(Code::Internal))?;
        let now = Now::at(self.app.runtime.now_ms(), ZONE);
        let (host, context) = (self.catalog.host_in(&self.language, &now), json!({}));
        let scope = Scope::new().with("context", &context).with_host(&host);
        let mut data = Value::Object(given);
        let errors = form.check(&audience, &scope, &mut data).map_err(|error| broken_problem(self.endpoint, &error))?;
        if errors.is_empty() {
            return Ok(data);
        }
        Err(Problem::new(Code::Invalid).errors(errors.into_iter().map(field_problem).collect()))
    }

    /// What was said, over what a form begins with.
    fn over_first(&self, form: &str, given: Map<String, Value>) -> Result<Map<String, Value>, Problem> {
        let form = self.catalog.form_in(&self.language, form).ok_or_else(|| Problem::new(Code::Internal))?;
        let now = Now::at(self.app.runtime.now_ms(), ZONE);
        let (host, context) = (self.catalog.host_in(&self.language, &now), json!({}));
        let scope = Scope::new().with("context", &context).with_host(&host);
        let fields =
            form.fields(&Audience::default(), &scope).map_err(|error| broken_problem(self.endpoint, &error))?;
        Ok(fields.data(&[&given]))
    }

    /// Something of the endpoint, over what is known so far, at this moment.
    fn eval<T>(&self, of: impl FnOnce(&Map<String, Value>, &dyn Host) -> Result<T, EvalError>) -> Result<T, Problem> {
        let now = Now::at(self.app.runtime.now_ms(), ZONE);
        of(&self.found, &self.catalog.host_in(&self.language, &now))
            .map_err(|error| broken_problem(self.endpoint, &error))
    }

    fn refuse(&self) -> Result<(), Problem> {
        self.eval(|found, host| self.endpoint.refusal(found, host))?
            .map_or(Ok(()), |refusal| Err(refusal_problem(refusal)))
    }

    /// Rows of reference data: a search reads the whole file, so not on a thread that answers others.
    async fn load_rows(&mut self, list: &List) -> Result<(), Problem> {
        let asked = self.eval(|found, host| list.evaluate_search(found, host))?;
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
    async fn call_partner(&mut self, call: &PartnerCall, client: Client) -> Result<(), Problem> {
        self.app.limit(Class::Start, client)?;
        let input = self.eval(|found, host| call.evaluate_input(found, host))?;
        let asked = self.catalog.operation_named(&call.of).ok_or_else(|| Problem::new(Code::Internal))?;
        if asked.1.takes().next().is_some() || asked.1.sends().is_some() {
            tracing::error!(endpoint = self.endpoint.id, "an endpoint takes no money or agreement and sends nothing");
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

    fn reply(&self) -> Result<Response, Problem> {
        let reply = self.eval(|found, host| self.endpoint.answer.reply(found, host))?;
        let good = self.eval(|found, host| self.endpoint.answer.status(found, host))?;
        Ok(envelope::good(self.endpoint, reply, good))
    }
}

/// The actor whose session it is.
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
async fn check_agent(app: &App, catalog: &Catalog, change: &mut Change, page: &str) -> Result<(), Problem> {
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
fn require_program(catalog: &Catalog, endpoint: &Endpoint, headers: &HeaderMap) -> Result<(), Problem> {
    let key = headers.get(CLIENT).and_then(|key| key.to_str().ok());
    let is_known = || key.is_some_and(|key| catalog.site("").clients.iter().any(|known| known == key));
    if !endpoint.caller.names_client || is_known() { Ok(()) } else { Err(Problem::new(Code::Client)) }
}

fn field_problem(error: FieldError) -> FieldProblem {
    FieldProblem { pointer: error.pointer, code: error.code, text: error.text }
}

fn missing_field(name: &str) -> FieldProblem {
    FieldProblem { pointer: format!("/{name}"), code: "required".into(), text: format!("`{name}` is missing") }
}

fn unknown_field(name: &str) -> FieldProblem {
    FieldProblem { pointer: pointer_to(name), code: "unknown".into(), text: "This is not asked here".into() }
}

fn invalid_field(pointer: String, code: &str, text: String) -> Problem {
    Problem::new(Code::Invalid).errors(vec![FieldProblem { pointer, code: code.into(), text }])
}

/// A refusal that the definitions word.
fn refusal_problem(refusal: &Refuses) -> Problem {
    let Refuses { status, code, pointer, or, .. } = refusal;
    let told = FieldProblem { pointer: pointer.clone(), code: code.clone(), text: or.clone() };
    Problem::of_status(*status).errors(vec![told])
}

fn broken_problem(endpoint: &Endpoint, error: &EvalError) -> Problem {
    tracing::error!(endpoint = endpoint.id, %error, "an endpoint failed");
    Problem::new(Code::Broken)
}
