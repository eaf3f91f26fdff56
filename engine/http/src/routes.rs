//! Every route of the product, on one page.

use crate::api::{
    documents, drafts, events, health, journeys, master, operator, presence, reports, returns, seo, stream, uploads,
    webhooks,
};
use crate::app::App;
use crate::connection::frame;
use crate::endpoints;
use crate::pages;
use crate::pages::links;
use crate::pages::openid;
use crate::pages::reference;
use crate::problem::{self, ProblemDetails};
use axum::Router;
use axum::extract::State;
use axum::http::header::CONTENT_TYPE;
use axum::response::{IntoResponse, Response};
use axum::routing::{any, get, post};
use serde_json::Value;
use utoipa::OpenApi;
use utoipa::openapi::{Ref, RefOr};
use utoipa_axum::router::OpenApiRouter;
use utoipa_axum::routes;

#[derive(OpenApi)]
#[openapi(
    info(
        title = "Journey",
        description = "Journeys of customers as data: start one, send events, follow its changes. Changing requests carry \
        `content-type: application/json`, the header `X-Journey: 1`, and on journeys and events an `Idempotency-Key`."
    ),
    components(schemas(ProblemDetails))
)]
struct Description;

/// The product's router; `sandbox` is mounted at `/sandbox`.
pub fn router(app: App, sandbox: Option<Router>) -> Router {
    let (api, _) = api_description();
    let reference = Router::new()
        .route("/openapi.json", get(described_now))
        .route("/docs", get(reference::page))
        .route("/docs/", get(reference::page));
    let routes = Router::new()
        .merge(api)
        .route(crate::pages::site::REPORTS, post(reports::report))
        .route("/r/{code}", get(links::ask).post(links::follow))
        .route(openid::BEGIN, get(openid::begin))
        .route(openid::BACK, get(openid::back))
        .route("/api/{*path}", any(endpoints::answer))
        .merge(if app.settings.shows_reference() { reference } else { Router::new() })
        .fallback(pages::page)
        .layer(axum::middleware::from_fn_with_state(app.clone(), frame::frame))
        .with_state(app.clone());
    match sandbox {
        Some(sandbox) => {
            let headers = axum::middleware::from_fn_with_state(app, frame::headers);
            routes.nest("/sandbox", sandbox.layer(headers))
        }
        None => routes,
    }
}

/// Routes `/healthz` and `/readyz` alone, for a listener of their own.
pub fn health(app: App) -> Router {
    Router::new().route("/healthz", get(health::healthz)).route("/readyz", get(health::readyz)).with_state(app)
}

/// The description of the API for programs.
async fn described_now(State(app): State<App>) -> Response {
    ([(CONTENT_TYPE, "application/json")], description(&app).to_string()).into_response()
}

/// OpenAPI, with the endpoints of the definitions as they are now.
pub fn description(app: &App) -> Value {
    let mut description = serde_json::to_value(openapi()).unwrap_or_default();
    endpoints::describe(&mut description, &app.runtime.catalog(), app.runtime.now_ms());
    description
}

/// The description of what the program itself serves.
pub fn openapi() -> utoipa::openapi::OpenApi {
    api_description().1
}

fn api_description() -> (Router<App>, utoipa::openapi::OpenApi) {
    let (router, mut description) = documented_routes().split_for_parts();
    let anywhere = problem::responses(&problem::ANYWHERE);
    let name = |status: &str| format!("Anywhere{status}");
    let components = description.components.get_or_insert_default();
    components.responses.extend(anywhere.iter().map(|(status, response)| (name(status), response.clone())));
    for (path, item) in &mut description.paths.paths {
        let operations = [&mut item.get, &mut item.post, &mut item.put, &mut item.delete];
        for operation in operations.into_iter().flatten().filter(|_| path.starts_with("/api/")) {
            for status in anywhere.keys() {
                let response = || RefOr::Ref(Ref::from_response_name(name(status)));
                operation.responses.responses.entry(status.clone()).or_insert_with(response);
            }
        }
    }
    (router, description)
}

fn documented_routes() -> OpenApiRouter<App> {
    OpenApiRouter::with_openapi(Description::openapi())
        .routes(routes!(journeys::preview))
        .routes(routes!(journeys::start, journeys::list))
        .routes(routes!(journeys::view))
        .routes(routes!(events::send))
        .routes(routes!(drafts::save))
        .routes(routes!(presence::ping))
        .routes(routes!(stream::open))
        .routes(routes!(documents::download))
        .routes(routes!(uploads::begin, uploads::list))
        .routes(routes!(uploads::receive, uploads::show, uploads::remove))
        .routes(routes!(uploads::file))
        .routes(routes!(uploads::preview))
        .routes(routes!(master::find))
        .routes(routes!(seo::page))
        .routes(routes!(webhooks::receive))
        .routes(routes!(returns::back, returns::back_by_form))
        .routes(routes!(reports::report))
        .routes(routes!(operator::effects::list))
        .routes(routes!(operator::effects::retry))
        .routes(routes!(operator::effects::skip))
        .routes(routes!(operator::effects::release))
        .routes(routes!(operator::incidents::list))
        .routes(routes!(operator::incidents::retry))
        .routes(routes!(operator::incidents::close))
        .routes(routes!(operator::webhooks::tell))
        .routes(routes!(operator::history::show))
        .routes(routes!(health::healthz))
        .routes(routes!(health::readyz))
        .routes(routes!(health::metrics))
}
