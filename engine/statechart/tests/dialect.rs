//! The dialect by cases: recorded ones of `examples.jsonl`, and small ones for what matters most.

use engine_statechart::source::Node;
use engine_statechart::{Machine, Vocabulary, simulate};
use serde_json::{Value, json};

#[test]
fn recorded_cases_give_their_lines() {
    let mut cases = 0;
    for line in include_str!("examples.jsonl").lines() {
        let case: Value = serde_json::from_str(line).expect("a case is JSON");
        let name = case["name"].as_str().unwrap_or_default();
        let mut out = Vec::new();
        simulate::batch(line.as_bytes(), &mut out).expect("memory can be written");
        let answer: Value = serde_json::from_slice(&out).expect("an answer is JSON");
        assert_eq!(case.get("lines"), answer.get("lines"), "{name}: {answer}");
        assert_eq!(case.get("invalid").is_some(), answer.get("invalid").is_some(), "{name}: {answer}");
        cases += 1;
    }
    assert_eq!(cases, 23);
}

/// Runs a script of event types, numbers (advance) and whole events; compares the last value,
/// context and status.
#[track_caller]
fn check(machine: Value, script: Value, value: Value, context: Value, status: &str) {
    let (machine, _) = Machine::compile(&Node::from_json(&machine), &Vocabulary::default()).expect("a valid machine");
    let steps: Vec<Value> = script
        .as_array()
        .into_iter()
        .flatten()
        .map(|step| match step {
            Value::String(kind) => json!({"event": {"type": kind}}),
            Value::Number(ms) => json!({"advance_ms": ms}),
            event => json!({"event": event}),
        })
        .collect();
    let lines = simulate::run(&machine, &simulate::script(&Value::Array(steps)).expect("a valid script"));
    let last = lines.last().expect("at least the initial line");
    assert_eq!((&last["value"], &last["context"], &last["status"]), (&value, &context, &json!(status)), "{lines:#?}");
}

#[test]
fn an_evaluation_error_discards_the_macrostep() {
    let machine = json!({"initial": "a", "context": {"n": 1}, "states": {
        "a": {"on": {"GO": {"target": "b", "actions": [{"assign": {"n": 5, "m": 6}}, {"raise": {"type": "X"}}]}}},
        "b": {"on": {"X": {"guard": "event.missing == 1"}}}}});
    check(machine, json!(["GO", "GO"]), json!("a"), json!({"n": 1}), "error");
}

#[test]
fn a_targetless_always_without_assign_runs_once() {
    let machine = json!({"initial": "a", "states": {"a": {"always": {"actions": "noted"}}}});
    check(machine, json!(["X"]), json!("a"), json!({}), "active");
}

#[test]
fn a_failing_exact_candidate_falls_through_to_wildcards_and_ancestors() {
    let machine = json!({"initial": "a", "context": {"w": ""}, "on": {"x.y": {"actions": {"assign": {"w": "context.w + 'root '"}}}}, "states": {
        "a": {"on": {"x.y": {"guard": "has(event.one)", "actions": {"assign": {"w": "context.w + 'exact '"}}},
            "*": {"guard": "has(event.two)", "actions": {"assign": {"w": "context.w + 'any '"}}},
            "x.*": {"guard": "has(event.three)", "actions": {"assign": {"w": "context.w + 'part '"}}}}}}});
    let script = json!([{"type": "x.y", "one": 1, "two": 1}, {"type": "x.y", "two": 1, "three": 1}, {"type": "x.y", "two": 1}, "x.y", "x.yz"]);
    check(machine, script, json!("a"), json!({"w": "exact part any root "}), "active");
}

#[test]
fn history_brings_back_what_was_left() {
    let states = |history: &str| {
        json!({"id": "m", "initial": "off", "states": {
        "off": {"on": {"ON": "on.h"}},
        "on": {"initial": "a", "on": {"OFF": "off"}, "states": {
            "a": {"on": {"NEXT": "b"}},
            "b": {"initial": "x", "states": {"x": {"on": {"NEXT": "y"}}, "y": {}}},
            "h": {"type": "history", "history": history}}}}})
    };
    let script = json!(["ON", "NEXT", "NEXT", "OFF", "ON"]);
    check(states("deep"), script.clone(), json!({"on": {"b": "y"}}), json!({}), "active");
    check(states("shallow"), script, json!({"on": {"b": "x"}}), json!({}), "active");
}

#[test]
fn timers_fire_in_order_and_end_with_their_state() {
    let machine = json!({"initial": "a", "context": {"log": ""}, "on": {"*": {"actions": {"assign": {"log": "context.log + event.type + ' '"}}}}, "states": {
        "a": {"entry": [{"raise": {"type": "late", "delay": "1s", "id": "l"}}, {"raise": {"type": "soon", "delay": 0}}, {"raise": {"type": "never", "delay": 5, "id": "n"}}, {"cancel": "n"}],
            "after": {"500": "b", "2s": "c"}},
        "b": {"after": {"1s": "c"}}, "c": {}}});
    check(machine, json!([0, 499, 1, 500, 499, 1]), json!("c"), json!({"log": "soon late "}), "active");
}

#[test]
fn an_error_of_an_invoke_that_nothing_handles_ends_the_machine() {
    let machine = json!({"initial": "a", "states": {"a": {"invoke": {"src": "s", "id": "i", "onDone": "b"}}, "b": {}}});
    check(machine.clone(), json!([{"type": "xstate.done.actor.i", "output": 1}]), json!("b"), json!({}), "active");
    check(
        machine,
        json!([{"type": "xstate.error.actor.i", "error": 1}, {"type": "xstate.done.actor.i"}]),
        json!("a"),
        json!({}),
        "error",
    );
}
