//! Transitions per second on one core: flat, three levels, four parallel regions; without
//! expressions, with a CEL guard and assign, and as restore, step, persist; by number of states.

use criterion::{BenchmarkId, Criterion, Throughput, criterion_group, criterion_main};
use engine_statechart::source::Node;
use engine_statechart::{Env, Event, Machine, Snapshot, Vocabulary, start, step};
use serde_json::{Map, Value, json};
use std::hint::black_box;

#[derive(Clone, Copy)]
enum Content {
    None,
    Cel,
}

impl Content {
    /// A transition to `target`; with a guard and, where `counts`, an assign.
    fn transition(self, target: &str, counts: bool) -> Value {
        match self {
            Content::None => json!(target),
            Content::Cel if counts => {
                json!({"target": target, "guard": GUARD, "actions": {"assign": {"n": "context.n + 1"}}})
            }
            Content::Cel => json!({"target": target, "guard": GUARD}),
        }
    }
}

const GUARD: &str = "event.v >= 0 && context.n >= 0";

fn flat(states: usize, content: Content) -> Value {
    let state = |i: usize| {
        (format!("s{i}"), json!({"on": {"NEXT": content.transition(&format!("s{}", (i + 1) % states), true)}}))
    };
    json!({"id": "flat", "initial": "s0", "context": {"n": 0}, "states": (0..states).map(state).collect::<Map<_, _>>()})
}

fn hierarchical(content: Content) -> Value {
    let branch = |other: &str, own: &str| {
        let y = format!("#deep.{own}.y");
        let entry = match content {
            Content::None => json!([]),
            Content::Cel => json!({"assign": {"n": "context.n + 1"}}),
        };
        json!({"initial": "x", "entry": entry, "states": {
            "x": {"initial": "p", "states": {
                "p": {"on": {"NEXT": content.transition("q", true)}},
                "q": {"on": {"NEXT": content.transition(&y, false)}}}},
            "y": {"on": {"NEXT": content.transition(&format!("#deep.{other}"), false)}}}})
    };
    json!({"id": "deep", "initial": "a", "context": {"n": 0}, "on": {"RESET": ".a"}, "states": {"a": branch("b", "a"), "b": branch("a", "b")}})
}

fn parallel(content: Content) -> Value {
    let region = || {
        json!({"initial": "a", "states": {
        "a": {"on": {"NEXT": content.transition("b", true)}},
        "b": {"on": {"NEXT": content.transition("c", false)}},
        "c": {"on": {"NEXT": content.transition("a", true)}}}})
    };
    json!({"id": "par", "type": "parallel", "context": {"n": 0}, "states": {"form": region(), "checks": region(), "payment": region(), "papers": region()}})
}

fn compile(machine: &Value) -> Machine {
    Machine::compile(&Node::from_json(machine), &Vocabulary::default())
        .map_err(|p| format!("{p:?}"))
        .expect("a valid machine")
        .0
}

/// Steps one event after the other, moving the snapshot along.
fn stepping(criterion: &mut Criterion, group: &str, name: &str, machine: &Value) {
    let machine = compile(machine);
    let event = Event::new("NEXT").with("v", 1);
    let env = Env::plain(0);
    let mut group = criterion.benchmark_group(group);
    group.throughput(Throughput::Elements(1));
    group.bench_function(BenchmarkId::from_parameter(name), |bencher| {
        let mut snapshot = Some(start(&machine, &env).snapshot);
        bencher.iter(|| {
            let outcome = step(&machine, snapshot.take().expect("a snapshot"), black_box(&event), &env);
            assert!(outcome.selected);
            snapshot = Some(outcome.snapshot);
        });
    });
}

/// What a stateless server does for every event.
fn persisting(criterion: &mut Criterion, name: &str, machine: &Value) {
    let machine = compile(machine);
    let event = Event::new("NEXT").with("v", 1);
    let env = Env::plain(0);
    let mut group = criterion.benchmark_group("restore+step+persist");
    group.throughput(Throughput::Elements(1));
    group.bench_function(BenchmarkId::from_parameter(name), |bencher| {
        let mut stored = serde_json::to_string(&start(&machine, &env).snapshot).expect("a snapshot is JSON");
        bencher.iter(|| {
            let snapshot: Snapshot = serde_json::from_str(&stored).expect("JSON is a snapshot");
            let outcome = step(&machine, snapshot, black_box(&event), &env);
            stored = serde_json::to_string(&outcome.snapshot).expect("a snapshot is JSON");
        });
    });
}

fn transitions(criterion: &mut Criterion) {
    for (group, content) in [("plain", Content::None), ("cel", Content::Cel)] {
        stepping(criterion, group, "flat", &flat(6, content));
        stepping(criterion, group, "hierarchical", &hierarchical(content));
        stepping(criterion, group, "parallel4", &parallel(content));
        for states in [10, 100, 500] {
            stepping(criterion, group, &format!("flat/{states}"), &flat(states, content));
        }
    }
    let mut large = flat(6, Content::Cel);
    large["context"]["unread"] = (0..1_000).map(|i| json!({"i": i, "text": "never read by an expression"})).collect();
    stepping(criterion, "cel", "flat, large unread context", &large);
    persisting(criterion, "flat", &flat(6, Content::Cel));
    persisting(criterion, "hierarchical", &hierarchical(Content::Cel));
    persisting(criterion, "parallel4", &parallel(Content::Cel));
}

criterion_group!(benches, transitions);
criterion_main!(benches);
