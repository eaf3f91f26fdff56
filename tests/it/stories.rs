//! Stories as authors write them: shared beginnings, changes, examples, what a failing one says.

use engine_definitions::{Catalog, Files, load};
use engine_runtime::story::{Outcome, Runner};
use journey_tests::server::{fixture, line};
use serde_json::json;
use std::sync::Arc;

const BEGINNING: &str = "
name: two prices
at: '2026-11-21T10:00:00+05:30'
steps:
  - {send: submit, data: {weight: 2, kind: gift, note: careful}, expect: {state: sender}}
  - {send: submit, data: {name: Asha Rao}, expect: {state: offers.collecting, effects: [{call: parcel/price}]}}
  - {reply: offers, key: swift, example: two kilograms}
  - {reply: offers, key: steady, output: {price: 9000}, expect: {state: offers.complete}}
";

const TOO_HEAVY: &str = "
- name: too heavy
  input: {weight: 30}
  reply: {status: 409, body: {message: No}}
  error: {code: weight.too_high}
";

fn with(stories: &[(&str, &str)]) -> Files {
    let mut files = fixture("parcel");
    let path = "workflows/partners/carriers/swift/price.examples.yaml";
    let mut examples = String::from_utf8(files.get(path).expect("examples").to_vec()).expect("text");
    examples.push_str(TOO_HEAVY);
    files.insert(path, examples.into_bytes());
    for (name, text) in stories {
        files.insert(format!("workflows/parcel/cover/stories/{name}.yaml"), text.as_bytes());
    }
    files
}

fn catalog(stories: &[(&str, &str)]) -> Arc<Catalog> {
    let loaded = load(&with(stories));
    let problems: Vec<String> = loaded.problems.iter().map(ToString::to_string).collect();
    loaded.catalog.unwrap_or_else(|| panic!("{problems:?}"))
}

/// How each story ended, by its file: `held`, the differences, or the beginning that is to blame.
fn outcomes(stories: &[(&str, &str)]) -> Vec<(String, String)> {
    let catalog = catalog(stories);
    let mut runner = Runner::new(&catalog);
    let workflow = catalog.workflow("parcel/cover").expect("the flow");
    let said = |outcome| match outcome {
        Outcome::Held => "held".to_owned(),
        Outcome::Failed(failures) => failures.iter().map(|f| f.difference.to_string()).collect::<Vec<_>>().join("; "),
        Outcome::NotBegun { beginning } => format!("not begun: {beginning}"),
    };
    workflow.stories().iter().map(|story| (story.id.clone(), said(runner.run(story)))).collect()
}

#[track_caller]
fn expect(stories: &[(&str, &str)], expected: &[(&str, &str)]) {
    let found = outcomes(stories);
    let found: Vec<(&str, &str)> = found.iter().map(|(story, outcome)| (story.as_str(), outcome.as_str())).collect();
    assert_eq!(found, expected);
}

#[test]
fn a_story_goes_on_where_another_one_was() {
    let chosen = "
name: the first price is chosen
after: {story: begun, until: offers.collecting}
steps:
  - expect: {context: {parcel: {weight: 2}, offers: {swift: {state: asked}}}}
  - {reply: offers, key: swift, example: two kilograms, change: {price: 8000}}
  - {send: select, data: {carrier: swift}, expect: {state: printing, context: {offers: {swift: {output: {price: 8000}}}}}}
";
    let at_its_end = "
name: nothing is there to choose from
after: {story: begun}
steps:
  - {send: select, data: {carrier: slow}, expect: {messages: [{code: offer.gone}], context: {offers: {steady: {output: {price: 9000}}}}}}
";
    expect(
        &[("begun", BEGINNING), ("chosen", chosen), ("end", at_its_end)],
        &[("begun", "held"), ("chosen", "held"), ("end", "held")],
    );
}

#[test]
fn a_change_is_sent_over_what_the_form_holds() {
    let changed = "
name: the weight was wrong
after: {story: begun, until: sender}
steps:
  - {send: back, expect: {state: parcel}}
  - {send: submit, change: {weight: 3, note: null}, expect: {state: sender, context: {parcel: {weight: 3, kind: gift}}}}
";
    expect(&[("begun", BEGINNING), ("changed", changed)], &[("begun", "held"), ("changed", "held")]);
}

#[test]
fn an_example_gives_its_error_too() {
    let declined = "
name: one carrier says no
after: {story: begun, until: offers.collecting}
steps:
  - {reply: offers, key: swift, example: too heavy, expect: {context: {offers: {swift: {state: declined, error: {code: weight.too_high}}}}}}
  - {reply: offers, key: steady, example: light, expect: {refused: '`offers` has no example `light`'}}
";
    expect(&[("begun", BEGINNING), ("declined", declined)], &[("begun", "held"), ("declined", "held")]);
}

#[test]
fn a_failing_story_shows_expected_and_found() {
    let wrong = "
name: wrong
after: {story: begun, until: sender}
steps:
  - expect: {state: offers, path: offers, context: {parcel: {weight: 3}}}
  - {send: submit, data: {name: A}, expect: {state: offers}}
  - {send: submit, data: {name: Asha}, expect: {effects: [{call: parcel/price, partner: swift, input: {weight: 3}}, {notify: none}]}}
";
    let differences = "state: expected \"offers\", was \"sender\"; path: expected \"offers\", was \"sender\"; \
         context.parcel.weight: expected 3, was 2; the event is: expected \"taken\", was \"invalid\"; \
         errors: expected null, was {\"pointer\":\"/name\",\"code\":\"minLength\",\"text\":\"At least 2 characters, please\"}; \
         state: expected \"offers\", was \"sender\"; \
         effects call parcel/price.input.weight: expected 3, was 2; \
         effects: expected {\"notify\":\"none\"}, was [\"call parcel/price\",\"call parcel/price\"]";
    expect(&[("begun", BEGINNING), ("wrong", wrong)], &[("begun", "held"), ("wrong", differences)]);
}

/// One line for all that follow, not a screen for each.
#[test]
fn a_beginning_that_fails_is_to_blame_once() {
    let broken = BEGINNING.replace("expect: {state: sender}", "expect: {state: offers}");
    let early = "name: early\nafter: {story: begun, until: parcel}\nsteps: [{expect: {path: ''}}]\n";
    let late = "name: late\nafter: {story: begun, until: sender}\nsteps: [{expect: {path: sender}}]\n";
    let later = "name: later\nafter: {story: late}\nsteps: [{expect: {path: sender}}]\n";
    let never = "name: never\nafter: {story: begun, until: closed}\nsteps: [{expect: {}}]\n";
    expect(
        &[("begun", &broken), ("early", early), ("late", late), ("later", later), ("never", never)],
        &[
            ("begun", "state: expected \"offers\", was \"sender\""),
            ("early", "held"),
            ("late", "not begun: begun"),
            ("later", "not begun: begun"),
            ("never", "not begun: begun"),
        ],
    );
}

#[test]
fn what_a_story_names_must_exist() {
    for (from, to, expected) in [
        ("state: sender}", "state: sendr}", "5:82: unknown state `sendr` (did you mean `sender`?)"),
        ("weight: 2", "wieght: 2", "5:27: unknown field `wieght` (did you mean `weight`?)"),
        ("send: submit, data: {name", "send: submitt, data: {name", "unknown event `submitt` (did you mean `submit`?)"),
        ("reply: offers, key: swift", "reply: ofers, key: swift", "unknown call `ofers` (did you mean `offers`?)"),
        (
            "at: '2026",
            "after: {story: two, until: sender}\nat: '2026",
            "`at` belongs to the story that this one goes on",
        ),
        ("at: '2026-11-21T10:00:00+05:30'", "after: {story: begin}", "unknown story `begin` (did you mean `begun`?)"),
        ("at: '2026-11-21T10:00:00+05:30'", "after: {story: begun}", "`begun` comes after this story itself"),
        ("data: {name: Asha Rao}", "data: {}, change: {name: A}", "`change` belongs to `send` without `data`"),
        ("name: two", "workflow: parcel/cover\nname: two", "unknown key `workflow` in a story"),
    ] {
        assert!(BEGINNING.contains(from), "{from}");
        let loaded = load(&with(&[("begun", &BEGINNING.replacen(from, to, 1))]));
        let said: String = loaded.problems.iter().map(|p| format!("{p}\n")).collect();
        assert!(said.contains(expected), "expected {expected}\ngot {said}");
    }
}

/// What `journey try` prints: a value where a story stands, and what it comes from.
#[test]
fn an_expression_is_worked_out_where_a_story_stands() {
    let loaded = load(&journey_tests::server::line("guide"));
    let catalog = loaded.catalog.expect("the guide");
    let workflow = catalog.workflow("bicycle/cover").expect("the flow");
    let mut runner = Runner::new(&catalog);
    let mut evaluate = |story, until, text: &str| runner.evaluate(workflow, story, until, text);
    let bought = Some("bought");
    assert_eq!(evaluate(None, None, "context.bicycle"), Ok(json!({})));
    assert_eq!(evaluate(bought, Some("contact"), "context.bicycle.value"), Ok(json!(5_000_000)));
    assert_eq!(evaluate(bought, Some("owner"), "plan_of('wheelsure').total"), Ok(json!(150_000)));
    assert_eq!(evaluate(bought, Some("owner"), "application.start_on"), Ok(json!("2026-11-22")));
    let refused =
        |found: Result<_, String>, words: &str| assert!(found.as_ref().is_err_and(|e| e.contains(words)), "{found:?}");
    refused(evaluate(bought, Some("quotes"), "plan_off('wheelsure')"), "plan_off");
    refused(evaluate(Some("boughd"), None, "today"), "no story `boughd`");
    refused(evaluate(bought, Some("nowhere"), "today"), "never comes to `nowhere`");
    assert_eq!(workflow.values_named("application.offer == buyer.name ? 1 : plan_of('x')"), ["buyer", "application"]);
}

/// A search for a row says how many were left after each column.
#[test]
fn a_table_says_which_column_left_no_row() {
    let mut files = journey_tests::server::line("guide");
    let rates = "title: T\nsample: true\nmatch: {zone: equals, age: band}\ncolumns: {zone: text, age: int, rate: int}\nrows:\n  - [a, 18-25, 1]\n  - [a, 26-40, 2]\n  - [b, 18-40, 3]\n";
    files.insert("workflows/bicycle/tables/rates.yaml", rates.as_bytes());
    let catalog = load(&files).catalog.expect("the guide with a table");
    let table = catalog.tables().get("bicycle/rates").expect("the table");
    let search = |zone: &str, age: i64| {
        let inputs = json!({"zone": zone, "age": age}).as_object().cloned().unwrap_or_default();
        let found = table.explain(&inputs, &json!("2026-11-21"));
        (found.at, found.narrowed.into_iter().map(|(column, left)| (column.to_owned(), left)).collect::<Vec<_>>())
    };
    let left = |zone, age| vec![("zone".to_owned(), zone), ("age".to_owned(), age)];
    assert_eq!(search("a", 30), (Some(1), left(2, 1)));
    assert_eq!(search("a", 41), (None, left(2, 0)));
    assert_eq!(search("c", 30), (None, left(0, 0)));
}

/// What a partner or a customer says is of a kind that nobody knows before: the page goes without it, and a story tells.
#[test]
fn a_value_of_another_kind_fails_the_story_that_draws_it() {
    let mut files = line("guide");
    let folder = "workflows/bicycle/cover";
    for (file, from, to) in [
        (
            "views/quotes.yaml",
            "title: Theft and damage",
            "title: Theft and damage\n        tags: data.quotes[slug].output.total",
        ),
        ("stories/bought.yaml", "example: an offer}", "example: an offer, expect: {state: quotes}}"),
    ] {
        let path = format!("{folder}/{file}");
        let text = String::from_utf8(files.get(&path).expect("the file").to_vec()).expect("text");
        assert!(text.contains(from), "{path}");
        files.insert(path, text.replace(from, to).into_bytes());
    }
    let loaded = load(&files);
    let catalog = loaded.catalog.unwrap_or_else(|| panic!("{:?}", loaded.problems));
    let workflow = catalog.workflow("bicycle/cover").expect("the flow");
    let Outcome::Failed(failures) = Runner::new(&catalog).run(&workflow.stories()[0]) else { panic!("it held") };
    let said: Vec<String> = failures.iter().map(|failure| failure.difference.to_string()).collect();
    assert!(
        said.iter().all(|one| one.contains("`/blocks/1/items/0/tags` is a list of texts, not a number")),
        "{said:?}"
    );
}
