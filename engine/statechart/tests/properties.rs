//! Invariants on random machines: the configuration is always legal; a child is entered after its
//! parent and left before it; a snapshot that went through JSON behaves as one that did not; history
//! brings back what was left; nothing that anyone writes makes the engine panic.

use engine_statechart::expression::Expression;
use engine_statechart::source::{Node, Span};
use engine_statechart::{
    Effect, Env, Event, Machine, Outcome, Scope, Snapshot, Status, Vocabulary, fire, start, step, value,
};
use proptest::prelude::*;
use serde_json::{Map, Value, json};

/// Choices taken from random bytes, so that a failing case shrinks; zeros when they run out.
struct Choices<'a>(std::slice::Iter<'a, u8>);

impl Choices<'_> {
    fn below(&mut self, n: usize) -> usize {
        self.0.next().map_or(0, |b| *b as usize) % n.max(1)
    }

    fn chance(&mut self, percent: usize) -> bool {
        self.below(100) < percent
    }
}

const EVENTS: [&str; 4] = ["A", "B", "C", "D"];
const KEYS: [&str; 4] = ["p", "q", "r", "s"];

/// A random machine whose entries and exits are named actions `+id` and `-id`.
fn machine(choices: &mut Choices<'_>) -> Value {
    let mut ids = Vec::new();
    shape(choices, "m", 0, &mut ids, &mut 14)
        .map(|mut root| {
            fill(choices, &mut root, "m", &ids);
            root["id"] = json!("m");
            root["context"] = json!({"n": 0});
            root
        })
        .unwrap_or_else(|| json!({"id": "m"}))
}

fn shape(
    choices: &mut Choices<'_>,
    id: &str,
    depth: usize,
    ids: &mut Vec<String>,
    budget: &mut usize,
) -> Option<Value> {
    *budget = budget.checked_sub(1)?;
    ids.push(id.to_owned());
    if depth == 3 || (depth > 0 && choices.chance(50)) {
        return Some(if choices.chance(12) { json!({"type": "final"}) } else { json!({}) });
    }
    let parallel = choices.chance(35);
    let mut states = Map::new();
    for key in &KEYS[..2 + choices.below(3)] {
        if let Some(state) = shape(choices, &format!("{id}.{key}"), depth + 1, ids, budget) {
            states.insert((*key).to_owned(), state);
        }
    }
    let Some(first) = states.keys().next().cloned() else { return Some(json!({})) };
    if depth > 0 && choices.chance(30) {
        ids.push(format!("{id}.h"));
        let history = ["shallow", "deep"][choices.below(2)];
        states.insert("h".into(), json!({"type": "history", "history": history}));
    }
    Some(if parallel {
        json!({"type": "parallel", "states": states})
    } else {
        json!({"initial": first, "states": states})
    })
}

fn fill(choices: &mut Choices<'_>, state: &mut Value, id: &str, ids: &[String]) {
    if state["type"] == "history" {
        return;
    }
    state["entry"] = json!(format!("+{id}"));
    state["exit"] = json!(format!("-{id}"));
    let mut on = Map::new();
    for event in EVENTS.iter().filter(|_| choices.chance(40)).collect::<Vec<_>>() {
        let target = format!("#{}", ids[choices.below(ids.len())]);
        let mut transition = json!({"target": target, "reenter": choices.chance(25)});
        if choices.chance(30) {
            transition["guard"] = json!(["context.n % 2 == 0", "context.n < 3"][choices.below(2)]);
        }
        if choices.chance(40) {
            transition["actions"] = json!([{"assign": {"n": "context.n + 1"}}, {"raise": {"type": "D", "delay": 5}}]);
        }
        on.insert((*event).into(), transition);
    }
    state["on"] = Value::Object(on);
    if choices.chance(15) {
        state["after"] = json!({"10": {"target": format!("#{}", ids[choices.below(ids.len())])}});
    }
    if let Some(states) = state.get_mut("states").and_then(Value::as_object_mut) {
        for (key, child) in states.iter_mut() {
            fill(choices, child, &format!("{id}.{key}"), ids);
        }
    }
}

fn compile(json: &Value) -> Option<Machine> {
    Machine::compile(&Node::from_json(json), &Vocabulary::default()).ok().map(|(machine, _)| machine)
}

/// One macrostep of a script: an event, or the next timer.
fn advance(machine: &Machine, snapshot: Snapshot, choice: usize) -> Outcome {
    match snapshot.timers.first().map(|t| (t.id.clone(), t.due_ms)) {
        Some((id, due_ms)) if choice == EVENTS.len() => fire(machine, snapshot, &id, &Env::plain(due_ms)),
        _ => step(machine, snapshot, &Event::new(EVENTS[choice % EVENTS.len()]), &Env::plain(0)),
    }
}

/// Entries and exits as the named actions tell them, kept in `inside`.
fn follow(inside: &mut Vec<String>, effects: &[Effect], in_order: &mut bool) {
    let above = |id: &str| id.rsplit_once('.').map(|(parent, _)| parent.to_owned());
    for effect in effects {
        let Effect::Action { kind, .. } = effect else { continue };
        let id = kind[1..].to_owned();
        if kind.starts_with('+') {
            *in_order &= above(&id).is_none_or(|parent| inside.contains(&parent));
            if !inside.contains(&id) {
                inside.push(id);
            }
        } else {
            let below = format!("{id}.");
            *in_order &= inside.contains(&id) && !inside.iter().any(|other| other.starts_with(&below));
            inside.retain(|other| *other != id);
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 400, rng_seed: proptest::test_runner::RngSeed::Fixed(3), failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn invariants_hold(bytes in prop::collection::vec(any::<u8>(), 20..200), script in prop::collection::vec(0..=EVENTS.len(), 1..25)) {
        let json = machine(&mut Choices(bytes.iter()));
        let Some(machine) = compile(&json) else { return Ok(()) };
        let mut outcome = start(&machine, &Env::plain(0));
        let mut inside = Vec::new();
        let mut in_order = true;
        let mut timers = Vec::new();
        for choice in script {
            let snapshot = outcome.snapshot.clone();
            prop_assert_eq!(machine.snapshot_fits(&snapshot), Ok(()), "{:?} in {}", snapshot, json);
            // Every started timer has an id of its own and is pending until it ends.
            for effect in &outcome.effects {
                match effect {
                    Effect::StartTimer(timer) => {
                        prop_assert!(!timers.contains(&timer.id));
                        timers.push(timer.id.clone());
                    }
                    Effect::CancelTimer { id } => prop_assert!(timers.contains(id) && !snapshot.timers.iter().any(|t| t.id == *id)),
                    Effect::Action { .. } | Effect::Invoke { .. } | Effect::Stop { .. } => {}
                }
            }
            if snapshot.status == Status::Active {
                follow(&mut inside, &outcome.effects, &mut in_order);
                prop_assert!(in_order, "{:?} in {}", outcome.effects, json);
                let mut active: Vec<String> = machine.nodes().map(|n| n.id.to_owned()).filter(|id| engine_statechart::is_in(&machine, &snapshot, id)).collect();
                active.sort();
                inside.sort();
                prop_assert_eq!(&active, &inside, "{}", json);
            }
            let text = serde_json::to_string(&snapshot).expect("a snapshot is JSON");
            let restored: Snapshot = serde_json::from_str(&text).expect("JSON is a snapshot");
            prop_assert_eq!(&restored, &snapshot);
            let next = advance(&machine, snapshot, choice);
            prop_assert_eq!(&next, &advance(&machine, restored, choice));
            outcome = next;
        }
    }

    #[test]
    fn deep_history_brings_back_what_was_left(moves in prop::collection::vec(0..3usize, 0..12)) {
        let region = |h: &str| json!({"initial": "a", "states": {
            "a": {"on": {"A": "b"}}, "b": {"initial": "x", "on": {"B": "a"}, "states": {"x": {"on": {"C": "y"}}, "y": {"on": {"A": "x"}}}},
            "h": {"type": "history", "history": h}}});
        let json = json!({"id": "m", "initial": "in", "states": {
            "in": {"type": "parallel", "on": {"OUT": "out"}, "states": {"l": region("shallow"), "r": region("deep"), "h": {"type": "history", "history": "deep"}}},
            "out": {"on": {"BACK": "in.h"}}}});
        let machine = compile(&json).expect("a valid machine");
        let env = Env::plain(0);
        let mut snapshot = start(&machine, &env).snapshot;
        for choice in moves {
            snapshot = step(&machine, snapshot, &Event::new(EVENTS[choice]), &env).snapshot;
        }
        let before = value(&machine, &snapshot);
        let left = step(&machine, snapshot, &Event::new("OUT"), &env).snapshot;
        prop_assert_eq!(value(&machine, &left), json!("out"));
        let back = step(&machine, left, &Event::new("BACK"), &env).snapshot;
        prop_assert_eq!(value(&machine, &back), before);
    }

    #[test]
    fn any_text_is_an_expression_or_a_problem(text in "[a-z0-9 .()\\[\\]{}'\"?:!&|<>=+*/%,_\\\\-]{0,80}|.{0,40}") {
        evaluate(&text);
    }

    #[test]
    fn any_words_are_an_expression_or_a_problem(words in prop::collection::vec(prop::sample::select(WORDS), 0..30)) {
        evaluate(&words.concat());
    }

    #[test]
    fn any_json_is_a_machine_or_problems(json in anything()) {
        if let Some(machine) = compile(&json) {
            let mut snapshot = start(&machine, &Env::plain(0)).snapshot;
            for choice in 0..6 {
                snapshot = advance(&machine, snapshot, choice).snapshot;
            }
        }
    }

    #[test]
    fn any_snapshot_and_event_have_an_outcome(
        active in prop::collection::vec(prop::sample::select(vec!["m", "m.a", "m.a.x", "m.b", "m.zz", ""]), 0..4),
        history in prop::collection::vec(prop::sample::select(vec!["m", "m.a", "m.a.x", "m.b", "m.zz"]), 0..3),
        event in "[A-C.*x]{0,4}", data in anything(),
    ) {
        let json = json!({"id": "m", "initial": "a", "context": {}, "on": {"A": "#m.a.h", "B": "#m.b", "*": {"guard": "event.d.e == 1"}}, "states": {
            "a": {"type": "parallel", "states": {"x": {"initial": "i", "states": {"i": {}}}, "y": {}, "h": {"type": "history"}}}, "b": {"type": "final"}}});
        let machine = compile(&json).expect("a valid machine");
        let snapshot = Snapshot {
            active: active.iter().map(|s| s.to_string()).collect(),
            history: [("m.a.h".to_owned(), history.iter().map(|s| s.to_string()).collect())].into(),
            ..Snapshot::default()
        };
        let outcome = step(&machine, snapshot, &Event::new(event).with("d", data), &Env::plain(0));
        value(&machine, &outcome.snapshot);
        engine_statechart::jump(&machine, outcome.snapshot, "m.b", "m.a", &Env::plain(0));
    }
}

const WORDS: &[&str] = &[
    "context",
    ".a",
    "event",
    "1",
    " + ",
    " - ",
    " * ",
    " / ",
    " % ",
    "(",
    ")",
    "[",
    "]",
    "{",
    "}",
    "'s'",
    ": ",
    " ? ",
    " && ",
    " || ",
    "!",
    "-",
    " == ",
    " < ",
    " in ",
    ", ",
    ".map(x, ",
    ".filter(x, ",
    ".all(x, ",
    "x",
    "has(",
    "size(",
    "int(",
    "string(",
    "1.5",
    "9223372036854775807",
    "null",
    "true",
];

fn evaluate(text: &str) {
    let context = json!({"a": {"a": 1, "b": [1, "x", null]}});
    if let Ok(expression) = Expression::compile(text, &Span::unknown(), &Vocabulary::default(), &[]) {
        let _ = expression.eval(&Scope::new().with("context", &context).with("event", &context));
    }
}

/// JSON that looks like a machine more often than chance would have it.
fn anything() -> impl Strategy<Value = Value> {
    let word = prop::sample::select(vec![
        "a", "b", ".a", "#a", "#m", "parallel", "history", "final", "deep", "1 + 1", "true", "A", "*", "10", "1s", "",
    ]);
    let leaf = prop_oneof![
        Just(Value::Null),
        any::<bool>().prop_map(Value::from),
        any::<i64>().prop_map(Value::from),
        any::<f64>().prop_map(Value::from),
        word.prop_map(Value::from)
    ];
    let key = prop::sample::select(vec![
        "id", "initial", "states", "states", "on", "always", "after", "entry", "exit", "onDone", "invoke", "history",
        "target", "type", "guard", "actions", "assign", "raise", "cancel", "output", "context", "a", "b", "A", "*",
        "and", "not", "src", "params", "delay", "10", "1s", "reenter",
    ]);
    leaf.prop_recursive(6, 60, 5, move |inner| {
        prop_oneof![
            prop::collection::vec(inner.clone(), 0..4).prop_map(Value::from),
            prop::collection::vec((key.clone(), inner), 0..6)
                .prop_map(|entries| Value::Object(entries.into_iter().map(|(k, v)| (k.to_owned(), v)).collect())),
        ]
    })
}
