//! A journey begins, whoever asks for it: the app, a plain form, an endpoint. What brought the visitor goes along.

use crate::app::App;
use crate::connection::middleware::requested_host;
use crate::problem::{Code, Problem};
use crate::visitor::agents;
use crate::visitor::attribution::{self, UrlParams};
use crate::visitor::device;
use crate::visitor::session::{Opening, Visitor};
use axum::http::HeaderMap;
use engine_definitions::{Arrival, Brought};
use engine_runtime::{Refusal, Sent, Start};
use serde_json::Value;

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
    let seller = visitor.actor.seller(catalog.policy());
    let by = Brought { came: &came, agent: &visitor.actor.agent, seller: seller.as_ref() };
    let mut told = site.channels.attribution(&by, product, came.draw_or(&visitor.actor.session));
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
