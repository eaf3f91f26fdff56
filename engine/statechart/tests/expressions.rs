//! Expressions: values, errors and refusals.

use engine_statechart::expression::Expression;
use engine_statechart::source::Span;
use engine_statechart::{Scope, Vocabulary};
use serde_json::{Value, json};

fn eval(text: &str) -> Result<Value, String> {
    let context = json!({"n": 7, "x": 1.5, "s": "héllo", "list": [1, 2, 3], "map": {"a": {"b": null}}, "rows": [{"k": "a", "v": 1}, {"k": "b", "v": 2}]});
    let expression =
        Expression::compile(text, &Span::unknown(), &Vocabulary::default(), &[]).map_err(|p| p.to_string())?;
    expression.eval(&Scope::new().with("context", &context)).map_err(|e| e.to_string())
}

#[test]
fn values() {
    for (text, expected) in [
        ("1 + 2 * 3 - -4", json!(11)),
        ("-7 / 2", json!(-3)),
        ("-7 % 3", json!(-1)),
        ("context.n + 1", json!(8)),
        ("context.x * 2.0", json!(3.0)),
        ("1 == 1.0 && 1 != '1' && null == null && !(null == 0)", json!(true)),
        ("[1, 2] == [1, 2] && {'a': 1} == {'a': 1}", json!(true)),
        ("has(context.map.a) && !has(context.map.z)", json!(true)),
        ("context.map.a.b == null", json!(true)),
        ("context['map'].a", json!({"b": null})),
        ("context.list[2] + context.list.size()", json!(6)),
        ("2 in context.list && !('z' in context.map)", json!(true)),
        ("size(context.s) + size({'a': 1})", json!(6)),
        ("context.s.startsWith('h') && context.s.contains('éll') && context.s.endsWith('o')", json!(true)),
        ("context.n > 5 ? 'big' : 'small'", json!("big")),
        ("true ? 1 : false ? 2 : 3", json!(1)),
        ("context.list.map(i, i * i)", json!([1, 4, 9])),
        ("context.list.map(i, i > 1, i * i)", json!([4, 9])),
        ("context.list.filter(i, i % 2 == 1)", json!([1, 3])),
        (
            "context.list.all(i, i > 0) && context.list.exists(i, i == 3) && context.list.exists_one(i, i == 2)",
            json!(true),
        ),
        ("context.map.all(k, k == 'a')", json!(true)),
        ("context.rows.filter(r, r.v > 1)[0].k", json!("b")),
        ("context.rows.map(r, {'k': r.k}).exists(m, m.k == 'b')", json!(true)),
        ("context.list.map(a, context.list.map(b, a * b))[2][2]", json!(9)),
        ("'a' + \"b\" + r'\\n' + '\\u00e9'", json!("ab\\né")),
        ("int('12') + int(3.9) + int(-3.9)", json!(12)),
        ("string(12) + string(1.5) + string(true)", json!("121.5true")),
        ("double(3) / 2.0", json!(1.5)),
        ("false && context.missing || true", json!(true)),
        ("context.missing || true", json!(true)),
        ("[1, 2,] + [3]", json!([1, 2, 3])),
        ("0xff // a comment", json!(255)),
        ("-9223372036854775808", json!(i64::MIN)),
    ] {
        assert_eq!(eval(text), Ok(expected), "{text}");
    }
}

#[test]
fn errors_say_what_and_where() {
    for (text, part) in [
        ("context.map.z", "`context.map` has no `z` (at character 13)"),
        ("context.n.z", "`context.n` is not a map"),
        ("1 / 0", "division by zero (at character 3)"),
        ("9223372036854775807 + 1", "integer overflow"),
        ("-9223372036854775808 / -1", "integer overflow"),
        ("1 + 1.0", "do not mix"),
        ("1 + 'a'", "cannot add an int and a string"),
        ("'a' < 1", "cannot compare"),
        ("context.list[3]", "index 3 is outside the list of 3"),
        ("context.n ? 1 : 2", "expected a boolean, got an int"),
        ("context.n && true", "expected a boolean"),
        ("has(context.n.z)", "`has` looks into a map"),
        ("1.0 / 0.0", "infinite"),
        ("contxt.n", "unknown name `contxt` in expression `contxt.n` (at character 1) (did you mean `context`?)"),
        ("context.s.startWith('a')", "did you mean `startsWith`?"),
        ("abc(1)", "unknown function `abc`"),
        ("size()", "`size` takes 1 arguments, not 0"),
        ("inState('#a')", "in guards only"),
        ("1 +", "expected a value, found the end"),
        ("1 2", "expected the end, found a number"),
        ("a = 1", "unexpected `=`"),
        ("'a", "string is not closed"),
        ("1u", "unsigned"),
        ("99999999999999999999", "out of range"),
        ("if", "reserved word"),
        ("", "expected a value"),
    ] {
        let error = eval(text).expect_err(text);
        assert!(error.contains(part), "{text}: {error}");
    }
}

#[test]
fn hostile_expressions_are_refused_or_bounded() {
    let nested = "context.list.map(a, context.list.map(b, context.list.map(c, c)))";
    let wide = format!("[{}]", vec!["0"; 500].join(","));
    let slow = format!("{wide}.map(a, {wide}.map(b, a * b + a * b + a * b)).size()");
    for (text, part) in [
        (vec!["1"; 5_000].join(" + "), "longer than"),
        (vec!["1"; 1_500].join("+"), "chained more than"),
        (format!("{}1{}", "(".repeat(2_000), ")".repeat(2_000)), "nested"),
        ("!".repeat(4_000) + "true", "nested"),
        (format!("{}1", "true ? 1 : ".repeat(300)), "nested"),
        (format!("[{}]", vec!["0"; 2_000].join(",")), "more than 1000 parts"),
        ("context".to_owned() + &".a".repeat(1_000), "chained more than"),
        (nested.to_owned(), "nested more than 2 deep"),
        (slow, "parts"),
        ("[[[[".repeat(500), "nested"),
    ] {
        let error = eval(&text).expect_err("must not have a value");
        assert!(error.contains(part), "{part}: {error}");
    }
}
