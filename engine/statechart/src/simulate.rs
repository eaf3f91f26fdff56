//! Scripts against machines, for the command line and for comparison with other interpreters.

use crate::event::Event;
use crate::host::Env;
use crate::interpret::{fire, start, step, value};
use crate::machine::Machine;
use crate::problem::Problem;
use crate::snapshot::{Snapshot, Status};
use crate::source::Node;
use crate::vocabulary::Vocabulary;
use serde_json::{Map, Value, json};
use std::io::{BufRead, Write};

/// One step of a script.
#[derive(Clone, Debug, PartialEq)]
pub enum Step {
    Event(Event),
    AdvanceMs(i64),
}

/// Timers that one `advance_ms` may fire: an endless chain of timers ends as `error`.
const FIRED_MAX: u32 = 100_000;

/// Reads `[{"event": {…}} | {"advance_ms": n}]`; the error names the step.
pub fn script(json: &Value) -> Result<Vec<Step>, String> {
    let list = json.as_array().ok_or("a script is a list of steps")?;
    list.iter().enumerate().map(|(i, step)| self::step_of(step).map_err(|e| format!("step {}: {e}", i + 1))).collect()
}

fn step_of(json: &Value) -> Result<Step, String> {
    match json.as_object().map(|o| (o.len(), o.get("event"), o.get("advance_ms"))) {
        Some((1, Some(event), None)) => {
            Event::from_json(event).map(Step::Event).ok_or("an event needs a string `type`".to_owned())
        }
        Some((1, None, Some(ms))) => match ms.as_i64() {
            Some(ms) if ms >= 0 => Ok(Step::AdvanceMs(ms)),
            _ => Err("`advance_ms` is an integer of at least 0".into()),
        },
        _ => Err("a step is `{\"event\": …}` or `{\"advance_ms\": …}`".into()),
    }
}

/// Runs a script from `now` 0: a line for the initial configuration and one per step.
pub fn run(machine: &Machine, script: &[Step]) -> Vec<Value> {
    let mut now_ms = 0;
    let mut snapshot = start(machine, &Env::plain(now_ms)).snapshot;
    let mut lines = vec![line(machine, &snapshot)];
    for each in script {
        snapshot = match each {
            Step::Event(event) => step(machine, snapshot, event, &Env::plain(now_ms)).snapshot,
            Step::AdvanceMs(ms) => advance(machine, snapshot, &mut now_ms, *ms),
        };
        lines.push(line(machine, &snapshot));
    }
    lines
}

/// Fires what is due until `now_ms + ms`, the earliest first, of equals the one started first.
fn advance(machine: &Machine, mut snapshot: Snapshot, now_ms: &mut i64, ms: i64) -> Snapshot {
    let end = now_ms.saturating_add(ms);
    for _ in 0..FIRED_MAX {
        let due = snapshot
            .timers
            .iter()
            .filter(|t| t.due_ms <= end && snapshot.status == Status::Active)
            .min_by_key(|t| t.due_ms);
        let Some((id, due_ms)) = due.map(|t| (t.id.clone(), t.due_ms)) else {
            *now_ms = end;
            return snapshot;
        };
        *now_ms = due_ms.max(*now_ms);
        snapshot = fire(machine, snapshot, &id, &Env::plain(*now_ms)).snapshot;
    }
    *now_ms = end;
    Snapshot { status: Status::Error, ..snapshot }
}

/// `{"value", "context", "status", "output"?}`
pub fn line(machine: &Machine, snapshot: &Snapshot) -> Value {
    let mut line = Map::new();
    line.insert("value".into(), value(machine, snapshot));
    line.insert("context".into(), Value::Object(snapshot.context.clone()));
    line.insert("status".into(), snapshot.status.as_str().into());
    if let (Status::Done, Some(output)) = (snapshot.status, &snapshot.output) {
        line.insert("output".into(), output.clone());
    }
    Value::Object(line)
}

/// One line `{"name", "machine", "script"}` per case in; `{"name", "lines"}` or `{"name", "invalid"}` out.
pub fn batch(reader: impl BufRead, writer: impl Write) -> std::io::Result<()> {
    batch_with(reader, writer, |machine| Machine::compile(machine, &Vocabulary::default()).map(|(machine, _)| machine))
}

/// Simulates a batch with a compiler that knows more than the plain dialect.
pub fn batch_with(
    reader: impl BufRead,
    mut writer: impl Write,
    compile: impl Fn(&Node) -> Result<Machine, Vec<Problem>>,
) -> std::io::Result<()> {
    for line in reader.lines() {
        let line = line?;
        if line.trim().is_empty() {
            continue;
        }
        serde_json::to_writer(&mut writer, &case(&line, &compile))?;
        writer.write_all(b"\n")?;
    }
    writer.flush()
}

fn case(line: &str, compile: impl Fn(&Node) -> Result<Machine, Vec<Problem>>) -> Value {
    let case: Value = match serde_json::from_str(line) {
        Ok(case) => case,
        Err(error) => return json!({"name": null, "invalid": format!("not JSON: {error}")}),
    };
    let name = &case["name"];
    let lines = compile(&Node::from_json(&case["machine"])).map_err(|problems| {
        let errors = problems.iter().filter(|p| p.is_error()).map(Problem::to_string);
        errors.collect::<Vec<_>>().join("; ")
    });
    match lines.and_then(|machine| Ok(run(&machine, &script(&case["script"])?))) {
        Ok(lines) => json!({"name": name, "lines": lines}),
        Err(message) => json!({"name": name, "invalid": message}),
    }
}
