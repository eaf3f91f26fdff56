//! Any text as an expression: a problem, or one that gives a value or an error, the same both times.
#![no_main]

use engine_statechart::expression::Expression;
use engine_statechart::source::Span;
use engine_statechart::{Scope, Vocabulary};
use libfuzzer_sys::fuzz_target;
use serde_json::{Value, json};
use std::sync::LazyLock;

static CONTEXT: LazyLock<Value> = LazyLock::new(|| json!({"n": 7, "f": 0.5, "s": "text", "l": [1, "a", null, {"k": [true]}], "m": {"k": {"n": -1}}}));

fuzz_target!(|text: &str| {
    let Ok(expression) = Expression::compile(text, &Span::unknown(), &Vocabulary::default(), &[]) else { return };
    let Some(context) = CONTEXT.as_object() else { return };
    let scope = Scope::new().with_context(context);
    let first = expression.eval(&scope);
    assert_eq!(first, expression.eval(&scope));
    let _ = expression.eval_bool(&scope);
    let _ = (expression.names().count(), expression.paths().count());
});
