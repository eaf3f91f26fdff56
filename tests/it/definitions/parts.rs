//! Parts in parts.

use super::{NOON, catalog, library, show};
use engine_definitions::{Files, load};
use engine_statechart::{Env, Event, Host};
use serde_json::json;

/// A desk where readers borrow: it has the part `lending`, and that one the part `fee`.
const DESK: &str = "\
title: Desk
base: /desk
initial: open
context: {reader: {name: none}, got: []}
states:
  open: {step: {wait: loan.hint, path: ''}, on: {go: lending}}
  lending:
    use: shared/lending
    with: {reader: context.reader}
    onDone: {lent: {target: open, actions: {assign: {got: 'context.got + [event.output.fee]'}}}, left: open}
";

const LENDING: &str = "\
input: {reader: {name: string, age: {type: integer, default: 9}}}
context: {notes: 0}
outcomes: {lent: {fee: integer}, left: {}}
initial: noting
states:
  noting: {entry: {assign: {my.notes: my.notes + 1}}, always: fee}
  fee: {use: shared/fee, with: {who: input.reader.name}, onDone: {paid: lent, left: left}}
  lent: {type: final, output: {fee: event.output.fee}}
  left: {type: final}
";

const FEE: &str = "\
input: {who: string}
context: {tries: 0, asked: 0}
keep: [tries]
outcomes: {paid: {fee: integer}, left: {}}
hears: {coin: {guard: event.of == input.who, target: .paid}}
initial: asking
states:
  asking: {step: {wait: loan.hint, path: fee}, entry: {assign: {my.tries: my.tries + 1, my.asked: my.asked + 1}}, on: {leave: left}}
  paid: {type: final, output: {fee: my.tries * 10 + my.asked}}
  left: {type: final}
";

fn with_parts(desk: &str, fee: &str) -> Files {
    let mut files = library();
    files.insert("workflows/library/desk/flow.yaml", desk.as_bytes());
    files.insert("workflows/shared/lending/part.yaml", LENDING.as_bytes());
    files.insert("workflows/shared/fee/part.yaml", fee.as_bytes());
    files
}

/// What a part keeps, what it hears after it was left, and what its host gives it.
#[test]
fn parts_nest_keep_and_hear() {
    let catalog = catalog(&with_parts(DESK, FEE));
    let workflow = catalog.workflow("library/desk").expect("workflow");
    let (now, journey) = (workflow.now(NOON), json!({"id": "j"}));
    let host = workflow.host(&now, &journey, &catalog);
    let env = Env { now_ms: NOON, host: &host as &dyn Host, spoken: None };
    let mut s = engine_statechart::start(&workflow.machine, &env).snapshot;
    s.context.insert("reader".into(), json!({"name": "Emma", "shoe": 38}));
    let coin = |of: &str| Event::new("coin").with("of", json!(of));
    let mut send = |event: &Event| {
        let outcome = engine_statechart::step(&workflow.machine, s.clone(), event, &env);
        assert_eq!(outcome.error, None);
        s = outcome.snapshot;
        (outcome.selected, s.active.last().cloned().unwrap_or_default(), s.context.clone())
    };
    assert!(!send(&coin("Emma")).0, "nothing is heard before the part was entered");
    let (_, active, context) = send(&Event::new("go"));
    assert_eq!(active, "desk.lending.fee.asking");
    assert_eq!(context["lending"]["input"], json!({"reader": {"name": "Emma", "age": 9}}));
    assert_eq!(context["lending"]["fee"], json!({"tries": 1, "asked": 1, "input": {"who": "Emma"}}));
    send(&Event::new("leave"));
    send(&Event::new("go"));
    let (_, active, context) = send(&Event::new("leave"));
    assert_eq!((active.as_str(), &context["lending"]["fee"]["tries"]), ("desk.open", &json!(2)));
    assert!(!send(&coin("Anne")).0, "another's coin");
    let (_, active, context) = send(&coin("Emma"));
    assert_eq!((active.as_str(), &context["got"]), ("desk.open", &json!([21])));
    assert_eq!(context["lending"]["notes"], json!(1), "entered as it was left");
}

#[test]
fn what_takes_every_event_leaves_nothing_to_hear() {
    let again = "  again: {use: shared/fee, with: {who: context.reader.name}, onDone: {paid: open, left: open}}\n";
    let twice = DESK.replace("onDone: {lent", "id: first\n    onDone: {lent") + again;
    let twice = twice.replace("on: {go: lending}", "on: {go: lending, more: again}");
    let every = FEE.replace("{guard: event.of == input.who, target: .paid}", ".paid");
    let said = show(&load(&with_parts(&twice, &every)).problems);
    assert!(said.contains("part `shared/fee` takes every `coin`: part `shared/fee` never hears it"), "{said}");
}

/// `lookup('fees', …)` of a part in a part is asked of the table that the flow names.
#[test]
fn a_part_reads_the_table_that_its_host_names() {
    let files = |columns: &str, row: &str| {
        let fee = FEE
            .replace("input: {who", "tables: {fees: shared/fees}\ninput: {who")
            .replace("my.tries * 10 + my.asked", "\"lookup('fees', input.who).fee\"");
        let desk = DESK.replace("use: shared/lending\n", "use: shared/lending\n    tables: {fees: library/fees}\n");
        let lending = LENDING
            .replace("input: {reader", "tables: {fees: shared/fees}\ninput: {reader")
            .replace("use: shared/fee,", "use: shared/fee, tables: {fees: fees},");
        let table = |columns: &str, row: &str| {
            format!("title: Fees\nsample: true\nmatch: {{who: equals}}\ncolumns: {{{columns}}}\nrows: [[{row}]]\n")
        };
        let mut files = with_parts(&desk, &fee);
        files.insert("workflows/shared/lending/part.yaml", lending.as_bytes());
        files.insert("workflows/shared/tables/fees.yaml", table("who: text, fee: int", "none, 1").as_bytes());
        files.insert("workflows/library/tables/fees.yaml", table(columns, row).as_bytes());
        files
    };
    let catalog = catalog(&files("who: text, fee: int, title: text", "none, 7, Seven"));
    let workflow = catalog.workflow("library/desk").expect("workflow");
    let (now, journey) = (workflow.now(NOON), json!({"id": "j"}));
    let host = workflow.host(&now, &journey, &catalog);
    let env = Env { now_ms: NOON, host: &host as &dyn Host, spoken: None };
    let mut s = engine_statechart::start(&workflow.machine, &env).snapshot;
    for event in [Event::new("go"), Event::new("coin").with("of", json!("none"))] {
        let outcome = engine_statechart::step(&workflow.machine, s, &event, &env);
        assert_eq!(outcome.error, None);
        s = outcome.snapshot;
    }
    assert_eq!(s.context["got"], json!([7]));

    let problems = load(&files("who: text, price: int", "none, 7")).problems;
    assert!(
        problems.iter().any(|p| p.code == "part-table" && p.hint.as_deref() == Some("columns that are missing: fee"))
    );
}
