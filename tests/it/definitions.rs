//! Definitions at their boundary: files in, a catalog or problems with places out.

use engine_definitions::{Audience, Catalog, FieldError, Files, Problem, Workflow, load, reload_closure};
use engine_statechart::expression::Expression;
use engine_statechart::source::Span;
use engine_statechart::{Effect, Env, Event, Host, Scope, Vocabulary};
use serde_json::{Map, Value, json};
use std::sync::Arc;

/// A small library that lends books.
const LOAN: &str = "\
title: Loan
base: /loan
params: {days: 14}
initial: asking
context: {loan: {}, offers: {}}
delays: {reminder: {until: 'add_days(now, 1)', within: desk}}
sections: [{id: ask, title: Your book}]
states:
  asking:
    step: {form: loan, view: hint, kind: form, into: loan, path: '', section: ask, data: {noun: \"'book'\"}, accepts: {hint: {about: {type: string, maxLength: 20}}}}
    on:
      hint: {actions: {type: message, code: loan.hint}}
      submit: [{guard: context.loan.pages > params.days * 10, target: checking}, {target: searching}]
  checking: {use: shared/code, with: {to: \"get(context.loan, 'mobile', '')\", note: {by: \"'us'\"}}, onDone: {good: searching, bad: searching}}
  searching:
    step: {wait: loan.searching, path: search}
    invoke: {id: search, contract: library/offer, each: \"rows('library/branches')\", key: item.slug, partner: item.slug, input: {book: context.loan.title, near: item.near}, deadline: 30s, into: offers, onDone: found}
    after: {reminder: found}
  found:
    step: {view: found, path: found, data: {offers: context.offers}, accepts: {again: {}}}
    on: {again: asking, back: {}}
    after: {30d: gone}
  gone: {type: final}
";

const FORM: &str = r##"{
  "title": "Which book?",
  "required": ["title", "pages", "member", "card"],
  "properties": {
    "title": {"title": "Title", "type": "string", "minLength": 3, "maxLength": 50, "x-normalise": [{"keep": "[A-Za-z ]"}, "collapse", "trim"]},
    "code": {"title": "Shelf mark", "type": "string", "minLength": 10, "maxLength": 10},
    "pages": {"title": "Pages", "type": "integer", "minimum": 1, "maximum": {"$cel": "params.days * 100"}},
    "mobile": {"$ref": "shared/fields#/$defs/mobile"},
    "back_on": {"title": "Back on", "type": "string", "format": "date", "maxLength": 10, "x-date": {"min": "today", "max": "+14d"}},
    "member": {"title": "Are you a member?", "type": "boolean"},
    "card": {"title": "Card", "type": "string", "maxLength": 8, "x-ui": {"show": {"member": true}}},
    "readers": {"title": "Who reads it?", "type": "array", "maxItems": 3, "items": {"required": ["name"], "properties": {
      "name": {"title": "Name", "type": "string", "maxLength": 20}, "age": {"title": "Age", "type": "integer"}}}},
    "pin": {"title": "PIN", "type": "string", "maxLength": 6, "x-secret": true}},
  "variants": [{
    "for": {"role": ["call-centre"]},
    "merge": {"properties": {"mobile": null, "note": {"title": "Note", "type": "string", "maxLength": 99}, "readers": {"items": {"properties": {"age": null}}}}},
    "require": ["-pages", "-readers/name"]}]
}"##;

const PART: &str = "\
input: {to: string, tries: {type: integer, default: 3}, note: {text: {type: string, default: none}, by: string}}
context: {left: 3, seen: [], answers: {}}
keep: [seen]
outcomes: {good: {seen: array}, bad: {}}
initial: asking
states:
  asking: {id: ask, step: {form: code, into: my.answers, path: code, trail: skip}, on: {submit: [{guard: my.left < 1, target: bad}, {target: checking, actions: {assign: {my.left: my.left - 1}}}]}}
  checking:
    step: {wait: loan.searching}
    invoke: {id: verify, src: system/otp.verify, input: {mobile: input.to, purpose: \"'loan'\", code: event.secret.code}, onDone: good, onError: '#ask'}
  good: {type: final, output: {seen: my.seen}}
  bad: {type: final}
";

const OPERATION: &str = "\
contract: library/offer
method: GET
path: [v1, '=input.book', offers]
query: {near: input.near, days: 'null'}
reply: {when: status == 200, output: {price: body.rupees * 100, on: body.on}}
errors: [{when: status == 404, kind: declined, code: offer.none}, {when: status == 409, kind: declined, code: body.reason, message: body.text}]
";

const EXAMPLES: &str = "\
- {name: there, input: {book: 'a/b', near: yes}, request: {path: /lib/v1/a%2Fb/offers, query: {near: 'yes'}}, reply: {status: 200, body: {rupees: 12, on: '2026-01-01'}}, output: {price: 1200, on: '2026-01-01'}}
- {name: gone, input: {book: x, near: no}, reply: {status: 404}, error: offer.none}
";

const CONTRACT: &str = "\
title: A book that may be lent
input: {book: string, near: {type: [string, boolean]}}
output: {price: integer, on: {type: string, format: date}}
errors: {columns: {meaning: text}, rows: {any: [no offer], offer.none: [no such book]}}
";

pub(crate) fn library() -> Files {
    let mut files = Files::new();
    for (path, text) in [
        ("workflows/library/loan/flow.yaml", LOAN),
        ("workflows/library/shared/texts.yaml", "loan.hint: Look on the spine\nloan.searching: 'Searching {{what}}'\n"),
        (
            "workflows/library/loan/views/hint.yaml",
            "blocks: [{block: text, text: {text: 'Any {{noun}} at all'}}, {block: form}]\n",
        ),
        (
            "workflows/library/loan/views/found.yaml",
            "title: Found\nblocks:\n  - {block: notice, when: size(data.offers) == 0, text: None}\n  - block: facts\n    items:\n      - {each: values(data.offers), as: o, when: o.price > 0, label: {text: 'From {{o.by}}'}, value: {paise: o.price}}\n",
        ),
        ("workflows/library/loan/values.yaml", "shelf: context.loan.title\nover(pages): params.days > pages\n"),
        ("workflows/shared/code/part.yaml", PART),
        (
            "workflows/library/tables/branches.yaml",
            "sample: true\nmatch: {near: equals, floor: max}\ncolumns: {slug: text, near: text, floor: int, fee: money, rate: rate}\nrows:\n  - [north, river, 2, ₹2, 0.5%]\n  - [north, any, 9, '₹1,094.50', 18%]\n",
        ),
        ("workflows/master/cities.csv", "code,name,people\nDEL,Delhi,32\nBLR,\"Bengaluru, City\",13\n"),
        ("workflows/master/cities.yaml", "source: sample\ncolumns: {people: int}\n"),
        (
            "workflows/calendars.yaml",
            "desk: {timezone: Asia/Kolkata, week: {mon-fri: '10:00-19:00', sat: ['10:00-13:00']}, holidays: ['2026-01-26']}\n",
        ),
        (
            "workflows/library/messages/ready.yaml",
            "channel: email\nsample: {name: Asha, items: [a], due: 5}\nsubject: 'For {{name}}'\ntext: '{{#each items}}{{this}} {{/each}}{{money due}}'\nhtml: '<b>{{name}}</b>'\n",
        ),
        (
            "workflows/partners/libraries/north/partner.yaml",
            "name: North\nhost: libraries\nbase_path: /lib\nauth: {kind: bearer, token: 'secret://north'}\n",
        ),
        ("workflows/contracts/library/offer.yaml", CONTRACT),
        ("workflows/partners/libraries/north/offer.yaml", OPERATION),
        ("workflows/partners/libraries/north/offer.examples.yaml", EXAMPLES),
        ("workflows/site/site.yaml", "name: Books\nredirects: [{from: /old, to: /loan, status: 301}]\n"),
        ("workflows/site/pages/about.yaml", "path: /about\ntitle: About\nblocks: [{block: text, text: Hello}]\n"),
        ("forms/library/loan/loan.json", FORM),
        (
            "forms/shared/code/code.json",
            r#"{"title": "Code", "properties": {"code": {"type": "string", "maxLength": 6, "x-secret": true}}}"#,
        ),
        (
            "forms/shared/fields.json",
            r#"{"$defs": {"mobile": {"title": "Mobile", "type": "string", "maxLength": 10, "pattern": "^[6-9][0-9]{9}$", "x-pii": "mobile", "x-normalise": [{"keep": "[0-9+]"}, {"unprefix": ["+91", "0"]}], "x-messages": {"pattern": "Invalid mobile number."}}}}"#,
        ),
        (
            "forms/shared/messages.json",
            r#"{"length.equal": "Please enter {label} of length {max} characters", "length.between": "Please enter {label} between {min} - {max} characters", "x-date.max": "{label}: {max} at the latest"}"#,
        ),
    ] {
        files.insert(path, text.as_bytes());
    }
    files
}

pub(crate) fn catalog(files: &Files) -> Arc<Catalog> {
    let loaded = load(files);
    assert_eq!(show(&loaded.problems), "");
    loaded.catalog.expect("no problems, so there is a catalog")
}

fn show(problems: &[Problem]) -> String {
    problems.iter().map(|p| format!("{p}\n")).collect()
}

/// The library with one text replaced in one file: what `load` says about that file.
#[track_caller]
fn check(path: &str, from: &str, to: &str, expected: &str) {
    let mut files = library();
    let old = String::from_utf8(files.get(path).expect(path).to_vec()).unwrap();
    assert!(old.contains(from), "{from} is in {path}");
    files.insert(path, old.replacen(from, to, 1).into_bytes());
    let said = show(&load(&files).problems);
    assert!(said.contains(expected), "expected {expected}\ngot {said}");
}

const WORKFLOW: &str = "workflows/library/loan/flow.yaml";
const VALUES: &str = "workflows/library/loan/values.yaml";

#[test]
fn a_small_library_loads_without_problems() {
    let catalog = catalog(&library());
    let workflow = catalog.by_base("/loan").expect("by base");
    assert_eq!((workflow.id.as_str(), workflow.line.as_str(), workflow.version.len()), ("library/loan", "library", 32));
    assert_eq!(
        workflow.steps().map(|s| s.node.as_str()).collect::<Vec<_>>(),
        ["loan.asking", "loan.checking.ask", "loan.checking.checking", "loan.searching", "loan.found"]
    );
    assert_eq!(workflow.invokes().map(|i| i.id.as_str()).collect::<Vec<_>>(), ["checking.verify", "search"]);
    assert!(workflow.forbids("loan.found", "back") && !workflow.forbids("loan.asking", "back"));
    assert!(catalog.site("en").address("/about").is_some());
    assert_eq!(workflow.text("loan.hint", &Map::new()), "Look on the spine");
    assert_eq!(workflow.find_text("loan.none", &Map::new()), None);
}

/// A flow's own texts come before its line's, a part's before those of all lines; a name without a slash
/// is beside the file in which it stands, also when another flow extends that file.
#[test]
fn names_are_looked_up_from_the_folder_outwards() {
    let mut files = library();
    files.insert("workflows/library/loan/texts.yaml", "loan.hint: Look twice".as_bytes());
    files.insert("workflows/shared/code/texts.yaml", "loan.sent: Sent".as_bytes());
    files.insert("workflows/shared/texts.yaml", "{loan.sent: 'Sent, once', loan.over: Over}".as_bytes());
    let sister = "extends: library/loan\nmerge: {base: /borrow, states: {found: {step: {view: seen}}}}\n";
    files.insert("workflows/library/sister/flow.yaml", sister.as_bytes());
    files.insert("workflows/library/sister/views/seen.yaml", "blocks: [{block: text, text: Seen}]".as_bytes());
    let catalog = catalog(&files);
    let sister = catalog.workflow("library/sister").expect("the sister");
    let texts = ["loan.hint", "loan.searching", "loan.sent", "loan.over"].map(|c| sister.text(c, &Map::new()));
    assert_eq!(texts, ["Look twice", "Searching ", "Sent", "Over"]);
    let forms: Vec<&str> = sister.steps().filter_map(|s| s.form.as_deref()).collect();
    let views: Vec<&str> = sister.steps().filter_map(|s| s.view.as_deref()).collect();
    assert_eq!(forms, ["library/loan/loan", "shared/code/code"]);
    assert_eq!(views, ["library/loan/hint", "library/sister/seen"]);
    assert!(sister.closure.iter().any(|(path, _)| path == "workflows/shared/code/texts.yaml"));
}

#[test]
fn a_file_that_nobody_reads_is_a_mistake() {
    for path in ["workflows/library/loan.yaml", "workflows/messages/ready.yaml", "forms/library/loan.json"] {
        let mut files = library();
        files.insert(path, "{}".as_bytes());
        assert_eq!(
            show(&load(&files).problems),
            format!("{path}:1:1: no definition is read from here (workflows/README.md says which file lies where)\n")
        );
    }
    let mut files = library();
    files.insert("workflows/shared/messages/ready.yaml", "channel: email\ntext: Ready\n".as_bytes());
    let said = show(&load(&files).problems);
    assert!(said.contains("workflows/library/messages/ready.yaml is called `ready` too"), "{said}");
}

#[test]
fn mistakes_have_a_place_and_a_hint() {
    check(
        WORKFLOW,
        "target: searching",
        "target: serching",
        "flow.yaml:13:91: unknown target `serching` in state `loan.asking` (did you mean `searching`?)",
    );
    check(WORKFLOW, "guard: context.loan.pages >", "guard: is_lng >", "unknown name `is_lng`");
    check(VALUES, "shelf: context", "shelf: shelf + context", "values go round in a circle: shelf → shelf");
    check(WORKFLOW, "code: loan.hint", "code: loan.hnt", "unknown text `loan.hnt` (did you mean `loan.hint`?)");
    check(WORKFLOW, "code: loan.hint}", "code: loan.hint, links: {a: 1}}", "unknown");
    let notify = "target: searching, actions: {type: notify, message: ready, to: \"'a@b.in'\", data: {name: \"'A'\", items: \"[]\", due: 1, here: {link: {purpose: change, valid: 2d}}}}";
    check(WORKFLOW, "target: searching", notify, "unknown purpose `change`");
    check(WORKFLOW, "target: searching", &notify.replace("valid: 2d", "vald: 2d"), "unknown key `vald` in a link");
    check(
        WORKFLOW,
        "accepts: {again: {}}",
        "accepts: {again: {}}, links: {change: [agian]}",
        "unknown event `agian` (did you mean `again`?)",
    );
    check(
        WORKFLOW,
        "accepts: {again: {}}",
        "accepts: {again: {}}, links: {change: again}",
        "`links` is a map from the purpose of a link to a list of events",
    );
    check(WORKFLOW, "use: shared/code", "use: shared/code, section: asc", "unknown section `asc`");
    check(
        "workflows/partners/libraries/north/offer.yaml",
        "method: GET",
        "method: GET\nheaders: {Idempotency-Key: key}",
        "header `Idempotency-Key` is the product's own",
    );
    check(WORKFLOW, "form: loan", "form: loann", "unknown form `loann` (did you mean `loan`?)");
    check(WORKFLOW, "view: found", "view: fund", "unknown view `fund` (did you mean `found`?)");
    check(
        WORKFLOW,
        "data: {offers: ",
        "data: {offer: ",
        "unknown step data `offers`: view `library/loan/found` reads `data.offers` (did you mean `offer`?)",
    );
    check(
        WORKFLOW,
        "contract: library/offer",
        "contract: library/ofer",
        "unknown contract `library/ofer` (did you mean `library/offer`?)",
    );
    check(WORKFLOW, "partner: item.slug, ", "", "a call by `contract` needs `partner`");
    check(WORKFLOW, "rows('library/branches')", "rows('library/branch')", "unknown table `library/branch`");
    check(WORKFLOW, "use: shared/code", "use: shared/cod", "unknown part `shared/cod` (did you mean `shared/code`?)");
    check(WORKFLOW, "with: {to: ", "with: {too: ", "`to` is missing");
    check(WORKFLOW, "with: {to: ", "with: {too: 1, to: ", "the part has no `too` (did you mean `to`?)");
    check(WORKFLOW, "{by: \"'us'\"}", "{buy: \"'us'\"}", "the part has no `note.buy` (did you mean `by`?)");
    check(WORKFLOW, "{by: \"'us'\"}", "{by: 1}", "`note.by` is a text, not a number");
    check(
        WORKFLOW,
        "{good: searching, bad: searching}",
        "{good: searching}",
        "outcome `bad` of part `shared/code` is not handled",
    );
    check(
        WORKFLOW,
        "{good: searching, bad",
        "{god: asking, good: searching, bad",
        "unknown outcome `god` (did you mean `good`?)",
    );
    check(WORKFLOW, "{good: searching, bad: searching}", "searching", "beside `use` `onDone` is a map from outcomes");
    check(
        WORKFLOW,
        "{good: searching, bad",
        "{good: {target: searching, actions: {assign: {loan: event.output.sen}}}, bad",
        "`event.output.sen` is not in this outcome of the part (did you mean `seen`?)",
    );
    check(
        WORKFLOW,
        "{good: searching,",
        "{good: {target: searching, resume: fund},",
        "unknown state `fund` (did you mean `found`?)",
    );
    check(WORKFLOW, "{good: searching,", "{good: {resume: found},", "`resume` belongs beside `target`");
    check(WORKFLOW, "use: shared/code, ", "use: shared/code, views: {cod: hint}, ", "unknown view `cod`");
    check(WORKFLOW, "context: {loan: {},", "context: {checking: {}, loan: {},", "`context` has the key `checking`");
    check(
        WORKFLOW,
        "title: Your book}",
        "title: Your book, step: {viw: hint}}",
        "unknown key `viw` in `step` of a section",
    );
    let part = "workflows/shared/code/part.yaml";
    check(part, "  good: {type: final, output: {seen: my.seen}}", "  good: {type: final}", "`seen` is missing");
    check(part, "  bad: {type: final}\n", "", "no final state is called `bad`");
    check(part, "outcomes: {good", "outcomes: {god", "unknown outcome `good`");
    check(
        part,
        "my.left: my.left - 1",
        "my.lft: my.left - 1",
        "unknown key of the part's context `lft` (did you mean `left`?)",
    );
    check(
        part,
        "keep: [seen]",
        "keep: [seen]\nhears: {lost: bud}",
        "unknown target `bud`: a part enters its own states",
    );
    check(
        part,
        "keep: [seen]",
        "keep: [seen]\ncontracts: {offer: library/offfer}",
        "unknown contract `library/offfer` (did you mean `library/offer`?)",
    );
    check(WORKFLOW, "within: desk", "within: dusk", "unknown calendar `dusk` (did you mean `desk`?)");
    check(WORKFLOW, "section: ask", "section: aks", "unknown section `aks`");
    check(
        WORKFLOW,
        "on: {again: asking, back: {}}",
        "on: {back: {}}",
        "nothing handles `again`, which step `loan.found` accepts",
    );
    check(WORKFLOW, "about: {type: string, maxLength: 20}", "about: {type: string}", "a text needs `maxLength`");
    check(WORKFLOW, "into: loan,", "into: lone,", "unknown context key `lone` (did you mean `loan`?)");
    check(WORKFLOW, "deadline: 30s", "deadline: soon", "`soon` is not a duration");
    check(WORKFLOW, "type: message, code", "type: massage, code", "unknown action `massage` (did you mean `message`?)");
    check(WORKFLOW, "    after: {30d: gone}\n", "", "state `loan.gone` can never be entered");
    check(
        WORKFLOW,
        "title: Loan\n",
        "title: Loan\ntitle: Again\n",
        "flow.yaml:2:1: duplicate key `title` (first written in line 1)",
    );
    check("workflows/shared/code/part.yaml", "onError: '#ask'", "onError: '#found'", "target `#found` leaves the part");
    check(
        "workflows/shared/code/part.yaml",
        ", onError: '#ask'",
        "",
        "nothing says what happens when `checking.verify` fails (add `onError`)",
    );
    check(
        "workflows/shared/code/part.yaml",
        "{assign: {my.left:",
        "{assign: {left:",
        "a part writes `my.…`, not `left`",
    );
    check(
        "workflows/shared/code/part.yaml",
        "mobile: input.to",
        "mobile: context.loan.mobile",
        "a part sees `my` and `input`, not `context`",
    );
    check(
        "workflows/library/loan/views/hint.yaml",
        "block: form",
        "block: from",
        "unknown block `from` (did you mean `form`?)",
    );
    check(
        "workflows/library/tables/branches.yaml",
        "sample: true\n",
        "",
        "a table names its `source`, or says `sample: true`",
    );
    check(
        "workflows/library/tables/branches.yaml",
        "river, 2, ₹2",
        "river, 2, two",
        "the cell of `fee` is like ₹2,094",
    );
    check("workflows/library/messages/ready.yaml", "name: Asha", "nme: Asha", "the text needs `name`");
    check("workflows/library/messages/ready.yaml", "{{name}}</b>", "{{{name}}}</b>", "raw HTML");
    check("workflows/library/messages/ready.yaml", "{{name}}</b>", "{{log name}}</b>", "unknown helper `log`");
    check(
        "workflows/library/messages/ready.yaml",
        "{{name}}</b>",
        "{{#if (lookup x name)}}a{{/if}}</b>",
        "unknown helper `lookup`",
    );
    check("workflows/library/messages/ready.yaml", "{{name}}</b>", "{{log}}</b>", "the text needs `log`");
    let message = "workflows/library/messages/ready.yaml";
    check(message, "channel: email", "channel: email\nwithin: dusk", "unknown calendar `dusk`");
    check(
        message,
        "channel: email",
        "channel: email\npurpose: transactional\nwithin: desk",
        "a transactional message is never delayed",
    );
    check(message, "channel: email", "channel: pigeon", "`channel` is one of `sms`, `email`, `whatsapp`");
    let hours = "workflows/calendars.yaml";
    check(
        hours,
        "holidays:",
        "messages: [transactional], holidays:",
        "`transactional` is not a purpose of messages that may wait",
    );
    let twice = "desk: {messages: [marketing], week: {mon: '10:00-11:00'}}\nlate: {messages: [marketing], week: {mon: '10:00-11:00'}}\nold:";
    check(hours, "desk:", twice, "`desk` has the hours of `marketing` already");
    check(
        WORKFLOW,
        "title: Loan\n",
        "title: Loan\ntrack: north/ofer\n",
        "unknown operation `ofer` of partner `north` (did you mean `offer`?)",
    );
    check(WORKFLOW, "title: Loan\n", "title: Loan\npresence: {input: {a: now}}\n", "presence needs `call`");
    check(
        WORKFLOW,
        "title: Loan\n",
        "title: Loan\ntrack: {call: north/offer, input: {a: nwo}}\n",
        "unknown name `nwo`",
    );
    check("workflows/partners/libraries/north/partner.yaml", "'secret://north'", "abc", "`token` is a secret");
    check(
        "workflows/partners/libraries/north/offer.examples.yaml",
        "output: {price: 1200",
        "output: {price: 12",
        "example `there`: the output differs at `/price`",
    );
    check(
        "workflows/partners/libraries/north/offer.examples.yaml",
        "error: offer.none",
        "error: offer.gone",
        "example `gone`: the error differs at `/code`",
    );
    check(
        "forms/library/loan/loan.json",
        "\"maxLength\": 8",
        "\"maxLenght\": 8",
        "unknown keyword `maxLenght` (did you mean `maxLength`?)",
    );
    check(
        "forms/library/loan/loan.json",
        "{\"member\": true}",
        "{\"membre\": true}",
        "unknown field `membre` (did you mean `member`?)",
    );
    check(
        "forms/library/loan/loan.json",
        "$defs/mobile",
        "$defs/mobil",
        "unknown definition `mobil` (did you mean `mobile`?)",
    );
    check("forms/shared/fields.json", "^[6-9][0-9]{9}$", "^([0-9]+)+$", "a browser may hang on it");
    check(
        "forms/library/loan/loan.json",
        "\"title\": \"Which",
        "\"title\": \"x\", \"title\": \"Which",
        "loan.json:2:17: duplicate key `title`",
    );
}

/// Rule 9: what may be absent is asked for; what differs in kind is not compared.
#[test]
fn reads_of_the_context_are_defined() {
    let guard = |cel: &str| format!("guard: \"{cel}\"");
    let from = "guard: context.loan.pages > params.days * 10";
    for (cel, expected) in [
        (
            "context.loan.titel == 'x'",
            "`context.loan.titel` is never defined: no form, assignment or answer of a call puts it there (did you mean `title`?)",
        ),
        ("get(context.loan, 'titel', '') == 'x'", "`context.loan.titel` is never defined"),
        (
            "context.lone.title == 'x'",
            "`context.lone` is never defined: no form, assignment or answer of a call puts it there (did you mean `loan`?)",
        ),
        (
            "context.loan.code == 'x'",
            "`context.loan.code` may be absent: its field need not be filled (`has(context.loan.code)` asks, and so does `context.loan.?code.orValue(…)`)",
        ),
        ("context.loan.card == 'x'", "`context.loan.card` may be absent"),
        ("context.loan.title == 'x' || context.loan.code == 'x'", "`context.loan.code` may be absent"),
        ("has(context.loan.code) ? context.loan.card == '' : true", "`context.loan.card` may be absent"),
        (
            "context.offers.north.price > 1",
            "`context.offers.north.price` is never defined: no form, assignment or answer of a call puts it there",
        ),
        ("context.loan.pin == ''", "`context.loan.pin` is never defined"),
        ("context.checking.answers.code == ''", "`context.checking.answers.code` is never defined"),
        ("context.loan.pages == 'many'", "`context.loan.pages` is a number, never a text"),
        ("context.loan.title > 5", "`context.loan.title` is a text, never a number"),
        (
            "get(context.loan, 'code', 0) < 5",
            "`context.loan.code` may be a text: comparing it with a number fails then",
        ),
        ("context.loan.pages > null", "null has no order"),
    ] {
        check(WORKFLOW, from, &guard(cel), expected);
    }
    check(
        WORKFLOW,
        "data: {offers: context.offers}",
        "data: {offers: context.offers, at: context.chosen.at}",
        "`context.chosen` is never defined",
    );
    let to = "\"get(context.loan, 'mobile', '')\"";
    let asks = LOAN.replacen(to, "context.late.at", 1);
    for (from, to, expected) in [
        (
            "{30d: gone}",
            "{30d: {target: gone, actions: {assign: {late.at: now}}}}",
            "`context.late` is not defined on any way that leads here",
        ),
        ("again: asking", "again: {target: asking, actions: {assign: {late.at: now}}}", ""),
        ("onDone: found", "onDone: {target: found, actions: {assign: {late: {at: now}}}}", ""),
        ("context: {loan: {}", "context: {late: {at: ''}, loan: {}", ""),
        (
            "{target: searching}]",
            "{target: searching, actions: {assign: {late.at: context.late.on}}}]",
            "`context.late.on` is never defined",
        ),
    ] {
        let mut files = library();
        files.insert(WORKFLOW, asks.replacen(from, to, 1).into_bytes());
        let said = show(&load(&files).problems);
        assert!(if expected.is_empty() { said.is_empty() } else { said.contains(expected) }, "{to}: {said}");
    }

    for cel in [
        "get(context.loan, 'code', '') != '' && context.loan.code == 'x'",
        "has(context.loan.code) ? context.loan.code == 'x' : false",
        "!has(context.loan.code) || context.loan.code == 'x'",
        "'code' in context.loan && context.loan.code == 'x'",
        "get(context.loan, 'code', '') in ['x', 'y'] ? context.loan.code == 'x' : true",
        "context.loan.pages > 3.5 && context.loan.title != ''",
        "get(context.loan, 'code', null) == null",
        "context.offers.north.output.price > 1 || context.offers[context.loan.title].output.price > 1",
        "context.checking.left > 1 && context.loan.member",
    ] {
        let mut files = library();
        files.insert(WORKFLOW, LOAN.replacen(from, &guard(cel), 1).into_bytes());
        assert_eq!(show(&load(&files).problems), "", "{cel}");
    }
}

/// Rule 27: every bomb is refused with a place, and soon.
#[test]
fn bombs_are_refused() {
    let aliases =
        (1..30).fold("a0: &a0 [x, x]\n".to_owned(), |text, i| format!("{text}a{i}: &a{i} [*a{0}, *a{0}]\n", i - 1));
    let values = (1..300).fold("d0: 1 + 1\n".to_owned(), |text, i| format!("{text}d{i}: d{0} + d{0}\n", i - 1));
    let deep = format!("title: {}", "[".repeat(5_000));
    let blocks = format!("channel: sms\ntext: \"{}\"\n", "{{#if a}}".repeat(1_500));
    for (path, text, expected) in [
        (WORKFLOW, aliases, "more than 60000 values in one file"),
        ("workflows/library/loan/values.yaml", values, "leads through too many values one inside another"),
        (WORKFLOW, deep, "recursion limit exceeded"),
        (WORKFLOW, "x".repeat(300_000), "at most 262144 are read"),
        ("workflows/library/messages/ready.yaml", blocks, "more than 200 blocks"),
        ("forms/library/loan/loan.json", "{\"a\":".repeat(10_000), "nested deeper than 32"),
    ] {
        let mut files = library();
        files.insert(path, text.into_bytes());
        let start = std::time::Instant::now();
        let said = show(&load(&files).problems);
        assert!(
            said.contains(expected) && said.contains(path),
            "expected {expected}\ngot {}",
            said.chars().take(500).collect::<String>()
        );
        assert!(start.elapsed().as_secs() < 5, "{expected} took {:?}", start.elapsed());
    }
}

const NOON: i64 = 1_795_242_600_000; // 2026-11-21T06:30:00Z, Saturday noon in India

fn eval(text: &str) -> Result<Value, String> {
    let catalog = catalog(&library());
    let workflow = catalog.workflow("library/loan").expect("workflow");
    let (now, journey) = (workflow.now(NOON), json!({"id": "j", "channel": "web"}));
    let host = workflow.host(&now, &journey, &catalog);
    let functions = engine_definitions::FUNCTIONS.iter().map(|(n, a)| ((*n).to_owned(), a.clone())).collect();
    let variables = ["now", "today", "journey", "params"].map(str::to_owned).into();
    let vocabulary = Vocabulary { functions, variables, ..Vocabulary::default() };
    let expression = Expression::compile(text, &Span::unknown(), &vocabulary, &[]).map_err(|p| p.to_string())?;
    expression.eval(&Scope::new().with_host(&host)).map_err(|e| e.message)
}

#[test]
fn functions_of_expressions() {
    for (text, expected) in [
        ("now + ' ' + today + ' ' + journey.channel", json!("2026-11-21T06:30:00.000Z 2026-11-21 web")),
        ("get({'a': null}, 'a', 1) + get({}, 'b', 2)", json!(3)),
        ("merge({'a': 1, 'b': 2}, {'b': null})", json!({"a": 1, "b": null})),
        ("without({'a': 1, 'b': 2}, ['a'])", json!({"b": 2})),
        ("sum([1, 2, 3]) + share(1050, 500000) + scale(-5, 1, 2)", json!(528)),
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
        ("[open(now, 'desk'), open(add_minutes(now, 60), 'desk')]", json!([true, false])),
        ("next_open(add_minutes(now, 60), 'desk')", json!("2026-11-23T04:30:00.000Z")),
        ("next_open('2026-01-25', 'desk')", json!("2026-01-27T04:30:00.000Z")),
        ("ms_until(add_minutes(now, 2))", json!(120_000)),
        (
            "[at_time('2026-11-22', '18:00'), at_time(now, '9:05')]",
            json!(["2026-11-22T12:30:00.000Z", "2026-11-21T03:35:00.000Z"]),
        ),
        // R9-62, R5-23, R3-46: every half hour from 10:00, the last one ends at 19:00; hourly; Saturday; Sunday and a
        // holiday.
        (
            "slots('2026-11-23', 'desk', 30).map(s, s.text).filter(t, t.endsWith('AM'))",
            json!(["10:00 AM", "10:30 AM", "11:00 AM", "11:30 AM"]),
        ),
        (
            "slots('2026-11-23', 'desk', 30)[17]",
            json!({"key": "2026-11-23T13:00:00.000Z", "text": "6:30 PM", "day": "2026-11-23"}),
        ),
        (
            "[size(slots('2026-11-23', 'desk', 30)), size(slots(add_days(now, 2), 'desk', 60)), size(slots('2026-11-23', 'desk', 45))]",
            json!([18, 9, 12]),
        ),
        (
            "[slots(today, 'desk', 60).map(s, s.text), slots('2026-11-22', 'desk', 30), slots('2026-01-26', 'desk', 30)]",
            json!([["10:00 AM", "11:00 AM", "12:00 PM"], [], []]),
        ),
        (
            "[mask('9876543210', 'mobile'), mask('rahul@example.com', 'email')]",
            json!(["*****43210", "r***l@example.com"]),
        ),
        ("table('library/branches', {'near': 'river', 'floor': 2}).fee", json!(200)),
        (
            "table('library/branches', {'near': 'hill', 'floor': 3})",
            json!({"slug": "north", "near": null, "floor": 9, "fee": 109_450, "rate": 180_000}),
        ),
        ("table('library/branches', {'near': 'hill', 'floor': 10})", Value::Null),
        ("size(rows('library/branches'))", json!(2)),
        (
            "[lookup('cities', 'BLR').name, lookup('cities', 'DEL').people, lookup('cities', '')]",
            json!(["Bengaluru, City", 32, null]),
        ),
        (
            "[upper('a'), lower('A'), trim(' a '), replace('a-b', '-', ''), digits('a1b2'), title('ASHA RAO')]",
            json!(["A", "a", "a", "ab", "12", "Asha Rao"]),
        ),
        ("join(split('a,b', ','), '+')", json!("a+b")),
        ("[keys({'a': 1}), values({'a': 1})]", json!([["a"], [1]])),
        ("sort_by([{'a': 2}, {'a': 1}, {}], 'a').map(x, get(x, 'a', 0))", json!([1, 2, 0])),
        ("sort_by([{'a': 1}, {'a': 2}], '-a')[0].a", json!(2)),
        ("[min_of([3, 1]), max_of(['a', 'b']), min_of([]), first([7])]", json!([1, "b", null, 7])),
        ("concat([[1], [2, 3]])", json!([1, 2, 3])),
        ("group_by([{'k': 'a', 'n': 1}, {'k': 'a', 'n': 2}], 'k').a.map(x, x.n)", json!([1, 2])),
        ("format_date(now, 'EEE d MMM yyyy, h:mm a')", json!("Sat 21 Nov 2026, 12:00 PM")),
        ("money(12345600)", json!("₹1,23,456.00")),
        ("hash('a') == hash('a') && hash('a') != hash('b')", json!(true)),
        ("range(3)", json!([0, 1, 2])),
        ("params.days", json!(14)),
    ] {
        assert_eq!(eval(text), Ok(expected), "{text}");
    }
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

fn staff() -> Audience {
    Audience { roles: vec!["call-centre".into()], channel: "web".into(), ..Audience::default() }
}

/// Normalises and validates answers; `pointer code text` of each error.
fn answers(audience: &Audience, data: Value) -> (Value, Vec<String>) {
    let catalog = catalog(&library());
    let workflow = catalog.workflow("library/loan").expect("workflow");
    let (now, journey, context) = (workflow.now(NOON), json!({}), Map::new());
    let host = workflow.host(&now, &journey, &catalog);
    let scope = Scope::new().with_host(&host).with_context(&context);
    let form = workflow.form("library/loan/loan").expect("form");
    let mut data = data;
    let errors: Vec<FieldError> = form.check(audience, &scope, &mut data).expect("checks");
    (data, errors.into_iter().map(|e| format!("{} {} {}", e.pointer, e.code, e.text)).collect())
}

#[test]
fn forms_say_what_is_wrong() {
    let visitor = Audience::default();
    let good = json!({"title": " Asha1  R@o ", "pages": "120", "member": false, "card": "x", "mobile": "+919876543210", "code": ""});
    let kept = json!({"title": "Asha Ro", "pages": 120, "member": false, "mobile": "9876543210", "readers": []});
    assert_eq!(answers(&visitor, good), (kept, vec![]));
    for (data, expected) in [
        (
            json!({"title": "A", "pages": 1, "member": false}),
            "/title minLength Please enter Title between 3 - 50 characters",
        ), // R5-02
        (
            json!({"title": "Abc", "pages": 1, "member": false, "code": "12345"}),
            "/code minLength Please enter Shelf mark of length 10 characters",
        ), // R5-01
        (
            json!({"title": "Abc", "pages": 1, "member": false, "mobile": "1234567890"}),
            "/mobile pattern Invalid mobile number.",
        ), // R5-09
        (json!({"title": "Abc", "pages": 1401, "member": false}), "/pages maximum Please check Pages"),
        (json!({"title": "Abc", "pages": 1, "member": true}), "/card required Please enter Card"),
        (
            json!({"title": "Abc", "pages": 1, "member": false, "back_on": "2026-12-06"}),
            "/back_on x-date.max Back on: 5 Dec 2026 at the latest",
        ),
        (
            json!({"title": "Abc", "pages": 1, "member": false, "admin": true}),
            "/admin unknown This field is not expected",
        ),
        (
            json!({"pages": 1, "member": "maybe"}),
            "/title required Please enter Title|/member type Please check Are you a member?",
        ),
    ] {
        assert_eq!(answers(&visitor, data.clone()).1.join("|"), expected, "{data}");
    }
    let cut = answers(&staff(), json!({"title": "Abc", "member": false, "mobile": "9876543210", "note": "x"})).1;
    assert_eq!(cut, ["/mobile unknown This field is not expected"]);
}

#[test]
fn forms_are_cut_on_the_server() {
    let catalog = catalog(&library());
    let workflow = catalog.workflow("library/loan").expect("workflow");
    let (now, journey, context) = (workflow.now(NOON), json!({}), Map::new());
    let host = workflow.host(&now, &journey, &catalog);
    let scope = Scope::new().with_host(&host).with_context(&context);
    let form = workflow.form("library/loan/loan").expect("form");
    let view = form.view(&staff(), &scope).expect("a view");
    let shown = view.schema.to_string();
    assert_eq!(view.schema.pointer("/properties/pages/maximum"), Some(&json!(1400)));
    assert_eq!(view.schema.pointer("/required"), Some(&json!(["title", "member", "card"])));
    assert_eq!(view.schema.pointer("/properties/readers/items/required"), Some(&json!([])));
    assert!(!shown.contains("mobile") && !shown.contains("x-pii") && !shown.contains("$cel"), "{shown}");
    assert!(!shown.contains("\"age\""), "a variant cuts the fields of rows: {shown}");
    assert_eq!(form.secrets(), ["pin"]);
    let fields = form.fields(&staff(), &scope).expect("names");
    assert!(fields.contains("note"));

    // What this actor cannot see of an answer stays, in rows by their keys.
    let mut old = json!({"mobile": "9876543210", "note": "old", "readers": [
        {"key": "r1", "name": "Asha", "age": 40}, {"key": "r2", "name": "Ravi", "age": 9}]});
    let new = json!({"title": "Emma", "readers": [{"key": "r2", "name": "Ravi Rao"}, {"key": "r3", "name": "Lila"}]});
    let (Value::Object(mut map), Value::Object(new)) = (std::mem::take(&mut old), new) else { panic!("objects") };
    fields.replace(&mut map, new);
    let expected = json!({"mobile": "9876543210", "title": "Emma", "readers": [
        {"key": "r2", "name": "Ravi Rao", "age": 9}, {"key": "r3", "name": "Lila"}]});
    assert_eq!(Value::Object(map), expected);
}

/// A part in a part: what it keeps, what it hears after it was left, and what its host gives it.
#[test]
fn parts_nest_keep_and_hear() {
    let desk = "title: Desk\nbase: /desk\ninitial: open\ncontext: {reader: {name: none}, got: []}\nstates:\n  open: {step: {wait: loan.hint, path: ''}, on: {go: lending}}\n  lending:\n    use: shared/lending\n    with: {reader: context.reader}\n    onDone: {lent: {target: open, actions: {assign: {got: 'context.got + [event.output.fee]'}}}, left: open}\n";
    let lending = "input: {reader: {name: string, age: {type: integer, default: 9}}}\ncontext: {notes: 0}\noutcomes: {lent: {fee: integer}, left: {}}\ninitial: noting\nstates:\n  noting: {entry: {assign: {my.notes: my.notes + 1}}, always: fee}\n  fee: {use: shared/fee, with: {who: input.reader.name}, onDone: {paid: lent, left: left}}\n  lent: {type: final, output: {fee: event.output.fee}}\n  left: {type: final}\n";
    let fee = "input: {who: string}\ncontext: {tries: 0, asked: 0}\nkeep: [tries]\noutcomes: {paid: {fee: integer}, left: {}}\nhears: {coin: {guard: event.of == input.who, target: .paid}}\ninitial: asking\nstates:\n  asking: {step: {wait: loan.hint, path: fee}, entry: {assign: {my.tries: my.tries + 1, my.asked: my.asked + 1}}, on: {leave: left}}\n  paid: {type: final, output: {fee: my.tries * 10 + my.asked}}\n  left: {type: final}\n";
    let mut files = library();
    files.insert("workflows/library/desk/flow.yaml", desk.as_bytes());
    files.insert("workflows/shared/lending/part.yaml", lending.as_bytes());
    files.insert("workflows/shared/fee/part.yaml", fee.as_bytes());
    let catalog = catalog(&files);
    let workflow = catalog.workflow("library/desk").expect("workflow");
    let (now, journey) = (workflow.now(NOON), json!({"id": "j"}));
    let host = workflow.host(&now, &journey, &catalog);
    let env = Env { now_ms: NOON, host: &host as &dyn Host };
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

    let twice = desk.replace("onDone: {lent", "id: first\n    onDone: {lent")
        + "  again: {use: shared/fee, with: {who: context.reader.name}, onDone: {paid: open, left: open}}\n";
    files.insert(
        "workflows/library/desk/flow.yaml",
        twice.replace("on: {go: lending}", "on: {go: lending, more: again}").as_bytes(),
    );
    files.insert(
        "workflows/shared/fee/part.yaml",
        fee.replace("{guard: event.of == input.who, target: .paid}", ".paid").as_bytes(),
    );
    let said = show(&load(&files).problems);
    assert!(said.contains("part `shared/fee` takes every `coin`: part `shared/fee` never hears it"), "{said}");
}

#[test]
fn a_workflow_runs_on_the_core() {
    let catalog = catalog(&library());
    let workflow = catalog.workflow("library/loan").expect("workflow");
    let (now, journey) = (workflow.now(NOON), json!({"id": "j"}));
    let host = workflow.host(&now, &journey, &catalog);
    let env = Env { now_ms: NOON, host: &host as &dyn Host };
    let mut s = engine_statechart::start(&workflow.machine, &env).snapshot;
    assert_eq!(workflow.step(&s.active).map(|s| s.path.as_deref()), Some(Some("")));
    s.context.insert("loan".into(), json!({"title": "Emma", "pages": 500, "mobile": "9876543210"}));
    let s = engine_statechart::step(&workflow.machine, s, &Event::new("submit"), &env).snapshot;
    let note = json!({"text": "none", "by": "us"});
    let entered =
        json!({"left": 3, "seen": [], "answers": {}, "input": {"to": "9876543210", "tries": 3, "note": note}});
    assert_eq!(s.context["checking"], entered);
    let outcome = engine_statechart::step(
        &workflow.machine,
        s,
        &Event::new("submit").with("secret", json!({"code": "handle"})),
        &env,
    );
    assert_eq!(outcome.error, None);
    let call = outcome.effects.iter().find_map(|e| {
        if let Effect::Invoke { id, src, input, .. } = e { Some((id.as_str(), src.as_str(), input)) } else { None }
    });
    assert_eq!(
        call,
        Some((
            "checking.verify",
            "system/otp.verify",
            &json!({"input": {"mobile": "9876543210", "purpose": "loan", "code": "handle"}, "partner": null})
        ))
    );
    let done = Event::new("xstate.done.actor.checking.verify").with("output", json!({"ok": true}));
    let outcome = engine_statechart::step(&workflow.machine, outcome.snapshot, &done, &env);
    assert_eq!(outcome.snapshot.active, ["loan.searching"]);
    let call =
        outcome.effects.iter().find_map(|e| if let Effect::Invoke { input, .. } = e { Some(input) } else { None });
    assert_eq!(
        call.and_then(|c| c.pointer("/calls/0")),
        Some(&json!({"key": "north", "partner": "north", "input": {"book": "Emma", "near": "river"}}))
    );
    // The reminder is a day later, a Sunday, so it moves to Monday 10:00 in India.
    assert_eq!(
        outcome.snapshot.timers.first().map(|t| t.due_ms - NOON),
        Some(46 * 3_600_000 - 6 * 60 * 60_000 + 6 * 3_600_000)
    );
}

#[test]
fn views_messages_and_webhooks_render() {
    let catalog = catalog(&library());
    let workflow = catalog.workflow("library/loan").expect("workflow");
    let (now, journey) = (workflow.now(NOON), json!({}));
    let host = workflow.host(&now, &journey, &catalog);
    let data = json!({"offers": {"a": {"by": "North", "price": 100}, "b": {"by": "South", "price": 0}}});
    let view = workflow
        .view("library/loan/found")
        .expect("view")
        .render(&data, &[], &Scope::new().with_host(&host))
        .expect("renders");
    assert_eq!(
        view,
        json!({"title": "Found", "blocks": [{"block": "facts", "items": [{"label": "From North", "value": {"paise": 100}}]}]})
    );
    let message = catalog
        .message("ready")
        .expect("message")
        .render(&["hi"], &json!({"name": "<A>", "items": ["x", "y"], "due": 5}))
        .expect("renders");
    assert_eq!(
        (message.subject.as_deref(), message.text.as_str(), message.html.as_deref()),
        (Some("For <A>"), "x y ₹0.05", Some("<b>&lt;A&gt;</b>"))
    );
}

#[test]
fn a_warning_takes_nothing_away() {
    let mut files = library();
    let long = format!("blocks: [{{block: facts, items: [{{label: Sum, value: \"{}1\"}}]}}]", "1 + ".repeat(45));
    files.insert("workflows/library/loan/views/found.yaml", long.into_bytes());
    let loaded = load(&files);
    assert!(show(&loaded.problems).contains("hard to read"), "{}", show(&loaded.problems));
    let catalog = loaded.catalog.expect("warnings are no errors");
    assert!(catalog.workflow("library/loan").expect("workflow").view("library/loan/found").is_some());
}

fn version(files: &Files) -> String {
    catalog(files).workflow("library/loan").expect("workflow").version.clone()
}

#[test]
fn a_version_is_its_closure_and_comes_back() {
    let files = library();
    let first = catalog(&files);
    let workflow: &Arc<Workflow> = first.workflow("library/loan").expect("workflow");
    for (path, pinned) in [
        (WORKFLOW, true),
        ("workflows/shared/code/part.yaml", true),
        ("workflows/library/loan/views/found.yaml", true),
        ("workflows/library/shared/texts.yaml", true),
        ("workflows/library/tables/branches.yaml", true),
        ("forms/library/loan/loan.json", true),
        ("forms/shared/fields.json", true),
        ("workflows/contracts/library/offer.yaml", true),
        ("workflows/partners/libraries/north/offer.yaml", false),
        ("workflows/partners/libraries/north/offer.examples.yaml", false),
        ("workflows/library/messages/ready.yaml", false),
        ("workflows/site/site.yaml", false),
    ] {
        let mut changed = files.clone();
        let mut bytes = files.get(path).expect(path).to_vec();
        bytes.push(b'\n');
        changed.insert(path, bytes);
        assert_eq!(version(&changed) != workflow.version, pinned, "{path}");
    }
    let mut kept = Files::new();
    for (path, hash) in &workflow.closure {
        kept.insert(path.clone(), files.get(path).expect(path).clone());
        assert_eq!(files.hash(path), *hash);
    }
    let again = reload_closure("library/loan", &kept, &first).map_err(|p| show(&p)).expect("reloads");
    assert_eq!((again.version.as_str(), again.closure.len()), (workflow.version.as_str(), workflow.closure.len()));
}

#[test]
fn the_repository_has_no_errors_and_what_is_made_from_its_tables_is_current() {
    let root = concat!(env!("CARGO_MANIFEST_DIR"), "/..");
    let files = Files::read_dir(root).expect("readable");
    let errors: Vec<Problem> = load(&files).problems.into_iter().filter(Problem::is_error).collect();
    assert_eq!(show(&errors), "");
    let sentences = engine_definitions::schema::sentences(&files);
    for (path, text) in engine_definitions::schema::written().into_iter().chain(sentences) {
        let written = std::fs::read_to_string(format!("{root}/{path}")).unwrap_or_default();
        assert!(written == text, "{path}: run `cargo run --example schemas`");
    }
}

/// `journey fmt` can write whatever stands in the repository, and what it wrote stays.
#[test]
fn every_definition_can_be_formatted() {
    for root in ["..", "it/fixtures/club", "it/fixtures/parcel", "chaos/definitions", "bench/definitions"] {
        let files = Files::read_dir(format!("{}/{root}", env!("CARGO_MANIFEST_DIR"))).expect("readable");
        for (path, bytes) in files.iter().filter(|(path, _)| !path.ends_with(".csv")) {
            let once = engine_definitions::fmt::format(path, bytes).map_err(|p| show(&p)).expect(path);
            let twice = engine_definitions::fmt::format(path, once.as_bytes()).map_err(|p| show(&p)).expect(path);
            assert_eq!(once, twice, "{path}");
        }
    }
}

#[test]
fn one_file_alone_is_a_machine() {
    let machine = engine_definitions::plain_machine(
        "loan.yaml",
        LOAN.replace(
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

/// Rule 1: a region that works in silence does not hide the region that shows something.
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
