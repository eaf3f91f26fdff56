//! What is wrong with a definition is found at once, with a code and a hint, and never by a panic.

use engine_statechart::source::{Node, Value as Source};
use engine_statechart::{Field, Machine, Problem, Vocabulary};
use serde_json::{Map, Value, json};
use std::time::{Duration, Instant};

fn problems(machine: &Value, vocabulary: &Vocabulary) -> Vec<Problem> {
    match Machine::compile(&Node::from_json(machine), vocabulary) {
        Ok((_, warnings)) => warnings,
        Err(problems) => problems,
    }
}

/// The codes of all problems, in order, with `!` for errors.
#[track_caller]
fn check(machine: Value, expected: &[&str]) {
    let found = problems(&machine, &Vocabulary::default());
    let codes: Vec<String> =
        found.iter().map(|p| format!("{}{}", if p.is_error() { "!" } else { "" }, p.code)).collect();
    assert_eq!(codes, expected, "{found:#?}");
}

#[test]
fn every_mistake_has_its_code() {
    let with = |state: Value| json!({"initial": "a", "states": {"a": state, "b": {"on": {"X": "a"}}}});
    check(json!({"initial": "a", "states": {"a": {"on": {"X": "bb"}}, "b": {"on": {"X": "a"}}}}), &["!unknown-target"]);
    check(json!({"initial": "c", "states": {"a": {}}}), &["!unknown-initial", "dead-end"]);
    check(json!({"states": {"a": {}}}), &["!no-initial", "dead-end"]);
    check(json!({"initial": "a", "states": {"a": {}}, "stats": 1}), &["!unknown-key", "dead-end"]);
    check(json!({"type": "paralel", "initial": "a", "states": {"a": {}}}), &["!unknown-type", "dead-end"]);
    check(with(json!({"id": "b", "on": {"X": "#b"}})), &["unreachable-state"]);
    check(
        json!({"initial": "a", "states": {"a": {"id": "x"}, "b": {"id": "x"}}}),
        &["!duplicate-id", "unreachable-state", "dead-end"],
    );
    check(with(json!({"on": {"X": {"target": "b", "guard": "contex.a > 1"}}})), &["!unknown-name"]);
    check(with(json!({"on": {"X": {"target": "b", "guard": "inState('c')"}}})), &["!unknown-state"]);
    check(with(json!({"on": {"X": {"target": "b", "guard": {"nor": []}}}})), &["!shape"]);
    check(
        with(json!({"after": {"1w": "b", "-5": "b", "999999d": "b"}})),
        &["!bad-duration", "!bad-duration", "!bad-duration"],
    );
    check(with(json!({"entry": {"asign": {}}, "on": {"X": "b"}})), &["!unknown-action"]);
    check(
        with(json!({"context": {}, "target": "b", "output": 1, "on": {"X": "b"}})),
        &["!misplaced-key", "!misplaced-key", "!misplaced-key"],
    );
    check(with(json!({"on": {"X": ["b", "a"]}})), &["shadowed-transition"]);
    check(with(json!({})), &["unreachable-state", "dead-end"]);
    check(with(json!({"always": "b"})), &[] as &[&str]);
    check(json!({"initial": "a", "states": {"a": {"always": "b"}, "b": {"always": "a"}}}), &["!endless-always"]);
    check(
        json!({"initial": "a", "context": {"n": 0}, "states": {"a": {"always": {"actions": {"assign": {"n": "context.n + 1"}}}}}}),
        &["dead-end", "!endless-always"],
    );
    check(
        json!({"initial": "a", "states": {"a": {"initial": "h", "states": {"h": {"type": "history"}}}}}),
        &["!history-loop"],
    );
    check(
        json!({"type": "parallel", "states": {"p": {"initial": "x", "on": {"E": [{"target": ["#x", "#y"]}]}, "states": {"x": {"id": "x"}, "y": {"id": "y"}}}}}),
        &["!conflicting-targets"],
    );
    check(json!(null), &["!shape"]);
    check(json!({"states": []}), &["!shape", "dead-end"]);
}

#[test]
fn all_mistakes_come_at_once() {
    let machine = json!({"initial": "x", "foo": 1, "states": {"a": {"on": {"E": {"target": "z", "guard": "q"}}, "after": {"soon": "a"}}}});
    let found = problems(&machine, &Vocabulary::default());
    assert_eq!(found.len(), 5, "{found:#?}");
    // The shape of the whole is looked at as well, and no mistyped word counts twice.
    check(
        json!({"initial": "asking", "states": {
            "asking": {"on": {"E": "paidd", "F": {"target": "stuck", "guard": "context."}}, "after": {"soon": "round"}},
            "paid": {"on": {"E": "asking"}},
            "round": {"always": "trip"}, "trip": {"always": "round"},
            "stuck": {}, "island": {"on": {"E": "asking"}},
            "one": {"id": "twin", "always": "asking"}, "two": {"id": "twin", "always": "asking"},
            "outer": {"initial": "nowhere", "states": {"inner": {}}}}}),
        &[
            "!duplicate-id",
            "!unknown-initial",
            "!unknown-target",
            "!expression",
            "!bad-duration",
            "unreachable-state",
            "unreachable-state",
            "unreachable-state",
            "unreachable-state",
            "dead-end",
            "!endless-always",
        ],
    );
}

#[test]
fn hints_name_the_nearest_word() {
    let machine = json!({"initial": "open", "states": {"open": {"on": {"E": "closd"}}, "closed": {}}});
    let shown = problems(&machine, &Vocabulary::default())[0].to_string();
    assert!(shown.contains("unknown target `closd`") && shown.contains("did you mean `closed`?"), "{shown}");
}

#[test]
fn a_host_adds_names() {
    let mut vocabulary = Vocabulary { strict_actions: true, ..Vocabulary::default() };
    vocabulary.variables.insert("now".into());
    vocabulary.functions.insert("days".into(), 2..=2);
    vocabulary
        .actions
        .insert("notify".into(), [("to".to_owned(), Field::Value), ("template".to_owned(), Field::Name)].into());
    vocabulary.delays.insert("closing".into(), Node::from_json(&json!("days(now, 'x')")));
    let machine =
        |action: Value| json!({"initial": "a", "states": {"a": {"entry": action, "after": {"closing": "a"}}}});
    let good = json!({"type": "notify", "to": {"name": "now"}, "template": "not CEL at all"});
    assert_eq!(problems(&machine(good), &vocabulary), []);
    for (bad, code) in [
        (json!("notfy"), "unknown-action"),
        (json!({"type": "notify", "too": "now"}), "unknown-key"),
        (json!({"type": "notify", "to": "nowish"}), "unknown-name"),
        (json!({"type": "notify", "to": "days(now)"}), "arity"),
    ] {
        let found = problems(&machine(bad), &vocabulary);
        assert!(found.iter().any(|p| p.code == code), "{code}: {found:?}");
    }
}

/// Time of an optimised build; one without optimisation is several times slower. What a bomb would cost is minutes.
const SECOND: Duration = if cfg!(debug_assertions) { Duration::from_secs(5) } else { Duration::from_secs(1) };

/// Time that this thread has computed; where nobody counts that, the time of day.
fn busy(since: Instant) -> Duration {
    let counted = std::fs::read_to_string("/proc/thread-self/schedstat").ok();
    let ns = counted.and_then(|text| text.split(' ').next()?.parse().ok());
    ns.map_or_else(|| since.elapsed(), Duration::from_nanos)
}

#[test]
fn bombs_are_refused_within_a_second() {
    let wide: Map<String, Value> = (0..10_000).map(|i| (format!("s{i}"), json!({"on": {"E": "s0"}}))).collect();
    let many: Vec<Value> = vec![json!({"target": "a"}); 100_000];
    let typos: Map<String, Value> = (b'a'..=b'z').map(|c| (char::from(c).to_string(), json!("stattte"))).collect();
    let mistyped: Map<String, Value> = (0..700).map(|i| (format!("state{i}"), json!({"on": typos}))).collect();
    let strange: Map<String, Value> = (0..50_000).map(|i| (format!("staets{i}"), json!(1))).collect();
    let chain = "1 + ".repeat(5_000) + "1";
    let endless: Map<String, Value> =
        (0..900).map(|i| (format!("s{i}"), json!({"always": format!("s{}", (i + 1) % 900)}))).collect();
    let histories: Map<String, Value> = (0..60)
        .map(|i| {
            let target: Vec<String> = (0..60).filter(|j| *j != i).map(|j| format!("r{j}")).collect();
            (format!("r{i}"), json!({"type": "history", "target": target}))
        })
        .chain([("a".to_owned(), json!({}))])
        .collect();
    for (name, machine, code) in [
        ("10,000 states", json!({"initial": "s0", "states": wide}), "too-many-states"),
        ("18,200 mistyped targets", json!({"initial": "state0", "states": mistyped}), "more"),
        ("50,000 unknown keys", Value::Object(strange), "more"),
        ("100,000 transitions", json!({"initial": "a", "states": {"a": {"on": {"E": many}}}}), "too-many-transitions"),
        (
            "a chain of 5,000",
            json!({"initial": "a", "states": {"a": {"always": {"target": "a", "guard": chain}}}}),
            "expression-limit",
        ),
        ("an eventless cycle", json!({"initial": "s0", "states": endless}), "endless-always"),
        (
            "histories of histories",
            json!({"initial": "a", "states": {"a": {}, "p": {"type": "parallel", "states": histories}}}),
            "history-loop",
        ),
        (
            "a huge number",
            json!({"initial": "a", "states": {"a": {"after": {"99999999999999999999999": "a"}}}}),
            "bad-duration",
        ),
    ] {
        let begun = Instant::now();
        let before = busy(begun);
        let found = problems(&machine, &Vocabulary::default());
        let taken = busy(begun) - before;
        assert!(found.iter().any(|p| p.code == code), "{name}: {:?}", found.first());
        assert!(taken < SECOND, "{name} took {taken:?}");
    }
}

#[test]
fn depth_is_refused_without_a_stack_overflow() {
    let mut node = Node::from_json(&json!({}));
    for _ in 0..2_000 {
        let mut outer = Node::from_json(&json!({"initial": "a", "states": {"a": {}}}));
        let states = outer.map_mut().and_then(|m| m.get_mut(1)).and_then(|(_, s)| s.map_mut()).expect("states");
        states[0].1 = node;
        node = outer;
    }
    assert!(matches!(node.value, Source::Map(_)));
    let found = Machine::compile(&node, &Vocabulary::default()).expect_err("too deep");
    assert!(found.iter().any(|p| p.code == "too-deep"), "{found:?}");
}
