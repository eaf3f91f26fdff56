//! Any events, timers and snapshots on a machine that has everything: afterwards a configuration that fits.
#![no_main]

use engine_statechart::source::Node;
use engine_statechart::{Env, Event, Machine, Snapshot, Status, Vocabulary, fire, start, step, value};
use libfuzzer_sys::fuzz_target;
use serde_json::Value;
use std::sync::LazyLock;

static MACHINE: LazyLock<Option<Machine>> = LazyLock::new(|| {
    let json: Value = serde_json::from_str(include_str!("../machine.json")).ok()?;
    Machine::compile(&Node::from_json(&json), &Vocabulary::default()).ok().map(|(machine, _)| machine)
});

// Lines of JSON: events; `{"now": n}`; timers to fire `{"fire": id}`; or a snapshot to go on from.
fuzz_target!(|text: &str| {
    let machine = MACHINE.as_ref().expect("machine.json is a machine");
    let mut now_ms = 0;
    let mut snapshot = start(machine, &Env::plain(now_ms)).snapshot;
    for line in text.lines().take(64) {
        let Ok(json) = serde_json::from_str::<Value>(line) else { continue };
        let env = Env::plain(now_ms);
        if let Some(event) = Event::from_json(&json) {
            snapshot = step(machine, snapshot, &event, &env).snapshot;
        } else if let Some(to) = json.get("now").and_then(Value::as_i64) {
            now_ms = to;
        } else if let Some(id) = json.get("fire").and_then(Value::as_str) {
            snapshot = fire(machine, snapshot, id, &env).snapshot;
        } else if let Ok(other) = serde_json::from_value::<Snapshot>(json) {
            let fits = machine.snapshot_fits(&other).is_ok();
            let event = Event::new("go");
            let after = step(machine, other, &event, &env).snapshot;
            let _ = value(machine, &after);
            if fits {
                snapshot = after;
            }
        }
        let _ = value(machine, &snapshot);
        assert!(snapshot.status != Status::Active || machine.snapshot_fits(&snapshot).is_ok(), "{snapshot:?}");
    }
});
