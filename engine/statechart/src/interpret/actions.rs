//! Executable content: assign, raise, cancel, named effects; timers.

use super::Effect;
use super::run::{Fatal, Run};
use crate::duration::DURATION_MS_MAX;
use crate::event::Event;
use crate::expression::{EvalError, Expression, Memory};
use crate::machine::model::{Action, After, Assignment, Delay, NodeIx, Raise};
use crate::snapshot::Timer;
use serde_json::{Map, Value};

impl<'m> Run<'m> {
    /// Executes actions in sequence; each sees the context left by the one before.
    pub fn execute(&mut self, actions: &'m [Action], node: NodeIx, event: &Event) -> Result<(), Fatal> {
        for action in actions {
            self.charge(node)?;
            match action {
                Action::Assign(assignments) => self.assign(assignments, event)?,
                Action::Raise(raise) => self.raise(raise, event)?,
                Action::Cancel(id) => self.cancel_timers(|timer| raise_id(&timer.id) == Some(id)),
                Action::Named { kind, number } => {
                    let spoken = self.env.spoken.filter(|spoken| spoken.kinds.contains(&&**kind));
                    let (machine, memory) = (spoken.map_or(self.m, |spoken| spoken.machine), Memory::new());
                    let mut evaluated = Map::new();
                    for (key, mapping) in machine.named.get(*number).into_iter().flatten() {
                        let scope = self.scope(event);
                        let scope = match &spoken {
                            Some(spoken) => scope.with_host(spoken.host).with_memory(&memory),
                            None => scope,
                        };
                        evaluated.insert(key.clone(), mapping.eval_within(&scope, &self.steps)?);
                    }
                    let node = self.m.nodes[node as usize].id.to_string();
                    self.effects.push(Effect::Action { node, kind: kind.to_string(), fields: evaluated });
                }
            }
        }
        Ok(())
    }

    pub fn value(&self, source: &Expression, event: &Event) -> Result<Value, Fatal> {
        Ok(source.eval_within(&self.scope(event), &self.steps)?)
    }

    /// All values are computed from the context before, then stored.
    fn assign(&mut self, assignments: &'m [Assignment], event: &Event) -> Result<(), Fatal> {
        self.assigned = true;
        if let [only] = assignments {
            let value = self.value(&only.value, event)?;
            return self.store(only, value);
        }
        let values: Vec<Value> = assignments.iter().map(|a| self.value(&a.value, event)).collect::<Result<_, _>>()?;
        assignments.iter().zip(values).try_for_each(|(assignment, value)| self.store(assignment, value))
    }

    fn store(&mut self, assignment: &'m Assignment, value: Value) -> Result<(), Fatal> {
        // What values were is true for the context as it was.
        self.memory = Memory::new();
        let Some((key, inner)) = assignment.path.split_first() else { return Ok(()) };
        let context = &mut self.context;
        let Some(slot) = context.get_mut(key) else {
            context.insert(key.clone(), inner.iter().rev().fold(value, |value, key| nest(value, key)));
            self.undo.push((key, None));
            return Ok(());
        };
        if inner.is_empty() {
            self.undo.push((key, Some(std::mem::replace(slot, value))));
            return Ok(());
        }
        self.undo.push((key, Some(slot.clone())));
        set_inside(slot, inner, value).map_err(|key| {
            Box::new(EvalError {
                message: format!("`{key}` is not a map, so nothing can be assigned inside it"),
                span: assignment.span.clone(),
                expression: assignment.path.join("."),
            })
        })
    }

    fn raise(&mut self, raise: &'m Raise, event: &Event) -> Result<(), Fatal> {
        let mut raised = Event::new(&*raise.kind);
        for (key, source) in &raise.params {
            raised.data.insert(key.clone(), self.value(source, event)?);
        }
        let Some(delay) = &raise.delay else {
            self.queue.push_back(raised);
            return Ok(());
        };
        let id = format!("raise:{}:{}", self.counter, raise.id.as_deref().unwrap_or(""));
        self.start_timer(id, delay, raised, event)
    }

    pub fn start_after(&mut self, node: NodeIx, after: &'m After, event: &Event) -> Result<(), Fatal> {
        let id = format!("after:{}:{}", self.counter, self.m.nodes[node as usize].id);
        self.start_timer(id, &after.delay, Event::new(&*after.event), event)
    }

    pub fn cancel_after(&mut self, node: NodeIx) {
        let m = self.m;
        let state = &m.nodes[node as usize];
        if !state.after.is_empty() {
            self.cancel_timers(|timer| after_node(&timer.id) == Some(&*state.id));
        }
    }

    fn start_timer(&mut self, id: String, delay: &'m Delay, event: Event, now: &Event) -> Result<(), Fatal> {
        let (delay_ms, name) = match delay {
            Delay::Fixed(ms) => (*ms, None),
            Delay::Named(name, source) => {
                let value = self.value(source, now)?;
                let ms = value.as_i64().ok_or_else(|| self.delay_error(name, source, &value))?;
                (ms.clamp(0, DURATION_MS_MAX), Some(name.to_string()))
            }
        };
        let timer = Timer { id, due_ms: self.env.now_ms.saturating_add(delay_ms), event, name };
        self.counter += 1;
        self.effects.push(Effect::StartTimer(timer.clone()));
        self.timers_mut().push(timer);
        Ok(())
    }

    pub fn cancel_timers(&mut self, cancelled: impl Fn(&Timer) -> bool) {
        if !self.timers().iter().any(&cancelled) {
            return;
        }
        let mut ids = Vec::new();
        self.timers_mut().retain(|timer| {
            let gone = cancelled(timer);
            if gone {
                ids.push(timer.id.clone());
            }
            !gone
        });
        self.effects.extend(ids.into_iter().map(|id| Effect::CancelTimer { id }));
    }

    fn delay_error(&self, name: &str, source: &Expression, value: &Value) -> Fatal {
        let message = format!("delay `{name}` is milliseconds as an integer, not {value}");
        if source.as_literal().is_some() {
            return Box::new(EvalError { message, span: self.m.nodes[0].span.clone(), expression: name.to_owned() });
        }
        Box::new(EvalError { message, span: source.span().clone(), expression: source.text().to_owned() })
    }
}

fn nest(value: Value, key: &str) -> Value {
    Value::Object(Map::from_iter([(key.to_owned(), value)]))
}

/// Makes maps on the way; what is in the way and is no map is the error.
fn set_inside<'k>(slot: &mut Value, path: &'k [String], value: Value) -> Result<(), &'k str> {
    let Some((key, rest)) = path.split_first() else {
        *slot = value;
        return Ok(());
    };
    if slot.is_null() {
        *slot = Value::Object(Map::new());
    }
    let map = slot.as_object_mut().ok_or(key.as_str())?;
    set_inside(map.entry(key.as_str()).or_insert(Value::Null), rest, value)
}

/// The node id of `after:<n>:<node id>`.
fn after_node(timer: &str) -> Option<&str> {
    timer.strip_prefix("after:")?.split_once(':').map(|(_, id)| id)
}

/// The author's id of `raise:<n>:<id>`; none when there is none.
fn raise_id(timer: &str) -> Option<&str> {
    timer.strip_prefix("raise:")?.split_once(':').map(|(_, id)| id).filter(|id| !id.is_empty())
}
