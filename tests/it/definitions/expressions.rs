//! Functions of expressions.

use super::{NOON, catalog, library};
use engine_definitions::Catalog;
use engine_statechart::expression::Expression;
use engine_statechart::source::Span;
use engine_statechart::{Dialect, Scope, Vocabulary};
use serde_json::{Value, json};

fn eval(text: &str) -> Result<Value, String> {
    eval_in(&catalog(&library()), text)
}

fn eval_in(catalog: &Catalog, text: &str) -> Result<Value, String> {
    let workflow = catalog.workflow("library/loan").expect("workflow");
    let (now, journey) = (workflow.now(NOON), json!({"id": "j", "channel": "web"}));
    let host = workflow.host(&now, &journey, catalog);
    let functions = engine_definitions::FUNCTIONS.iter().map(|(n, a)| ((*n).to_owned(), a.clone())).collect();
    let variables = ["now", "today", "journey", "params"].map(str::to_owned).into();
    let vocabulary = Vocabulary { functions, variables, dialect: Dialect::Rich, ..Vocabulary::default() };
    let expression = Expression::compile(text, &Span::unknown(), &vocabulary, &[]).map_err(|p| p.to_string())?;
    expression.eval(&Scope::new().with_host(&host)).map_err(|e| e.message)
}

#[track_caller]
fn give(cases: &[(&str, Value)]) {
    for (text, expected) in cases {
        assert_eq!(eval(text).as_ref(), Ok(expected), "{text}");
    }
}

#[test]
fn what_the_journey_knows() {
    give(&[
        ("now + ' ' + today + ' ' + journey.channel", json!("2026-11-21T06:30:00.000Z 2026-11-21 web")),
        ("params.days", json!(14)),
    ]);
}

#[test]
fn maps_and_numbers() {
    give(&[
        ("get({'a': null}, 'a', 1) + get({}, 'b', 2)", json!(3)),
        ("merge({'a': 1, 'b': 2}, {'b': null})", json!({"a": 1, "b": null})),
        ("without({'a': 1, 'b': 2}, ['a'])", json!({"b": 2})),
        ("sum([1, 2, 3]) + share(1050, 500000) + scale(-5, 1, 2)", json!(528)),
        ("[1, 2, 3].fold(n, total, 10, total + n)", json!(16)),
        ("[1, 2].fold(n, so_far, {'list': []}, {'list': so_far.list + [n * 2]}).list", json!([2, 4])),
        ("compound(100000, 120000, 1, 10)", json!(310_585)),
        ("discounted(110, 100000, 1, 1)", json!(100)),
        ("deposits([5000], 67000, 12, 4, 60)", json!([356_829])),
        ("present_value(600000, 50000, 50000, 15)", json!(9_000_000)),
        ("yield_of([-100, 110])", json!(1000)),
        ("[keys({'a': 1}), values({'a': 1})]", json!([["a"], [1]])),
    ]);
}

#[test]
fn lists() {
    give(&[
        ("sort_by([{'a': 2}, {'a': 1}, {}], 'a').map(x, get(x, 'a', 0))", json!([1, 2, 0])),
        ("sort_by([{'a': 1}, {'a': 2}], '-a')[0].a", json!(2)),
        ("[min_of([3, 1]), max_of(['a', 'b']), min_of([]), first([7])]", json!([1, "b", null, 7])),
        ("concat([[1], [2, 3]])", json!([1, 2, 3])),
        ("group_by([{'k': 'a', 'n': 1}, {'k': 'a', 'n': 2}], 'k').a.map(x, x.n)", json!([1, 2])),
        ("range(3)", json!([0, 1, 2])),
    ]);
}

/// A condition that begins with an equal text looks only at rows with that text, and finds what a look at all would.
#[test]
fn a_few_rows_among_many_are_those_that_a_look_at_all_finds() {
    let mut files = library();
    let rows: String = (0..40).map(|n| format!("k{n},{},{n}\n", ["red", "blue"][n % 2])).collect();
    files.insert("workflows/master/many.csv", format!("key,colour,n\n{rows}").into_bytes());
    files.insert("workflows/master/many.yaml", b"title: Many\nsource: us\nlicence: ours\ncolumns: {n: int}\n".to_vec());
    let catalog = catalog(&files);
    for (condition, found) in [
        ("r.colour == 'red'", Some(20)),
        ("'blue' == r.colour && r.n > 30", Some(5)),
        ("r.colour == 'green'", Some(0)),
        ("r.n == 7", Some(1)),
        ("r.colour == ['red'][0] && r.key != 'k0'", Some(19)),
        ("r.colour == r.key", Some(0)),
        ("r.n > 30 && r.colour == 'red'", Some(4)),
        ("r.colour == ['red'][3]", None),
        ("r.hue == 'red'", None),
    ] {
        let of = |rows: &str, rest: &str| eval_in(&catalog, &format!("{rows}.{rest}"));
        for rest in [
            format!("filter(r, {condition})"),
            format!("exists(r, {condition})"),
            format!("exists_one(r, {condition})"),
            format!("map(r, {condition}, r.n)"),
            format!("all(r, {condition})"),
        ] {
            let (few, all) = (of("rows('many')", &rest), of("(rows('many') + [])", &rest));
            assert_eq!(few.ok(), all.ok(), "{rest}");
        }
        let few = of("rows('many')", &format!("filter(r, {condition})"));
        assert_eq!(few.ok().map(|few| few.as_array().map_or(0, Vec::len)), found, "{condition}");
    }
    let of_outer = "['red', 'blue'].map(c, rows('many').filter(r, r.colour == c && r.n < 3).map(r, r.key))";
    assert_eq!(eval_in(&catalog, of_outer), Ok(json!([["k0", "k2"], ["k1"]])));
}

#[test]
fn texts() {
    give(&[
        (
            "[mask('9876543210', 'mobile'), mask('rahul@example.com', 'email')]",
            json!(["*****43210", "r***l@example.com"]),
        ),
        (
            "[upper('a'), lower('A'), trim(' a '), replace('a-b', '-', ''), digits('a1b2'), title('ASHA RAO')]",
            json!(["A", "a", "a", "ab", "12", "Asha Rao"]),
        ),
        ("join(split('a,b', ','), '+')", json!("a+b")),
        ("money(12345600)", json!("₹1,23,456.00")),
        ("uuid('a') == uuid('a') && uuid('a') != uuid('b') && size(uuid('a')) == 36", json!(true)),
        ("hash('a') == hash('a') && hash('a') != hash('b')", json!(true)),
    ]);
}

#[test]
fn dates_and_times() {
    give(&[
        ("days('2026-11-01', today)", json!(20)),
        // R9-06: in India midnight is 18:30 of the other clock; a day is 86,400,000 ms.
        ("days('2026-11-21T18:29:59.999Z', '2026-11-21T18:30:00.000Z')", json!(1)),
        ("days('2026-11-20T18:30:00.000Z', '2026-11-21T18:29:59.999Z')", json!(0)),
        ("ms_until(add_days(now, 1))", json!(86_400_000)),
        ("[age('2008-11-21', today), age('2008-11-22', today)]", json!([18, 17])),
        ("add_minutes(now, 30)", json!("2026-11-21T07:00:00.000Z")),
        (
            "[add_days(today, -21), add_years('2024-02-29', 1), add_days(now, 1)]",
            json!(["2026-10-31", "2025-02-28", "2026-11-22T06:30:00.000Z"]),
        ),
        ("ms_until(add_minutes(now, 2))", json!(120_000)),
        (
            "[at_time('2026-11-22', '18:00'), at_time(now, '9:05')]",
            json!(["2026-11-22T12:30:00.000Z", "2026-11-21T03:35:00.000Z"]),
        ),
        ("format_date(now, 'EEE d MMM yyyy, h:mm a')", json!("Sat 21 Nov 2026, 12:00 pm")),
    ]);
}

#[test]
fn opening_hours_and_their_slots() {
    give(&[
        ("[open(now, 'desk'), open(add_minutes(now, 60), 'desk')]", json!([true, false])),
        ("next_open(add_minutes(now, 60), 'desk')", json!("2026-11-23T04:30:00.000Z")),
        ("next_open('2026-01-25', 'desk')", json!("2026-01-27T04:30:00.000Z")),
        // R9-62, R5-23, R3-46: every half hour from 10:00, the last one ends at 19:00; hourly; Saturday; Sunday and a
        // holiday.
        (
            "slots('2026-11-23', 'desk', 30).map(s, s.text).filter(t, t.endsWith('am'))",
            json!(["10:00 am", "10:30 am", "11:00 am", "11:30 am"]),
        ),
        (
            "slots('2026-11-23', 'desk', 30)[17]",
            json!({"key": "2026-11-23T13:00:00.000Z", "text": "6:30 pm", "day": "2026-11-23"}),
        ),
        (
            "[size(slots('2026-11-23', 'desk', 30)), size(slots(add_days(now, 2), 'desk', 60)), size(slots('2026-11-23', 'desk', 45))]",
            json!([18, 9, 12]),
        ),
        (
            "[slots(today, 'desk', 60).map(s, s.text), slots('2026-11-22', 'desk', 30), slots('2026-01-26', 'desk', 30)]",
            json!([["10:00 am", "11:00 am", "12:00 pm"], [], []]),
        ),
    ]);
}

#[test]
fn tables_and_master_data() {
    give(&[
        ("table('library/branches', {'near': 'river', 'floor': 2}).fee", json!(200)),
        (
            "table('library/branches', {'near': 'hill', 'floor': 3})",
            json!({"slug": "north", "near": null, "floor": 9, "fee": 109_450, "rate": 180_000}),
        ),
        ("table('library/branches', {'near': 'hill', 'floor': 10})", Value::Null),
        ("size(rows('library/branches'))", json!(2)),
        (
            "['2026-12-31', '2027-01-01', today].map(d, table('library/fines', {'days': 8, 'from': d}).fine)",
            json!([4000, 5000, 4000]),
        ),
        ("[1, 7, 30, 31, 900].map(n, lookup('library/fines', n).fine)", json!([1000, 1000, 4000, 10000, 10000])),
        ("[lookup('library/fines', 0), lookup('library/fines', 8).branch]", json!([null, "main"])),
        ("rows('library/fines').map(r, r.days)", json!(["1-7", "8-30", "31+"])),
        (
            "[lookup('cities', 'BLR').name, lookup('cities', 'DEL').people, lookup('cities', '')]",
            json!(["Bengaluru, City", 32, null]),
        ),
    ]);
}

#[test]
fn what_an_expression_cannot_do_is_said() {
    for (text, expected) in [
        ("table('library/branch', {})", "unknown table"),
        ("table('library/branches', {'flor': 1})", "no column `flor`"),
        ("scale(1, 1, 0)", "division by zero"),
        ("range(5000)", "0 to 1000"),
        ("age('x', today)", "not a date"),
        ("open(now, 'dusk')", "unknown calendar"),
    ] {
        let said = eval(text).expect_err(text);
        assert!(said.contains(expected), "{text}: {said}");
    }
}
