//! `journey form`: a form as somebody gets it, and where each change came from.

use super::INVALID;
use super::attempt::refuse;
use crate::definitions::read_to_try;
use anyhow::Result;
use engine_definitions::{Audience, Now, ZONE};
use engine_runtime::{Clock as _, SystemClock};
use engine_statechart::expression::Scope;
use serde_json::json;
use std::path::Path;
use std::process::ExitCode;

/// Prints the form's JSON Schema on standard output and the variants that made it so on standard error. Expressions see
/// an empty request; what they need of one fails as it would on its page.
pub fn form(dir: &Path, name: &str, who: &[String], language: &str) -> Result<ExitCode> {
    let Some(catalog) = read_to_try(dir)? else { return Ok(ExitCode::from(INVALID)) };
    let Some(form) = catalog.form_in(language, name) else {
        return Ok(refuse(&format!("there is no form `{name}`"), catalog.forms().map(|form| form.id.as_str()), name));
    };
    let mut audience = Audience { language: language.to_owned(), ..Audience::default() };
    for one in who {
        match one.split_once('=') {
            Some(("role", role)) if catalog.policy().roles().any(|(known, _)| known == role) => {
                audience.roles.push(role.to_owned());
            }
            Some(("role", role)) => {
                let roles = catalog.policy().roles().map(|(known, _)| known);
                return Ok(refuse(&format!("`{role}` is no role"), roles, role));
            }
            Some(("channel", channel)) => channel.clone_into(&mut audience.channel),
            Some(("partner", partner)) => audience.partner = Some(partner.to_owned()),
            Some(("experiment", variant)) => audience.experiments.push(variant.to_owned()),
            _ => {
                let message = format!("`{one}` is not `role=`, `channel=`, `partner=` or `experiment=`");
                return Ok(refuse(&message, [].into_iter(), one));
            }
        }
    }
    let now = Now::at(SystemClock::default().now_ms(), ZONE);
    let (host, context) = (catalog.host_in(language, &now), json!({}));
    let scope = Scope::new().with("context", &context).with_host(&host);
    let view = match form.view(&audience, &scope) {
        Ok(view) => view,
        Err(error) => {
            eprintln!("error: {}: {}", error.span, error.message);
            return Ok(ExitCode::from(INVALID));
        }
    };
    println!("{}", serde_json::to_string_pretty(&json!({"title": view.title, "schema": view.schema}))?);
    for (whom, line, changes) in form.variants_for(&audience) {
        for (pointer, value) in changes {
            let what = if value.is_null() { "left out".to_owned() } else { value.to_string() };
            eprintln!("{}:{line}: for {whom}: {pointer}: {what}", form.path);
        }
    }
    Ok(ExitCode::SUCCESS)
}
