//! The interpreter: pure functions from a snapshot to the next one.
//!
//! [`run`] holds one macrostep, [`select`] finds transitions, [`microstep`] leaves and enters
//! states, [`actions`] executes content, [`entry_set`] and [`domain`] are pure set algorithms,
//! [`configuration`] turns active nodes into ids and back.

mod actions;
mod configuration;
pub(crate) mod domain;
pub(crate) mod entry_set;
mod microstep;
mod run;
mod select;

pub(crate) use configuration::fits;

use crate::event::Event;
use crate::expression::EvalError;
use crate::host::Env;
use crate::machine::Machine;
use crate::machine::model::Transition;
use crate::snapshot::{Snapshot, Status, Timer};
use entry_set::EntrySet;
use run::{Fatal, Run, failed, without_place};
use serde_json::{Map, Value};

/// An order to the host, in order of execution.
#[derive(Clone, Debug, PartialEq)]
pub enum Effect {
    /// A named action of the node `node`; its value fields are evaluated.
    Action {
        node: String,
        kind: String,
        fields: Map<String, Value>,
    },
    Invoke {
        id: String,
        node: String,
        src: String,
        input: Value,
    },
    /// The state of an invoke was left, or the machine is done.
    Stop {
        id: String,
    },
    StartTimer(Timer),
    CancelTimer {
        id: String,
    },
}

/// What became of one macrostep.
#[derive(Clone, Debug, PartialEq)]
pub struct Outcome {
    pub snapshot: Snapshot,
    pub effects: Vec<Effect>,
    /// A transition was selected for the event itself.
    pub selected: bool,
    /// Why the status is `error`; the snapshot is otherwise as before.
    pub error: Option<EvalError>,
}

const ERROR_EVENT: &str = "xstate.error.actor";

/// Enters the machine. After an evaluation error the snapshot shows the initial configuration with
/// the untouched context.
pub fn start(m: &Machine, env: &Env<'_>) -> Outcome {
    let event = Event::new("xstate.init");
    let snapshot = Snapshot { context: m.context.clone(), ..Snapshot::default() };
    let mut run = Run::new(m, env, snapshot, Vec::new());
    let result = run.enter_root(&event).and_then(|()| run.complete_macrostep(&event));
    let mut outcome = finish(run, result, false);
    if outcome.error.is_some() {
        let mut set = EntrySet::new(m, &|_| None);
        if set.enter_root().is_ok() {
            let nodes: Vec<_> = set.into_sorted().into_iter().map(|(node, _)| node).collect();
            configuration::store(m, &nodes, &mut outcome.snapshot.active);
        }
    }
    outcome
}

/// One external event. After `done` or `error` nothing changes.
pub fn step(m: &Machine, s: Snapshot, e: &Event, env: &Env<'_>) -> Outcome {
    if s.status != Status::Active {
        return unchanged(s);
    }
    let active = match configuration::restore(m, &s) {
        Ok(active) if !active.is_empty() => active,
        Ok(_) => return failed(s, without_place("the machine was never started".into())),
        Err(message) => return failed(s, without_place(message)),
    };
    let mut run = Run::new(m, env, s, active);
    let mut selected = false;
    let result = external(&mut run, e, &mut selected);
    finish(run, result, selected)
}

/// A timer that is due (`env.now_ms` is its due time or later). An unknown timer changes nothing.
pub fn fire(m: &Machine, mut s: Snapshot, timer_id: &str, env: &Env<'_>) -> Outcome {
    let found = s.timers.iter().position(|t| t.id == timer_id);
    match found {
        Some(place) if s.status == Status::Active => {
            let timer = s.timers.remove(place);
            let event = timer.event.clone();
            let mut outcome = step(m, s, &event, env);
            if outcome.error.is_some() {
                // Nothing of the event remains, so the timer is there again.
                let timers = &mut outcome.snapshot.timers;
                timers.insert(place.min(timers.len()), timer);
            }
            outcome
        }
        Some(_) | None => unchanged(s),
    }
}

/// An external transition that nobody wrote: from `from` to `to`, re-entering, as if an event had
/// selected it. `None` when one of the ids is unknown.
pub fn jump(m: &Machine, s: Snapshot, from: &str, to: &str, env: &Env<'_>) -> Option<Outcome> {
    let (source, target) = (m.find(from)?, m.find(to)?);
    if s.status != Status::Active {
        return Some(unchanged(s));
    }
    let active = match configuration::restore(m, &s) {
        Ok(active) => active,
        Err(message) => return Some(failed(s, without_place(message))),
    };
    let span = m.nodes[source as usize].span.clone();
    let transition =
        Transition { source, targets: vec![target], guard: None, actions: Vec::new(), reenter: true, plan: None, span };
    let event = Event::new("xstate.jump");
    let mut run = Run::new(m, env, s, active);
    let result = run.microstep(vec![&transition], &event).and_then(|()| run.complete_macrostep(&event));
    Some(finish(run, result, true))
}

/// XState's state value: a child's key for an atomic child of a compound, else a map.
pub fn value(m: &Machine, s: &Snapshot) -> Value {
    configuration::state_value(m, &configuration::restore(m, s).unwrap_or_default())
}

/// Whether the state with this id is active.
pub fn is_in(m: &Machine, s: &Snapshot, id: &str) -> bool {
    let Some(node) = m.find(id) else { return false };
    s.active.iter().filter_map(|leaf| m.find(leaf)).any(|leaf| m.is_within(leaf, node))
}

fn external<'m>(run: &mut Run<'m>, event: &Event, selected: &mut bool) -> Result<(), Fatal> {
    let transitions = run.select_transitions(event)?;
    *selected = !transitions.is_empty();
    if *selected {
        run.microstep(transitions, event)?;
    } else if event.kind.starts_with(ERROR_EVENT) {
        return Err(Box::new(without_place(format!("nothing handles `{}`", event.kind))));
    }
    run.complete_macrostep(event)
}

fn finish(run: Run<'_>, result: Result<(), Fatal>, selected: bool) -> Outcome {
    match result {
        Ok(()) => run.commit(selected),
        Err(error) => run.roll_back(*error),
    }
}

fn unchanged(snapshot: Snapshot) -> Outcome {
    Outcome { snapshot, effects: Vec::new(), selected: false, error: None }
}
