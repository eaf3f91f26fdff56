//! Workflows, parts, values, stories.

use super::content::variants;
use super::{
    Kinds, any, cel, closed_map, duration, flag, list_of, map_of, mapping, needs, one_or_list, text, texts, words,
    words_or_template,
};
use crate::keys::actions;
use crate::workflow::{LISTED, Only, SECTION_STEP_KEYS, SYSTEM, StepKind, Waits};
use serde_json::{Map, Value, json};

pub fn all() -> Kinds {
    vec![
        ("workflow.json", "A workflow: workflows/<line>/<flow>/flow.yaml", workflow()),
        ("part.json", "A part: workflows/shared/<part>/part.yaml", part()),
        ("values.json", "Values: values.yaml of a flow, a part or a line's shared/", values()),
        ("story.json", "A story: workflows/<line>/<flow>/stories/<name>.yaml", story()),
    ]
}

fn workflow() -> Value {
    let choice = closed_map(&[("when", "CEL over the context", cel()), ("for", "After this", duration())]);
    let mut keys = vec![
        ("title", "What people call it", text()),
        ("base", "Address of its first page: /parcel-cover", text()),
        ("timezone", "Zone of `today`; Asia/Kolkata by default", text()),
        (
            "ttl",
            "An idle journey expires after this, or after the first of these whose `when` holds",
            json!({"anyOf": [duration(), list_of(choice)]}),
        ),
        (
            "signs_in",
            "At its end the session is signed in as the person whose number was verified in it, or as one of the staff; or who is signed in has this number or e-mail address",
            json!({"enum": [true, "staff", "number", "email", "forget"]}),
        ),
        ("language", "Of messages without a text in the journey's language", text()),
        ("track", "Each change of step is told there, in order", report()),
        ("presence", "Who is there is told there", report()),
        (
            "listed",
            "What lists say of a request: CEL that gives texts, empty while it cannot be said",
            closed_map(&LISTED.map(|(name, note)| (name, note, cel()))),
        ),
        ("delays", "Names for `after`", map_of(delay())),
        ("scene", "Who goes along the progress line: a drawing of the table `shared/scenes`; without, a pin", text()),
        (
            "sections",
            "The progress line",
            list_of(needs(
                closed_map(&[
                    ("id", "", text()),
                    ("title", "Its places are {{params.x}}", words_or_template()),
                    ("step", SECTION_STEP, section_step()),
                ]),
                &["id", "title"],
            )),
        ),
        ("extends", "Another workflow, line/name, of which this is a patch", text()),
        ("merge", "The patch: maps are merged, null deletes, lists are replaced", map_of(any())),
        ("params", "Values for `params.x`", map_of(any())),
        ("aliases", "Further page paths → step paths", map_of(text())),
        (
            "links",
            "Purpose of a link → events that it lets a person send at every step; '*' is all that its owner may",
            map_of(texts()),
        ),
        ("variants", "Patches for some: the title, and under `steps` what each step shows", variants("title, steps")),
    ];
    keys.extend(
        state_keys().into_iter().filter(|(k, ..)| !USE_KEYS.contains(k) && !matches!(*k, "history" | "target")),
    );
    keys.push(("context", "The journey's data at its start", map_of(any())));
    with_definitions(closed_map(&keys))
}

/// Keys of a state beside `use`.
const USE_KEYS: [&str; 8] = ["use", "with", "contracts", "views", "tables", "messages", "steps", "section"];
const SECTION_STEP: &str = "What its steps take unless they say otherwise; waits and redirects only hide and trail";

fn section_step() -> Value {
    let own = step();
    let keys = SECTION_STEP_KEYS.map(|k| (k.to_owned(), own["properties"][k].clone()));
    json!({"type": "object", "properties": Map::from_iter(keys), "additionalProperties": false})
}

fn with_definitions(mut schema: Value) -> Value {
    let definitions = json!({
        "state": closed_map(&state_keys()),
        "transitions": {"oneOf": [text(), transition(), {"type": "array", "items": {"oneOf": [text(), transition()]}}]},
        "guard": {"oneOf": [cel(), closed_map(&[("and", "", list_of(json!({"$ref": "#/$defs/guard"}))), ("or", "", list_of(json!({"$ref": "#/$defs/guard"}))), ("not", "", json!({"$ref": "#/$defs/guard"}))])]},
        "action": action(),
        "actions": one_or_list(json!({"$ref": "#/$defs/action"})),
        "step": step(),
        "invoke": invoke(),
    });
    if let Some(map) = schema.as_object_mut() {
        map.insert("$defs".into(), definitions);
    }
    schema
}

fn report() -> Value {
    json!({"oneOf": [text(), needs(closed_map(&[("call", "partner/operation", text()), ("input", "", map_of(any()))]), &["call"])]})
}

fn state_keys() -> Vec<(&'static str, &'static str, Value)> {
    let reference = |name: &str| json!({"$ref": format!("#/$defs/{name}")});
    vec![
        ("id", "Own id; by default the root's id and the path", text()),
        ("type", "", words(&["parallel", "final", "history", "atomic", "compound"])),
        (
            "initial",
            "Child that is entered first",
            json!({"oneOf": [text(), closed_map(&[("target", "", text()), ("actions", "", reference("actions"))])]}),
        ),
        ("states", "Children", map_of(reference("state"))),
        ("on", "Event → transitions; {} forbids", map_of(reference("transitions"))),
        ("always", "Transitions without an event", reference("transitions")),
        ("after", "Duration or delay name → transitions", map_of(reference("transitions"))),
        ("entry", "", reference("actions")),
        ("exit", "", reference("actions")),
        (
            "onDone",
            "When a final child is reached; beside `use` by outcome of the part",
            json!({"oneOf": [reference("transitions"), map_of(reference("transitions"))]}),
        ),
        ("invoke", "Calls that run while the state is active", one_or_list(reference("invoke"))),
        ("history", "", words(&["shallow", "deep"])),
        ("target", "Default of a history state", text()),
        ("output", "Of a final state", mapping()),
        ("description", "", text()),
        ("tags", "", texts()),
        ("meta", "", any()),
        ("step", "What a person sees", reference("step")),
        ("use", "A part: shared/otp", text()),
        ("with", "Inputs of the part", mapping()),
        ("contracts", "The part's name of a contract → one that extends the part's", map_of(text())),
        ("views", "The part's name of a view → the view that is shown in its place", map_of(text())),
        ("tables", "The part's name of a table → the table that is read in its place", map_of(text())),
        ("messages", "The part's name of a message → the message that is sent in its place", map_of(text())),
        ("steps", "State of the part → what its step takes, over what the part says", map_of(reference("step"))),
        ("section", "Part of the progress line, for the part's steps that name none", text()),
    ]
}

fn transition() -> Value {
    closed_map(&[
        ("target", "sibling, .child, #id; absent: nothing is left or entered", texts()),
        ("guard", "", json!({"$ref": "#/$defs/guard"})),
        ("actions", "", json!({"$ref": "#/$defs/actions"})),
        ("reenter", "Leave and enter again", flag()),
        ("resume", "Later answers are sent again until this state is entered; beside `target`", text()),
        ("description", "", text()),
    ])
}

fn action() -> Value {
    let mut all = vec![
        closed_map(&[("assign", "Context key (dotted) → value", map_of(any()))]),
        closed_map(&[(
            "raise",
            "",
            closed_map(&[
                ("type", "", text()),
                ("params", "", mapping()),
                ("delay", "", duration()),
                ("id", "", text()),
            ]),
        )]),
        closed_map(&[("cancel", "Id of a delayed raise", text())]),
    ];
    all.extend(actions::authored().map(|action| {
        let mut schema = super::of_keys(action.keys, false);
        schema["properties"]["type"] = json!({"const": action.name, "description": action.note});
        schema
    }));
    json!({"oneOf": all})
}

fn step() -> Value {
    closed_map(&[
        ("form", "A form of the flow, or its path below forms/", text()),
        ("view", "A view beside the file, or its path without views/", text()),
        ("wait", "Code of the text of a wait page", text()),
        (
            "redirect",
            "A hop to a partner's page",
            needs(
                closed_map(&[
                    ("partner", "", text()),
                    ("url", "CEL; may read return_url", cel()),
                    ("method", "", words(&["GET", "POST"])),
                    ("fields", "", map_of(any())),
                    ("label", "Code of a text", text()),
                ]),
                &["url"],
            ),
        ),
        ("review", "Check your answers, made by the engine", flag()),
        ("kind", "", words(&StepKind::ALL.map(|(name, _)| name))),
        ("path", "Page address below `base`", text()),
        ("into", "Context key that takes the answers", text()),
        (
            "data",
            "All that the view gets; CEL, reads `viewer {role, roles, channel, partner, assists, name, mobile}` too",
            map_of(any()),
        ),
        (
            "prefill",
            "Field → value; CEL reads `viewer` too, on a first step with `name` and `mobile` of who is signed in",
            map_of(any()),
        ),
        ("covered", "Field → a text that the person may keep or replace, but not read", map_of(any())),
        ("plain", "CEL, reads `viewer` too: a review shows mobile numbers and e-mails whole", cel()),
        ("accepts", "Event → fields with closed, bounded schemas", map_of(map_of(any()))),
        ("depends", "CEL: when a value changed the answers are asked again", one_or_list(cel())),
        ("satisfied", "CEL: whether the step may be passed over", cel()),
        (
            "known",
            "CEL: on the way of a `resume` nobody is asked what is known, as long as the form takes it as it stands",
            cel(),
        ),
        (
            "waits_for",
            "Who is to do something here, where its kind does not say it; nobody: lists call the request done",
            words(&Waits::ALL.map(|(name, _)| name)),
        ),
        (
            "trail",
            "keep: back comes here; skip; close: nothing before can be changed",
            words(&["keep", "skip", "close"]),
        ),
        ("title", "", words_or_template()),
        ("section", "Part of the progress line", text()),
        ("submit", "Label of the button", words_or_template()),
        ("hide", "", one_or_list(words(&["header", "footer"]))),
        ("links", "Purpose of a link → events that a person who came by it may send here", map_of(texts())),
        ("paper", "A state beside this one, or this one: its view is printed as the document `paper`", text()),
        ("only", "In a journey begun for a customer: the customer alone", words(&Only::ALL.map(|(name, _)| name))),
        ("confirms", "Who acts for a customer sees it, and does not send its answer", flag()),
        ("variants", "Patches for some: what the step shows to them", variants("title, submit, view, wait, hide")),
    ])
}

fn invoke() -> Value {
    let transitions = || json!({"$ref": "#/$defs/transitions"});
    let across = words(&["journey", "all"]);
    let shared =
        needs(closed_map(&[("for", "", duration()), ("across", "What is everybody's: `all`", across)]), &["for"]);
    let reuse = json!({"anyOf": [duration(), shared]});
    let system = SYSTEM.map(|source| format!("system/{source}"));
    let sources = format!("partner/operation, {}", system.join(", "));
    closed_map(&[
        ("src", &sources, text()),
        ("contract", "What any partner's operation may declare", text()),
        ("partner", "CEL: the partner's id", cel()),
        ("id", "", text()),
        ("input", "", mapping()),
        ("each", "CEL: a list; each row is `item`", cel()),
        ("key", "CEL: name of a row's answer", cel()),
        ("deadline", "", duration()),
        (
            "reuse",
            "A younger success of the same input settles without a call: this journey's, or `across: all`",
            reuse,
        ),
        ("retry", "Attempts go on for this long", duration()),
        ("into", "Context key that takes the output", text()),
        ("onDone", "", transitions()),
        ("onError", "", transitions()),
        ("onReply", "Each answer of `each` as an event", transitions()),
        ("description", "", text()),
    ])
}

fn delay() -> Value {
    needs(
        closed_map(&[
            ("until", "CEL: a moment", text()),
            ("within", "Calendar: moved to its next opening", text()),
            ("on_version", "", words(&["keep_deadline", "keep_rest", "restart"])),
        ]),
        &["until"],
    )
}

fn part() -> Value {
    let transitions = || json!({"$ref": "#/$defs/transitions"});
    let mut keys = vec![
        ("title", "", text()),
        ("input", "Name → shape; copied on entry, read as `input.x`", map_of(super::partners::shape())),
        ("contracts", "Name → the contract that a host's must extend; calls say the name", map_of(text())),
        ("views", "Name → the view, unless the host names another; steps say the name", map_of(text())),
        (
            "tables",
            "Name → the table, unless the host names another with the same columns; `lookup` and the like say the name",
            map_of(text()),
        ),
        ("asks", "Value of the host → its arguments; where the host has none, the part's own counts", map_of(texts())),
        ("messages", "Name → the message, unless the host names another; `notify` says the name", map_of(text())),
        ("context", "Read and written as `my.x`", map_of(any())),
        ("keep", "Keys that stay when it is entered again", list_of(text())),
        ("outcomes", "How it may end → what it gives: {name: shape}", map_of(map_of(super::partners::shape()))),
        (
            "hears",
            "Event → transitions, also after it was left: asked when nothing active took it",
            map_of(transitions()),
        ),
        ("delays", "Names for its `after`", map_of(delay())),
        (
            "sections",
            "Steps that name none stand in the first",
            list_of(needs(closed_map(&[("id", "", text()), ("step", SECTION_STEP, section_step())]), &["id"])),
        ),
    ];
    let own = ["step", "invoke", "initial", "states", "on", "always", "after", "entry", "exit", "meta", "description"];
    keys.extend(state_keys().into_iter().filter(|(k, ..)| own.contains(k)));
    needs(with_definitions(closed_map(&keys)), &["outcomes", "initial", "states"])
}

/// `name` or `name(argument, …)` → a tree of expressions.
fn values() -> Value {
    json!({
        "type": "object",
        "propertyNames": {"pattern": r"^[a-z][a-z0-9_]*(\([a-z][a-z0-9_]*(, *[a-z][a-z0-9_]*)*\))?$"},
        "additionalProperties": {"type": ["string", "number", "boolean", "null", "object", "array"]},
    })
}

fn story() -> Value {
    let expect = closed_map(&[
        ("state", "State value, or the dotted path of an active state", any()),
        ("path", "Page path of the step", text()),
        ("status", "", text()),
        ("context", "Part of the context", map_of(any())),
        ("effects", "Each is found among the effects", list_of(any())),
        ("absent", "None is found among the effects", list_of(any())),
        ("errors", "", list_of(any())),
        ("messages", "", list_of(any())),
        ("refused", "", text()),
        ("view", "", any()),
    ]);
    let step = closed_map(&[
        ("send", "Event of an actor", text()),
        ("data", "", any()),
        ("change", "What differs from what the form holds, or from the example", any()),
        (
            "by",
            "Who sends it, if not the customer in the browser that began",
            closed_map(&[
                ("role", "Of workflows/roles.yaml", text()),
                ("link", "Purpose of a link that was followed, in a browser of its own", text()),
                ("partner", "Slug of the partner through whom the visitor came", text()),
            ]),
        ),
        ("reply", "Id of a call", text()),
        ("key", "Row of an `each`", text()),
        ("output", "", any()),
        ("error", "", any()),
        ("example", "Name of an example of the operation", text()),
        ("event", "Event from outside", text()),
        ("advance", "Time passes", duration()),
        ("otp", "", words(&["correct", "wrong"])),
        ("into", "Field of the code", text()),
        ("expect", "", expect),
    ]);
    let after = needs(
        closed_map(&[
            ("story", "Name of its file", text()),
            ("until", "When it is first in this state; else at its end", text()),
        ]),
        &["story"],
    );
    let keys = [
        ("name", "", text()),
        ("rows", "Requirements that it shows", list_of(text())),
        ("after", "It goes on where another story of the flow was", after),
        ("at", "The clock at its start", text()),
        ("language", "", text()),
        ("channel", "", text()),
        (
            "attribution",
            "What the request is told of where its visitor came from: channel, partner, variants",
            map_of(any()),
        ),
        (
            "signed_in",
            "name, mobile and email of who is signed in, and records: kind → key → {record, context}; without it nobody is",
            map_of(any()),
        ),
        ("description", "", text()),
        ("steps", "", list_of(step)),
    ];
    needs(closed_map(&keys), &["name", "steps"])
}
