//! Stories: given events → expected states and effects, as data. engine-runtime runs them.

mod check;

pub(crate) use check::check;

use crate::fields::{MapReader, duration_ms};
use crate::source::Node;
use crate::values::parse_time;
use engine_statechart::Problem;
use engine_statechart::source::Span;
use serde_json::{Map, Value};

#[derive(Clone, Debug, Default)]
pub struct Story {
    /// Path of the story's file.
    pub path: String,
    /// The file's name: what other stories of the workflow call it.
    pub id: String,
    /// The workflow in whose folder the story lies.
    pub workflow: String,
    /// The story after which this one goes on.
    pub after: Option<After>,
    pub name: String,
    /// Requirements that it shows.
    pub rows: Vec<String>,
    /// Clock at the story's start, ms since 1970; `None`: the runner's choice.
    pub at_ms: Option<i64>,
    pub language: Option<String>,
    pub channel: Option<String>,
    /// What the journey is told of where its visitor came from: `{channel, partner, variants: {experiment: variant}, …}`;
    /// null for nothing.
    pub attribution: Value,
    /// `{name, mobile, email}` of who is signed in; null for nobody.
    pub signed_in: Value,
    pub steps: Vec<StoryStep>,
}

/// Moment of another story at which this one goes on: when that was first in a state, or else at its end.
#[derive(Clone, Debug)]
pub struct After {
    pub story: String,
    pub until: Option<String>,
}

#[derive(Clone, Debug)]
pub struct StoryStep {
    pub span: Span,
    pub act: Act,
    pub expect: Expect,
}

/// Who sends an event, where it is not the customer in the browser that began: `by: {role}`, `{link}`, `{partner}`.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Sender {
    /// A role of `workflows/roles.yaml`.
    pub role: Option<String>,
    /// Purpose of the link that was followed, in a browser of its own.
    pub link: Option<String>,
    /// Slug of the partner through whom the visitor came.
    pub partner: Option<String>,
}

/// What happens at a step of a story.
#[derive(Clone, Debug, PartialEq)]
pub enum Act {
    /// A step in which nothing happens: only expectations.
    Look,
    /// An actor sends an event: with `data`, or with what the form holds and this changed.
    Send {
        kind: String,
        data: Value,
        change: Value,
        by: Sender,
    },
    /// A call is answered: by the given output or error, or by the operation's example.
    Reply {
        invoke: String,
        key: Option<String>,
        answer: Answer,
    },
    /// An event from outside.
    Event {
        kind: String,
        data: Value,
    },
    Advance {
        ms: i64,
    },
    /// The person enters the code of the last one-time password, or another one.
    Otp {
        correct: bool,
        into: Option<String>,
    },
}

#[derive(Clone, Debug, PartialEq)]
pub enum Answer {
    Output(Value),
    Error(Value),
    /// Output or error of an example of the operation, the output with this changed.
    Example {
        name: String,
        change: Value,
    },
}

/// Every given part must hold; maps are compared by the members that are given.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Expect {
    pub state: Option<Value>,
    pub path: Option<String>,
    pub status: Option<String>,
    pub context: Option<Value>,
    /// Effects of this step that are expected, in any order.
    pub effects: Vec<Value>,
    /// Effects that this step must not have.
    pub absent: Vec<Value>,
    pub errors: Vec<Value>,
    pub messages: Vec<Value>,
    pub refused: Option<String>,
    pub view: Option<Value>,
}

impl Story {
    /// `flow` is the workflow in whose folder it lies.
    pub fn compile(path: &str, flow: &str, node: &Node, problems: &mut Vec<Problem>) -> Option<Story> {
        let before = problems.len();
        let keys =
            ["name", "rows", "after", "at", "language", "channel", "attribution", "signed_in", "description", "steps"];
        let mut fields = MapReader::open(node, "a story", &keys, problems)?;
        let (name, rows) = (fields.need_text("name"), fields.texts("rows"));
        let at_ms = fields.text("at").and_then(|at| {
            let ms = parse_time(&at);
            if ms.is_none() {
                let span = fields.get("at").map_or(&node.span, |n| &n.span);
                fields.problems.push(Problem::error("value", span, "`at` is a moment like 2026-11-21T10:00:00+05:30"));
            }
            ms
        });
        let (language, channel) = (fields.text("language"), fields.text("channel"));
        let attribution = fields.get("attribution").map_or(Value::Null, Node::to_json);
        let signed_in = fields.get("signed_in").map_or(Value::Null, Node::to_json);
        let after = fields.get("after").and_then(|n| after(n, fields.problems));
        for key in ["at", "language", "channel", "attribution", "signed_in"].into_iter().filter(|_| after.is_some()) {
            if let Some(at) = fields.node.key(key) {
                let message = format!("`{key}` belongs to the story that this one goes on from");
                fields.problems.push(Problem::error("misplaced-key", &at.span, message));
            }
        }
        fields.need("steps");
        let steps: Vec<StoryStep> = fields.list("steps").iter().filter_map(|n| step(n, fields.problems)).collect();
        (!problems[before..].iter().any(Problem::is_error)).then(|| Story {
            path: path.to_owned(),
            id: path.rsplit('/').next().and_then(|file| file.strip_suffix(".yaml")).unwrap_or(path).to_owned(),
            workflow: flow.to_owned(),
            after,
            name,
            rows,
            at_ms,
            language,
            channel,
            attribution,
            signed_in,
            steps,
        })
    }
}

fn after(node: &Node, problems: &mut Vec<Problem>) -> Option<After> {
    let mut fields = MapReader::open(node, "`after`", &["story", "until"], problems)?;
    Some(After { story: fields.need_text("story"), until: fields.text("until") })
}

pub(crate) const STEP_KEYS: [&str; 14] = [
    "send", "data", "change", "by", "reply", "key", "output", "error", "example", "event", "advance", "otp", "into",
    "expect",
];

/// Keys of `by`, which says who sends an event.
pub(crate) const SENDER: [&str; 3] = ["role", "link", "partner"];

fn sender(node: &Node, problems: &mut Vec<Problem>) -> Option<Sender> {
    let mut fields = MapReader::open(node, "who sends an event", &SENDER, problems)?;
    Some(Sender { role: fields.text("role"), link: fields.text("link"), partner: fields.text("partner") })
}

fn step(node: &Node, problems: &mut Vec<Problem>) -> Option<StoryStep> {
    let mut fields = MapReader::open(node, "a step of a story", &STEP_KEYS, problems)?;
    let acts: Vec<&str> =
        ["send", "reply", "event", "advance", "otp"].into_iter().filter(|k| fields.get(k).is_some()).collect();
    if acts.len() > 1 {
        fields.problems.push(Problem::error(
            "shape",
            &node.span,
            format!("a step does one thing, not {}", acts.join(" and ")),
        ));
        return None;
    }
    let data = fields.get("data").map_or(Value::Object(Map::new()), Node::to_json);
    let change = fields.get("change").map_or(Value::Null, Node::to_json);
    if !change.is_null()
        && let Some(at) = fields.node.key("change")
        && (fields.get("data").is_some() || !["send", "example"].iter().any(|key| fields.get(key).is_some()))
    {
        let message = "`change` belongs to `send` without `data`, or to `example`";
        fields.problems.push(Problem::error("misplaced-key", &at.span, message));
    }
    let act = match acts.first().copied() {
        Some("send") => {
            let by = fields.get("by").and_then(|at| sender(at, fields.problems)).unwrap_or_default();
            Act::Send { kind: fields.need_text("send"), data, change, by }
        }
        Some("reply") => {
            let answer = match (fields.get("output"), fields.get("error"), fields.text("example")) {
                (Some(output), None, None) => Answer::Output(output.to_json()),
                (None, Some(error), None) => Answer::Error(error.to_json()),
                (None, None, Some(name)) => Answer::Example { name, change },
                _ => {
                    fields.problems.push(Problem::error(
                        "shape",
                        &node.span,
                        "a reply has one of `output`, `error` and `example`",
                    ));
                    return None;
                }
            };
            Act::Reply { invoke: fields.need_text("reply"), key: fields.text("key"), answer }
        }
        Some("event") => Act::Event { kind: fields.need_text("event"), data },
        Some("advance") => match duration_ms(fields.need("advance")?) {
            Ok(ms) => Act::Advance { ms },
            Err(problem) => {
                fields.problems.push(problem);
                return None;
            }
        },
        Some("otp") => {
            Act::Otp { correct: fields.word("otp", &["correct", "wrong"])? == "correct", into: fields.text("into") }
        }
        _ => Act::Look,
    };
    let expect = fields.get("expect").map(|n| expect(n, fields.problems)).unwrap_or_default();
    Some(StoryStep { span: node.span.clone(), act, expect })
}

fn expect(node: &Node, problems: &mut Vec<Problem>) -> Expect {
    let keys = ["state", "path", "status", "context", "effects", "absent", "errors", "messages", "refused", "view"];
    let Some(mut fields) = MapReader::open(node, "an expectation", &keys, problems) else { return Expect::default() };
    let mut list = |key: &str| fields.list(key).iter().map(Node::to_json).collect::<Vec<_>>();
    let (effects, absent, errors, messages) = (list("effects"), list("absent"), list("errors"), list("messages"));
    Expect {
        state: fields.get("state").map(Node::to_json),
        path: fields.text("path"),
        status: fields.text("status"),
        context: fields.get("context").map(Node::to_json),
        effects,
        absent,
        errors,
        messages,
        refused: fields.text("refused"),
        view: fields.get("view").map(Node::to_json),
    }
}
