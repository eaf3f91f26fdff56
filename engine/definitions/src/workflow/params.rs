//! What expressions read of a flow's `params`, held against what the flow says.

use super::desugar::Builder;
use engine_statechart::expression::reads::ANY_KEY;
use engine_statechart::expression::{Expression, Names};
use engine_statechart::{Machine, Problem, did_you_mean};
use serde_json::Value;
use std::collections::BTreeMap;

/// Checks the parameters of the machine, and of the steps with their forms and views, which several flows share.
pub fn check(machine: &Machine, params: &Value, values: &Names, builder: &mut Builder<'_>) {
    let mut found = BTreeMap::new();
    let mut read = |expression: &Expression, names: Option<&Names>| {
        for read in expression.reads_of("params", names).reads {
            if let Some((shown, hint)) = missing(params, &read.path[..read.needed]) {
                let span = read.asked.span.unwrap_or_else(|| expression.span()).clone();
                let problem = Problem::error("params", &span, format!("`{shown}` is not in the flow's `params`"));
                found.entry((span, shown)).or_insert(problem.maybe_hint(hint));
            }
        }
    };
    machine.expressions().into_iter().for_each(|expression| read(expression, None));
    for step in builder.steps.values() {
        let form = step.form.as_ref().and_then(|id| builder.library.forms.get(id));
        let of_step = super::definite_assignment::of_step(step, form.map(|form| &**form));
        of_step.into_iter().for_each(|expression| read(expression, Some(step.names.as_deref().unwrap_or(values))));
        for face in step.all_faces() {
            let Some(view) = face.view.as_ref().and_then(|id| builder.library.views.get(id)) else { continue };
            let names = face.view_names().unwrap_or(values);
            view.expressions().for_each(|expression| read(expression, Some(names)));
        }
    }
    builder.problems.extend(found.into_values());
}

/// The first key of a path that is not there, and what is there.
fn missing(params: &Value, path: &[&str]) -> Option<(String, Option<String>)> {
    let mut at = params;
    for (depth, key) in path.iter().enumerate().take_while(|(_, key)| **key != ANY_KEY) {
        let map = at.as_object()?;
        let Some(next) = map.get(*key) else {
            let shown = format!("params.{}", path[..=depth].join("."));
            let known = || map.keys().map(String::as_str);
            let there = || known().map(|key| format!("`{key}`")).collect::<Vec<_>>().join(", ");
            return Some((
                shown,
                did_you_mean(key, known()).or_else(|| (!map.is_empty()).then(|| format!("it has {}", there()))),
            ));
        };
        at = next;
    }
    None
}
