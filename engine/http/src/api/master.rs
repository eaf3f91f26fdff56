//! `/api/v1/master/{name}`: reference data for look-up fields. Public, the same for everybody.

use crate::app::App;
use crate::problem::{Code, Problem, refusals};
use axum::Json;
use axum::extract::{Path, RawQuery, State};
use axum::http::header;
use axum::response::{IntoResponse, Response};
use serde::Serialize;
use serde_json::Value;
use utoipa::ToSchema;
use utoipa::openapi::schema::{Array, ObjectBuilder, SchemaType, Type};

refusals!(NotThere: BodyInvalid, NotFound);

/// Rows that were found.
#[derive(Serialize, ToSchema)]
pub struct Rows {
    #[schema(schema_with = rows)]
    pub rows: Vec<Value>,
    /// There are more than these.
    pub more: bool,
}

/// Columns of a row: text, a number, yes or no; null where one is empty.
fn rows() -> Array {
    let types = [Type::String, Type::Integer, Type::Boolean, Type::Null];
    let cell = ObjectBuilder::new().schema_type(SchemaType::from_iter(types));
    Array::new(ObjectBuilder::new().schema_type(Type::Object).additional_properties(Some(cell)))
}

const LIMIT: usize = 20;
const LIMIT_MAX: usize = 200;

/// Rows that contain `q` and whose columns equal the other parameters; with `key`, that row.
#[utoipa::path(get, path = "/api/v1/master/{name}", tag = "master",
    params(("name" = String, Path), ("q" = Option<String>, Query), ("key" = Option<String>, Query), ("limit" = Option<usize>, Query)),
    responses((status = 200, body = Rows), NotThere))]
pub async fn find(
    State(app): State<App>,
    Path(name): Path<String>,
    RawQuery(query): RawQuery,
) -> Result<Response, Problem> {
    let catalog = app.runtime.catalog();
    let master = catalog.master(&name).ok_or_else(|| Problem::new(Code::NotFound))?.clone();
    let (mut q, mut key, mut limit, mut filters) = (String::new(), None, LIMIT, Vec::new());
    for (name, value) in url::form_urlencoded::parse(query.unwrap_or_default().as_bytes()) {
        match name.as_ref() {
            "q" => q = value.chars().take(100).collect(),
            "key" => key = Some(value.into_owned()),
            "limit" => limit = value.parse().unwrap_or(LIMIT).clamp(1, LIMIT_MAX),
            _ if filters.len() < 8 => filters.push((name.into_owned(), value.into_owned())),
            _ => {}
        }
    }
    // A search reads the whole file: not on a thread that answers others.
    let search = move || match key {
        Some(key) => Rows { rows: master.get(&key).map(Value::Object).into_iter().collect(), more: false },
        None => {
            let (rows, more) = master.find(&q, &filters, limit);
            Rows { rows, more }
        }
    };
    let rows = tokio::task::spawn_blocking(search).await.map_err(|_| Problem::new(Code::Internal))?;
    Ok(([(header::CACHE_CONTROL, "public, max-age=300")], Json(rows)).into_response())
}
