//! `journey check`, `simulate`, `export`: what stands behind the commands. `main` adds only the
//! parsing of arguments; every problem is printed as `file:line:column: message (hint)`.

use engine_definitions::{check::check, plain_machine};
use engine_server::cli::{Cli, Command};
use engine_statechart::Problem;
use engine_statechart::simulate::{batch, run, script};
use journey_tests::server::fixture;
use serde_json::{Value, json};
use std::path::Path;
use std::process::ExitCode;
use std::time::{Duration, Instant};

/// What `journey check` finds in one file.
fn problems(name: &str, text: &[u8]) -> Vec<Problem> {
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join(name);
    std::fs::write(&path, text).expect("written");
    let found = check(&[&path]).problems;
    assert!(
        found.iter().all(|p| Path::new(&*p.span.file) == path && p.span.line > 0 && p.span.column > 0),
        "{found:?}"
    );
    found
}

/// `line:column code`, warnings with `~`.
#[track_caller]
fn expect(name: &str, text: &str, expected: &[&str]) {
    let found = problems(name, text.as_bytes());
    let shown: Vec<String> = found
        .iter()
        .map(|p| format!("{}:{} {}{}", p.span.line, p.span.column, if p.is_error() { "" } else { "~" }, p.code))
        .collect();
    assert_eq!(shown, expected, "{found:#?}");
    assert_eq!(
        plain_machine(name, text.as_bytes()).is_err(),
        found.iter().any(Problem::is_error),
        "simulate refuses what check calls an error"
    );
}

const WRONG: &str = "\
initial: asking
states:
  asking:
    on: {pay: paidd, ask: {target: paid, guard: contex.n > 1}, turn: turning, rest: resting}
    after: {soon: paid}
  paid: {id: twin, initial: nowhere, states: {inner: {on: {ask: '#twin'}}}}
  other: {id: twin, on: {ask: asking}}
  turning: {always: returning}
  returning: {always: turning}
  resting: {}
  island: {on: {ask: asking}}
";

#[test]
fn check_finds_everything_at_once_with_its_place() {
    let expected = [
        "4:15 unknown-target",
        "4:49 unknown-name",
        "5:13 bad-duration",
        "6:29 unknown-initial",
        "7:3 duplicate-id",
        "8:21 endless-always",
        "10:3 ~dead-end",
        "11:3 ~unreachable-state",
    ];
    expect("machine.yaml", WRONG, &expected);
    let hints: Vec<String> = problems("machine.yaml", WRONG.as_bytes()).into_iter().filter_map(|p| p.hint).collect();
    for hint in [
        "did you mean `paid`?",
        "did you mean `context`?",
        "`30s`",
        "`type: final`",
        "give one of these transitions a guard",
    ] {
        assert!(hints.iter().any(|h| h.contains(hint)), "{hint}: {hints:#?}");
    }
    expect(
        "keys.yaml",
        "initial: a\nstates:\n  a: {on: {x: b}}\n  b: {on: {x: a, x: b}}\n  a: {}\n",
        &["4:18 duplicate-key", "5:3 duplicate-key"],
    );
    expect(
        "keys.json",
        "{\"initial\": \"a\",\n \"states\": {\"a\": {}, \"a\": {}}}",
        &["2:13 ~dead-end", "2:22 duplicate-key"],
    );
    expect("syntax.yaml", "a: [", &["1:4 syntax"]);
    expect("empty.json", "", &["1:1 syntax"]);
    expect("good.yaml", "initial: a\nstates: {a: {on: {x: b}}, b: {type: final}}\n", &[]);
}

/// Longest time with an optimised build; one without optimisation is several times slower. What a bomb would cost is
/// minutes.
const SECOND: Duration = if cfg!(debug_assertions) { Duration::from_secs(5) } else { Duration::from_secs(1) };

/// Time that this thread has computed; where nobody counts that, the time of day.
fn busy(since: Instant) -> Duration {
    let counted = std::fs::read_to_string("/proc/thread-self/schedstat").ok();
    let ns = counted.and_then(|text| text.split(' ').next()?.parse().ok());
    ns.map_or_else(|| since.elapsed(), Duration::from_nanos)
}

#[track_caller]
fn refused(name: &str, text: &[u8]) {
    let begun = Instant::now();
    let before = busy(begun);
    let found = problems(name, text);
    let taken = busy(begun) - before;
    assert!(found.iter().any(Problem::is_error), "{name} is no bomb");
    assert!(taken < SECOND, "{name} took {taken:?}");
}

#[test]
fn bombs_are_refused_within_a_second_and_with_a_place() {
    let seeds = concat!(env!("CARGO_MANIFEST_DIR"), "/fuzz/seeds/bombs");
    let files: Vec<_> = std::fs::read_dir(seeds).expect("seeds").map(|entry| entry.expect("a file").path()).collect();
    assert!(files.len() > 10, "{files:?}");
    for path in files {
        refused(&path.file_name().unwrap_or_default().to_string_lossy(), &std::fs::read(&path).expect("readable"));
    }
    let states: String = (0..10_000).map(|i| format!("  s{i}: {{}}\n")).collect();
    let typos: String = (0..450)
        .map(|i| {
            format!(
                "  start{i}: {{on: {{a: starrt, b: starrt, c: starrt, d: starrt, e: starrt, f: starrt, g: starrt}}}}\n"
            )
        })
        .collect();
    for (name, text) in [
        ("states.yaml", format!("initial: s0\nstates:\n{states}")),
        ("typos.yaml", format!("initial: start0\nstates:\n{typos}")),
        ("keys.yaml", (0..25_000).map(|i| format!("k{i}: 1\n")).collect()),
        ("size.yaml", "#".repeat(300_000)),
        ("depth.yaml", "[".repeat(200_000)),
        ("depth.json", "[".repeat(200_000)),
        ("anchors.yaml", "&a ".repeat(50_000)),
        // each alias would copy the long text
        ("texts.yaml", format!("a: &a {}\nb: [{}]\n", "x".repeat(100_000), "*a,".repeat(45_000))),
        ("merge.yaml", format!("a: &a {{k: 1}}\nb: {{<<: [{}]}}\n", "*a,".repeat(60_000))),
    ] {
        refused(name, text.as_bytes());
    }
}

/// The exit code of a command on files of a folder.
fn exit(folder: &Path, command: Command) -> ExitCode {
    std::fs::write(folder.join("good.yaml"), "initial: a\nstates: {a: {on: {x: b}}, b: {}}\n").expect("written");
    std::fs::write(folder.join("wrong.yaml"), WRONG).expect("written");
    std::fs::write(folder.join("script.json"), r#"[{"event": {"type": "x"}}]"#).expect("written");
    engine_server::commands::run(Cli { settings: None, command }).unwrap_or(ExitCode::FAILURE)
}

#[test]
fn wrong_definitions_end_with_2() {
    let folder = tempfile::tempdir().expect("a folder");
    let at = |name: &str| folder.path().join(name);
    for (name, expected) in [("good.yaml", 0), ("wrong.yaml", 2)] {
        let simulate = Command::Simulate { machine: Some(at(name)), script: Some(at("script.json")), batch: None };
        let export = Command::Export { xstate: Some(at(name).display().to_string()), openapi: false };
        for command in [Command::Check { paths: vec![at(name)], content: false }, simulate, export] {
            assert_eq!(exit(folder.path(), command), ExitCode::from(expected), "{name}");
        }
    }
    assert_eq!(
        exit(folder.path(), Command::Check { paths: vec![at("nowhere.yaml")], content: false }),
        ExitCode::from(2)
    );
    let simulate = Command::Simulate { machine: Some(at("good.yaml")), script: Some(at("good.yaml")), batch: None };
    assert_eq!(exit(folder.path(), simulate), ExitCode::FAILURE, "a script that is none");
}

/// Stories are played while a page leads nowhere, and what `check` found good is not looked at again.
#[test]
fn stories_do_not_wait_for_pages() {
    let folder = tempfile::tempdir().expect("a folder");
    let root = folder.path();
    let write = |path: &str, bytes: &[u8]| {
        let path = root.join(path);
        std::fs::create_dir_all(path.parent().expect("a folder")).expect("made");
        std::fs::write(path, bytes).expect("written");
    };
    fixture("parcel").iter().for_each(|(path, bytes)| write(path, bytes));
    let page = "workflows/site/pages/lost.yaml";
    write(page, b"title: Lost\npath: /lost\nblocks:\n  - {block: text, text: '[Away](/nowhere)'}\n");
    let run = |command| engine_server::commands::run(Cli { settings: None, command }).unwrap_or(ExitCode::FAILURE);
    let check = || run(Command::Check { paths: vec![root.to_path_buf()], content: false });
    let stories = || run(Command::Stories { dir: root.to_path_buf(), only: None, watch: false });
    assert_eq!((check(), stories()), (ExitCode::from(2), ExitCode::SUCCESS));
    let verdict = root.join(".data/checked");
    assert!(!verdict.exists(), "it was not found good");
    std::fs::remove_file(root.join(page)).expect("removed");
    assert_eq!((check(), verdict.exists(), stories()), (ExitCode::SUCCESS, true, ExitCode::SUCCESS));
    // Another save is another state of things.
    write("workflows/parcel/cover/flow.yaml", b"initial: nowhere\n");
    assert_eq!((stories(), check()), (ExitCode::from(2), ExitCode::from(2)));
}

#[test]
fn simulate_prints_a_line_for_the_start_and_one_per_step() {
    let machine = plain_machine(
        "m.yaml",
        b"initial: a\nstates: {a: {on: {go: b}}, b: {after: {5s: c}}, c: {type: final, output: {n: '1 + 1'}}}\noutput: event.output.n\n",
    );
    let machine = machine.expect("a machine");
    let steps = script(&json!([{"event": {"type": "go"}}, {"advance_ms": 4999}, {"advance_ms": 1}])).expect("a script");
    let line = |value: &str| json!({"value": value, "context": {}, "status": "active"});
    let done = json!({"value": "c", "context": {}, "status": "done", "output": 2});
    assert_eq!(run(&machine, &steps), [line("a"), line("b"), line("b"), done]);
    for wrong in [json!({}), json!([{"event": {}}]), json!([{"advance_ms": -1}]), json!([{"wait": 1}])] {
        assert!(script(&wrong).is_err(), "{wrong}");
    }
}

#[test]
fn a_batch_answers_every_line_in_order() {
    let lines = "{\"name\": \"one\", \"machine\": {\"initial\": \"a\", \"states\": {\"a\": {}}}, \"script\": []}\n\n\
                 {\"name\": \"two\", \"machine\": {\"initial\": \"b\", \"states\": {\"a\": {}}}, \"script\": []}\nno JSON\n";
    let mut out = Vec::new();
    batch(lines.as_bytes(), &mut out).expect("answers");
    let answers: Vec<Value> =
        String::from_utf8_lossy(&out).lines().map(|line| serde_json::from_str(line).expect("JSON")).collect();
    assert_eq!(answers[0], json!({"name": "one", "lines": [{"value": "a", "context": {}, "status": "active"}]}));
    assert_eq!(answers[1]["name"], "two");
    assert!(answers[1]["invalid"].as_str().is_some_and(|m| m.contains("did you mean `a`?")), "{}", answers[1]);
    assert!(answers[2]["invalid"].is_string() && answers.len() == 3, "{answers:?}");
}
