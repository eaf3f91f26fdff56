//! What the rich dialect says on top: optional selection, values with arguments, trees of expressions; each
//! value once for one state of the context, and all of it written out in plain CEL for others.

use engine_statechart::expression::{Expression, Memory, Names};
use engine_statechart::source::{Key, Node, Span};
use engine_statechart::{Dialect, Env, Event, Host, Machine, Scope, Vocabulary, start, step, xstate};
use serde_json::{Value, json};
use std::borrow::Cow;
use std::collections::BTreeMap;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

fn vocabulary() -> Vocabulary {
    Vocabulary {
        dialect: Dialect::Rich,
        variables: ["params".to_owned()].into(),
        functions: BTreeMap::from([("counted".to_owned(), 1..=1)]),
        ..Vocabulary::default()
    }
}

/// Counts how often it is asked.
#[derive(Default)]
struct Counting(AtomicUsize);

impl Host for Counting {
    fn variable(&self, name: &str) -> Option<Cow<'_, Value>> {
        (name == "params").then(|| Cow::Owned(json!({"kind": "parcel"})))
    }

    fn call(&self, _name: &str, args: &mut [Value]) -> Result<Value, String> {
        self.0.fetch_add(1, Ordering::Relaxed);
        Ok(args[0].clone())
    }
}

fn context() -> serde_json::Map<String, Value> {
    let context = json!({
        "car": {"kind": "new", "nothing": null},
        "rows": {"post": {"state": "answered", "plans": [{"id": "a", "price": 3}, {"id": "b", "price": 5}]}},
        "list": [1, 2, 3],
        "text": "word",
    });
    context.as_object().cloned().unwrap_or_default()
}

fn names(values: &Value) -> Result<Arc<Names>, Vec<String>> {
    let node = Node::from_json(values);
    let mut problems = Vec::new();
    let names = Names::compile(node.map(), &[], &vocabulary(), &[], &mut problems);
    if problems.is_empty() { Ok(Arc::new(names)) } else { Err(problems.iter().map(ToString::to_string).collect()) }
}

fn read(written: &Value, names: Option<&Arc<Names>>) -> Result<Expression, String> {
    let mut node = Node::from_json(written);
    if let Some(names) = names {
        node = node.with_names(names);
    }
    let mut problems = Vec::new();
    Expression::read(&node, &vocabulary(), &[], &mut problems).ok_or_else(|| problems[0].to_string())
}

fn eval(written: &Value, names: Option<&Arc<Names>>) -> Result<Value, String> {
    let (context, host, memory) = (context(), Counting::default(), Memory::new());
    let scope = Scope::new().with_context(&context).with_host(&host).with_memory(&memory);
    read(written, names)?.eval(&scope).map_err(|e| e.to_string())
}

#[test]
fn what_may_be_absent_is_asked_for() {
    for (text, expected) in [
        ("context.car.?kind.orValue('')", json!("new")),
        ("context.car.?colour.orValue('none')", json!("none")),
        ("context.car.?colour", json!(null)),
        ("context.car.?kind", json!("new")),
        ("context.?rows.post.plans[0].id.orValue('')", json!("a")),
        ("context.?none.post.plans[0].id.orValue('-')", json!("-")),
        ("context.rows[?'post'].?state.orValue('')", json!("answered")),
        ("context.rows[?'rail'].?state.orValue('')", json!("")),
        ("context.list[?2].orValue(0) + context.list[?3].orValue(10)", json!(13)),
        ("context.car.?colour.or(context.car.?kind).orValue('x')", json!("new")),
        ("context.car.?colour.or(context.car.?size).orValue('x')", json!("x")),
        ("context.car.?colour.hasValue() || context.car.?kind.hasValue()", json!(true)),
        // Nothing is in what is null: a row that was not found.
        ("context.car.nothing.?name.orValue('none')", json!("none")),
        ("context.rows.post.plans.map(p, p.?price.orValue(0) + p.?tax.orValue(1))", json!([4, 6])),
    ] {
        assert_eq!(eval(&json!(text), None), Ok(expected), "{text}");
    }
}

#[test]
fn what_may_be_absent_must_be_decided() {
    for (text, wrong) in [
        ("context.car.?kind == 'new'", "may be absent"),
        ("size(context.?list)", "may be absent"),
        ("context.car.kind.orValue('')", "belongs to something that may be absent"),
        ("context.car.?kind.or('x')", "`or` takes another optional"),
        ("has(context.car.?kind.x)", "`has` asks of what is there"),
    ] {
        let error = eval(&json!(text), None).expect_err(text);
        assert!(error.contains(wrong), "{text}: {error}");
    }
    let error = eval(&json!("context.text.?length.orValue(0)"), None).expect_err("a text has no fields");
    assert!(error.contains("`context.text` is not a map"), "{error}");
}

#[test]
fn the_plain_dialect_knows_none_of_it() {
    for text in ["context.?a", "context[?'a']", "context.a.orValue(1)"] {
        let error = Expression::compile(text, &Span::unknown(), &Vocabulary::default(), &[]).expect_err(text);
        assert!(error.is_error(), "{error}");
    }
}

#[test]
fn values_have_arguments_and_call_one_another() {
    let values = json!({
        "kind": "context.car.?kind.orValue('')",
        "is_new": "kind == 'new'",
        "plans(key)": "context.rows[?key].?plans.orValue([])",
        "dear(plan, limit)": "plan.price > limit",
        "best(key)": "plans(key).filter(p, dear(p, 4))",
        "card(key)": {"key": "key", "fresh": "is_new", "kind": "params.kind", "from": 1, "ids": "plans(key).map(p, p.id)"},
        "lines": [
            {"when": "is_new", "label": "'first'"},
            {"when": "!is_new", "label": "'never'"},
            {"each": "plans('post')", "as": "p", "when": "p.price > 3", "label": "p.id"},
            {"each": "[1, 2]", "label": "item"},
        ],
    });
    let names = names(&values).expect("values");
    for (written, expected) in [
        (json!("is_new"), json!(true)),
        (json!("best('post')[0].id + string(size(best('rail')))"), json!("b0")),
        (
            json!({"a": "card('post')", "b": ["kind", 2]}),
            json!({
                "a": {"key": "post", "fresh": true, "kind": "parcel", "from": 1, "ids": ["a", "b"]}, "b": ["new", 2],
            }),
        ),
        (json!("lines.map(l, l.label)"), json!(["first", "b", 1, 2])),
        (json!("[1, 2].map(key, key + size(plans('post')))"), json!([3, 4])),
    ] {
        assert_eq!(eval(&written, Some(&names)), Ok(expected), "{written}");
    }
}

#[test]
fn a_value_is_worked_out_once_for_one_state_of_the_context() {
    let names =
        names(&json!({"slow(x)": "counted(x)", "twice": "slow('a') + slow('a')", "unused": "counted('never')"}));
    let names = names.expect("values");
    let machine = json!({
        "initial": "a",
        "context": {"n": "", "m": ""},
        "states": {"a": {"on": {
            "go": {"guard": "twice == 'aa'", "actions": [
                {"assign": {"n": "twice + slow('b')"}},
                {"assign": {"m": "twice"}},
            ]},
        }}},
    });
    let node = Node::from_json(&machine).with_names(&names);
    let (machine, _) = Machine::compile(&node, &vocabulary()).expect("machine");
    let host = Counting::default();
    let env = Env { now_ms: 0, host: &host, spoken: None };
    let snapshot = start(&machine, &env).snapshot;
    let after = step(&machine, snapshot, &Event::new("go"), &env).snapshot;
    assert_eq!(json!(after.context), json!({"n": "aab", "m": "aa"}));
    // `a` for the guard and the first assign, `b`; then the context is another, and `a` is asked again.
    assert_eq!(host.0.load(Ordering::Relaxed), 3);
}

#[test]
fn an_error_stands_where_it_was_written() {
    let at = |line, column| Span::new(&Arc::from("values.yaml"), line, column);
    let text = |text: &str, span| Node::new(span, engine_statechart::source::Value::String(text.to_owned()));
    let key = |name: &str| Key { span: at(1, 1), name: name.to_owned() };
    let values =
        [(key("middle"), text("deep(context.car)", at(2, 9))), (key("deep(car)"), text("car.colour", at(3, 12)))];
    let mut problems = Vec::new();
    let names = Names::compile(&values, &[], &vocabulary(), &[], &mut problems);
    assert_eq!(problems, []);
    let asking = text("middle + ''", Span::new(&Arc::from("flow.yaml"), 9, 5)).with_names(&Arc::new(names));
    let expression = Expression::read(&asking, &vocabulary(), &[], &mut problems).expect("expression");
    let error = expression.eval(&Scope::new().with_context(&context())).expect_err("no colour");
    assert_eq!(
        error.to_string(),
        "values.yaml:3:12: the map has no `colour` (at character 5 of `deep`, asked for at values.yaml:2:9) in `car.colour`",
    );
}

#[test]
fn mistakes_in_values_are_found() {
    for (values, wrong) in [
        (json!({"a": "b", "b": "c(1)", "c(x)": "a"}), "values go round in a circle: a → b → c → a"),
        (json!({"a": "event.x"}), "a value does not read `event`"),
        (json!({"context": "1"}), "`context` already means something"),
        (json!({"counted": "1"}), "`counted` already means something"),
        (json!({"size(x)": "1"}), "`size` already means something"),
        (json!({"Big": "1"}), "`Big` is not a name"),
        (json!({"a(": "1"}), "never closed"),
        (json!({"a(x, x)": "1"}), "an argument twice"),
        (json!({"a(b)": "b", "b": "1"}), "`b` is a value and cannot be an argument"),
        (json!({"a": "1", "b": "[1].map(a, a)"}), "`a` is a value and cannot be a variable"),
        (json!({"a(x)": "x", "b": "a"}), "`a` takes 1 arguments"),
        (json!({"a(x)": "x", "b": "a(1, 2)"}), "`a` takes 1 arguments, not 2"),
        (json!({"value": "1", "b": "valeu"}), "did you mean `value`?"),
    ] {
        let problems = names(&values).expect_err(&values.to_string());
        assert!(problems.iter().any(|p| p.contains(wrong)), "{values}: {problems:?}");
    }
}

#[test]
fn an_export_is_plain() {
    let names = names(&json!({
        "kind": "context.car.?kind.orValue('')",
        "of(p)": "context.list.exists(a, a == p)",
        "card": {"k": "kind", "l": [{"each": "context.list", "as": "a", "when": "of(a)", "n": "a"}, {"when": "kind == ''", "n": "0"}]},
    }));
    let names = names.expect("values");
    let machine = json!({
        "initial": "a",
        "states": {"a": {"on": {"go": {"guard": "kind == 'new' && context.list.all(a, of(a + 1))", "actions": {"assign": {"b.c": "card", "d": {"x": 1}}}}}}},
    });
    let node = Node::from_json(&machine).with_names(&names);
    let exported = xstate::export(&node, &vocabulary()).expect("export");
    let go = &exported["states"]["a"]["on"]["go"][0];
    let kind = "((context.car != null && has(context.car.kind)) ? context.car.kind : '')";
    let guard = format!("{kind} == 'new' && context.list.all(a, context.list.exists(a_2, a_2 == (a + 1)))");
    assert_eq!(go["guard"]["params"]["expression"], guard);
    assert_eq!(go["actions"][0]["params"]["d"], json!({"x": 1}));
    let card = go["actions"][0]["params"]["b.c"].as_str().expect("one text").to_owned();
    // What was put in means the same.
    let plain = Expression::compile(&card, &Span::unknown(), &Vocabulary::default(), &[]).expect(&card);
    let context = context();
    let scope = Scope::new().with_context(&context);
    assert_eq!(plain.eval(&scope), Ok(json!({"k": "new", "l": [{"n": 1}, {"n": 2}, {"n": 3}]})));
}

/// `fold` stays one; what it binds means nothing else in what is put in.
#[test]
fn an_exported_fold_keeps_its_names_apart() {
    let names = names(&json!({"most(l)": "l.fold(x, m, 0, x > m ? x : m)"})).expect("names");
    let machine = json!({"initial": "a", "states": {"a": {
        "on": {"go": {"guard": "context.list.fold(x, m, 1, m + most([x, m])) == 6"}}
    }}});
    let exported = xstate::export(&Node::from_json(&machine).with_names(&names), &vocabulary()).expect("export");
    let guard = exported["states"]["a"]["on"]["go"][0]["guard"]["params"]["expression"].as_str().expect("a text");
    assert_eq!(guard, "context.list.fold(x, m, 1, m + [x, m].fold(x_2, m_2, 0, (x_2 > m_2) ? x_2 : m_2)) == 6");
    let plain = Expression::compile(guard, &Span::unknown(), &vocabulary(), &[]).expect(guard);
    let context = json!({"list": [2, 3]}).as_object().cloned().unwrap_or_default();
    // 1, then 1 + 2, then 3 + 3
    assert_eq!(plain.eval(&Scope::new().with_context(&context)), Ok(json!(true)));
}
