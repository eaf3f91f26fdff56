//! The endpoints of the definitions in the description of the API.

use crate::problem::{self, Code, Problem};
use crate::visitor::language;
use engine_definitions::{Audience, Catalog, Endpoint, Envelope, Now, Which, Who, ZONE};
use engine_statechart::expression::Scope;
use serde_json::{Value, json};

/// Adds them.
pub fn describe(description: &mut Value, catalog: &Catalog, now_ms: i64) {
    let now = Now::at(now_ms, ZONE);
    for endpoint in catalog.endpoints() {
        let schema_of = |form: &String| {
            let (host, context) = (catalog.host(&now, None), json!({}));
            let scope = Scope::new().with("context", &context).with_host(&host);
            catalog.form(form)?.view(&Audience::default(), &scope).map(|view| view.schema).ok()
        };
        let in_path = endpoint.address.open().map(|(name, words)| {
            let schema =
                if words.is_empty() { json!({"type": "string"}) } else { json!({"type": "string", "enum": words}) };
            json!({"name": name, "in": "path", "required": true, "schema": schema})
        });
        let mut parameters: Vec<Value> = in_path.collect();
        parameters.extend(endpoint.asks.query.properties().map(|(name, shape)| {
            json!({"name": name, "in": "query", "required": shape.default().is_none(), "schema": shape.schema_json()})
        }));
        if let Some(schema) = endpoint.asks.query_form.as_ref().and_then(schema_of) {
            let is_named =
                |name: &String| schema["required"].as_array().is_some_and(|all| all.iter().any(|r| r == name));
            // What is calculated begins with the defaults.
            let is_filled =
                |name: &String| endpoint.asks.calculates && schema["properties"][name].get("default").is_some();
            let required = |name: &String| is_named(name) && !is_filled(name);
            parameters.extend(
                schema["properties"].as_object().into_iter().flatten().map(
                    |(name, rule)| json!({"name": name, "in": "query", "required": required(name), "schema": rule}),
                ),
            );
        }
        if endpoint.method == "GET" {
            let about = format!("Language of the answer: {}", catalog.languages().join(", "));
            let schema = json!({"type": "string"});
            let named = json!({"name": language::NAME, "in": "query", "description": about, "schema": schema});
            parameters.push(named);
        }
        let mut responses = json!(problem::responses(&refusals(endpoint)));
        if endpoint.answer.envelope != Envelope::None {
            // What stands before the endpoint (limits, a body too large) still answers as everywhere.
            for response in responses.as_object_mut().into_iter().flat_map(|all| all.values_mut()) {
                response["content"]["application/json"] = json!({"schema": refusal_schema(endpoint.answer.envelope)});
            }
        }
        responses["200"] = json!({"description": endpoint.title, "content": {"application/json": {}}});
        let mut operation = json!({
            "tags": ["endpoints"], "summary": endpoint.title, "operationId": endpoint.id, "parameters": parameters,
            "responses": responses,
        });
        if let Some(schema) = endpoint.asks.body.as_ref().and_then(schema_of) {
            let mut schema = json!(*schema);
            for name in &endpoint.asks.body_within {
                schema["properties"][name] = json!({"type": "object", "description": "Fields, here or beside this"});
            }
            operation["requestBody"] = json!({"required": true, "content": {"application/json": {"schema": schema}}});
        }
        description["paths"][&endpoint.address.template()][endpoint.method.to_lowercase()] = operation;
    }
}

/// The shape of a refusal in an envelope, as [`super::envelope::refused`] writes it.
fn refusal_schema(envelope: Envelope) -> Value {
    let text = json!({"type": "string"});
    let error = json!({
        "type": "object", "required": ["code", "displayMessage", "message", "pointer"],
        "properties": {"code": text, "displayMessage": text, "message": text, "pointer": text},
    });
    let mut properties = json!({"errors": {"type": "array", "minItems": 1, "items": error}});
    match envelope {
        Envelope::None | Envelope::Data => {}
        Envelope::Status => {
            properties["statusCode"] = json!({"type": "integer"});
            properties["status"] = json!({"const": "F"});
        }
        Envelope::Meta => properties["data"] = json!({"type": "object", "required": ["meta", "data"]}),
    }
    json!({"type": "object", "required": ["errors"], "properties": properties})
}

/// Codes with which a call of this endpoint may be refused.
fn refusals(endpoint: &Endpoint) -> Vec<Code> {
    let mut codes = problem::ANYWHERE.to_vec();
    codes.extend([Code::Invalid, Code::Broken]);
    if endpoint.caller.names_client {
        codes.push(Code::Client);
    }
    if endpoint.asks.as_role.is_some() {
        codes.push(Code::Role);
    }
    if endpoint.caller.who == Who::Person {
        codes.push(Code::SignIn);
    }
    if endpoint.may_be_missing() {
        codes.push(Code::NotFound);
    }
    let journey = endpoint.deed.journey();
    if journey.is_some_and(|deed| matches!(deed.of, Which::Found(_))) {
        codes.push(Code::Expired);
    }
    let worded = endpoint.refusals().map(|refusal| refusal.status);
    let renamed = journey.into_iter().flat_map(|deed| deed.errors.values()).map(|error| error.status);
    for code in worded.chain(renamed).map(Problem::code_of_status) {
        if !codes.contains(&code) {
            codes.push(code);
        }
    }
    if endpoint.method != "GET" {
        codes.extend([Code::Csrf, Code::BodyInvalid, Code::MediaType, Code::KeyReused, Code::NotAccepted]);
        codes.extend([Code::Proof, Code::Cookies]);
    }
    codes
}
