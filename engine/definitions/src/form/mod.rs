//! later
use engine_statechart::{EvalError, Scope};
use serde_json::Value;

/// Who looks at a form.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Default)]
pub struct Audience {
    pub role: String,
    pub channel: String,
    pub partner: Option<String>,
    pub language: String,
}

/// A wrong field: where (JSON pointer), what (a stable code), how to say it.
#[derive(Clone, Debug, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
pub struct FieldError {
    pub pointer: String,
    pub code: String,
    pub text: String,
}

/// A form as one audience sees it.
#[derive(Clone, Debug, PartialEq)]
pub struct FormView {
    pub title: String,
    pub intro: Option<String>,
    pub schema: Value,
    pub ui: Value,
}

#[derive(Debug)]
pub struct Form {
    pub id: String,
    pub path: String,
}

impl Form {
    pub fn view(&self, _a: &Audience, _scope: &Scope<'_>) -> Result<FormView, EvalError> {
        Ok(FormView { title: String::new(), intro: None, schema: Value::Null, ui: Value::Null })
    }
    /// Applies `x-normalise`, drops empty values and the values of hidden fields.
    pub fn normalise(&self, _a: &Audience, _scope: &Scope<'_>, _data: &mut Value) -> Result<(), EvalError> {
        Ok(())
    }
    pub fn validate(&self, _a: &Audience, _scope: &Scope<'_>, _data: &Value) -> Result<Vec<FieldError>, EvalError> {
        Ok(Vec::new())
    }
    /// Top-level properties that this actor could see.
    pub fn visible(&self, _a: &Audience, _scope: &Scope<'_>, _data: &Value) -> Result<Vec<String>, EvalError> {
        Ok(Vec::new())
    }
    /// Names of the secret fields.
    pub fn secrets(&self) -> Vec<String> {
        Vec::new()
    }
    /// Defaults of the schema, for display only.
    pub fn defaults(&self, _a: &Audience, _scope: &Scope<'_>) -> Result<Value, EvalError> {
        Ok(Value::Null)
    }
}

pub(crate) fn plain_errors(_v: &jsonschema::Validator, _data: &Value) -> Vec<FieldError> {
    Vec::new()
}
