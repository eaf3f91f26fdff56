//! A journey begins, whoever asks for it: the app, a plain form, an endpoint. What brought the visitor goes along.

use crate::app::App;
use crate::connection::middleware::requested_host;
use crate::problem::{Code, Problem};
use crate::visitor::agents;
use crate::visitor::attribution::{self, UrlParams};
use crate::visitor::device;
use crate::visitor::session::{Opening, Visitor};
use axum::http::HeaderMap;
use engine_definitions::{Arrival, Attribution, Brought, Catalog};
use engine_runtime::view::StepView;
use engine_runtime::{Actor, Refusal, Sent, Start};
use serde_json::{Map, Value};

/// Header in which a page says `off` where cookies are refused.
const COOKIES: &str = "x-cookies";

/// What is to begin.
pub struct Begin {
    pub workflow: String,
    pub key: String,
    pub event: Option<(String, Value)>,
    /// What the program says of where its visitor came from.
    pub said: UrlParams,
}

/// What a journey of this visitor is told of where they came from; `product`: its id.
pub fn attribution_of(
    catalog: &Catalog,
    actor: &Actor,
    came: &Attribution,
    product: Option<&str>,
) -> Map<String, Value> {
    let seller = actor.seller(catalog.policy());
    let by = Brought { came, agent: &actor.agent, seller: seller.as_ref() };
    catalog.site("").channels.attribution(&by, product, came.draw_or(&actor.session))
}

/// The first step of a workflow as this visitor gets it, who came as `came` says; nothing is stored.
pub async fn preview(app: &App, actor: &Actor, workflow: &str, came: &Attribution) -> Result<StepView, Refusal> {
    let catalog = app.runtime.catalog();
    let base = catalog.workflow(workflow).map(|workflow| workflow.base.clone()).unwrap_or_default();
    let product = catalog.site("").product(&base).map(|product| product.id.as_str());
    let told = attribution_of(&catalog, actor, came, product);
    app.runtime.journeys.preview(workflow, actor, Value::Object(told)).await
}

/// Begins it; with the session that was opened for it.
pub async fn start(
    app: &App,
    visitor: &mut Visitor,
    headers: &HeaderMap,
    begin: Begin,
) -> Result<(Sent, Option<Opening>), Problem> {
    let catalog = app.runtime.catalog();
    let site = catalog.site("");
    let workflow = catalog.workflow(&begin.workflow).ok_or_else(|| visitor.refuse(app, Refusal::NotFound))?;
    // The browser says that it keeps none: a code would be sent, and nobody there could enter it.
    if headers.get(COOKIES).is_some_and(|said| said == "off") && workflow.sends_codes() {
        return Err(Problem::new(Code::Cookies));
    }
    let mut came = attribution::of(&app.runtime, headers, Some(&visitor.actor));
    if !begin.said.is_empty() {
        let (host, day) = (requested_host(headers), app.today());
        came =
            site.channels.arrive(&came, &Arrival { said: &begin.said, path: &workflow.base, host: &host, day: &day });
    }
    let product = site.product(&workflow.base).map(|product| product.id.as_str());
    // R3-09: of a partner's visitor nothing else may begin.
    if site.channels.partner(&came).is_some_and(|partner| !partner.offers(product)) {
        return Err(visitor.refuse(app, Refusal::NotFound));
    }
    let mut opening = visitor.begin(app, &begin.key, &came);
    let visit = (workflow.base.as_str(), visitor.actor.session.as_str());
    if let Some(agent) = agents::check(app, &catalog, &came, &visitor.actor.agent, visit).await {
        match &mut opening {
            Some(opening) => visitor.begin_with(opening, &agent),
            None => visitor.keep_agent(app, agent).await?,
        }
    }
    let mut told = attribution_of(&catalog, &visitor.actor, &came, product);
    let device = device::of(headers);
    if device["system"] != "" {
        told.entry("device").or_insert(device);
    }
    let start = Start {
        workflow: begin.workflow,
        key: begin.key,
        event: begin.event,
        attribution: Value::Object(told),
        session: opening.as_ref().map(|opening| opening.session.clone()),
    };
    let sent = Box::pin(app.runtime.journeys.start(&visitor.actor, start)).await;
    let sent = sent.map_err(|refusal| visitor.refuse(app, refusal))?;
    Ok((sent, opening))
}
