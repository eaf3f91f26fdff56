//! Evaluates a script: names in, values out, with memory read in between.
//!
//! Expressions are pure and memory is not: an expression that recalls something unknown is evaluated again when it
//! was read. What a script remembers is known to what follows in it.

use super::host::{MemoryAddress, ScriptHost};
use super::tasks::{Entry, Hook, Task};
use super::{Sandbox, SandboxError};
use crate::memory::RECALL_MAX;
use engine_definitions::{Consequences, Go, Now};
use engine_statechart::expression::{EvalError, Expression, Scope};
use engine_statechart::template::Mapping;
use serde_json::{Map, Value, json};
use std::collections::{BTreeSet, HashMap};
use std::sync::{Mutex, PoisonError};

/// One evaluation of a script or of a button, over its variables.
pub struct Evaluation<'s> {
    sandbox: &'s Sandbox,
    /// `request`, `partner`, `key`, `answers` and the `let` names.
    pub variables: Map<String, Value>,
    now: Now,
    seed: String,
    ids: u32,
    known: HashMap<MemoryAddress, Value>,
    /// Names that have no value, and why.
    failed: HashMap<String, String>,
}

/// Rounds of reading memory that one expression may ask for.
const ROUNDS_MAX: usize = 64;

impl<'s> Evaluation<'s> {
    /// `seed` makes the ids: the same seed gives the same ones.
    pub fn new(sandbox: &'s Sandbox, variables: Map<String, Value>, seed: String) -> Self {
        let now = Now::at(sandbox.now_ms(), engine_definitions::ZONE);
        Evaluation { sandbox, variables, now, seed, ids: 0, known: HashMap::new(), failed: HashMap::new() }
    }

    /// Names for values. One that cannot be worked out is an error only where it is needed, so that a case may
    /// answer first for what is not there.
    pub async fn lets(&mut self, lets: &[(String, Mapping)]) -> Result<(), SandboxError> {
        for (name, mapping) in lets {
            match self.value(mapping).await {
                Ok(value) => drop(self.variables.insert(name.clone(), value)),
                Err(SandboxError::Script(why)) => drop(self.failed.insert(name.clone(), why)),
                Err(error) => return Err(error),
            }
        }
        Ok(())
    }

    pub async fn value(&mut self, mapping: &Mapping) -> Result<Value, SandboxError> {
        let result = self.evaluate(|scope| mapping.eval(scope)).await;
        result.map_err(|error| self.cause(error, std::iter::once(mapping)))
    }

    pub async fn value_or(&mut self, mapping: Option<&Mapping>, default: Value) -> Result<Value, SandboxError> {
        match mapping {
            Some(mapping) => self.value(mapping).await,
            None => Ok(default),
        }
    }

    pub async fn holds(&mut self, condition: Option<&Expression>) -> Result<bool, SandboxError> {
        match condition {
            Some(condition) => {
                let result = self.evaluate(|scope| condition.eval_bool(scope)).await;
                result.map_err(|error| self.cause(error, std::iter::once(condition)))
            }
            None => Ok(true),
        }
    }

    /// Milliseconds by the sandbox's speed (`sandbox.delay_percent`); nothing is 0.
    pub async fn ms(&mut self, mapping: Option<&Mapping>) -> Result<i64, SandboxError> {
        let ms = self.value_or(mapping, json!(0)).await?.as_i64().unwrap_or(0).max(0);
        Ok(ms.saturating_mul(i64::from(self.sandbox.settings().sandbox.delay_percent)) / 100)
    }

    /// `remember`, `webhook` and `later` as tasks with their times.
    pub async fn tasks(&mut self, partner: &str, consequences: &Consequences) -> Result<Vec<Task>, SandboxError> {
        let start_ms = self.now.ms;
        let mut tasks = Vec::new();
        self.tasks_from(partner, consequences, start_ms, &mut tasks).await?;
        for later in &consequences.later {
            let due_ms = start_ms + self.ms(Some(&later.after)).await?;
            self.tasks_from(partner, &later.then, due_ms, &mut tasks).await?;
        }
        Ok(tasks)
    }

    async fn tasks_from(
        &mut self,
        partner: &str,
        consequences: &Consequences,
        due_ms: i64,
        tasks: &mut Vec<Task>,
    ) -> Result<(), SandboxError> {
        let mut entries = Vec::new();
        for remember in &consequences.remember {
            let bucket = super::html::text(&self.value(&remember.bucket).await?);
            let key = super::html::text(&self.value(&remember.key).await?);
            let value = self.value(&remember.value).await?;
            self.known.insert((bucket.clone(), Some(key.clone())), value.clone());
            self.known.remove(&(bucket.clone(), None));
            entries.push(Entry { bucket, key, value, time_ms: due_ms });
        }
        let task = |due_ms| Task {
            partner: partner.to_owned(),
            due_ms,
            remember: Vec::new(),
            webhook: None,
            attempts: 0,
            leased_ms: 0,
        };
        if !entries.is_empty() {
            tasks.push(Task { remember: entries, ..task(due_ms) });
        }
        for webhook in &consequences.webhook {
            let due_ms = due_ms + self.ms(webhook.after.as_ref()).await?;
            let headers = self.value_or(webhook.headers.as_ref(), json!({})).await?;
            let headers = headers
                .as_object()
                .into_iter()
                .flatten()
                .map(|(name, value)| (name.clone(), super::html::text(value)))
                .collect();
            let hook = Hook { name: webhook.name.clone(), headers, body: self.value(&webhook.body).await? };
            tasks.push(Task { webhook: Some(hook), ..task(due_ms) });
        }
        Ok(())
    }

    /// `{method, url, fields}` with values.
    pub async fn go(&mut self, go: &Go) -> Result<Value, SandboxError> {
        let url = self.value(&go.url).await?;
        let fields = self.value_or(go.fields.as_ref(), json!({})).await?;
        Ok(json!({"method": go.method, "url": url, "fields": fields}))
    }

    /// The error of a name that the failed expressions use, before their own.
    fn cause<'e>(&self, error: SandboxError, mut expressions: impl Iterator<Item = &'e Expression>) -> SandboxError {
        match expressions.find_map(|expression| expression.names().find_map(|name| self.failed.get(name))) {
            Some(why) => SandboxError::Script(why.clone()),
            None => error,
        }
    }

    async fn evaluate<T>(&mut self, evaluate: impl Fn(&Scope<'_>) -> Result<T, EvalError>) -> Result<T, SandboxError> {
        for _ in 0..ROUNDS_MAX {
            let (result, missing, ids) = self.round(&evaluate);
            if missing.is_empty() {
                self.ids = ids;
                return result.map_err(|error| SandboxError::Script(error.to_string()));
            }
            for place in missing {
                let value = self.read(&place).await?;
                self.known.insert(place, value);
            }
        }
        Err(SandboxError::Script("the expression asks for ever more of the memory".into()))
    }

    fn round<T>(
        &self,
        evaluate: impl Fn(&Scope<'_>) -> Result<T, EvalError>,
    ) -> (Result<T, EvalError>, BTreeSet<MemoryAddress>, u32) {
        let catalog = self.sandbox.catalog();
        let product = catalog.sandbox_host(&self.now);
        let host = ScriptHost {
            product: &product,
            settings: self.sandbox.settings(),
            known: &self.known,
            missing: Mutex::default(),
            seed: &self.seed,
            ids: Mutex::new(self.ids),
        };
        let result = {
            let scope = self
                .variables
                .iter()
                .fold(Scope::new().with_host(&host), |scope, (name, value)| scope.with(name, value));
            evaluate(&scope)
        };
        let missing = host.missing.into_inner().unwrap_or_else(PoisonError::into_inner);
        (result, missing, host.ids.into_inner().unwrap_or_else(PoisonError::into_inner))
    }

    async fn read(&self, (bucket, key): &MemoryAddress) -> Result<Value, SandboxError> {
        let memory = self.sandbox.memory();
        match key {
            Some(key) => Ok(memory.get(bucket, key).await?.unwrap_or(Value::Null)),
            None => Ok(memory.list(bucket, RECALL_MAX).await?.into_iter().map(|(_, value)| value).collect()),
        }
    }
}
