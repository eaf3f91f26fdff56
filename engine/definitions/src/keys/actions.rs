//! The product's actions in machines, beside `assign`, `raise` and `cancel` of the dialect.

use super::Takes::Value;
use super::{Gives, Key, Takes, key, name, value};
use engine_statechart::Field;
use std::collections::BTreeMap;

pub struct Action {
    pub name: &'static str,
    pub note: &'static str,
    pub keys: &'static [Key],
}

pub const LEVELS: &[&str] = &["info", "success", "warning", "error"];
/// What `resume` beside a target becomes; nobody writes it.
pub const RESUME: &str = "resume";

const DATA: Key = value("data", Gives::Data, "");

pub const ACTIONS: &[Action] = &[
    Action {
        name: "message",
        note: "Says something on the next page; by `code` or `from`",
        keys: &[
            name("code", &[], "code of a text"),
            name("level", LEVELS, "`error` if none is said"),
            name("pointer", &[], "the field that it is about: `/mobile`, or `{cel: …}`"),
            value("from", Gives::Data, "an error: `event.error`"),
            value("data", Gives::Data, "fills the text"),
        ],
    },
    Action {
        name: "record",
        note: "Writes a row about the journey for others to read",
        keys: &[name("kind", &[], "").needed(), value("key", Gives::Text, "the same key: the same row").needed(), DATA],
    },
    Action {
        name: "notify",
        note: "Sends a message",
        keys: &[
            name("message", &[], "id of a message").needed(),
            value("to", Gives::Text, "number or address").needed(),
            value(
                "data",
                Gives::Data,
                "fills the texts; `{link: {purpose, valid, open}}` makes a link into the journey",
            ),
            value("language", Gives::Text, "else the journey's"),
            value(
                "attach",
                Gives::Text,
                "id of a document of the journey, which goes with an e-mail; empty or null: none",
            ),
            key("links", Value(Gives::Data), "").of(super::Side::Browser),
        ],
    },
    Action {
        name: "call",
        note: "Calls an operation and waits for nothing",
        keys: &[name("operation", &[], "`partner/operation`").needed(), value("input", Gives::Data, "")],
    },
    Action {
        name: "track",
        note: "Tells the workflow's `track` operation",
        keys: &[name("step", &[], "").needed(), DATA],
    },
    Action {
        name: "incident",
        note: "Asks an operator",
        keys: &[name("reason", &[], "").needed(), value("detail", Gives::Anything, "")],
    },
    Action {
        name: "correlate",
        note: "A reference by which a partner's webhooks find the journey",
        keys: &[
            name("partner", &[], "").needed(),
            value("reference", Gives::Text, "").needed(),
            value("expect", Gives::Data, "what the webhook must say"),
        ],
    },
    Action {
        name: "revoke",
        note: "Ends all links of a purpose that were made so far",
        keys: &[name("purpose", &[], "").needed()],
    },
    Action { name: RESUME, note: "", keys: &[name("to", &[], "").of(super::Side::Browser)] },
];

/// Actions that authors write.
pub fn authored() -> impl Iterator<Item = &'static Action> {
    ACTIONS.iter().filter(|action| action.name != RESUME)
}

pub fn find(name: &str) -> Option<&'static Action> {
    ACTIONS.iter().find(|action| action.name == name)
}

/// Actions as the dialect knows them: which fields are literal, which are expressions.
pub fn of_dialect() -> BTreeMap<String, BTreeMap<String, Field>> {
    let field = |key: &Key| {
        let is_name = matches!(key.takes, Takes::Name(_));
        (key.name.to_owned(), if is_name { Field::Name } else { Field::Value })
    };
    ACTIONS.iter().map(|action| (action.name.to_owned(), action.keys.iter().map(field).collect())).collect()
}

/// Whether a field of an action is an expression.
pub fn is_value(action: &str, field: &str) -> bool {
    find(action).and_then(|action| super::find(action.keys, field)).is_some_and(|key| matches!(key.takes, Value(_)))
}
