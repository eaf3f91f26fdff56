//! A workflow as the machine that it is.

use super::{NOON, catalog, library, loan, show};
use engine_statechart::{Effect, Env, Event, Host, Outcome, Snapshot};
use serde_json::{Value, json};

/// Id, source and input of the call that an outcome makes.
fn called(outcome: &Outcome) -> Option<(&str, &str, &Value)> {
    outcome.effects.iter().find_map(|effect| match effect {
        Effect::Invoke { id, src, input, .. } => Some((id.as_str(), src.as_str(), input)),
        _ => None,
    })
}

#[test]
fn a_workflow_runs_on_the_core() {
    let catalog = catalog(&library());
    let workflow = catalog.workflow("library/loan").expect("workflow");
    let (now, journey) = (workflow.now(NOON), json!({"id": "j"}));
    let host = workflow.host(&now, &journey, &catalog);
    let env = Env { now_ms: NOON, host: &host as &dyn Host, spoken: None };
    let step = |s: Snapshot, event: Event| engine_statechart::step(&workflow.machine, s, &event, &env);

    let mut asking = engine_statechart::start(&workflow.machine, &env).snapshot;
    assert_eq!(workflow.step(&asking.active).map(|s| s.path.as_deref()), Some(Some("")));
    asking.context.insert("loan".into(), json!({"title": "Emma", "pages": 500, "mobile": "9876543210"}));

    let checking = step(asking, Event::new("submit")).snapshot;
    let input = json!({"to": "9876543210", "tries": 3, "note": {"text": "none", "by": "us"}});
    assert_eq!(checking.context["checking"], json!({"left": 3, "seen": [], "answers": {}, "input": input}));

    let verifying = step(checking, Event::new("submit").with("secret", json!({"code": "handle"})));
    assert_eq!(verifying.error, None);
    let input = json!({"mobile": "9876543210", "purpose": "loan", "code": "handle"});
    let input = json!({"input": input, "partner": null});
    assert_eq!(called(&verifying), Some(("checking.verify", "system/otp.verify", &input)));

    let verified = Event::new("xstate.done.actor.checking.verify").with("output", json!({"ok": true}));
    let searching = step(verifying.snapshot, verified);
    assert_eq!(searching.snapshot.active, ["loan.searching"]);
    let first = called(&searching).and_then(|(_, _, input)| input.pointer("/calls/0"));
    let offer = json!({"key": "north", "partner": "north", "input": {"book": "Emma", "near": "river"}});
    assert_eq!(first, Some(&offer));
    // The reminder is a day later, a Sunday, so it moves to Monday 10:00 in India.
    let reminder = searching.snapshot.timers.first().map(|timer| timer.due_ms - NOON);
    assert_eq!(reminder, Some(46 * 3_600_000 - 6 * 60 * 60_000 + 6 * 3_600_000));
}

#[test]
fn one_file_alone_is_a_machine() {
    let machine = engine_definitions::plain_machine(
        "loan.yaml",
        loan().replace(
            "  checking: {use: shared/code, with: {to: \"get(context.loan, 'mobile', '')\", note: {by: \"'us'\"}}, onDone: {good: searching, bad: searching}}\n",
            "  checking: {on: {submit: searching}}\n",
        )
        .as_bytes(),
    );
    assert_eq!(machine.map(|m| m.id().to_owned()).map_err(|p| show(&p)), Ok("(machine)".to_owned()));
    let plain = engine_definitions::xstate_machine(
        "a.json",
        br#"{"id": "a", "initial": "b", "states": {"b": {"on": {"x": "c"}}, "c": {"type": "final"}}}"#,
    );
    assert_eq!(plain.map_err(|p| show(&p)).map(|j| j["id"].clone()), Ok(json!("a")));
}

/// A region that works in silence does not hide the region that shows something.
#[test]
fn the_deepest_active_step_is_shown() {
    let parallel = "title: Desk\nbase: /desk\ninitial: open\nstates:\n  open:\n    type: parallel\n    step: {wait: loan.hint, path: ''}\n    states:\n      silent: {}\n      shown: {initial: a, states: {a: {step: {wait: loan.hint, path: a}, after: {1d: b}}, b: {after: {1d: a}}}}\n    after: {30d: gone}\n  gone: {type: final}\n";
    let mut files = library();
    files.insert("workflows/library/desk/flow.yaml", parallel.as_bytes());
    let catalog = catalog(&files);
    let workflow = catalog.workflow("library/desk").expect("workflow");
    for (active, path) in
        [(["desk.open.silent", "desk.open.shown.a"], "a"), (["desk.open.silent", "desk.open.shown.b"], "")]
    {
        let active = active.map(str::to_owned);
        assert_eq!(workflow.step(&active).and_then(|s| s.path.as_deref()), Some(path), "{active:?}");
    }
}
